//! Refutations made by the native solver are accepted, and z3 confirms each of their steps.

#![allow(clippy::unwrap_used)]

mod common;

use common::random::{Case, Formulas};
use common::z3;
use sectile_proof::{Inference, replay};
use sectile_terms::Terms;
use std::collections::BTreeMap;

fn describe(terms: &Terms, case: &Case) -> String {
    let printer = sectile_terms::NativePrinter::new(terms);
    let list = |l: &[sectile_terms::Term]| -> Vec<String> {
        l.iter().map(|&t| printer.print(t)).collect()
    };
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
        Inference::Trichotomy => "trichotomy",
        Inference::Farkas(_) => "farkas",
        Inference::Divisibility(_) => "divisibility",
        Inference::Distinct => "distinct",
        Inference::Exhaustive => "exhaustive",
        Inference::Resolution(_) => "resolution",
    }
}

#[test]
fn refutations_of_random_formulas_are_accepted() {
    let mut used: BTreeMap<&str, usize> = BTreeMap::new();
    let mut refuted = 0;
    for seed in 0..4000 {
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
    for seed in 10_000..10_150 {
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
