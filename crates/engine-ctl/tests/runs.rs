//! Violations as runs and lassos, and tickets that start at a number.

use sectile_engine::Settings;
use sectile_engine_ctl::CtlZones;
use sectile_model::{Certificate, Trace, Verdict};
use sectile_testkit::models::{Read, read, zoo};
use sectile_testkit::verdicts::{decide, run};

/// The verdict on a property, with evidence that was checked.
fn verdict(model: &Read, property: &str) -> Verdict {
    let verdict = decide(&CtlZones, &model.task(property), run(&Settings::default()));
    if let Verdict::Unknown(why) = &verdict {
        panic!("{property}: {why:?}");
    }
    verdict
}

fn trace(model: &Read, property: &str) -> Trace {
    match verdict(model, property) {
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
    for n in 2..=6 {
        let model = read("from-zero.sct", FROM_ZERO, &[("n", &n.to_string())]);
        for property in ["zbound", "mutex", "live"] {
            let found = verdict(&model, property);
            assert!(matches!(found, Verdict::Holds(_)), "{n} {property}");
        }
        // What the start matters for is still decided from there.
        let run = trace(&model, "first");
        assert_eq!(run.steps.len(), 12);
    }
}
