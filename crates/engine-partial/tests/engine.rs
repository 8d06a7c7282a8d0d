//! The engine on the models of the paper: refinement, real and spurious counterexamples, refusals.

use crate::common;

use common::{Read, model, partial, run, zoo};
use sectile_engine::Engine as _;
use sectile_engine_ctl::CtlZones;
use sectile_model::{Certificate, Verdict};
use sectile_testkit::verdicts::{says, settings};

/// The verdict with these predicates, or with those that the engine finds.
fn check(read: &Read, property: &str, predicates: &str) -> Verdict {
    let predicates = read.formulas(predicates);
    run(&partial(), &read.task(property), &predicates, 60)
}

#[test]
fn refinement_verifies_the_models_of_the_paper() {
    let models = [
        ("ticket", &["zbound", "mutex", "live"][..]),
        ("airport-ticket", &["p1", "p2", "p3", "p4", "c3live"][..]),
        ("airport-bakery", &["p1", "p2", "p3", "p4"][..]),
        ("chardriver", &["cdr", "mode1", "mode2", "sem1", "sem2"][..]),
    ];
    for (name, properties) in models {
        let read = zoo(name, &[]);
        for property in properties {
            let verdict = check(&read, property, "");
            assert!(
                matches!(verdict, Verdict::Holds(_)),
                "{name} {property}: {verdict:?}"
            );
        }
    }
}

/// Refinement predicates that are imprecise alone may wait or be left out; verdicts stay.
#[test]
fn imprecise_predicates_may_wait() {
    for choice in ["last", "drop"] {
        let settings = settings(&[("imprecise", choice)]);
        for (name, property) in [("airport-ticket", "p3"), ("airport-bakery", "p3")] {
            let read = zoo(name, &[]);
            let verdict = says(&partial(), &read.task(property), &settings);
            assert!(matches!(verdict, Verdict::Holds(_)), "{name}: {verdict:?}");
        }
        let read = zoo("ticket", &[("bug", "1")]);
        let verdict = says(&partial(), &read.task("zbound"), &settings);
        assert!(matches!(verdict, Verdict::Violated(_)), "{verdict:?}");
    }
}

/// Abstract counterexamples that have a run are made concrete.
#[test]
fn bugs_are_found_through_abstractions() {
    let cases = [
        ("ticket", "1", "zbound", 4),
        ("ticket", "1", "mutex", 4),
        ("airport-ticket", "1", "p2", 6),
        ("airport-ticket", "1", "p3", 6),
        ("airport-ticket", "2", "p1", 2),
        ("airport-bakery", "1", "p2", 6),
        ("chardriver", "1", "sem2", 5),
        ("chardriver", "2", "mode2", 7),
    ];
    for (name, bug, property, steps) in cases {
        let read = zoo(name, &[("bug", bug)]);
        let verdict = check(&read, property, "");
        let Verdict::Violated(Certificate::Trace(trace)) = verdict else {
            panic!("{name} {property}: {verdict:?}");
        };
        assert!(trace.steps.len() >= steps, "{name} {property}");
    }
}

/// What fails for ever, with tickets that grow, never holds; where the counterexample can be
/// followed, the concrete system shows it.
#[test]
fn starvation_is_never_said_to_be_excluded() {
    let read = zoo("airport-ticket", &[]);
    let mut violated = 0;
    for predicates in ["numC3 = 0", "numC3 = 0; numC3 = 1", "s = t; numRW16R = 0"] {
        let verdict = check(&read, "noc3starve", predicates);
        assert!(!matches!(verdict, Verdict::Holds(_)), "{predicates}");
        violated += usize::from(matches!(verdict, Verdict::Violated(_)));
    }
    assert!(violated > 0);
    // No run comes back to an earlier state here: sets of states are the evidence.
    let read = model(
        "var x : int = 0\nvar on : bool = false\nup: x >= 0 --> x := x + 1\nswitch: x < 0 --> on := true\nctl live: AF on\n",
        &[],
    );
    for predicates in ["", "x >= 0"] {
        let verdict = check(&read, "live", predicates);
        assert!(
            matches!(&verdict, Verdict::Violated(Certificate::Ctl(_))),
            "{predicates}: {verdict:?}"
        );
    }
    // A lasso is found where numbers come back.
    let read = model(
        "var x : int = 0\nvar on : bool = false\nup: x < 3 --> x := x + 1\nback: x >= 3 --> x := 0\nswitch: x > 5 --> on := true\nctl live: AF on\n",
        &[],
    );
    let verdict = check(&read, "live", "x = 0; x = 1; x = 2; x >= 3");
    assert!(
        matches!(&verdict, Verdict::Violated(Certificate::Trace(t)) if t.back_to.is_some()),
        "{verdict:?}"
    );
}

/// A path of the abstraction may end where the concrete one does; what has to happen then does not.
#[test]
fn deadlocks_count() {
    let text = "var x : int = 0\nvar done : bool = false\nup: x < 3 --> x := x + 1\nfinish: x = LAST --> done := true, x := 4\nctl live: AF done\n";
    let read = model(&text.replace("LAST", "3"), &[]);
    let verdict = check(&read, "live", "x = 0; x = 1; x = 2; x = 3");
    assert!(matches!(verdict, Verdict::Holds(_)), "{verdict:?}");
    let read = model(&text.replace("LAST", "7"), &[]);
    for predicates in ["x < 3", "x < 3; x = 7", "x < 3; x = 3; x = 1; x = 2"] {
        let verdict = check(&read, "live", predicates);
        assert!(
            !matches!(verdict, Verdict::Holds(_)),
            "{predicates}: {verdict:?}"
        );
    }
}

#[test]
fn what_is_missing_is_told() {
    let read = zoo("airport-ticket", &[]);
    let Verdict::Unknown(unknown) = check(&read, "p3", "numC3 = 0") else {
        panic!("this predicate is not enough");
    };
    assert!(
        unknown.reached.contains("without a concrete run"),
        "{}",
        unknown.reached
    );
    assert!(unknown.reached.contains("numC3"), "{}", unknown.reached);
}

#[test]
fn formulas_of_some_path_are_refused() {
    let read = zoo("chardriver", &[]);
    assert!(partial().accepts(&read.task("nodeadlock")).is_err());
}

/// Remainders become predicates; the engine below could not take them.
#[test]
fn what_the_engine_below_cannot_express_is_abstracted() {
    let read = model(
        "var x, steps : int = 0\nvar pc : {a, b} = a\ngo: pc = a and x mod 2 = 0 --> x := x + 3, pc := b\nback: pc = b and x mod 2 = 1 --> x := x + 1, pc := a, steps := steps + 1\ninvariant parity: pc = b => x mod 2 = 1\n",
        &[],
    );
    assert!(CtlZones.accepts(&read.task("parity")).is_err());
    let verdict = check(&read, "parity", "");
    assert!(matches!(verdict, Verdict::Holds(_)), "{verdict:?}");
}
