//! Normal forms: formulas that differ only in how they are written are the same term.

use crate::support;

use proptest::prelude::*;
use sectile_base::{Int, Rat};
use sectile_terms::{Linear, Node, Sort, SymbolKind, Term};
use support::grammar::read;
use support::random::choices;
use support::world::{World, int};

/// All texts are the same formula.
fn same(texts: &[&str]) {
    let world = World::new();
    let first = read(&world, texts[0], Sort::Bool);
    for text in texts {
        assert_eq!(
            read(&world, text, Sort::Bool),
            first,
            "{text} and {}",
            texts[0]
        );
    }
}

/// The second text is the negation of the first, and both are one atom.
fn complements(a: &str, b: &str) {
    let world = World::new();
    let a = read(&world, a, Sort::Bool);
    let b = read(&world, b, Sort::Bool);
    let t = &world.terms;
    assert_eq!(t.not(a), b);
    assert_eq!(t.not(b), a);
    assert_eq!(t.strip_not(a).0, t.strip_not(b).0);
    assert_ne!(t.strip_not(a).1, t.strip_not(b).1);
}

#[test]
fn comparisons_in_all_spellings() {
    same(&[
        "x < y",
        "y > x",
        "not x >= y",
        "not y <= x",
        "2 * x < 2 * y",
        "x + 1 <= y",
        "x - y < 0",
    ]);
    same(&[
        "x <= y",
        "y >= x",
        "not x > y",
        "3 * x - 3 * y <= 2",
        "x < y + 1",
        "-x >= -y",
    ]);
    same(&[
        "x = y",
        "y = x",
        "x - y = 0",
        "-2 * x = -2 * y",
        "not x != y",
    ]);
    same(&["x >= 3", "x > 2", "not x < 3", "2 * x >= 5", "-x <= -3"]);
    same(&[
        "u < v",
        "v > u",
        "not u >= v",
        "1/2 * u < 1/2 * v",
        "u - v < 0",
    ]);
    same(&["u <= 1/2", "2 * u <= 1", "not u > 1/2", "-4 * u >= -2"]);
    same(&["u = 1/2", "2 * u = 1", "1/2 = u", "-u = -1/2"]);
    same(&["real(x) < u", "u > real(x)", "not u <= real(x)"]);
    same(&[
        "real(x) <= 5/2",
        "x <= 2",
        "x < 3",
        "2 * real(x) <= 5",
        "real(x) < 3",
    ]);
    same(&[
        "real(x) + 1/2 * real(y) <= 1",
        "2 * x + y <= 2",
        "2 * real(x) + real(y) < 3",
    ]);
    same(&["c = red", "red = c", "not c != red"]);
    same(&["c = d", "d = c"]);
    same(&["p <=> q", "q <=> p", "not p <=> not q", "not (not p <=> q)"]);
    same(&[
        "c = (if p then red else green)",
        "(if p then red else green) = c",
    ]);
    same(&["(if p then red else green) = red", "p"]);
    same(&["(if p then red else d) = red", "p or d = red"]);
    same(&[
        "(if p then red else if q then green else d) = green",
        "not p and (q or d = green)",
    ]);
}

#[test]
fn a_bound_and_its_complement_are_one_atom() {
    complements("x <= 3", "x >= 4");
    complements("x < y", "x >= y");
    complements("2 * x + 3 * y <= 7", "2 * x + 3 * y > 7");
    complements("2 * x + 3 * y <= 7", "-2 * x - 3 * y <= -8");
    complements("u < v", "u >= v");
    complements("u <= v", "v < u");
    complements("x = 3", "x != 3");
    complements("c = red", "c != red");
    complements("p <=> q", "p <=> not q");
    complements("p", "not p");
}

