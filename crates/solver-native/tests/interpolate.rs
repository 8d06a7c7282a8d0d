//! Interpolants of small sequences that everybody can check by hand.

#![allow(clippy::unwrap_used, clippy::print_stderr)]

use sectile_base::{Budget, Exhausted, Int, Rat};
use sectile_solver::{
    Backend, Interpolation, Interpolator, SolverError, Undecided, check_sequence,
};
use sectile_solver_native::interpolate::{Method, NativeInterpolator, Settings};
use sectile_solver_native::{NativeBackend, NativeSolver, TunedBackend};
use sectile_terms::{NativePrinter, Sort, Symbol, SymbolKind, Term, Terms};
use std::time::Duration;

fn declare(terms: &Terms, name: &str, sort: Sort) -> Symbol {
    terms.declare(name, sort, SymbolKind::State).unwrap()
}

fn int(terms: &Terms, name: &str) -> Term {
    terms.var(declare(terms, name, Sort::Int))
}

fn budget() -> Budget {
    Budget::unlimited().with_time(Duration::from_secs(20))
}

/// The interpolants by one method, checked by definition. Fails if another method had to help.
fn interpolants(terms: &Terms, method: Method, blocks: &[Term]) -> Vec<Term> {
    let settings = Settings {
        method,
        ..Settings::default()
    };
    let mut interpolator = NativeInterpolator::with_settings(terms, settings);
    let Interpolation::Unsat(list) = interpolator.sequence(blocks, &budget()).unwrap() else {
        panic!("{method}: the blocks contradict each other");
    };
    assert_eq!(interpolator.statistics().answered_by(method), 1, "{method}");
    let mut oracle = NativeSolver::new(terms);
    let verdict = check_sequence(terms, &mut oracle, blocks, &list, &budget()).unwrap();
    assert_eq!(verdict, Ok(()), "{method}");
    let printer = NativePrinter::new(terms);
    let shown: Vec<String> = list.iter().map(|&t| printer.print(t)).collect();
    eprintln!("{method}: {}", shown.join(" | "));
    list
}

fn all_methods(terms: &Terms, blocks: &[Term]) {
    for method in Method::ALL {
        interpolants(terms, method, blocks);
    }
}

#[test]
fn parity() {
    let terms = Terms::new();
    let (x, y, a) = (int(&terms, "x"), int(&terms, "y"), int(&terms, "a"));
    let twice = |t: Term| terms.add(t, t);
    let even = terms.eq(twice(x), a);
    let odd = terms.eq(terms.add(twice(y), terms.int(1)), a);
    all_methods(&terms, &[even, odd]);
    let found = interpolants(&terms, Method::McMillan, &[even, odd]);
    assert_eq!(found, [terms.divides(&Int::from(2), a)]);
}

#[test]
fn parity_along_a_sequence() {
    // a0 is even, every step adds a multiple of six, and in the end the number is odd.
    let terms = Terms::new();
    let names = ["a0", "a1", "a2", "a3", "k0", "k1", "k2", "l"];
    let v: Vec<Term> = names.iter().map(|n| int(&terms, n)).collect();
    let times = |t: Term, c: i64| terms.scale(t, &Rat::from(c));
    let blocks = [
        terms.eq(v[0], times(v[7], 2)),
        terms.eq(v[1], terms.add(v[0], times(v[4], 6))),
        terms.eq(v[2], terms.add(v[1], times(v[5], 6))),
        terms.eq(v[3], terms.add(v[2], times(v[6], 6))),
        terms.eq(terms.modulo(v[3], &Int::from(2)), terms.int(1)),
    ];
    all_methods(&terms, &blocks);
    let found = interpolants(&terms, Method::McMillan, &blocks);
    let even = |i: usize| terms.divides(&Int::from(2), v[i]);
    assert_eq!(found, [even(0), even(1), even(2), even(3)]);
}

#[test]
fn a_larger_modulus() {
    // a = 4x + 1 and a = 6y + 2b.
    let terms = Terms::new();
    let (x, y) = (int(&terms, "x"), int(&terms, "y"));
    let (a, b) = (int(&terms, "a"), int(&terms, "b"));
    let times = |t: Term, c: i64| terms.scale(t, &Rat::from(c));
    let blocks = [
        terms.eq(a, terms.add(times(x, 4), terms.int(1))),
        terms.eq(a, terms.add(times(y, 6), times(b, 2))),
    ];
    all_methods(&terms, &blocks);
}

