//! Every refutation of random formulas is replayed: chains step by step, theory lemmas by their
//! coefficients, definitions and inputs under random valuations.

#![allow(clippy::unwrap_used, clippy::print_stderr)]

use crate::common;

use common::Generator;
use sectile_base::{Budget, Int, Rat, Rng};
use sectile_proof::Rule;
use sectile_smtlib::{CommandKind, Scope, Undeclared, declare, parse_term, read_script};
use sectile_solver::{Answer, Solver};
use sectile_solver_native::refutation::{Inference, ProofAtom, ProofLit, Refutation, Source};
use sectile_solver_native::{NativeSolver, Options, ReplayedSolver};
use sectile_terms::{Sort, Stage, Symbol, SymbolKind, Term, Terms, Value, evaluate};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// The negation of a literal as `sum of coefficient * variable <= bound` (or `<` if strict).
fn negated_inequality(r: &Refutation, lit: ProofLit) -> (BTreeMap<u32, Rat>, Rat, bool) {
    let ProofAtom::Bound {
        sum,
        bound,
        strict,
        integral,
    } = &r.atoms[lit.atom as usize]
    else {
        panic!("theory lemmas consist of bounds");
    };
    let sign = if lit.positive {
        Rat::MINUS_ONE
    } else {
        Rat::ONE
    };
    let sum = sum
        .iter()
        .map(|(v, c)| (*v, Rat::from(c) * &sign))
        .collect();
    match (lit.positive, integral) {
        (false, _) => (sum, bound.clone(), *strict),
        (true, true) => (sum, -(bound + Rat::ONE), false),
        (true, false) => (sum, -bound, !*strict),
    }
}

fn check_farkas(r: &Refutation, clause: &[ProofLit], coefficients: &[Rat]) {
    let mut left: BTreeMap<u32, Rat> = BTreeMap::new();
    let mut right = Rat::ZERO;
    let mut strict = false;
    assert_eq!(clause.len(), coefficients.len());
    for (lit, m) in clause.iter().zip(coefficients) {
        assert!(m.is_positive());
        let (sum, bound, is_strict) = negated_inequality(r, *lit);
        for (v, c) in sum {
            left.entry(v).or_default().add_mul_assign(&c, m);
        }
        right.add_mul_assign(&bound, m);
        strict |= is_strict;
    }
    assert!(left.values().all(Rat::is_zero), "{left:?}");
    assert!(right.is_negative() || (strict && right.is_zero()));
}

fn check_divisibility(terms: &Terms, r: &Refutation, clause: &[ProofLit], multipliers: &[Rat]) {
    let mut left: BTreeMap<u32, Rat> = BTreeMap::new();
    let mut right = Rat::ZERO;
    for (pair, m) in clause.chunks(2).zip(multipliers.chunks(2)) {
        let (upper, a, s) = negated_inequality(r, pair[0]);
        let (lower, b, t) = negated_inequality(r, pair[1]);
        assert!(!s && !t && m[1].is_zero());
        assert_eq!(a, -b);
        assert!(upper.iter().all(|(v, c)| lower[v] == -c));
        for (v, c) in upper {
            left.entry(v).or_default().add_mul_assign(&c, &m[0]);
        }
        right.add_mul_assign(&a, &m[0]);
    }
    for (v, c) in left {
        let is_int = terms.sort(r.variables[v as usize]) == Sort::Int;
        assert!(if is_int { c.is_int() } else { c.is_zero() });
    }
    assert!(!right.is_int());
}

fn check_resolution(r: &Refutation, clause: &[ProofLit], antecedents: &[u32]) {
    let set =
        |i: u32| -> BTreeSet<ProofLit> { r.steps[i as usize].clause.iter().copied().collect() };
    let mut current = set(antecedents[0]);
    for &next in &antecedents[1..] {
        let other = set(next);
        let clash: Vec<ProofLit> = other
            .iter()
            .copied()
            .filter(|&l| current.contains(&!l))
            .collect();
        assert_eq!(clash.len(), 1);
        current.remove(&!clash[0]);
        current.extend(other.into_iter().filter(|&l| l != clash[0]));
    }
    assert_eq!(current, clause.iter().copied().collect());
}

struct Valuation {
    values: BTreeMap<Symbol, Value>,
}

fn random_valuation(symbols: &[(Symbol, Sort)], rng: &mut Rng) -> Valuation {
    let values = symbols.iter().map(|&(symbol, sort)| {
        let number = rng.range(-12..=12);
        let value = match sort {
            Sort::Bool => Value::Bool(number > 0),
            Sort::Int => Value::Int(Int::from(number)),
            Sort::Real => Value::Real(Rat::new(Int::from(number), Int::from(rng.range(1..=3)))),
            Sort::Enum(id) => Value::Enum(id, number.unsigned_abs() as u32 % 3),
            Sort::Array(_) => unreachable!(),
        };
        (symbol, value)
    });
    Valuation {
        values: values.collect(),
    }
}

fn holds(terms: &Terms, valuation: &Valuation, t: Term) -> bool {
    let lookup = |symbol: Symbol, _: Stage| valuation.values.get(&symbol).cloned();
    evaluate(terms, t, &lookup).unwrap() == Value::Bool(true)
}

