//! Small programs with known verdicts, every refinement checked.

#![allow(clippy::unwrap_used)]

use sectile_base::Budget;
use sectile_engine::{Event, Interest, Observer, Run};
use sectile_engine_kojak::{Elim, Kojak};
use sectile_model::{Certificate, Verdict};
use sectile_solver::Backend;
use sectile_solver_native::NativeBackend;
use sectile_testkit::models::{read, zoo};
use sectile_testkit::programs::{check_lecture_programs, check_program_p};
use sectile_testkit::verdicts::{decide, run, says, seconds, settings};
use std::collections::BTreeMap;

#[test]
fn program_p_holds_and_its_mutation_does_not() {
    check_program_p(&Kojak);
}

/// What is found out about program P, whose loop must have the invariant `n = x + y + z`.
///
/// Paper: [ErHoPoSc11, Fig. 5].
fn prove_program_p(options: &[(&str, &str)]) -> BTreeMap<&'static str, u64> {
    let model = zoo("sum.imp", &[]);
    let settings = settings(options);
    let mut counters = Counters::default();
    let surroundings = Run {
        budget: seconds(60),
        observer: &mut counters,
        ..run(&settings)
    };
    let verdict = decide(&Kojak, &model.task("safe"), surroundings);
    let Verdict::Holds(Certificate::Invariants(list)) = verdict else {
        panic!("{options:?}: {verdict:?}");
    };
    let (terms, graph) = (&model.terms, &model.module().model);
    let invariant = list.at[graph.location("l1").unwrap().0].unwrap();
    let var = |n: &str| terms.var(terms.symbol(n).unwrap());
    let sum = terms.add(terms.add(var("x"), var("y")), var("z"));
    let mut solver = NativeBackend.solver(terms).unwrap();
    solver.assert(invariant).unwrap();
    solver.assert(terms.neq(var("n"), sum)).unwrap();
    let answer = solver.check(&[], &Budget::unlimited()).unwrap();
    assert!(answer.is_unsat(), "{options:?}");
    counters.values
}

/// The last value of every counter.
#[derive(Default)]
struct Counters {
    values: BTreeMap<&'static str, u64>,
}

impl Observer for Counters {
    fn event(&mut self, event: &Event) {
        if let Event::Counter { name, value } = event {
            self.values.insert(name, *value);
        }
    }

    fn interest(&self) -> Interest {
        Interest::Counters
    }
}

#[test]
fn the_invariant_of_program_p_implies_that_of_the_paper() {
    for facts in ["on", "off"] {
        prove_program_p(&[("facts", facts), ("refine", "mcmillan")]);
    }
}

/// U13: no default source keeps the search from its end, with the options of the paper or with ours.
#[test]
fn program_p_is_proved_with_every_default_source() {
    let defaults = ["decomposed-or-proof", "proof", "wp-or-proof"];
    let all = defaults.join(",");
    let sources = defaults.iter().copied().chain([all.as_str()]);
    for source in sources {
        let mut options = vec![("facts", "off"), ("refine", source), ("restart", "5")];
        let found = prove_program_p(&options);
        // `decomposed` finds a longer list of cases for every path, and each takes longer.
        if source.starts_with("decomposed") {
            assert!(found["restarts"] >= 1, "{source}");
        }
        options.extend([("split", "all"), ("infix", "path")]);
        prove_program_p(&options);
    }
}

/// U3: one question for every cut instead of one for all of them.
#[test]
fn interpolants_one_after_the_other_take_more_questions() {
    let published = [("facts", "off"), ("split", "all"), ("infix", "path")];
    let asked = |source: &str| {
        let mut options = published.to_vec();
        options.extend([("refine", source), ("audit", "on"), ("restart", "5")]);
        let found = prove_program_p(&options);
        (found["iterations"], found["interpolations"])
    };
    let (refinements, questions) = asked("mcmillan");
    assert_eq!(refinements, questions);
    for source in ["steps-mcmillan", "steps", "steps-qe-mcmillan,mcmillan"] {
        let (refinements, questions) = asked(source);
        assert!(questions >= refinements, "{source}");
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
