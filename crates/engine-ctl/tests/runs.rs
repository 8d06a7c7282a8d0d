//! Violations as runs and lassos, and tickets that start at a number.
#![allow(clippy::unwrap_used)]

#[path = "common/zoo.rs"]
mod models;

use models::zoo;
use sectile_base::Budget;
use sectile_certify::{Claim, Outcome};
use sectile_driver::{Loaded, load};
use sectile_engine::{Engine, Run, Settings, Silent};
use sectile_engine_ctl::CtlZones;
use sectile_model::{Certificate, Task, Trace, Verdict};
use sectile_solver::Backend;
use sectile_solver_native::NativeBackend;

/// The verdict on a property, with evidence that was checked.
fn verdict(loaded: &Loaded, property: &str) -> Verdict {
    let module = &loaded.reading.module;
    let task = Task {
        terms: &loaded.terms,
        model: &module.model,
        property: module.property(property).unwrap(),
    };
    let mut run = Run {
        backend: &NativeBackend,
        budget: Budget::unlimited(),
        seed: 0,
        settings: &Settings::default(),
        predicates: &[],
        lemmas: &[],
        observer: &mut Silent,
    };
    let verdict = CtlZones.run(&task, &mut run).unwrap();
    let (claim, certificate) = match &verdict {
        Verdict::Holds(c) => (Claim::Holds, c),
        Verdict::Violated(c) => (Claim::Violated, c),
        Verdict::Unknown(why) => panic!("{property}: {why:?}"),
    };
    let mut solver = NativeBackend.certifying_solver(&loaded.terms).unwrap();
    let budget = Budget::unlimited();
    let outcome = sectile_certify::check(&task, claim, certificate, solver.as_mut(), &budget);
    let outcome = outcome.unwrap();
    assert!(matches!(outcome, Outcome::Accepted { .. }), "{outcome:?}");
    verdict
}

fn trace(loaded: &Loaded, property: &str) -> Trace {
    match verdict(loaded, property) {
        Verdict::Violated(Certificate::Trace(trace)) => trace,
        other => panic!("{property}: not a run: {other:?}"),
    }
}

#[test]
fn a_plane_that_waits_for_ever_is_a_lasso() {
    for model in ["airport-ticket", "airport-bakery"] {
        let run = trace(&zoo(model, &[]), "noc3starve");
        let back = run.back_to.expect("it comes back");
        assert_eq!(run.states[back], run.states[run.states.len() - 1]);
    }
}

#[test]
fn a_deadlock_is_a_run_that_ends() {
    let run = trace(&zoo("chardriver", &[]), "nodeadlock");
    assert_eq!(run.back_to, None);
    assert!(run.steps.len() > 3);
}

/// Nobody looks at the display: numbers grow, and no run comes back.
#[test]
fn where_numbers_grow_cells_are_the_evidence() {
    let found = verdict(&zoo("ticket", &[("bug", "1")]), "live");
    assert!(matches!(found, Verdict::Violated(_)), "{found:?}");
}

const FROM_ZERO: &str = "param n = 2
var s, t : int
init s = 0 and t = 0
var z : int = 0
process P[i : 0..n-1] {
  var pc : {think, try, cr} = think
  var a  : int = 0
  r_try:   pc = think           --> a := t, t := t + 1, pc := try
  r_cr:    pc = try and s >= a  --> z := z + 1, pc := cr
  r_think: pc = cr              --> s := s + 1, z := z - 1, pc := think
}
invariant zbound: z <= 1
invariant mutex: forall i in 0..n-1, j in 0..n-1: i < j => not (P[i].pc = cr and P[j].pc = cr)
ctl live: forall i in 0..n-1: AG(P[i].pc = try => AF P[i].pc = cr)
ctl first: AG(s <= 3)
";

/// From a fixed start the exact search does not end; from anywhere it does.
#[test]
fn tickets_that_start_at_zero() {
    let file = format!("{}/from-zero.sct", env!("CARGO_TARGET_TMPDIR"));
    std::fs::write(&file, FROM_ZERO).unwrap();
    for n in 2..=6 {
        let parameters = [("n".to_string(), n.to_string())];
        let loaded = load(&file, None, &parameters).unwrap();
        for property in ["zbound", "mutex", "live"] {
            let found = verdict(&loaded, property);
            assert!(matches!(found, Verdict::Holds(_)), "{n} {property}");
        }
        // What the start matters for is still decided from there.
        let run = trace(&loaded, "first");
        assert_eq!(run.steps.len(), 12);
    }
}
