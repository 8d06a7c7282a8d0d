//! Random sequences of blocks, for tests and measurements of interpolation.

#![allow(dead_code, clippy::unwrap_used)]

use crate::common::Generator;
use sectile_base::{Budget, Int, Rat, Rng};
use sectile_solver::Solver;
use sectile_solver_native::NativeSolver;
use sectile_terms::{Sort, Stage, Symbol, SymbolKind, Term, Terms};
use std::time::Duration;

/// What a random sequence looks like.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// Nested formulas with all operators over overlapping sets of symbols.
    Nested,
    /// Conjunctions of linear atoms over overlapping sets of symbols.
    RealConjunctions,
    /// The same over the integers.
    IntConjunctions,
    /// Unrollings of guarded updates.
    Unrolling,
    /// Integer equations, most of which are refuted by divisibility.
    Equations,
    /// Narrow integer cones over several shared symbols, which need branches or cuts.
    Knapsack,
    /// Longer unrollings in which every step may be any command.
    Long,
}

impl Kind {
    pub const ALL: [Kind; 7] = [
        Kind::Nested,
        Kind::RealConjunctions,
        Kind::IntConjunctions,
        Kind::Unrolling,
        Kind::Equations,
        Kind::Knapsack,
        Kind::Long,
    ];
}

/// A random sequence of 2 to 6 blocks, which may be satisfiable.
pub fn sequence(terms: &Terms, kind: Kind, seed: u64) -> Vec<Term> {
    let mut rng = Rng::new(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x5EC7);
    match kind {
        Kind::Nested => nested(terms, &mut rng, seed),
        Kind::RealConjunctions => conjunctions(terms, &mut rng, Sort::Real),
        Kind::IntConjunctions => conjunctions(terms, &mut rng, Sort::Int),
        Kind::Unrolling => {
            let (steps, single) = (rng.below(5) as u32, rng.chance(1, 2));
            unrolling(terms, &mut rng, steps, single)
        }
        Kind::Long => {
            let steps = 8 + rng.below(5) as u32;
            unrolling(terms, &mut rng, steps, false)
        }
        Kind::Equations => equations(terms, &mut rng),
        Kind::Knapsack => knapsack(terms, &mut rng),
    }
}

/// Makes a block again until it is satisfiable by itself, if that does not take too long.
fn satisfiable(terms: &Terms, mut make: impl FnMut() -> Term) -> Term {
    let mut block = make();
    for _ in 0..10 {
        let mut solver = NativeSolver::new(terms);
        solver.assert(block).unwrap();
        let budget = Budget::unlimited().with_time(Duration::from_secs(1));
        if solver.check(&[], &budget).unwrap().is_sat() {
            break;
        }
        block = make();
    }
    block
}

fn nested(terms: &Terms, rng: &mut Rng, seed: u64) -> Vec<Term> {
    let mut g = Generator::new(terms, seed);
    let all = g.symbols.clone();
    let n = 2 + rng.below(5) as usize;
    let depth = 1 + rng.below(3) as u32;
    (0..n)
        .map(|i| {
            // A window that moves over the symbols, with one symbol that is seen everywhere.
            let width = 2 + rng.below(3) as usize;
            let start = i * all.len() / n;
            let mut window: Vec<(Symbol, Sort)> =
                (0..width).map(|k| all[(start + k) % all.len()]).collect();
            window.push(all[0]);
            // The generator wants a symbol of each enumeration it knows.
            window.extend(all.iter().filter(|s| matches!(s.1, Sort::Enum(_))).take(1));
            g.symbols = window;
            satisfiable(terms, || {
                let parts: Vec<Term> = (0..1 + rng.below(3))
                    .map(|_| g.boolean(depth).term)
                    .collect();
                terms.and(parts)
            })
        })
        .collect()
}

fn declare(terms: &Terms, name: &str, sort: Sort) -> Symbol {
    terms.declare(name, sort, SymbolKind::State).unwrap()
}

fn combination(terms: &Terms, rng: &mut Rng, list: &[Term], sort: Sort, size: i64) -> Term {
    let mut sum = terms.number(Rat::from(rng.range(-2 * size..=2 * size)), sort);
    for &x in list {
        if rng.chance(2, 3) {
            let c = rng.range(-size..=size);
            sum = terms.add(sum, terms.scale(x, &Rat::from(c)));
        }
    }
    sum
}

fn conjunctions(terms: &Terms, rng: &mut Rng, sort: Sort) -> Vec<Term> {
    let n = 2 + rng.below(5) as usize;
    let size = 1 + rng.below(4) as i64;
    let local: Vec<Vec<Term>> = (0..=n)
        .map(|i| {
            (0..1 + rng.below(2))
                .map(|k| terms.var(declare(terms, &format!("x{i}_{k}"), sort)))
                .collect()
        })
        .collect();
    (0..n)
        .map(|i| {
            let known: Vec<Term> = local[i].iter().chain(&local[i + 1]).copied().collect();
            satisfiable(terms, || {
                let atom = |rng: &mut Rng| {
                    let sum = combination(terms, rng, &known, sort, size);
                    let zero = terms.number(Rat::ZERO, sort);
                    match rng.below(6) {
                        0 => terms.lt(sum, zero),
                        1 | 2 => terms.eq(sum, zero),
                        _ => terms.le(sum, zero),
                    }
                };
                let count = 2 + rng.below(3);
                let atoms: Vec<Term> = (0..count).map(|_| atom(rng)).collect();
                terms.and(atoms)
            })
        })
        .collect()
}

