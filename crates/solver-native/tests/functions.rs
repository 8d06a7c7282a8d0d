//! Uninterpreted functions: answers, tables, refutations that the kernel replays, interpolants.

#![allow(clippy::unwrap_used, clippy::print_stderr)]

use sectile_base::{Budget, Int, Rng};
use sectile_solver::{Answer, Interpolation, Interpolator, Solver, check_sequence};
use sectile_solver_native::interpolate::{Method, NativeInterpolator, Settings};
use sectile_solver_native::project::{Limits, exists, implicant};
use sectile_solver_native::{NativeSolver, ReplayedSolver};
use sectile_terms::{NativePrinter, Sort, Stage, Symbol, SymbolKind, Term, Terms, Value};

fn var(terms: &Terms, name: &str, sort: Sort) -> Term {
    terms.var(terms.declare(name, sort, SymbolKind::State).unwrap())
}

fn function(terms: &Terms, name: &str, arguments: &[Sort], result: Sort) -> Symbol {
    terms.declare_function(name, arguments, result).unwrap()
}

/// Whether formulas contradict each other; the kernel accepts the refutation.
fn is_unsat(terms: &Terms, formulas: &[Term]) -> bool {
    let mut solver = ReplayedSolver::new(terms);
    for &f in formulas {
        solver.assert(f).unwrap();
    }
    match solver.check(&[], &Budget::unlimited()).unwrap() {
        Answer::Unsat(_) => true,
        Answer::Unknown(why) => panic!("{why:?}"),
        Answer::Sat(model) => {
            for &f in formulas {
                assert_eq!(model.eval(terms, f), Ok(Value::Bool(true)));
            }
            false
        }
    }
}

/// The interpolants of blocks, each checked by its definition.
fn interpolants(terms: &Terms, blocks: &[Term], method: Method) -> Option<Vec<Term>> {
    let settings = Settings {
        method,
        ..Settings::default()
    };
    let mut interpolator = NativeInterpolator::with_settings(terms, settings);
    let budget = Budget::unlimited();
    let list = match interpolator.sequence(blocks, &budget).unwrap() {
        Interpolation::Unsat(list) => list,
        Interpolation::Sat(_) => panic!("the blocks are contradictory"),
        Interpolation::Unknown(_) => return None,
    };
    assert_eq!(interpolator.statistics().broken, 0);
    let mut solver = ReplayedSolver::new(terms);
    let checked = check_sequence(terms, &mut solver, blocks, &list, &budget);
    assert_eq!(checked, Ok(Ok(())));
    Some(list)
}

#[test]
fn equal_arguments_give_equal_results() {
    let terms = &Terms::new();
    let [x, y] = ["x", "y"].map(|n| var(terms, n, Sort::Int));
    let f = function(terms, "f", &[Sort::Int, Sort::Bool], Sort::Int);
    let p = function(terms, "p", &[Sort::Int], Sort::Bool);
    let q = var(terms, "q", Sort::Bool);
    let at = |a: Term, b: Term| terms.apply(f, &[a, b]);
    let differ = terms.neq(at(x, q), at(y, terms.tt()));
    assert!(!is_unsat(terms, &[terms.eq(x, y), differ]));
    assert!(is_unsat(terms, &[terms.eq(x, y), q, differ]));
    // Equal by arithmetic only.
    let close = terms.and2(terms.le(x, y), terms.lt(y, terms.add(x, terms.int(1))));
    let is = |t: Term| terms.apply(p, &[t]);
    assert!(is_unsat(terms, &[close, is(x), terms.not(is(y))]));
    assert!(!is_unsat(terms, &[terms.le(x, y), is(x), terms.not(is(y))]));
}

/// f(f(f(x))) = x and f(f(f(f(f(x))))) = x make f(x) = x.
#[test]
fn congruence_goes_through_applications() {
    let terms = &Terms::new();
    let x = var(terms, "x", Sort::Real);
    let f = function(terms, "f", &[Sort::Real], Sort::Real);
    let power = |n: usize| (0..n).fold(x, |t, _| terms.apply(f, &[t]));
    let [three, five] = [3, 5].map(|n| terms.eq(power(n), x));
    assert!(is_unsat(terms, &[three, five, terms.neq(power(1), x)]));
    assert!(!is_unsat(terms, &[three, terms.neq(power(1), x)]));
}

