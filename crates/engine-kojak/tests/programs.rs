//! Small programs with known verdicts, every refinement checked.

#![allow(clippy::unwrap_used)]

mod support;

use sectile_base::Budget;
use sectile_engine_kojak::Kojak;
use sectile_model::{Certificate, Verdict};
use sectile_solver::Backend;
use sectile_solver_native::NativeBackend;
use sectile_terms::Terms;
use support::{says, settings, zoo};

#[test]
fn program_p_holds_and_its_mutation_does_not() {
    let terms = Terms::new();
    let options = settings(&[("audit", "on")]);
    let module = zoo(&terms, "sum.imp", &[]);
    let verdict = says(&Kojak, &terms, &module, "safe", &options);
    assert!(matches!(verdict, Verdict::Holds(_)), "{verdict:?}");
    let terms = Terms::new();
    let module = zoo(&terms, "sum.imp", &[("bug", "1")]);
    let verdict = says(&Kojak, &terms, &module, "safe", &options);
    let Verdict::Violated(Certificate::Trace(trace)) = verdict else {
        panic!("{verdict:?}");
    };
    // One round of the loop is enough, and then n is 1.
    let mut constants = module.model.rigid.iter();
    let n = constants.position(|&v| terms.name(v) == "n");
    let value = trace.rigid[n.unwrap()].as_rat();
    assert_eq!(value, Some(sectile_base::Rat::ONE));
}

/// Paper: [ErHoPoSc11, Fig. 5]: the invariant of the loop is `n = x + y + z`.
#[test]
fn the_invariant_of_program_p_implies_that_of_the_paper() {
    for facts in ["on", "off"] {
        let terms = Terms::new();
        let module = zoo(&terms, "sum.imp", &[]);
        let options = settings(&[("facts", facts), ("refine", "mcmillan")]);
        let verdict = says(&Kojak, &terms, &module, "safe", &options);
        let Verdict::Holds(Certificate::Invariants(proof)) = verdict else {
            panic!("{verdict:?}");
        };
        let invariant = proof.at[module.model.location("l1").unwrap().0].unwrap();
        let var = |n: &str| terms.var(terms.symbol(n).unwrap());
        let sum = terms.add(terms.add(var("x"), var("y")), var("z"));
        let mut solver = NativeBackend.solver(&terms).unwrap();
        solver.assert(invariant).unwrap();
        solver.assert(terms.neq(var("n"), sum)).unwrap();
        let answer = solver.check(&[], &Budget::unlimited()).unwrap();
        assert!(answer.is_unsat(), "facts {facts}");
    }
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
        let verdict = says(&Kojak, &terms, &module, property, &options);
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

/// Each loop is left after few rounds or never; the first one may go round for ever.
const TRAPS: &str = "
while (a > b) { skip };
while (a < 10) { a := 20 };
while (c <= a) { c := b + 1 };
while (b != c) { b := c };
assert end: b = c
";

#[test]
fn loops_that_are_left_after_few_rounds_are_unrolled() {
    let terms = Terms::new();
    let text = TRAPS.trim();
    let module = support::read(&terms, "traps.imp", text, &[]);
    let options = settings(&[("facts", "off"), ("restart", "1")]);
    let verdict = says(
        &sectile_engine_kojak::Elim,
        &terms,
        &module,
        "end",
        &options,
    );
    assert!(matches!(verdict, Verdict::Holds(_)), "{verdict:?}");
    let terms = Terms::new();
    let text = text.replace("b = c", "a < 20");
    let module = support::read(&terms, "traps.imp", &text, &[]);
    let verdict = says(
        &sectile_engine_kojak::Elim,
        &terms,
        &module,
        "end",
        &options,
    );
    assert!(matches!(verdict, Verdict::Violated(_)), "{verdict:?}");
}