/// One guarded command over `x`, `y` and the program counter.
fn command(terms: &Terms, rng: &mut Rng, symbols: &[Symbol], pcs: i64) -> Term {
    let (x, y, pc) = (symbols[0], symbols[1], symbols[2]);
    let now = |s: Symbol| terms.var(s);
    let step = |s: Symbol, c: i64| terms.add(terms.var(s), terms.int(c));
    let mut parts = vec![terms.eq(now(pc), terms.int(rng.range(0..=pcs)))];
    match rng.below(4) {
        0 => parts.push(terms.le(now(x), terms.int(rng.range(-4..=8)))),
        1 => parts.push(terms.ge(now(x), now(y))),
        2 => parts.push(terms.gt(now(y), terms.int(rng.range(-4..=4)))),
        _ => {}
    }
    let next_x = match rng.below(6) {
        0 => terms.int(rng.range(-3..=3)),
        1 => terms.add(now(x), now(y)),
        2 => terms.ite(terms.le(now(x), now(y)), step(x, 1), now(y)),
        3 => terms.modulo(step(x, 1), &Int::from(3)),
        _ => step(x, rng.range(-2..=3)),
    };
    parts.push(terms.eq(terms.next(x), next_x));
    parts.push(match rng.below(4) {
        0 => terms.eq(terms.next(y), step(y, rng.range(-2..=2))),
        1 => terms.le(terms.next(y), now(x)),
        _ => terms.eq(terms.next(y), now(y)),
    });
    parts.push(terms.eq(terms.next(pc), terms.int(rng.range(0..=pcs))));
    terms.and(parts)
}

fn unrolling(terms: &Terms, rng: &mut Rng, steps: u32, single: bool) -> Vec<Term> {
    let symbols: Vec<Symbol> = ["x", "y", "pc"]
        .iter()
        .map(|name| declare(terms, name, Sort::Int))
        .collect();
    let (x, y, pc) = (
        terms.var(symbols[0]),
        terms.var(symbols[1]),
        terms.var(symbols[2]),
    );
    let init = terms.and([
        terms.eq(pc, terms.int(0)),
        terms.le(x, terms.int(rng.range(-2..=2))),
        terms.ge(x, terms.int(rng.range(-2..=0))),
        terms.eq(y, terms.int(rng.range(-1..=3))),
    ]);
    let pcs = rng.range(1..=2);
    let commands: Vec<Term> = (0..2 + rng.below(4))
        .map(|_| command(terms, rng, &symbols, pcs))
        .collect();
    let error = terms.and([
        terms.eq(pc, terms.int(rng.range(0..=pcs))),
        terms.gt(x, terms.add(y, terms.int(rng.range(2..=9)))),
    ]);
    let mut blocks = vec![terms.at_step(init, 0)];
    for k in 0..steps {
        let taken = if single {
            *rng.pick(&commands).unwrap()
        } else {
            terms.or(commands.iter().copied())
        };
        blocks.push(terms.at_step(taken, k));
    }
    blocks.push(terms.at_step(error, steps));
    blocks
}

fn equations(terms: &Terms, rng: &mut Rng) -> Vec<Term> {
    let n = 2 + rng.below(4) as usize;
    let shared: Vec<Term> = (0..n)
        .map(|i| terms.var(declare(terms, &format!("s{i}"), Sort::Int)))
        .collect();
    let modulus = rng.range(2..=6);
    (0..n)
        .map(|i| {
            let own = terms.var(declare(terms, &format!("l{i}"), Sort::Int));
            satisfiable(terms, || {
                let unit = |rng: &mut Rng| match rng.chance(3, 4) {
                    true => Rat::ONE,
                    false => Rat::from(rng.range(-3..=3)),
                };
                let multiple = Rat::from(modulus * rng.range(1..=2));
                let mut parts = vec![terms.scale(own, &multiple)];
                parts.push(terms.scale(shared[i], &unit(rng)));
                if i > 0 {
                    parts.push(terms.scale(shared[i - 1], &-unit(rng)));
                }
                parts.push(terms.int(rng.range(-3..=3)));
                let equation = terms.eq_zero(terms.add_all(parts, Sort::Int));
                if i + 1 < n {
                    return equation;
                }
                let shifted = terms.add(shared[i], terms.int(rng.range(0..=5)));
                terms.and2(equation, terms.divides(&Int::from(modulus), shifted))
            })
        })
        .collect()
}

/// Each block says that a sum with large coefficients is caught between two near bounds.
fn knapsack(terms: &Terms, rng: &mut Rng) -> Vec<Term> {
    let n = 2 + rng.below(3) as usize;
    let shared: Vec<Term> = (0..=n)
        .map(|i| terms.var(declare(terms, &format!("s{i}"), Sort::Int)))
        .collect();
    (0..n)
        .map(|i| {
            let own = terms.var(declare(terms, &format!("l{i}"), Sort::Int));
            let known = [own, shared[i], shared[i + 1]];
            satisfiable(terms, || {
                let mut parts = Vec::new();
                for _ in 0..1 + rng.below(2) {
                    let sum = terms.add_all(
                        known.map(|x| terms.scale(x, &Rat::from(rng.range(2..=15)))),
                        Sort::Int,
                    );
                    let low = rng.range(-20..=40);
                    let high = low + rng.range(0..=2);
                    parts.push(terms.ge(sum, terms.int(low)));
                    parts.push(terms.le(sum, terms.int(high)));
                }
                if rng.chance(1, 2) {
                    parts.push(terms.ge(own, terms.int(0)));
                }
                if rng.chance(1, 2) {
                    parts.push(terms.ge(shared[i], terms.int(rng.range(-3..=3))));
                }
                terms.and(parts)
            })
        })
        .collect()
}

/// All symbols of the blocks with their stages, for oracles that must be told them.
pub fn symbols(terms: &Terms, blocks: &[Term]) -> Vec<(Symbol, Stage)> {
    terms.free_vars_of(blocks).into_iter().collect()
}
