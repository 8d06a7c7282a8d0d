//! Loops over unbounded numbers whose lemmas `pdkind` finds, with its evidence checked.
#![allow(clippy::unwrap_used)]

use sectile_certify::Claim;
use sectile_engine_induction::PdKind;
use sectile_model::{Certificate, Verdict};
use sectile_testkit::models::read;
use sectile_testkit::verdicts::{says, settings};

/// The text of a system, the property, and the number of steps of a shortest violation.
const LOOPS: &[(&str, Option<usize>)] = &[
    // What is needed is about the other variable.
    (
        "var x : int = 1\nvar y : int = 1\ngo: true --> x := x + y, y := x\ninvariant p: y >= 1\n",
        None,
    ),
    // A relation between the variables, over reals and with a choice.
    (
        "var x : real = 0\nvar y : real = 0\nup: true --> x := x + 1, y := y + 2\n\
         on: x > 3 --> x := x + 2, y := y + 4\ninvariant p: x > 5 => y > 5\n",
        None,
    ),
    // Two phases.
    (
        "var x : int = 0\nvar y : int = 50\nlow: x < 50 --> x := x + 1\n\
         high: x >= 50 and x < 100 --> x := x + 1, y := y + 1\ninvariant p: x = 100 => y = 100\n",
        None,
    ),
    // Control in an enumeration, and a constant that nobody knows.
    (
        "const n : int\nvar pc : {run, done} = run\nvar i : int = 0\n\
         assume n >= 0\nstep: pc = run and i < n --> i := i + 1\n\
         stop: pc = run and i >= n --> pc := done\ninvariant p: pc = done => i = n\n",
        None,
    ),
    (
        "var x : int = 0\nup: x < 40 --> x := x + 3\ninvariant p: x != 18\n",
        Some(6),
    ),
    (
        "var x : int = 0\nvar y : int = 0\nup: true --> x := x + 1, y := y + x\ninvariant p: y < 10\n",
        Some(5),
    ),
];

#[test]
fn lemmas_are_found_and_violations_are_runs() {
    for (text, violation) in LOOPS {
        for steps in ["1", "8"] {
            let model = read("loop.sct", text, &[]);
            let task = model.task("p");
            // What it says is checked on the way.
            let verdict = says(&PdKind, &task, &settings(&[("induction-steps", steps)]));
            match (&verdict, violation) {
                (Verdict::Holds(_), None) => {}
                (Verdict::Violated(Certificate::Trace(run)), Some(length)) => {
                    assert!(run.steps.len() >= *length, "{text}");
                }
                other => panic!(
                    "{text}: {other:?}, not {:?}",
                    violation.map(|_| Claim::Violated)
                ),
            }
        }
    }
}
