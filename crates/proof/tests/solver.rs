//! Refutations made by the native solver are accepted, and z3 confirms each of their steps.

#![allow(clippy::unwrap_used)]

use crate::common;

use common::random::{Case, Formulas, check, refute};
use common::{cases, variable, z3};
use sectile_proof::{Inference, replay};
use sectile_solver::Solver;
use sectile_solver_native::{NativeSolver, Options};
use sectile_terms::{Sort, Term, Terms};
use std::collections::BTreeMap;

fn describe(terms: &Terms, case: &Case) -> String {
    let printer = sectile_terms::NativePrinter::new(terms);
    let list = |l: &[Term]| -> Vec<String> { l.iter().map(|&t| printer.print(t)).collect() };
    let text = sectile_proof::print(&case.refutation, |t| printer.print(t));
    format!(
        "assertions {:#?}\nassumptions {:#?}\n{text}",
        list(&case.assertions),
        list(&case.assumptions)
    )
}

fn rule(inference: &Inference) -> &'static str {
    match inference {
        Inference::Input(_) => "input",
        Inference::Definition(_) => "definition",
        Inference::Lemma(lemma) => lemma.rule.name(),
        Inference::Resolution(_) => "resolution",
    }
}

#[test]
fn refutations_of_random_formulas_are_accepted() {
    let mut used: BTreeMap<&str, usize> = BTreeMap::new();
    let mut refuted = 0;
    for seed in 0..cases(4000) {
        let terms = Terms::new();
        let Some(case) = Formulas::new(&terms, seed).case() else {
            continue;
        };
        refuted += 1;
        let result = replay(
            &terms,
            &case.assertions,
            &case.assumptions,
            &case.refutation,
        );
        if let Err(e) = result {
            panic!("seed {seed}: {e}\n{}", describe(&terms, &case));
        }
        for step in &case.refutation.steps {
            *used.entry(rule(&step.inference)).or_default() += 1;
        }
    }
    assert!(refuted > 500, "{refuted} of the formulas were refuted");
    assert_eq!(used.len(), 8, "every rule is used: {used:?}");
}

#[test]
fn z3_confirms_every_step() {
    if !z3::is_installed() {
        return;
    }
    for seed in 10_000..10_000 + cases(150) {
        let terms = Terms::new();
        let Some(case) = Formulas::new(&terms, seed).case() else {
            continue;
        };
        let wrong = z3::unconfirmed(
            &terms,
            &case.assertions,
            &case.assumptions,
            &case.refutation,
        );
        assert!(
            wrong.is_empty(),
            "seed {seed}: {wrong:?}\n{}",
            describe(&terms, &case)
        );
    }
}

/// Opens and closes scopes, asserts and asks; gives the refutations.
fn session(terms: &Terms, seed: u64) -> Vec<Case> {
    let mut formulas = Formulas::new(terms, seed);
    let mut solver = NativeSolver::with_options(terms, Options { proofs: true });
    let (mut assertions, mut scopes): (Vec<Term>, Vec<usize>) = Default::default();
    let mut cases = Vec::new();
    for _ in 0..30 {
        match formulas.rng.below(8) {
            0 => {
                solver.push();
                scopes.push(assertions.len());
            }
            1 if !scopes.is_empty() => {
                solver.pop();
                // What was asserted in the scope keeps its number, but counts for nothing.
                let start = scopes.pop().unwrap();
                assertions[start..].fill(terms.tt());
            }
            2..=4 => {
                let t = formulas.formula(1);
                solver.assert(t).unwrap();
                assertions.push(t);
            }
            _ => {
                let count = formulas.rng.below(4);
                let assumptions: Vec<Term> = (0..count).map(|_| formulas.formula(1)).collect();
                cases.extend(check(&mut solver, &assertions, &assumptions));
            }
        }
    }
    cases
}

#[test]
fn refutations_of_incremental_sessions_are_accepted() {
    let mut refuted = 0;
    for seed in 0..cases(300) {
        let terms = Terms::new();
        for case in session(&terms, seed) {
            refuted += 1;
            let result = replay(
                &terms,
                &case.assertions,
                &case.assumptions,
                &case.refutation,
            );
            if let Err(e) = result {
                panic!("seed {seed}: {e}\n{}", describe(&terms, &case));
            }
        }
    }
    assert!(refuted > 300, "{refuted} queries were refuted");
}

/// More pigeons than holes: `x_ih` says that pigeon `i` sits in hole `h`, and each hole holds one.
#[test]
fn long_refutations_are_accepted() {
    let terms = Terms::new();
    let holes = 5;
    let sits = |i: i64, h: i64| {
        let x = variable(&terms, &format!("x{i}"), Sort::Int);
        terms.eq(x, terms.int(h))
    };
    let one = |i| terms.or((0..holes).map(|h| sits(i, h)));
    let mut assertions: Vec<Term> = (0..=holes).map(one).collect();
    for h in 0..holes {
        for i in 0..=holes {
            let others = (0..i).map(|j| terms.or2(terms.not(sits(i, h)), terms.not(sits(j, h))));
            assertions.push(terms.and(others));
        }
    }
    let case = refute(&terms, &assertions, &[]).unwrap();
    let result = replay(&terms, &case.assertions, &[], &case.refutation);
    let summary = result.unwrap_or_else(|e| panic!("{e}\n{}", describe(&terms, &case)));
    assert!(summary.resolutions > 10, "{summary:?}");
}