fn check(
    terms: &Terms,
    symbols: &[(Symbol, Sort)],
    r: &Refutation,
    inputs: &dyn Fn(Source) -> Term,
    rng: &mut Rng,
) {
    let valuations: Vec<Valuation> = (0..12).map(|_| random_valuation(symbols, rng)).collect();
    assert!(r.steps.last().unwrap().clause.is_empty());
    for (i, step) in r.steps.iter().enumerate() {
        match &step.inference {
            Inference::Resolution(list) => {
                assert!(list.iter().all(|&a| (a as usize) < i));
                check_resolution(r, &step.clause, list);
                continue;
            }
            Inference::Lemma(l) if l.rule == Rule::Farkas => {
                check_farkas(r, &step.clause, &l.numbers)
            }
            Inference::Lemma(l) if l.rule == Rule::Divisibility => {
                check_divisibility(terms, r, &step.clause, &l.numbers)
            }
            _ => {}
        }
        let literals: Vec<Term> = step
            .clause
            .iter()
            .map(|&l| r.literal_term(terms, l))
            .collect();
        for valuation in &valuations {
            let needed = match step.inference {
                Inference::Input(source) => holds(terms, valuation, inputs(source)),
                _ => true,
            };
            let clause = literals.iter().any(|&t| holds(terms, valuation, t));
            assert!(!needed || clause, "{step:?}");
        }
    }
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name)
        .ok()
        .and_then(|v| v.parse().ok())
        .unwrap_or(default)
}

#[test]
fn refutations_replay() {
    let cases = number("FUZZ_CASES", 400);
    let start = number("FUZZ_SEED", 1);
    let (mut refuted, mut steps, mut divisibility) = (0, 0, 0);
    for seed in start..start + cases {
        let terms = Terms::new();
        let mut g = Generator::new(&terms, seed);
        let mut rng = Rng::new(seed);
        let mut solver = NativeSolver::with_options(&terms, Options { proofs: true });
        let mut stack: Vec<Vec<(u32, Term)>> = vec![Vec::new()];
        for _ in 0..4 + rng.below(8) {
            match rng.below(5) {
                0 => {
                    solver.push();
                    stack.push(Vec::new());
                }
                1 if stack.len() > 1 => {
                    solver.pop();
                    stack.pop();
                }
                _ => {
                    let depth = 1 + rng.below(3) as u32;
                    let t = g.boolean(depth).term;
                    let partition = solver.assert_partition(t);
                    stack.last_mut().unwrap().push((partition, t));
                }
            }
            let assumptions: Vec<Term> = (0..rng.below(3)).map(|_| g.boolean(1).term).collect();
            let budget = Budget::unlimited().with_time(Duration::from_secs(5));
            let unsat = matches!(
                solver.check(&assumptions, &budget).unwrap(),
                Answer::Unsat(_)
            );
            if unsat {
                let r = solver.refutation().unwrap();
                refuted += 1;
                steps += r.steps.len();
                divisibility += r
                    .steps
                    .iter()
                    .filter(|s| matches!(&s.inference, Inference::Lemma(l) if l.rule == Rule::Divisibility))
                    .count();
                let inputs = |source: Source| match source {
                    Source::Assertion(p) => {
                        stack
                            .iter()
                            .flatten()
                            .find(|(q, _)| *q == p)
                            .expect("a live assertion")
                            .1
                    }
                    Source::Assumption(i) => assumptions[i as usize],
                };
                check(&terms, &g.symbols, &r, &inputs, &mut rng);
            }
        }
    }
    eprintln!("{refuted} refutations, {steps} steps, {divisibility} divisibility lemmas");
    assert!(refuted > cases / 10);
}

/// Pigeons as sums of integers between 0 and 1, as assertions in scopes: long proofs with theory
/// lemmas, restarts and clause reduction.
#[test]
fn long_refutations_replay() {
    let n = 5;
    let terms = Terms::new();
    let mut symbols = Vec::new();
    let mut rng = Rng::new(1);
    let vars: Vec<Vec<Term>> = (0..=n)
        .map(|p| {
            let row = (0..n).map(|h| {
                let name = format!("b{p}_{h}");
                let symbol = terms.declare(&name, Sort::Int, SymbolKind::State).unwrap();
                symbols.push((symbol, Sort::Int));
                terms.var(symbol)
            });
            row.collect()
        })
        .collect();
    let mut solver = NativeSolver::with_options(&terms, Options { proofs: true });
    let mut asserted = Vec::new();
    let mut assert = |solver: &mut NativeSolver, t: Term| {
        asserted.push((solver.assert_partition(t), t));
    };
    for &x in vars.iter().flatten() {
        assert(
            &mut solver,
            terms.or([terms.eq(x, terms.int(0)), terms.eq(x, terms.int(1))]),
        );
    }
    solver.push();
    for row in &vars {
        assert(
            &mut solver,
            terms.or(row.iter().map(|&x| terms.ge(x, terms.int(1)))),
        );
    }
    let mut assumptions = Vec::new();
    for h in 0..n {
        let column: Vec<Term> = vars.iter().map(|row| row[h]).collect();
        let pairs = column.iter().enumerate().flat_map(|(i, &x)| {
            let later = column[i + 1..].iter();
            later.map(move |&y| (x, y))
        });
        let parts: Vec<Term> = pairs
            .map(|(x, y)| terms.le(terms.add(x, y), terms.int(1)))
            .collect();
        assumptions.push(terms.and(parts));
    }
    let answer = solver.check(&assumptions, &Budget::unlimited()).unwrap();
    assert!(matches!(answer, Answer::Unsat(_)));
    let r = solver.refutation().unwrap();
    let inputs = |source: Source| match source {
        Source::Assertion(p) => asserted.iter().find(|(q, _)| *q == p).unwrap().1,
        Source::Assumption(i) => assumptions[i as usize],
    };
    eprintln!("{} steps", r.steps.len());
    check(&terms, &symbols, &r, &inputs, &mut rng);
    // The domains are not needed: one pigeon in each row, at most one in each column.
    assert_eq!(r.sources().len(), 2 * n + 1);
}

