//! Must-steps: what an abstraction has for certain.

use crate::common;

use common::{abstracted, backend, model, read, system, zoo};
use sectile_base::{Budget, Rng};
use sectile_domains::bdd::Bdd;
use sectile_engine_predabs::{Prover, Transformers};
use sectile_report::Status;

/// Abstraction as the Key, Section 4.1: all steps of start-w and start-r are certain, those of end-w and end-r
/// that leave or keep a class are not.
#[test]
fn starting_is_certain_and_ending_is_not() {
    let loaded = zoo("rw.sct");
    let (terms, concrete) = (&loaded.terms, system(&loaded));
    let mut prover = Prover::new(terms, backend(), &Budget::unlimited()).expect("a solver");
    let mut t = Transformers::new(terms, &concrete, backend(), &Budget::unlimited());
    let mut found = abstracted(&loaded, &concrete, "nw = 0; nr = 0", &mut prover);
    let reach = found.reach(Bdd::FALSE, &mut prover).expect("it is finite");
    let states = found.states(reach.all, 100);
    let steps = found
        .must_steps(states, &mut prover, &mut t)
        .expect("it is decided");
    let named = |set: &std::collections::BTreeSet<(usize, usize, usize)>| {
        let text = |&(i, k, j): &(usize, usize, usize)| {
            let name = &concrete.edges[k].command.name;
            format!("{:?} {name} {:?}", steps.states[i], steps.states[j])
        };
        set.iter().map(text).collect::<Vec<_>>()
    };
    assert_eq!(
        named(&steps.must),
        [
            "[1, 0] startR [1, 0]",
            "[1, 1] startW [0, 1]",
            "[1, 1] startR [1, 0]"
        ]
    );
    assert_eq!(steps.may.len(), 7, "{:?}", named(&steps.may));
    assert_eq!(steps.reached.len(), 3);
    assert!(steps.must.is_subset(&steps.may));
}

/// Every abstract state that must-steps reach has a reachable state: where all its states are bad,
/// the property is violated.
#[test]
fn must_steps_reach_what_is_reachable() {
    let mut shown = 0;
    for seed in 0..25 {
        let text = model(&mut Rng::new(15_000 + seed));
        let loaded = read(&text);
        let (terms, (concrete, good)) = (&loaded.terms, common::asked(&loaded, "bad"));
        let mut prover = Prover::new(terms, backend(), &Budget::unlimited()).expect("a solver");
        let mut t = Transformers::new(terms, &concrete, backend(), &Budget::unlimited());
        let predicates = "x = 0; x = 1; x = 2; y = 0; y = 1; y = 2";
        let mut found = abstracted(&loaded, &concrete, predicates, &mut prover);
        let reach = found.reach(Bdd::FALSE, &mut prover).expect("it is finite");
        let states = found.states(reach.all, 1000);
        let steps = found
            .must_steps(states, &mut prover, &mut t)
            .expect("it is decided");
        let domain = concrete.restrict_formula(terms);
        for &i in &steps.reached {
            let meaning = found.alpha.meaning(terms, &steps.states[i]);
            let inside = terms.and([domain, meaning, good]);
            if !prover.satisfiable(inside).expect("it is decided") {
                shown += 1;
                let report = common::run(&loaded, "bad", &[]);
                assert_eq!(report.status, Status::Violated, "seed {seed}\n{text}");
                break;
            }
        }
    }
    assert!(shown > 2, "{shown}");
}
