//! Many predicates, and refinements that compute only what they change.

use crate::common;

use common::{backend, formulas, read, run, system, zoo};
use sectile_base::Budget;
use sectile_domains::bdd::Bdd;
use sectile_driver::Loaded;
use sectile_engine_predabs::{AbstractSystem, Alpha, Prover};
use sectile_report::Status;
use sectile_testkit::driven;

/// Three tanks of a size, with every comparison of a level with a number as a predicate, and one
/// between two levels.
fn tanks(size: usize) -> (Loaded, String) {
    let loaded = driven::zoo("tanks", &[("k", &size.to_string())]);
    let mut predicates = vec!["a <= b".to_string()];
    for level in ["a", "b", "c"] {
        predicates.extend((0..size).map(|i| format!("{level} <= {i}")));
    }
    (loaded, predicates.join("; "))
}

/// The limit that Abstraction as the Key reports is 25 predicates with 1000 reachable states; then 40.
#[test]
fn forty_predicates_are_few() {
    for (size, predicates, reachable, most) in [(8, 25, 747.0, 400), (13, 40, 2772.0, 900)] {
        let (loaded, text) = tanks(size);
        let (terms, concrete) = (&loaded.terms, system(&loaded));
        let mut alpha = Alpha::new();
        for (k, p) in formulas(&loaded, &text).into_iter().enumerate() {
            alpha.add_predicate(terms, &format!("a{k}"), p);
        }
        assert_eq!(alpha.predicates(), predicates);
        let mut prover = Prover::new(terms, backend(), &Budget::unlimited()).expect("a solver");
        let found = AbstractSystem::lazy(terms, &concrete, alpha, terms.tt(), &mut prover);
        let mut found = found.expect("it can be computed");
        let reach = found.reach(Bdd::FALSE, &mut prover).expect("it is finite");
        assert_eq!(
            found.alpha.space().count(&found.manager, reach.all),
            reachable
        );
        assert!(prover.calls() < most, "{}", prover.calls());
    }
}

/// I27: a predicate that has nothing to do with the others asks nothing about them again, and the
/// result is the one from the beginning.
#[test]
fn refinement_keeps_what_it_does_not_touch() {
    let loaded = read(
        "var x, y : int = 0\nup: x < 5 --> x := x + 1\ndown: x > 0 --> x := x - 1\n\
         other: y < 3 --> y := y + 2\nerror e: x > 5\n",
    );
    let (terms, concrete) = (&loaded.terms, system(&loaded));
    let first = formulas(&loaded, "x <= 0; x <= 1; x <= 3; x <= 5");
    let second = formulas(&loaded, "y <= 2")[0];
    let mut prover = Prover::new(terms, backend(), &Budget::unlimited()).expect("a solver");
    let mut alpha = Alpha::new();
    for (k, &p) in first.iter().enumerate() {
        alpha.add_predicate(terms, &format!("a{k}"), p);
    }
    let made = AbstractSystem::lazy(terms, &concrete, alpha, terms.tt(), &mut prover);
    let mut found = made.expect("it can be computed");
    found.reach(Bdd::FALSE, &mut prover).expect("it is finite");
    let before = prover.calls();
    assert!(found.add_predicate("b", second));
    found.refine(&mut prover).expect("it can be computed");
    let reach = found.reach(Bdd::FALSE, &mut prover).expect("it is finite");
    let more = prover.calls() - before;
    let states = found.states(reach.all, 100);
    let mut alpha = Alpha::new();
    for (k, &p) in first.iter().chain([&second]).enumerate() {
        alpha.add_predicate(terms, &format!("a{k}"), p);
    }
    let mut fresh = Prover::new(terms, backend(), &Budget::unlimited()).expect("a solver");
    let made = AbstractSystem::lazy(terms, &concrete, alpha, terms.tt(), &mut fresh);
    let mut again = made.expect("it can be computed");
    let reach = again.reach(Bdd::FALSE, &mut fresh).expect("it is finite");
    assert_eq!(again.states(reach.all, 100), states);
    assert!(more * 2 < fresh.calls(), "{more} of {}", fresh.calls());
}

/// X2: where predicates come from can be chosen, and what is proved does not depend on it.
#[test]
fn all_sources_of_predicates_prove_the_same() {
    for (model, property, expected) in [
        ("rw.sct", "strong", Status::Holds),
        ("bakery-001.sct", "mutex", Status::Holds),
        ("fig10.sct", "safe", Status::Holds),
        ("ticket.sct", "mutex", Status::Holds),
        ("lecture-a.imp", "end", Status::Violated),
        ("lecture-c.imp", "release", Status::Violated),
    ] {
        for source in ["preconditions", "interpolants", "guards", "both"] {
            for method in ["auto", "substitution", "literals"] {
                let report = run(
                    &zoo(model),
                    property,
                    &[("source", source), ("method", method)],
                );
                // Without interpolants in reserve, single values may not be enough.
                if report.status == Status::Unknown && method == "literals" {
                    continue;
                }
                assert_eq!(report.status, expected, "{model} {source} {method}");
            }
        }
    }
}

/// A property over finite variables only, whose atoms are no values of them, is a predicate.
#[test]
fn counts_of_finite_variables_are_predicates() {
    let report = run(&zoo("readers.sct"), "single", &[]);
    assert_eq!(report.status, Status::Holds);
}

/// A predicate about one process comes with the same about the others: fewer rounds, and the same
/// verdict.
#[test]
fn siblings_save_rounds() {
    let loaded = zoo("fischer.sct");
    let alone = run(&loaded, "mutex", &[("siblings", "false")]);
    let together = run(&loaded, "mutex", &[]);
    assert_eq!(alone.status, Status::Holds);
    assert_eq!(together.status, Status::Holds);
    let rounds = |report: &sectile_report::PropertyReport| report.statistics["iterations"];
    assert!(rounds(&together) < rounds(&alone));
}

/// Fischer with three processes asked 7059 questions when a clock's step told all places of all
/// processes apart, and the loop in Boogie had 26 predicates when preconditions were always taken.
#[test]
fn few_questions_and_few_predicates() {
    let report = run(&driven::zoo("fischer", &[("n", "3")]), "mutex", &[]);
    assert_eq!(report.status, Status::Holds);
    let calls = report.statistics["prover_calls"];
    assert!(calls < 2_500, "{calls}");
    let report = run(&zoo("lecture-b.bpl"), "ensures_11", &[]);
    assert_eq!(report.status, Status::Holds);
    let predicates = report.statistics["predicates"];
    assert!(predicates <= 15, "{predicates}");
}
