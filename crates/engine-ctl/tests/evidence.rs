//! Wrong evidence about CTL formulas is refused, with the obligation that fails.
#![allow(clippy::unwrap_used)]

use sectile_base::{Budget, Source};
use sectile_certify::{Claim, Obligation, Outcome};
use sectile_driver::Loaded;
use sectile_engine::{Engine, Settings};
use sectile_engine_ctl::CtlZones;
use sectile_model::{Certificate, CtlProof, Initial, Verdict};
use sectile_solver_native::NativeBackend;
use sectile_testkit::driven::{task, zoo};
use sectile_testkit::verdicts::{outcome, run};

/// What the engine says of a property.
fn verdict(loaded: &Loaded, property: &str) -> Verdict {
    let settings = Settings::default();
    let task = task(loaded, property);
    CtlZones.run(&task, &mut run(&settings)).unwrap()
}

/// The evidence for a property, after a change, and what the checker says to it.
fn changed(property: &str, change: impl FnOnce(&Loaded, &mut CtlProof)) -> Outcome {
    let loaded = zoo("ticket", &[]);
    let Verdict::Holds(Certificate::Ctl(mut proof)) = verdict(&loaded, property) else {
        panic!("{property} holds, and cells show it");
    };
    change(&loaded, &mut proof);
    let certificate = Certificate::Ctl(proof);
    outcome(&task(&loaded, property), Claim::Holds, &certificate)
}

fn refused(property: &str, change: impl FnOnce(&Loaded, &mut CtlProof)) -> Obligation {
    match changed(property, change) {
        Outcome::Refused(refusal) => refusal.obligation,
        other => panic!("it should be refused: {other:?}"),
    }
}

#[test]
fn right_evidence_is_accepted() {
    for property in ["live", "mutex", "zbound"] {
        let outcome = changed(property, |_, _| {});
        assert!(matches!(outcome, Outcome::Accepted { .. }), "{outcome:?}");
    }
}

#[test]
fn ranks_must_decrease() {
    let flat = |_: &Loaded, proof: &mut CtlProof| {
        let claims = proof.claims.iter_mut().flatten();
        claims.for_each(|c| c.rank = 0);
    };
    assert!(matches!(refused("live", flat), Obligation::Claim { .. }));
}

#[test]
fn something_must_be_possible_before_what_has_to_happen() {
    let idle = |_: &Loaded, proof: &mut CtlProof| {
        let claims = proof.claims.iter_mut().flatten();
        claims.for_each(|c| c.choices.clear());
    };
    assert!(matches!(refused("live", idle), Obligation::Claim { .. }));
}

#[test]
fn no_successor_may_be_forgotten() {
    for property in ["live", "mutex", "zbound"] {
        let forget = |_: &Loaded, proof: &mut CtlProof| {
            let cell = proof.cells.iter_mut().find(|c| !c.successors.is_empty());
            cell.unwrap().successors.remove(0);
        };
        let obligation = refused(property, forget);
        assert!(
            matches!(obligation, Obligation::CellStep { .. }),
            "{obligation:?}"
        );
    }
}

#[test]
fn cells_must_be_where_the_formulas_hold() {
    let weaken = |loaded: &Loaded, proof: &mut CtlProof| {
        let cells = proof.cells.iter_mut();
        cells.for_each(|c| c.formula = loaded.terms.tt());
    };
    assert!(matches!(
        refused("zbound", weaken),
        Obligation::Claim { .. }
    ));
}

#[test]
fn all_initial_states_must_be_in_a_cell() {
    let none = |_: &Loaded, proof: &mut CtlProof| proof.initial = Initial::All(Vec::new());
    assert_eq!(refused("live", none), Obligation::Initiation);
    let strange = |_: &Loaded, proof: &mut CtlProof| proof.initial = Initial::All(vec![10_000]);
    assert_eq!(refused("live", strange), Obligation::Shape);
}

#[test]
fn certificates_are_read_as_they_were_written() {
    use sectile_driver::certificates;
    let loaded = zoo("ticket", &[]);
    let Verdict::Holds(certificate) = verdict(&loaded, "live") else {
        panic!("live holds");
    };
    let text = certificates::print(&loaded, [("live", Claim::Holds, &certificate)]);
    let source = Source::new("live.cert", text);
    let budget = Budget::unlimited();
    let results = certificates::certify(&loaded, &source, &NativeBackend, &budget);
    let results = results.unwrap_or_else(|_| panic!("it can be read"));
    let outcome = results[0].outcome.clone();
    assert!(
        matches!(outcome, Ok(Outcome::Accepted { .. })),
        "{outcome:?}"
    );
}
