//! Numbers that fall, and cycles that go on for ever: verdicts with evidence, and evidence refused.
#![allow(clippy::unwrap_used)]

use crate::fair_linear::seeds;
use sectile_certify::{Claim, Outcome};
use sectile_driver::load;
use sectile_engine::Settings;
use sectile_engine_ctl::CtlZones;
use sectile_model::{Certificate, Ctl, CtlProof, Expected, PropertyKind, Task, Verdict};
use sectile_report::Status;
use sectile_testkit::driven::{options, read, report, task};
use sectile_testkit::files::{files_in, root};
use sectile_testkit::systems::{Example, checked, example, verdict_of};
use sectile_testkit::verdicts::{outcome, says};

/// What the engine says of the property `f` of a system, checked.
fn verdict(text: &str) -> Verdict {
    let loaded = read("sct", text);
    says(&CtlZones, &task(&loaded, "f"), &Settings::default())
}

fn holds(text: &str) {
    assert!(matches!(verdict(text), Verdict::Holds(_)), "{text}");
}

fn violated(text: &str) {
    assert!(matches!(verdict(text), Verdict::Violated(_)), "{text}");
}

#[test]
fn a_number_that_goes_down_gets_there() {
    holds("var x : nat\ndec: x > 0 --> x := x - 1\nctl f: AF x = 0");
    holds("var x : int\ndec: x > 0 --> x := x - 1\nctl f: AF x <= 0");
    // From below zero there is no step, and zero is never reached.
    violated("var x : int\ndec: x > 0 --> x := x - 1\nctl f: AF x = 0");
    // A step of two passes over zero.
    violated("var x : nat\ninit x = 7\ndec: x > 1 --> x := x - 2\nctl f: AF x = 0");
}

#[test]
fn a_path_may_end_before_the_goal() {
    // The ranking is fine, but runs end at 5.
    violated("var x : int\ninit x = 9\ndec: x > 5 --> x := x - 1\nctl f: AF x = 0");
    holds("var x : int\ninit x >= 9\ndec: x > 5 --> x := x - 1\nctl f: AF AX false");
}

#[test]
fn reals_need_a_fixed_step() {
    holds("var x : real\ndec: x > 0 --> x := x - 1/8\nctl f: AF x <= 0");
    violated("var x : real\ninit x > 0\nhalf: x > 0 --> x := x/2\nctl f: AF x <= 0");
}

#[test]
fn bounds_matter_only_before_the_goal() {
    // The sum has no bound after the goal, where it goes on falling.
    holds("var x : int\ndec: true --> x := x - 1\nctl f: AF x < 0");
    holds("var x : int\ndec: true --> x := x - 1\nctl f: AF AG x < 0");
    violated("var x : int\ndec: true --> x := x - 1\nctl f: AF AG x > 0");
}

#[test]
fn untils_and_nested_formulas() {
    let count = "var x, y : int\ninit x >= 0 and y = 0\n\
                 dec: x > 0 --> x := x - 1, y := y + 1\n\
                 rest: x <= 0 --> skip\n";
    holds(&format!("{count}ctl f: A[y >= 0 U x = 0]"));
    violated(&format!("{count}ctl f: A[y <= 3 U x = 0]"));
    holds(&format!("{count}ctl f: AG (x = 0 or AF (x = 0 and y > 0))"));
    holds(&format!("{count}ctl f: not EG x > 0"));
    let wave = "var x : int\nvar up : bool\ninit x = 0 and up\n\
                grow: up --> x := x + 1, up := any b where true\n\
                fall: not up and x > 0 --> x := x - 1\n\
                turn: not up and x <= 0 --> up := true\n";
    let wave = wave.replace("any b where true", "up");
    holds(&format!("{wave}ctl f: AG (up or AF (x <= 0))"));
}

#[test]
fn the_loops_of_the_zoo_have_the_verdicts_they_expect() {
    let files = files_in(&root().join("models/liveness"), &["imp"]);
    assert!(files.len() >= 60, "{}", files.len());
    let (mut ends, mut goes_on) = (0, 0);
    for file in files {
        let name = file.display().to_string();
        let loaded = load(&name, None, &[]).unwrap();
        // Nobody knows a set of states for this one: a run shows the violation.
        let engine = if name.ends_with("collatz.imp") {
            "walk"
        } else {
            "ctl"
        };
        let report = report(&loaded, &options(engine, 20, Settings::default()));
        let expected = &loaded.reading.module.expectations;
        let wanted = expected.iter().find(|e| e.property == report.name);
        let wanted = match wanted.unwrap().expected {
            Expected::Holds => Status::Holds,
            Expected::Violated(_) => Status::Violated,
        };
        assert_eq!(report.status, wanted, "{name}");
        match wanted {
            Status::Holds => ends += 1,
            _ => goes_on += 1,
        }
    }
    assert!(ends >= 25 && goes_on >= 25, "{ends} and {goes_on}");
}

