//! Sub-terms, atoms, variables, and the lowering of operators that others do not know.

use crate::support;

use proptest::prelude::*;
use sectile_terms::{Node, Sort, Stage, Term};
use std::collections::HashSet;
use support::grammar::read;
use support::random::{choices, rng};
use support::world::{Assignment, World};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn lowered_terms_have_the_same_value(choices in choices(), mut rng in rng()) {
        let world = World::new();
        let t = &world.terms;
        let term = choices.with_primes().any_term().build(&world);
        let lowered = t.lower_extrema(term);
        let extremum = |s: &Term| matches!(t.node(*s), Node::Abs(_) | Node::Min(..) | Node::Max(..));
        prop_assert!(!t.post_order(&[lowered]).iter().any(extremum));
        prop_assert_eq!(t.lower_extrema(lowered), lowered);
        for _ in 0..3 {
            let state = Assignment::random(&mut rng);
            prop_assert_eq!(world.eval(lowered, &state), world.eval(term, &state));
        }
    }

    #[test]
    fn arguments_come_before_what_uses_them(first in choices(), second in choices()) {
        let world = World::new();
        let t = &world.terms;
        let roots = [first, second].map(|c| c.with_primes().any_term().build(&world));
        let order = t.post_order(&roots);
        let mut seen = HashSet::new();
        for s in &order {
            t.node(*s).for_each_child(|c| assert!(seen.contains(&c)));
            prop_assert!(seen.insert(*s), "listed twice");
        }
        prop_assert!(roots.iter().all(|r| seen.contains(r)));
        prop_assert_eq!(t.size(roots[0]), t.post_order(&roots[..1]).len());
        // Terms are numbered in the order in which they are made.
        for s in &order {
            t.node(*s).for_each_child(|c| assert!(c.index() < s.index()));
        }
    }

    #[test]
    fn the_variables_are_those_that_occur(choices in choices()) {
        let world = World::new();
        let t = &world.terms;
        let term = choices.with_primes().any_term().build(&world);
        let mut expected = Vec::new();
        let mut stack = vec![term];
        while let Some(s) = stack.pop() {
            if let Node::Var(symbol, stage) = t.node(s)
                && !expected.contains(&(*symbol, *stage))
            {
                expected.push((*symbol, *stage));
            }
            let before = stack.len();
            t.node(s).for_each_child(|c| stack.push(c));
            stack[before..].reverse();
        }
        let found: Vec<_> = t.free_vars(term).into_iter().collect();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn a_formula_depends_on_its_atoms_alone(mut choices in choices(), mut rng in rng()) {
        let world = World::new();
        let t = &world.terms;
        let formula = choices.formula().build(&world);
        let state = Assignment::random(&mut rng);
        let map = t.atoms(formula).into_iter().map(|atom| {
            prop_assert!(!matches!(t.node(atom), Node::Not(_)));
            let value = world.eval(atom, &state);
            Ok((atom, t.bool(value == support::reference::Val::Bool(true))))
        });
        let map = map.collect::<Result<_, _>>()?;
        let replaced = t.substitute(formula, &map);
        prop_assert!(t.as_bool(replaced).is_some());
        prop_assert_eq!(world.eval(replaced, &state), world.eval(formula, &state));
    }
}

#[test]
fn atoms_are_listed_once_and_without_signs() {
    let world = World::new();
    let t = &world.terms;
    let text = "x < y and (not p or x >= y) and not (c = red) and c = d and (p <=> u < 0) and (if q then x else y) = 3";
    let formula = read(&world, text, Sort::Bool);
    let expected = [
        "x < y",
        "p",
        "c = red",
        "c = d",
        "u < 0",
        "q",
        "(if q then x else y) = 3",
    ];
    let expected: Vec<Term> = expected
        .map(|a| t.strip_not(read(&world, a, Sort::Bool)).0)
        .to_vec();
    assert_eq!(t.atoms(formula), expected);
    assert_eq!(t.atoms(t.tt()), []);
}

#[test]
fn variables_are_listed_in_order_of_occurrence() {
    let world = World::new();
    let t = &world.terms;
    let formula = read(&world, "q and x' <= 3 and (p or q) and x = 2", Sort::Bool);
    let names: Vec<_> = t
        .free_vars(formula)
        .into_iter()
        .map(|(s, stage)| (t.name(s), stage))
        .collect();
    assert_eq!(
        names,
        [
            ("q", Stage::Now),
            ("x", Stage::Next),
            ("p", Stage::Now),
            ("x", Stage::Now)
        ]
    );
}
