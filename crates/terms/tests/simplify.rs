//! The simplifier: smaller formulas that mean the same.

use crate::support;

use proptest::prelude::*;
use sectile_base::Rng;
use sectile_terms::{NativePrinter, Sort, SymbolKind, Term, Terms};
use support::grammar::read;
use support::random::{Choices, choices, rng};
use support::world::{Assignment, World};

/// Each text is simplified to the other.
fn check(cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        let world = World::new();
        let term = read(&world, text, Sort::Bool);
        let simplified = world.terms.simplify(term);
        let printed = NativePrinter::new(&world.terms).print(simplified);
        assert_eq!(&printed, expected, "for {text}");
        assert_eq!(world.terms.simplify(simplified), simplified, "for {text}");
    }
}

/// Simplifies one random term and compares values.
fn compare(choices: Choices, mut rng: Rng) {
    let world = World::new();
    let t = &world.terms;
    let term = choices.with_primes().any_term().build(&world);
    let simplified = t.simplify(term);
    assert!(t.size(simplified) <= t.size(term));
    assert_eq!(t.sort(simplified), t.sort(term));
    assert_eq!(t.simplify(term), simplified);
    for _ in 0..8 {
        let state = Assignment::random(&mut rng);
        assert_eq!(world.eval(simplified, &state), world.eval(term, &state));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn simplified_terms_have_the_same_value(choices in choices(), rng in rng()) {
        compare(choices, rng);
    }

    #[test]
    fn simplified_conditions_on_few_things_have_the_same_value(seed in any::<u64>()) {
        compare_dense(seed);
    }
}

/// By hand: `cargo test --release -p sectile-terms -- --ignored million`.
#[test]
#[ignore = "a long run, by hand"]
fn a_million_simplified_terms_have_the_same_value() {
    let cases = std::env::var("SECTILE_CASES").ok();
    let cases: u64 = cases.and_then(|c| c.parse().ok()).unwrap_or(1_000_000);
    for seed in 0..cases / 2 {
        let mut rng = Rng::new(seed);
        compare(Choices::from_rng(&mut rng), rng);
        compare_dense(seed);
    }
}

/// Formulas over few atoms, whose parts have much to do with each other; all values are tried.
fn compare_dense(seed: u64) {
    let mut rng = Rng::new(seed);
    let world = World::new();
    let t = &world.terms;
    let formula = dense(&world, &mut rng, 5);
    let simplified = t.simplify(formula);
    assert!(t.size(simplified) <= t.size(formula));
    for _ in 0..40 {
        let state = Assignment::random(&mut rng);
        let printer = NativePrinter::new(t);
        assert_eq!(
            world.eval(simplified, &state),
            world.eval(formula, &state),
            "{} became {}",
            printer.print(formula),
            printer.print(simplified)
        );
    }
}

fn dense(world: &World, rng: &mut Rng, depth: u32) -> Term {
    let t = &world.terms;
    if depth == 0 || rng.chance(1, 5) {
        return dense_atom(world, rng);
    }
    let len = rng.range(2..=4);
    let op = rng.below(9);
    let mut part = || dense(world, rng, depth - 1);
    match op {
        0..=2 => t.and((0..len).map(|_| part())),
        3..=5 => t.or((0..len).map(|_| part())),
        6 => t.not(part()),
        7 => t.ite(part(), part(), part()),
        _ => t.iff(part(), part()),
    }
}

fn dense_atom(world: &World, rng: &mut Rng) -> Term {
    let t = &world.terms;
    let k = t.int(rng.range(-2..=2));
    let real = t.to_real(k);
    let (x, u, c) = (world.var("x"), world.var("u"), world.var("c"));
    let color = t.variant(world.color, rng.below(3) as u32);
    let atom = match rng.below(9) {
        0 => t.le(x, k),
        1 => t.eq(x, k),
        2 => t.lt(u, real),
        3 => t.le(u, real),
        4 => t.eq(u, real),
        5 => t.eq(c, color),
        6 => world.var(["p", "q"][rng.below(2) as usize]),
        7 => t.le(t.ite(world.var("p"), x, world.var("y")), k),
        _ => t.le(t.sub(x, world.var("y")), k),
    };
    if rng.chance(1, 2) { t.not(atom) } else { atom }
}

#[test]
fn bounds_of_one_sum_are_merged() {
    check(&[
        ("x <= 3 and x <= 5", "x <= 3"),
        ("x <= 5 and x <= 3 and p", "x <= 3 and p"),
        ("x <= 3 or x <= 5", "x <= 5"),
        ("x <= 3 and x >= 3", "x = 3"),
        ("x < 3 or x > 3", "x != 3"),
        ("x <= 3 and x >= 4", "false"),
        ("x <= 3 and p and x >= 5", "false"),
        ("x <= 3 or p or x >= 2", "true"),
        ("x = 3 and x <= 5", "x = 3"),
        ("x = 3 and x <= 2", "false"),
        ("x = 3 and x = 4", "false"),
        ("x = 3 and x != 4 and x != 5", "x = 3"),
        ("x != 3 or x != 4", "true"),
        ("x >= 3 and x != 3", "x >= 4"),
        (
            "x >= 3 and x != 3 and x != 4 and x != 6",
            "x >= 5 and x != 6",
        ),
        ("x >= 3 and x <= 4 and x != 3", "x = 4"),
        ("x >= 3 and x <= 4 and x != 3 and x != 4", "false"),
        ("x != 7 and x <= 3", "x <= 3"),
        ("u <= 3 and u >= 3", "u = 3"),
        ("u < 3 and u >= 3", "false"),
        ("u <= 3 and u != 3", "u < 3"),
        ("u < 1/2 and u <= 1/2", "u < 1/2"),
        ("u > 1/3 or u >= 1/3", "u >= 1/3"),
        ("x - y <= 3 and y - x <= -3", "x = y + 3"),
        (
            "x + y <= 3 and x + y <= 2 and x <= 7",
            "x + y <= 2 and x <= 7",
        ),
    ]);
}

#[test]
fn values_of_one_enumeration_are_merged() {
    check(&[
        ("c = red and c != green", "c = red"),
        ("c = red and c = green", "false"),
        ("c = red and c != red", "false"),
        ("c != red and c != green", "c = blue"),
        ("c != red and c != green and c != blue", "false"),
        ("c = red or c = green or c = blue", "true"),
        ("c = red or c = green", "c != blue"),
        ("c = red or c != green", "c != green"),
        ("c = red or p or c = blue or c = green", "true"),
        ("s = on or s = off", "true"),
        ("s = on or p", "s = on or p"),
        ("s != on and p", "s != on and p"),
    ]);
}

#[test]
fn parts_learn_from_their_siblings() {
    check(&[
        ("p and (p or q)", "p"),
        ("p or p and q", "p"),
        ("p and (not p or q)", "p and q"),
        ("p or not p and q", "p or q"),
        ("(q or p) and p", "p"),
        ("x <= 3 and (x <= 5 or q)", "x <= 3"),
        ("x <= 3 and (x > 5 or q)", "x <= 3 and q"),
        ("x > 0 or x >= 0 and q", "x > 0 or x >= 0 and q"),
        ("x >= 0 or x >= 1 and q", "x >= 0"),
        ("x = 2 and (if x < 3 then q else r)", "x = 2 and q"),
        (
            "c = red and (c = green => q) and (c = red => r)",
            "c = red and r",
        ),
        ("p and (q <=> p)", "p and q"),
        (
            "p and (if q and p then r else ok)",
            "p and (if q then r else ok)",
        ),
        ("if p then p and q else p or r", "if p then q else r"),
        (
            "if x < 0 then x < 5 and q else x >= 0 and r",
            "if x < 0 then q else r",
        ),
        ("(if x <= 3 then x else y) = 3 and x = 3", "x = 3"),
        ("(q or r) and (p or q or r or ok) and p", "(q or r) and p"),
        ("(q <=> r) and ((q <=> r) or p)", "q <=> r"),
        ("(q <=> r) and (not (q <=> r) or p)", "(q <=> r) and p"),
        ("not (p and q) and p", "not q and p"),
        (
            "p and q and (not q or x = 1) and (x != 1 or y = 2) and (y <= 1 or r)",
            "p and q and x = 1 and y = 2 and r",
        ),
    ]);
}

#[test]
fn what_an_earlier_part_learns_from_a_later_one() {
    check(&[
        (
            "(p or x = 1) and (x != 1 or q) and not p",
            "x = 1 and q and not p",
        ),
        (
            "(x = 2 or q) and (r or x = 1) and not r",
            "q and x = 1 and not r",
        ),
    ]);
}

#[test]
fn long_lists_take_linear_time() {
    let terms = Terms::new();
    let x = terms.declare("x", Sort::Int, SymbolKind::State);
    let x = terms.var(x.expect("new"));
    let names: Vec<String> = (0..50_000).map(|k| format!("l{k}")).collect();
    let id = terms.declare_enum("Location", &names);
    let pc = terms.declare("pc", Sort::Enum(id), SymbolKind::State);
    let pc = terms.var(pc.expect("new"));
    let is = |k: u32| terms.eq(pc, terms.variant(id, k));
    let all = terms.or((0..50_000).map(is));
    assert_eq!(terms.simplify(all), terms.tt());
    let most = terms.or((0..49_999).map(is));
    assert_eq!(terms.simplify(most), terms.not(is(49_999)));
    let holes = terms.and((0..50_000).map(|k| terms.neq(x, terms.int(k))));
    let positive = terms.ge(x, terms.int(0));
    assert_eq!(
        terms.simplify(terms.and2(holes, positive)),
        terms.ge(x, terms.int(50_000))
    );
    let cases =
        terms.and((0..50_000).map(|k| terms.implies(is(k), terms.ge(x, terms.int(k.into())))));
    let here = terms.and2(is(7), cases);
    let expected = terms.and2(is(7), terms.ge(x, terms.int(7)));
    assert_eq!(terms.simplify(here), expected);
}