#[test]
fn functions_of_arrays_are_functions_too() {
    let terms = &Terms::new();
    let array = terms.array_sort(Sort::Int, Sort::Int);
    let [a, b] = ["a", "b"].map(|n| var(terms, n, array));
    let i = var(terms, "i", Sort::Int);
    let f = function(terms, "f", &[array], array);
    let at = |t: Term| terms.select(terms.apply(f, &[t]), i);
    let differ = terms.neq(at(terms.store(a, i, terms.int(1))), at(b));
    let same = terms.eq(b, terms.store(a, i, terms.int(1)));
    assert!(is_unsat(terms, &[differ, same]));
    assert!(!is_unsat(terms, &[differ]));
}

#[test]
fn both_sides_know_what_separates_two_applications() {
    let terms = &Terms::new();
    for sort in [Sort::Int, Sort::Real] {
        let name = |n: &str| format!("{n}{sort:?}");
        let v = |n: &str| var(terms, &name(n), sort);
        let f = function(terms, &name("f"), &[sort], sort);
        let at = |t: Term| terms.apply(f, &[t]);
        let (a, b, s, zero) = (v("a"), v("b"), v("s"), v("zero"));
        let one = terms.add(zero, terms.number(Int::ONE.into(), sort));
        let before = terms.and2(terms.eq(a, s), terms.eq(at(a), zero));
        let after = terms.and2(terms.eq(b, s), terms.eq(at(b), one));
        let list = interpolants(terms, &[before, after], Method::default()).unwrap();
        let printed = NativePrinter::new(terms).print(list[0]);
        assert!(
            printed.contains(&format!("{}({})", name("f"), name("s"))),
            "{printed}"
        );
        // The same through two bounds on each side, and one step further along the cuts.
        let bounds =
            |t: Term, low: Term, high: Term| terms.and2(terms.le(low, t), terms.le(t, high));
        let (c, d) = (v("c"), v("d"));
        let blocks = [
            terms.and2(bounds(a, s, c), terms.eq(at(a), zero)),
            terms.and2(bounds(d, c, s), terms.tt()),
            terms.and2(terms.eq(b, d), terms.eq(at(b), one)),
        ];
        for method in Method::ALL {
            interpolants(terms, &blocks, method).unwrap();
        }
    }
}

#[test]
fn finite_arguments_are_compared_with_their_values() {
    let terms = &Terms::new();
    let f = function(terms, "f", &[Sort::Bool, Sort::Int], Sort::Bool);
    let [p, q, r] = ["p", "q", "r"].map(|n| var(terms, n, Sort::Bool));
    let x = var(terms, "x", Sort::Int);
    let at = |t: Term| terms.apply(f, &[t, x]);
    let before = terms.and2(terms.iff(p, r), at(p));
    let after = terms.and2(terms.iff(q, r), terms.not(at(q)));
    for method in Method::ALL {
        interpolants(terms, &[before, after], method).unwrap();
    }
}

#[test]
fn applications_are_variables_of_projections() {
    let terms = &Terms::new();
    let symbols = ["x", "y", "z"].map(|n| terms.declare(n, Sort::Int, SymbolKind::State).unwrap());
    let [x, y, z] = symbols.map(|s| terms.var(s));
    let f = function(terms, "f", &[Sort::Int], Sort::Int);
    let at = |t: Term| terms.apply(f, &[t]);
    let budget = Budget::unlimited();
    let without_x = |formula: Term| {
        let gone = [(symbols[0], Stage::Now)];
        let found = exists(terms, formula, &gone, &Limits::default(), &budget);
        found.unwrap().unwrap()
    };
    let between = terms.or2(
        terms.and2(terms.lt(at(y), x), terms.lt(x, at(z))),
        terms.eq(x, at(y)),
    );
    let found = without_x(terms.and2(between, terms.lt(x, y)));
    assert!(
        found.exact
            && !terms
                .free_vars(found.formula)
                .contains(&(symbols[0], Stage::Now))
    );
    // What depends on the variable goes as well, and something is lost.
    let lost = without_x(terms.and([terms.lt(at(x), y), terms.lt(x, z), terms.lt(z, y)]));
    assert!(!lost.exact);
    assert!(is_unsat(terms, &[terms.lt(z, y), terms.not(lost.formula)]));
    // An equality says what to write instead.
    let replaced = without_x(terms.and2(terms.eq(x, y), terms.lt(at(x), y)));
    assert!(replaced.exact);
    let expected = terms.lt(at(y), y);
    assert!(is_unsat(
        terms,
        &[terms.not(terms.iff(replaced.formula, expected))]
    ));
}

