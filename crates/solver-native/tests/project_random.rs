//! Projections of random conjunctions and formulas, checked by definition with z3 and by brute
//! force. `FUZZ_CASES` and `FUZZ_SEED` choose how many cases to run and where to start.

#![allow(clippy::unwrap_used, clippy::print_stderr)]

use crate::common;
use crate::project_common;

use common::Generator;
use project_common::*;
use sectile_base::Budget;
use sectile_solver::Assignment;
use sectile_solver_native::project::{Limits, exists, implicant, mbp};
use sectile_terms::{Sort, Term, Terms, Value};
use std::time::Duration;

fn cases(usual: u64) -> std::ops::Range<u64> {
    let number = |name: &str| std::env::var(name).ok().and_then(|v| v.parse().ok());
    let start = number("FUZZ_SEED").unwrap_or(0u64);
    start..start + number("FUZZ_CASES").unwrap_or(usual)
}

fn theory(seed: u64) -> Theory {
    [Theory::Real, Theory::Int, Theory::Int, Theory::Mixed][(seed % 4) as usize]
}

fn report(what: &str, checked: u64, oracle: &Option<Oracle>) {
    let unknown = oracle.as_ref().map_or(0, |o| o.unknown);
    eprintln!("{what}: {checked} checked, z3 could not tell {unknown} times");
    assert!(
        unknown as u64 * 5 <= checked,
        "z3 should decide most of these"
    );
}

#[test]
fn projections_of_conjunctions_under_a_model() {
    let mut oracle = Oracle::start();
    let mut checked = 0;
    for seed in cases(400) {
        let terms = Terms::new();
        let mut g = Conjunctions::new(&terms, seed, theory(seed));
        let literals = g.conjunction();
        let vars = g.some_vars();
        let f = terms.and(literals.iter().copied());
        let Some(model) = model_of(&terms, f) else {
            continue;
        };
        let note = note(&terms, seed, &vars, f);
        let result = terms.and(mbp(&terms, &literals, &vars, &model).unwrap());
        assert!(
            holds(&terms, &model, result),
            "{note}: not true in the model"
        );
        assert!(
            is_free_of(&terms, result, &vars),
            "{note}: {}",
            show(&terms, result)
        );
        if let Some(oracle) = &mut oracle {
            oracle.implies_exists(&terms, result, &vars, f, &note);
        }
        checked += 1;
    }
    report("projections under a model", checked, &oracle);
}

#[test]
fn implicants_imply_and_hold() {
    let mut oracle = Oracle::start();
    let mut checked = 0;
    for seed in cases(300) {
        let terms = Terms::new();
        let mut g = Generator::new(&terms, seed);
        let f = g.boolean(3).term;
        let Some(model) = model_of(&terms, f) else {
            continue;
        };
        let note = note(&terms, seed, &Vec::new(), f);
        let literals = implicant(&terms, f, &model).unwrap();
        for &l in &literals {
            assert!(holds(&terms, &model, l), "{note}: {}", show(&terms, l));
            assert_eq!(
                terms.atoms(l),
                vec![terms.strip_not(l).0],
                "{note}: no literal"
            );
        }
        if let Some(oracle) = &mut oracle {
            oracle.implies(&terms, terms.and(literals), f, &note);
        }
        checked += 1;
    }
    report("implicants", checked, &oracle);
}

/// Checks a projection by definition; whether it was exact.
fn check(
    terms: &Terms,
    oracle: &mut Option<Oracle>,
    f: Term,
    vars: &Vars,
    limits: &Limits,
    note: &str,
) -> bool {
    let budget = Budget::unlimited().with_time(Duration::from_secs(5));
    let Ok(result) = exists(terms, f, vars, limits, &budget).unwrap() else {
        eprintln!("{note}: out of time");
        return false;
    };
    assert!(
        is_free_of(terms, result.formula, vars),
        "{note}: {}",
        show(terms, result.formula)
    );
    if let Some(oracle) = oracle {
        if result.exact {
            oracle.equals_exists(terms, result.formula, vars, f, note);
        } else {
            oracle.implies(terms, f, result.formula, note);
        }
    }
    result.exact
}