#[test]
fn integer_atoms_are_tightened() {
    same(&["2 * x <= 5", "x <= 2", "6 * x <= 17", "4 * x < 12"]);
    same(&["2 * x >= 5", "x >= 3", "2 * x > 4", "2 * x > 5"]);
    same(&["-2 * x <= 5", "x >= -2"]);
    same(&[
        "6 * x + 4 * y <= 3",
        "3 * x + 2 * y <= 1",
        "3 * x + 2 * y < 2",
    ]);
    same(&["2 * x = 5", "false", "6 * x + 4 * y = 3", "real(x) = 1/2"]);
    same(&[
        "2 * x != 5",
        "true",
        "x = x",
        "x <= x",
        "x < x + 1",
        "u <= u",
        "0 <= 1/2",
    ]);
    same(&["2 * x = 6", "x = 3", "2 * real(x) = 6"]);
    // Across the edge of machine words.
    same(&[
        "9223372036854775807 * x < 9223372036854775808 * 9223372036854775807",
        "x < 9223372036854775808",
    ]);
    same(&["-9223372036854775808 * x <= 1", "x >= 0"]);
    same(&["36893488147419103232 * x <= 36893488147419103231", "x <= 0"]);
}

#[test]
fn atoms_have_the_documented_shape() {
    let world = World::new();
    let t = &world.terms;
    for text in [
        "6 * x - 4 * y <= 3",
        "5 * y <= 3 - x",
        "2 * u - 4 * v < 3",
        "u + 1/3 * v >= 2",
        "3 * x = y",
    ] {
        let (atom, _) = t.strip_not(read(&world, text, Sort::Bool));
        let (Node::Zero(sum) | Node::NonPos(sum) | Node::Neg(sum)) = t.node(atom) else {
            panic!("{text} is no atom");
        };
        let linear = t.linear(*sum);
        assert!(linear.monomials()[0].1.is_positive(), "{text}");
        assert!(linear.monomials().is_sorted_by_key(|m| m.0), "{text}");
        assert!(linear.monomials().iter().all(|m| m.1.is_int()), "{text}");
        let gcd = |g: Int, m: &(Term, Rat)| g.gcd(&m.1.numer());
        assert!(
            linear.monomials().iter().fold(Int::ZERO, gcd).is_one(),
            "{text}"
        );
        if t.sort(*sum) == Sort::Int {
            assert!(linear.constant().is_int(), "{text}");
            assert!(!matches!(t.node(atom), Node::Neg(_)), "{text}");
        }
    }
}

#[test]
fn junctions_drop_what_says_nothing() {
    same(&[
        "p and q",
        "p and true and q and p",
        "(p and q) and p",
        "p and (q and p)",
    ]);
    same(&["p or q", "p or false or q or p", "(p or q) or p"]);
    same(&[
        "false",
        "p and not p",
        "p and q and not p",
        "p and false",
        "x < y and x >= y",
    ]);
    same(&[
        "true",
        "p or not p",
        "q or p or not q",
        "p or true",
        "c = red or c != red",
    ]);
    same(&[
        "p",
        "p and p",
        "p or p",
        "if true then p else q",
        "if q then p else p",
        "p <=> true",
    ]);
    same(&[
        "not p",
        "p <=> false",
        "if p then false else true",
        "p => false",
    ]);
    same(&["if p then q else r", "if not p then r else q"]);
    same(&["p or q", "if p then true else q"]);
    same(&["not p and q", "if p then false else q"]);
    same(&["not p or q", "if p then q else true", "p => q"]);
    same(&["p and q", "if p then q else false"]);
}

#[test]
fn numeric_operators_fold() {
    let cases = [
        ("x mod 1", "0"),
        ("(3 * x + 7) mod 3", "7 mod 3"),
        ("(4 * x + 7) mod 3", "(x + 1) mod 3"),
        ("(x - 3 * y) mod 3", "x mod 3"),
        ("-7 mod 3", "2"),
        ("-7 div 3", "-3"),
        ("-7 div -3", "3"),
        ("x div 1", "x"),
        ("x div -2", "-(x div 2)"),
        ("min(x, x + 1)", "x"),
        ("max(x, x + 1)", "x + 1"),
        ("min(x, y)", "min(y, x)"),
        ("min(x, x)", "x"),
        ("abs(-3)", "3"),
        ("floor(real(x))", "x"),
        ("floor(real(x + y) + 5/2)", "x + y + 2"),
        ("floor(-7/2)", "-4"),
        ("x + y - x", "y"),
        ("if p then x + 1 else 1 + x", "x + 1"),
    ];
    let world = World::new();
    for (a, b) in cases {
        let (left, right) = (read(&world, a, Sort::Int), read(&world, b, Sort::Int));
        assert_eq!(left, right, "{a} and {b}");
    }
    let x = world.var("x");
    let t = &world.terms;
    assert_eq!(t.divides(&int(-2), x), t.divides(&int(2), x));
    assert_eq!(t.divides(&int(1), x), t.tt());
}

