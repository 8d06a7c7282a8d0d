//! Violations that random execution finds, and what it does not claim.

use sectile_explicit::Walk;
use sectile_model::{Certificate, Verdict};
use sectile_testkit::models::read;
use sectile_testkit::verdicts::{says, settings};

#[test]
fn a_deep_violation_is_found() {
    let text = "x := 0; while (x < 20000) { x := x + 1 } assert end: false";
    let model = read("deep.imp", text, &[]);
    let verdict = says(&Walk, &model.task("end"), &settings(&[]));
    let Verdict::Violated(Certificate::Trace(trace)) = verdict else {
        panic!("{verdict:?}");
    };
    assert!(trace.steps.len() > 40_000);
}

#[test]
fn what_holds_is_not_decided() {
    let text = "x := 0; while (x < 20) { x := x + 1 } assert end: x = 20";
    let model = read("fine.imp", text, &[]);
    let verdict = says(&Walk, &model.task("end"), &settings(&[("runs", "20")]));
    assert!(matches!(verdict, Verdict::Unknown(_)), "{verdict:?}");
}

/// Where nothing is chosen the third run goes to the end; where something is, it is short.
#[test]
fn a_program_without_choices_is_run_to_its_end_soon() {
    let programs = [
        (
            "k := n; x := 0; k := 5000; while (x < k) { x := x + 1 } assert end: false",
            true,
        ),
        (
            "x := 0; while (x < 5000) { x := x + 1 } assert end: false",
            true,
        ),
        (
            "x := 0; while (x < 5000) { y := *; x := x + 1 } assert end: false",
            false,
        ),
    ];
    for (text, found) in programs {
        let model = read("steady.imp", text, &[]);
        let verdict = says(&Walk, &model.task("end"), &settings(&[("runs", "3")]));
        let violated = matches!(verdict, Verdict::Violated(_));
        assert_eq!(violated, found, "{text}: {verdict:?}");
    }
}