/// Replays the refutations of an SMT-LIB script named by `PROOF_FILE`, for long proofs from
/// elsewhere.
#[test]
#[ignore = "needs PROOF_FILE"]
fn refutations_of_a_script_replay() {
    let path = std::env::var("PROOF_FILE").expect("PROOF_FILE names a script");
    let text = std::fs::read_to_string(path).unwrap();
    let script = read_script(&text).unwrap();
    let terms = Terms::new();
    let mut scope = Scope::new(Undeclared::Refused);
    let mut symbols = Vec::new();
    let mut solver = NativeSolver::with_options(&terms, Options { proofs: true });
    let mut asserted = BTreeMap::new();
    let mut rng = Rng::new(7);
    for command in &script.commands {
        match &command.kind {
            CommandKind::Assert(e) => {
                let t = parse_term(&terms, &script.tree, *e, &mut scope).unwrap();
                asserted.insert(solver.assert_partition(t), t);
            }
            CommandKind::Push(n) => (0..*n).for_each(|_| solver.push()),
            CommandKind::Pop(n) => (0..*n).for_each(|_| solver.pop()),
            CommandKind::CheckSat => {
                let budget = Budget::unlimited().with_time(Duration::from_secs(60));
                if solver.check(&[], &budget).unwrap().is_unsat() {
                    let r = solver.refutation().unwrap();
                    eprintln!("{} steps", r.steps.len());
                    let inputs = |source: Source| match source {
                        Source::Assertion(p) => asserted[&p],
                        Source::Assumption(_) => unreachable!("nothing is assumed"),
                    };
                    check(&terms, &symbols, &r, &inputs, &mut rng);
                }
            }
            kind => {
                let kind_of = SymbolKind::Rigid;
                let tree = &script.tree;
                let new = declare(&terms, tree, kind, command.span, kind_of, &mut scope).unwrap();
                symbols.extend(new.map(|s| (s, terms.symbol_sort(s))));
            }
        }
    }
}

/// What is asked after an answer other than `unsat` gets nothing, not what is left of a proof.
#[test]
fn there_is_a_refutation_of_unsat_only() {
    let terms = Terms::new();
    let x = terms.var(terms.fresh("x", Sort::Int, SymbolKind::State));
    let mut solver = NativeSolver::with_options(&terms, Options { proofs: true });
    solver.assert(terms.le(terms.int(0), x)).unwrap();
    assert!(solver.refutation().is_none(), "nothing was asked yet");
    let no_limit = Budget::unlimited();
    assert!(solver.check(&[], &no_limit).unwrap().is_sat());
    assert!(solver.refutation().is_none());
    let negative = terms.lt(x, terms.int(0));
    assert!(solver.check(&[negative], &no_limit).unwrap().is_unsat());
    assert!(solver.refutation().is_some());
    let spent = Budget::unlimited().with_time(Duration::ZERO);
    assert!(!solver.check(&[negative], &spent).unwrap().is_unsat());
    assert!(solver.refutation().is_none(), "the last answer is unknown");
}

/// Where a conditional is compared by cases and occurs in sums as well, there are two atoms for one bound: the
/// formula, and the bound of its variable.
#[test]
fn bounds_of_conditionals_are_replayed() {
    let terms = Terms::new();
    let var = |name, sort| terms.var(terms.fresh(name, sort, SymbolKind::State));
    let [x, y] = ["x", "y"].map(|n| var(n, Sort::Int));
    let (p, [zero, one]) = (var("p", Sort::Bool), [0, 1].map(|n| terms.int(n)));
    let v = terms.ite(p, one, x);
    let sum = terms.add(v, x);
    let mut solver = ReplayedSolver::new(&terms);
    for formula in [
        terms.ge(x, one),
        terms.or([terms.lt(terms.add(v, y), zero), terms.lt(sum, zero)]),
        terms.or([terms.lt(sum, one), terms.lt(v, one)]),
    ] {
        solver.assert(formula).unwrap();
    }
    let answer = solver.check(&[], &Budget::unlimited()).unwrap();
    assert!(answer.is_unsat());
}
