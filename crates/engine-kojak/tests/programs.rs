//! Small programs with known verdicts, every refinement checked.

#![allow(clippy::unwrap_used)]

use sectile_base::Budget;
use sectile_engine_kojak::{Elim, Kojak};
use sectile_model::{Certificate, Verdict};
use sectile_solver::Backend;
use sectile_solver_native::NativeBackend;
use sectile_testkit::models::{read, zoo};
use sectile_testkit::programs::{check_lecture_programs, check_program_p};
use sectile_testkit::verdicts::{says, settings};

#[test]
fn program_p_holds_and_its_mutation_does_not() {
    check_program_p(&Kojak);
}

/// Paper: [ErHoPoSc11, Fig. 5]: the invariant of the loop is `n = x + y + z`.
#[test]
fn the_invariant_of_program_p_implies_that_of_the_paper() {
    for facts in ["on", "off"] {
        let model = zoo("sum.imp", &[]);
        let options = settings(&[("facts", facts), ("refine", "mcmillan")]);
        let verdict = says(&Kojak, &model.task("safe"), &options);
        let Verdict::Holds(Certificate::Invariants(list)) = verdict else {
            panic!("{verdict:?}");
        };
        let (terms, graph) = (&model.terms, &model.module().model);
        let invariant = list.at[graph.location("l1").unwrap().0].unwrap();
        let var = |n: &str| terms.var(terms.symbol(n).unwrap());
        let sum = terms.add(terms.add(var("x"), var("y")), var("z"));
        let mut solver = NativeBackend.solver(terms).unwrap();
        solver.assert(invariant).unwrap();
        solver.assert(terms.neq(var("n"), sum)).unwrap();
        let answer = solver.check(&[], &Budget::unlimited()).unwrap();
        assert!(answer.is_unsat(), "facts {facts}");
    }
}

#[test]
fn the_lecture_programs_have_their_verdicts() {
    check_lecture_programs(&Kojak);
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
    let text = TRAPS.trim();
    let model = read("traps.imp", text, &[]);
    let options = settings(&[("facts", "off"), ("restart", "1")]);
    let verdict = says(&Elim, &model.task("end"), &options);
    assert!(matches!(verdict, Verdict::Holds(_)), "{verdict:?}");
    let text = text.replace("b = c", "a < 20");
    let model = read("traps.imp", &text, &[]);
    let verdict = says(&Elim, &model.task("end"), &options);
    assert!(matches!(verdict, Verdict::Violated(_)), "{verdict:?}");
}