#[test]
fn a_product_of_variables_is_refused() {
    let world = World::new();
    let (x, y) = (world.var("x"), world.var("y"));
    let t = &world.terms;
    assert_eq!(t.mul(x, y), None);
    assert_eq!(t.mul(x, t.int(2)), t.mul(t.int(2), x));
}

#[test]
fn sums_in_sums_are_flattened() {
    let world = World::new();
    let t = &world.terms;
    let inner = t.add(world.var("x"), t.int(1));
    let mut outer = Linear::term(inner);
    outer.add_term(t.int(7), &Rat::from(2));
    outer.add_term(world.var("y"), &Rat::from(3));
    let expected = read(&world, "x + 3 * y + 15", Sort::Int);
    assert_eq!(t.sum(outer, Sort::Int), expected);
}

#[test]
fn elements_of_arrays() {
    let world = World::new();
    let t = &world.terms;
    let sort = t.array_sort(Sort::Int, Sort::Int);
    assert_eq!(t.array_sort(Sort::Int, Sort::Int), sort);
    let symbol = t.declare("arr", sort, SymbolKind::State);
    let array = t.var(symbol.expect("a new name"));
    let (x, y) = (world.var("x"), world.var("y"));
    let updated = t.store(t.store(array, x, y), t.add(x, t.int(1)), t.int(5));
    assert_eq!(t.select(updated, t.add(x, t.int(1))), t.int(5));
    assert_eq!(t.select(updated, x), y);
    let other = t.add(x, t.int(2));
    assert_eq!(t.select(updated, other), t.select(array, other));
    assert_ne!(t.select(updated, y), t.select(array, y));
}

#[test]
fn parts_of_long_chains_are_all_listed() {
    let world = World::new();
    let t = &world.terms;
    let x = world.var("x");
    let atoms: Vec<Term> = (0..100).map(|k| t.neq(x, t.int(k))).collect();
    let left = atoms.iter().copied().reduce(|a, b| t.and2(a, b));
    let right = atoms.iter().copied().rev().reduce(|a, b| t.and2(b, a));
    for chain in [left, right, Some(t.and(atoms.clone()))] {
        assert_eq!(t.conjuncts(chain.expect("a hundred parts")), atoms);
    }
    let either = atoms.iter().copied().reduce(|a, b| t.or2(a, b));
    assert_eq!(t.disjuncts(either.expect("a hundred parts")), atoms);
    assert_eq!(t.conjuncts(t.tt()), []);
    assert_eq!(t.conjuncts(t.ff()), [t.ff()]);
    assert_eq!(t.disjuncts(t.ff()), []);
    assert_eq!(t.disjuncts(atoms[0]), [atoms[0]]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// Making a term again of its own arguments gives the same term: rewriting relies on it.
    #[test]
    fn normal_forms_are_stable(choices in choices()) {
        let world = World::new();
        let term = choices.with_primes().any_term().build(&world);
        for sub in world.terms.post_order(&[term]) {
            prop_assert_eq!(world.terms.rebuild(sub, |t| t), sub);
        }
    }

    #[test]
    fn negation_is_its_own_inverse(choices in choices()) {
        let world = World::new();
        let t = &world.terms;
        let formula = choices.with_primes().formula().build(&world);
        let negation = t.not(formula);
        prop_assert_ne!(negation, formula);
        prop_assert_eq!(t.not(negation), formula);
        prop_assert_eq!(t.and2(formula, negation), t.ff());
        prop_assert_eq!(t.or2(negation, formula), t.tt());
        prop_assert_eq!(t.iff(formula, negation), t.ff());
    }
}