#[test]
fn implicants_have_applications() {
    let terms = &Terms::new();
    let [x, y] = ["x", "y"].map(|n| var(terms, n, Sort::Int));
    let f = function(terms, "f", &[Sort::Int], Sort::Int);
    let at = |t: Term| terms.apply(f, &[t]);
    let formula = terms.or2(terms.lt(at(at(x)), y), terms.lt(y, x));
    let mut solver = NativeSolver::new(terms);
    solver.assert(formula).unwrap();
    let Answer::Sat(model) = solver.check(&[], &Budget::unlimited()).unwrap() else {
        panic!("there is a model");
    };
    let literals = implicant(terms, formula, model).unwrap();
    let all = terms.and(literals);
    assert!(is_unsat(terms, &[all, terms.not(formula)]));
}

/// Random sequences of blocks about few variables, each known to two or three blocks.
struct Blocks<'t> {
    terms: &'t Terms,
    rng: Rng,
    sort: Sort,
    functions: Vec<Symbol>,
    variables: Vec<Vec<Term>>,
}

impl<'t> Blocks<'t> {
    fn new(terms: &'t Terms, seed: u64) -> Blocks<'t> {
        let mut rng = Rng::new(seed);
        let sort = if rng.chance(1, 2) {
            Sort::Int
        } else {
            Sort::Real
        };
        let blocks = 2 + rng.below(3) as usize;
        let functions = vec![
            function(terms, "f", &[sort], sort),
            function(terms, "g", &[sort, sort], sort),
            function(terms, "p", &[sort], Sort::Bool),
        ];
        let mut variables = vec![Vec::new(); blocks];
        for i in 0..blocks {
            for k in 0..2 {
                variables[i].push(var(terms, &format!("l{i}{k}"), sort));
                let shared = var(terms, &format!("s{i}{k}"), sort);
                variables[i].push(shared);
                if i + 1 < blocks {
                    variables[i + 1].push(shared);
                }
            }
        }
        Blocks {
            terms,
            rng,
            sort,
            functions,
            variables,
        }
    }

    fn term(&mut self, block: usize, depth: u32) -> Term {
        let terms = self.terms;
        match self.rng.below(if depth == 0 { 6 } else { 10 }) {
            0 => terms.number(self.rng.range(0..=2).into(), self.sort),
            1 => {
                let one = terms.number(1.into(), self.sort);
                terms.add(self.term(block, 0), one)
            }
            2..=5 => *self.rng.pick(&self.variables[block]).unwrap(),
            6..=8 => {
                let argument = self.term(block, depth - 1);
                terms.apply(self.functions[0], &[argument])
            }
            _ => {
                let arguments = [self.term(block, depth - 1), self.term(block, 0)];
                terms.apply(self.functions[1], &arguments)
            }
        }
    }

    fn literal(&mut self, block: usize) -> Term {
        let terms = self.terms;
        let (a, b) = (self.term(block, 2), self.term(block, 1));
        match self.rng.below(12) {
            0 => terms.le(a, b),
            1 => terms.lt(a, b),
            2 => terms.neq(a, b),
            3 => terms.apply(self.functions[2], &[a]),
            4 => terms.not(terms.apply(self.functions[2], &[a])),
            _ => terms.eq(a, b),
        }
    }

    fn block(&mut self, block: usize) -> Term {
        let terms = self.terms;
        let mut parts = Vec::new();
        for _ in 0..4 + self.rng.below(4) {
            let literal = self.literal(block);
            parts.push(match self.rng.chance(1, 4) {
                true => terms.or2(literal, self.literal(block)),
                false => literal,
            });
        }
        terms.and(parts)
    }
}

/// How many random sequences are interpolated: `FUZZ_CASES`, from `FUZZ_SEED` on.
fn number(name: &str, default: u64) -> u64 {
    let given = std::env::var(name).ok();
    given.and_then(|v| v.parse().ok()).unwrap_or(default)
}

#[test]
fn random_sequences_have_interpolants() {
    let (cases, start) = (number("FUZZ_CASES", 600), number("FUZZ_SEED", 1));
    let (mut refuted, mut unknown) = (0u64, Vec::new());
    for seed in start..start + cases {
        let terms = &Terms::new();
        let mut random = Blocks::new(terms, seed);
        let count = random.variables.len();
        let blocks: Vec<Term> = (0..count).map(|i| random.block(i)).collect();
        if !is_unsat(terms, &blocks) {
            continue;
        }
        refuted += 1;
        let method = Method::ALL[(refuted % Method::ALL.len() as u64) as usize];
        if interpolants(terms, &blocks, method).is_none() {
            unknown.push(seed);
        }
    }
    eprintln!("{cases} sequences, {refuted} refuted, without interpolants: {unknown:?}");
    assert!(refuted * 10 > cases, "too few contradictions: {refuted}");
    assert!(unknown.len() as u64 * 50 <= refuted, "{unknown:?}");
}