/// The elevator of the first paper: `request`, then `moveUp` into the error.
#[test]
fn elevator() {
    let terms = Terms::new();
    let symbol = |name: &str| declare(&terms, name, Sort::Int);
    let (pc, current) = (symbol("pc"), symbol("current"));
    let (req, input) = (symbol("req"), symbol("input"));
    let max = terms.declare("Max", Sort::Int, SymbolKind::Rigid).unwrap();
    let max = terms.var(max);
    let now = |s: Symbol| terms.var(s);
    let next = |s: Symbol| terms.next(s);
    let one = terms.int(1);
    let init = terms.and([
        terms.eq(now(pc), terms.int(0)),
        terms.le(now(current), max),
        terms.le(now(input), max),
    ]);
    let error = terms.gt(now(current), max);
    let request = terms.and([
        terms.eq(now(pc), terms.int(0)),
        terms.eq(next(pc), one),
        terms.eq(next(current), now(current)),
        terms.eq(next(req), now(input)),
    ]);
    let move_up = terms.and([
        terms.eq(now(pc), terms.int(2)),
        terms.gt(now(req), now(current)),
        terms.eq(next(pc), terms.int(2)),
        terms.eq(next(current), terms.add(now(current), one)),
    ]);
    let up = terms.and([
        terms.eq(now(pc), one),
        terms.gt(now(req), now(current)),
        terms.eq(next(pc), terms.int(2)),
        terms.eq(next(current), now(current)),
        terms.eq(next(req), now(req)),
    ]);
    let not_error = |k: u32| terms.not(terms.at_step(error, k));
    // Step 3 of the paper: one interpolant between what leads to the node and what leaves it.
    let before = terms.and([
        terms.at_step(init, 0),
        terms.at_step(request, 0),
        not_error(1),
    ]);
    let after = terms.and2(terms.at_step(move_up, 1), terms.at_step(error, 2));
    all_methods(&terms, &[before, after]);
    // And the longer path, on which the request is known to be at most Max.
    let blocks = [
        terms.at_step(init, 0),
        terms.and2(terms.at_step(request, 0), not_error(1)),
        terms.and2(terms.at_step(up, 1), not_error(2)),
        terms.at_step(move_up, 2),
        terms.at_step(error, 3),
    ];
    all_methods(&terms, &blocks);
}

#[test]
fn a_counting_loop() {
    let terms = Terms::new();
    let (x, y) = (
        declare(&terms, "x", Sort::Int),
        declare(&terms, "y", Sort::Int),
    );
    let one = terms.int(1);
    let init = terms.and2(
        terms.eq(terms.var(x), terms.int(0)),
        terms.eq(terms.var(y), terms.int(0)),
    );
    let step = terms.and2(
        terms.eq(terms.next(x), terms.add(terms.var(x), one)),
        terms.eq(terms.next(y), terms.add(terms.var(y), one)),
    );
    let error = terms.and2(
        terms.ge(terms.var(x), terms.int(4)),
        terms.lt(terms.var(y), terms.int(4)),
    );
    let mut blocks = vec![terms.at_step(init, 0)];
    blocks.extend((0..5).map(|k| terms.at_step(step, k)));
    blocks.push(terms.at_step(error, 5));
    all_methods(&terms, &blocks);
}

#[test]
fn a_long_sequence() {
    let terms = Terms::new();
    let x = declare(&terms, "x", Sort::Int);
    let y = declare(&terms, "y", Sort::Int);
    let plus = |s: Symbol, c: i64| terms.add(terms.var(s), terms.int(c));
    let init = terms.le(terms.var(x), terms.var(y));
    // Either both grow, or the larger one does.
    let step = terms.and2(
        terms.eq(terms.next(y), plus(y, 1)),
        terms.or2(
            terms.eq(terms.next(x), plus(x, 1)),
            terms.eq(terms.next(x), terms.var(x)),
        ),
    );
    let mut blocks = vec![terms.at_step(init, 0)];
    blocks.extend((0..40).map(|k| terms.at_step(step, k)));
    blocks.push(terms.at_step(terms.gt(terms.var(x), terms.var(y)), 40));
    for method in Method::ALL {
        let start = std::time::Instant::now();
        let found = interpolants(&terms, method, &blocks);
        eprintln!("{method}: {:?}", start.elapsed());
        assert_eq!(found.len(), 41);
    }
}

#[test]
fn operators_of_shared_symbols_may_be_mentioned() {
    let terms = Terms::new();
    let (x, y, z) = (int(&terms, "x"), int(&terms, "y"), int(&terms, "z"));
    let three = Int::from(3);
    // x mod 3 is y, |y| is more than 2, hidden behind a choice.
    let blocks = [
        terms.eq(terms.modulo(x, &three), y),
        terms.ge(
            terms.ite(terms.le(z, terms.int(0)), terms.abs(y), y),
            terms.int(3),
        ),
    ];
    all_methods(&terms, &blocks);
    let blocks = [terms.eq(terms.max(x, y), z), terms.lt(z, terms.min(x, y))];
    all_methods(&terms, &blocks);
}