#[test]
fn termination_agrees_with_explicit_search() {
    let (mut holds, mut violated) = (0, 0);
    for seed in seeds(600) {
        let Example {
            terms, model, rng, ..
        } = example(seed, seed % 2 == 0);
        let kind = PropertyKind::Ctl(Ctl::terminates(&terms));
        let mut example = Example::new(terms, model, kind, rng);
        let verdict = verdict_of(&CtlZones, &example.task(), &[]);
        match checked(seed, &mut example, verdict) {
            Some(Claim::Holds) => holds += 1,
            Some(Claim::Violated) => violated += 1,
            None => panic!("seed {seed} is not decided"),
        }
    }
    assert!(
        holds > 50 && violated > 50,
        "{holds} hold, {violated} are violated"
    );
}

/// The cells that show that a system has the property `f`.
fn proof(task: &Task<'_>) -> CtlProof {
    match says(&CtlZones, task, &Settings::default()) {
        Verdict::Holds(Certificate::Ctl(proof)) => *proof,
        other => panic!("cells show it: {other:?}"),
    }
}

/// Every change of the evidence for a text is refused; the change is told how often it was asked,
/// and says whether it changed anything.
fn all_refused(text: &str, mut change: impl FnMut(&Task<'_>, &mut CtlProof, usize) -> bool) {
    let loaded = read("sct", text);
    let task = task(&loaded, "f");
    let right = proof(&task);
    let mut count = 0;
    loop {
        let mut wrong = right.clone();
        if !change(&task, &mut wrong, count) {
            break;
        }
        assert_ne!(wrong, right);
        let certificate = Certificate::Ctl(Box::new(wrong));
        let outcome = outcome(&task, Claim::Holds, &certificate);
        let refused = matches!(outcome, Outcome::Refused(_));
        assert!(
            refused,
            "change {count} of {text}: {outcome:?} {certificate:?}"
        );
        count += 1;
    }
    assert!(count > 0, "nothing was changed");
}

const PHASES: &str = "var x, y : int\n\
                      step: x >= 0 --> x := x + y, y := y - 1\n\
                      ctl f: AF x < 0";

const NESTED: &str = "var x, y : int\n\
                      inner: x > 0 and y > 0 --> y := y - 1\n\
                      outer: x > 0 and y <= 0 --> x := x - 1, havoc y\n\
                      ctl f: AF x <= 0";

/// The claims with measures, by their number.
fn ranked(proof: &CtlProof) -> Vec<(usize, usize)> {
    let parts = proof.claims.iter().enumerate();
    let all = parts.flat_map(|(p, list)| (0..list.len()).map(move |k| (p, k)));
    all.filter(|&(p, k)| !proof.claims[p][k].measures.is_empty())
        .collect()
}

#[test]
fn measures_that_do_not_fall_are_refused() {
    for text in [PHASES, NESTED] {
        let text = text.replace("havoc y", "y := any v where true");
        // The other way round.
        all_refused(&text, |task, proof, k| {
            let Some(&(p, c)) = ranked(proof).get(k) else {
                return false;
            };
            let measures = &mut proof.claims[p][c].measures;
            for m in measures.iter_mut() {
                *m = task.terms.scale(*m, &(-1).into());
            }
            true
        });
        // Without the bound from below.
        all_refused(&text, |task, proof, k| {
            let low = task.terms.int(-1_000_000);
            let list = ranked(proof);
            for &(p, c) in &list {
                let rank = proof.claims[p][c].rank;
                let own = list.get(k).map(|&(p, c)| proof.claims[p][c].rank);
                if own == Some(rank) {
                    for m in &mut proof.claims[p][c].measures {
                        *m = task.terms.add(*m, low);
                    }
                }
            }
            k < list.len()
        });
        // Without the measures.
        all_refused(&text, |_, proof, k| {
            let Some(&(p, c)) = ranked(proof).get(k) else {
                return false;
            };
            proof.claims[p][c].measures.clear();
            true
        });
        // A rank that is too low.
        all_refused(&text, |_, proof, k| {
            let Some(&(p, c)) = ranked(proof).get(k) else {
                return false;
            };
            proof.claims[p][c].rank = 0;
            true
        });
    }
}

#[test]
fn a_measure_must_be_a_number_about_the_state() {
    let loaded = read("sct", PHASES);
    let task = task(&loaded, "f");
    let right = proof(&task);
    let x = task.model.variables[0];
    for wrong in [task.terms.next(x), task.terms.tt()] {
        let mut proof = right.clone();
        let (p, c) = ranked(&proof)[0];
        proof.claims[p][c].measures[0] = wrong;
        let certificate = Certificate::Ctl(Box::new(proof));
        let outcome = outcome(&task, Claim::Holds, &certificate);
        assert!(matches!(outcome, Outcome::Refused(_)), "{outcome:?}");
    }
}

#[test]
fn cycles_that_do_not_go_on_are_refused() {
    let text = "var x, y : int\nstep: x > 0 --> x := x + y, y := y + 1\nctl f: AF x <= 0";
    let loaded = read("sct", text);
    let task = task(&loaded, "f");
    let Verdict::Violated(Certificate::Ctl(right)) = says(&CtlZones, &task, &Settings::default())
    else {
        panic!("cells show it");
    };
    for k in 0..right.cells.len() {
        // All states of the control, also those from which the cycle ends.
        let mut wrong = right.clone();
        wrong.cells[k].formula = task.terms.tt();
        let certificate = Certificate::Ctl(wrong);
        let outcome = outcome(&task, Claim::Violated, &certificate);
        assert!(matches!(outcome, Outcome::Refused(_)), "{outcome:?}");
    }
}
