//! Small programs with known verdicts, every refinement checked.

#![allow(clippy::unwrap_used)]

#[path = "../../engine-kojak/tests/support/mod.rs"]
mod support;

use sectile_engine_impact::Impact;
use sectile_model::{Certificate, Verdict};
use sectile_terms::Terms;
use support::{says, settings, zoo};

#[test]
fn program_p_holds_and_its_mutation_does_not() {
    let terms = Terms::new();
    let options = settings(&[("audit", "on")]);
    let module = zoo(&terms, "sum.imp", &[]);
    let verdict = says(&Impact, &terms, &module, "safe", &options);
    assert!(matches!(verdict, Verdict::Holds(_)), "{verdict:?}");
    let terms = Terms::new();
    let module = zoo(&terms, "sum.imp", &[("bug", "1")]);
    let verdict = says(&Impact, &terms, &module, "safe", &options);
    let Verdict::Violated(Certificate::Trace(trace)) = verdict else {
        panic!("{verdict:?}");
    };
    // One round of the loop is enough, and then n is 1.
    let mut constants = module.model.rigid.iter();
    let n = constants.position(|&v| terms.name(v) == "n");
    let value = trace.rigid[n.unwrap()].as_rat();
    assert_eq!(value, Some(sectile_base::Rat::ONE));
}

#[test]
fn the_lecture_programs_have_their_verdicts() {
    let options = settings(&[("audit", "on")]);
    let cases = [
        ("lecture-a.imp", "end", false),
        ("lecture-b.imp", "end", true),
    ];
    for (file, property, holds) in cases {
        let terms = Terms::new();
        let module = zoo(&terms, file, &[]);
        let verdict = says(&Impact, &terms, &module, property, &options);
        assert_eq!(
            matches!(verdict, Verdict::Holds(_)),
            holds,
            "{file}: {verdict:?}"
        );
        assert!(
            !matches!(verdict, Verdict::Unknown(_)),
            "{file}: {verdict:?}"
        );
    }
}