#[test]
fn quantifiers_are_eliminated_from_conjunctions() {
    let mut oracle = Oracle::start();
    let (mut checked, mut exact) = (0, 0);
    for seed in cases(300) {
        let terms = Terms::new();
        let mut g = Conjunctions::new(&terms, seed, theory(seed));
        let f = terms.and(g.conjunction());
        let vars = g.some_vars();
        let note = note(&terms, seed, &vars, f);
        checked += 1;
        exact += u64::from(check(
            &terms,
            &mut oracle,
            f,
            &vars,
            &Limits::default(),
            &note,
        ));
    }
    report("eliminations from conjunctions", checked, &oracle);
    eprintln!("{exact} of {checked} exact");
    assert!(exact * 100 >= checked * 97);
}

#[test]
fn quantifiers_are_eliminated_from_formulas() {
    let mut oracle = Oracle::start();
    let (mut checked, mut exact) = (0, 0);
    for seed in cases(150) {
        let terms = Terms::new();
        let mut g = Generator::new(&terms, seed);
        g.tails = false;
        let f = terms.and2(g.boolean(2).term, g.boolean(2).term);
        let free: Vars = terms.free_vars(f).into_iter().collect();
        let vars: Vars = free.into_iter().filter(|_| g.rng.chance(1, 2)).collect();
        let limits = Limits {
            disjuncts: if seed % 5 == 0 { 2 } else { 48 },
            growth: 4,
        };
        let note = note(&terms, seed, &vars, f);
        checked += 1;
        exact += u64::from(check(&terms, &mut oracle, f, &vars, &limits, &note));
    }
    report("eliminations from formulas", checked, &oracle);
    eprintln!("{exact} of {checked} exact");
    assert!(exact * 100 >= checked * 70);
}

/// Calls `f` with every assignment of integers of a range to variables.
fn assignments(
    vars: &Vars,
    base: &Assignment,
    values: std::ops::RangeInclusive<i64>,
    f: &mut dyn FnMut(&Assignment) -> bool,
) -> bool {
    let Some((&(symbol, stage), rest)) = vars.split_first() else {
        return f(base);
    };
    values.clone().any(|v| {
        let mut model = base.clone();
        model.set(symbol, stage, Value::Int(v.into()));
        assignments(&rest.to_vec(), &model, values.clone(), f)
    })
}

#[test]
fn boxes_of_integers_agree_point_by_point() {
    for seed in cases(120) {
        let terms = Terms::new();
        let mut g = Conjunctions::new(&terms, seed, Theory::Int);
        g.symbols.retain(|&s| terms.symbol_sort(s) == Sort::Int);
        g.symbols.truncate(3);
        let mut f = g.conjunction();
        for &s in &g.symbols {
            f.push(terms.le(terms.int(-3), terms.var(s)));
            f.push(terms.le(terms.var(s), terms.int(3)));
        }
        let vars = g.some_vars();
        let f = terms.and(f);
        let note = note(&terms, seed, &vars, f);
        let all = g.symbols.iter().map(|&s| (s, sectile_terms::Stage::Now));
        let free: Vars = all.filter(|v| !vars.contains(v)).collect();
        let result = exists(&terms, f, &vars, &Limits::default(), &Budget::unlimited());
        let result = result.unwrap().unwrap();
        assert!(result.exact, "{note}");
        assignments(&free, &Assignment::default(), -5..=5, &mut |point| {
            let expected = assignments(&vars, point, -3..=3, &mut |m| holds(&terms, m, f));
            let found = holds(&terms, point, result.formula);
            assert_eq!(
                found,
                expected,
                "{note}: {} at {point:?}",
                show(&terms, result.formula)
            );
            false
        });
    }
}