#[test]
fn integers_and_reals_together() {
    let terms = Terms::new();
    let i = int(&terms, "i");
    let r = terms.var(declare(&terms, "r", Sort::Real));
    let s = terms.var(declare(&terms, "s", Sort::Real));
    let half = terms.number(Rat::from_ratio(1, 2), Sort::Real);
    // r is an integer; r lies strictly between two integers.
    let blocks = [
        terms.eq(r, terms.to_real(i)),
        terms.and([
            terms.eq(s, terms.sub(r, terms.to_real(terms.floor(r)))),
            terms.ge(s, half),
        ]),
    ];
    for method in [Method::McMillan, Method::Pudlak, Method::DualMcMillan] {
        interpolants(&terms, method, &blocks);
    }
}

#[test]
fn enumerations_and_booleans() {
    let terms = Terms::new();
    let names: Vec<String> = ["red", "green", "blue"].map(String::from).to_vec();
    let id = terms.declare_enum("Color", &names);
    let variable = |name: &str| terms.var(declare(&terms, name, Sort::Enum(id)));
    let (a, b, c) = (variable("a"), variable("b"), variable("c"));
    let p = terms.var(declare(&terms, "p", Sort::Bool));
    let q = terms.var(declare(&terms, "q", Sort::Bool));
    let (red, green) = (terms.variant(id, 0), terms.variant(id, 1));
    let blocks = [
        terms.and([terms.eq(a, terms.ite(p, red, green)), terms.eq(b, a)]),
        terms.and([terms.eq(c, b), terms.implies(p, q)]),
        terms.and([terms.neq(c, green), terms.not(q)]),
    ];
    all_methods(&terms, &blocks);
}

#[test]
fn trivial_sequences() {
    let terms = Terms::new();
    let x = int(&terms, "x");
    let positive = terms.ge(x, terms.int(1));
    let negative = terms.lt(x, terms.int(0));
    let mut interpolator = NativeInterpolator::new(&terms);
    let mut ask = |blocks: &[Term]| interpolator.sequence(blocks, &budget()).unwrap();
    assert!(matches!(ask(&[]), Interpolation::Sat(_)));
    assert!(matches!(ask(&[positive]), Interpolation::Sat(_)));
    assert!(matches!(ask(&[terms.ff()]), Interpolation::Unsat(list) if list.is_empty()));
    assert!(matches!(
        ask(&[positive, terms.tt(), positive]),
        Interpolation::Sat(_)
    ));
    all_methods(&terms, &[terms.ff(), positive]);
    all_methods(&terms, &[positive, terms.ff()]);
    all_methods(
        &terms,
        &[terms.tt(), positive, terms.tt(), negative, terms.tt()],
    );
    all_methods(&terms, &[terms.and2(positive, negative), positive]);
}

#[test]
fn the_backend_interpolates_as_told() {
    let terms = Terms::new();
    let x = int(&terms, "x");
    let blocks = [terms.ge(x, terms.int(3)), terms.le(x, terms.int(1))];
    for method in Method::ALL {
        let mut interpolator = TunedBackend(method).interpolator(&terms).unwrap();
        let answer = interpolator.sequence(&blocks, &budget()).unwrap();
        assert!(matches!(answer, Interpolation::Unsat(list) if list.len() == 1));
    }
    let mut usual = NativeBackend.interpolator(&terms).unwrap();
    let answer = usual.sequence(&blocks, &budget()).unwrap();
    assert!(matches!(answer, Interpolation::Unsat(_)));
}

#[test]
fn limits_and_languages_are_respected() {
    let terms = Terms::new();
    let x = int(&terms, "x");
    let mut interpolator = NativeInterpolator::new(&terms);
    let blocks = [terms.ge(x, terms.int(3)), terms.le(x, terms.int(1))];
    let stopped = Budget::unlimited();
    stopped.stopper().stop();
    let answer = interpolator.sequence(&blocks, &stopped).unwrap();
    let why = Undecided::Exhausted(Exhausted::Cancelled);
    assert!(matches!(answer, Interpolation::Unknown(w) if w == why));
    let array = terms.array_sort(Sort::Int, Sort::Int);
    let a = terms.var(declare(&terms, "a", array));
    let arrays = [terms.eq(terms.select(a, x), x), terms.gt(x, x)];
    let answer = interpolator.sequence(&arrays, &budget());
    assert!(matches!(answer, Err(SolverError::Unsupported(_))));
}
