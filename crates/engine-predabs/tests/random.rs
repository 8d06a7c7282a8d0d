//! Random finite systems: the abstraction is the least one, the engine agrees with explicit search.

use crate::common;

use common::{abstracted, backend, model, read, run, system};
use sectile_base::{Budget, Rng};
use sectile_domains::bdd::{Bdd, Manager};
use sectile_engine_predabs::{Alpha, Prover, bdd2f, is_abstraction};
use sectile_report::Status;
use sectile_testkit::driven::explored;

#[test]
fn verdicts_agree_with_explicit_search() {
    let mut seen = [0, 0];
    for seed in 0..150 {
        let text = model(&mut Rng::new(seed));
        let loaded = read(&text);
        let expected = explored(&loaded);
        seen[usize::from(expected == Status::Holds)] += 1;
        for settings in [
            &[][..],
            &[("acceleration", "false")],
            &[("source", "interpolants"), ("initial", "0")],
        ] {
            let report = run(&loaded, "bad", settings);
            assert_eq!(
                report.status, expected,
                "seed {seed} {settings:?}\n{text}{}",
                report.reached
            );
        }
    }
    assert!(seen[0] > 5 && seen[1] > 5, "{seen:?}");
}

/// Lemma 1 and its converse: every pair of consistent abstract states is related exactly if the
/// elimination method could not remove it.
#[test]
fn the_abstraction_is_the_least_one() {
    for seed in 0..40 {
        let text = model(&mut Rng::new(1000 + seed));
        let loaded = read(&text);
        let (terms, concrete) = (&loaded.terms, system(&loaded));
        let mut prover = Prover::new(terms, backend(), &Budget::unlimited()).expect("a solver");
        let mut found = abstracted(&loaded, &concrete, "x < y; x = 0; x + y <= 3", &mut prover);
        let simulates = is_abstraction(terms, &concrete, &mut found, terms.tt(), &mut prover);
        assert_eq!(
            simulates.expect("it is decided"),
            Ok(()),
            "seed {seed}\n{text}"
        );
        let mut rng = Rng::new(seed);
        let valid = found.valid;
        let domain = concrete.restrict_formula(terms);
        let states: Vec<Vec<usize>> = found
            .states(valid, 1000)
            .into_iter()
            .filter(|s| {
                let meaning = found.alpha.meaning(terms, s);
                let consistent = prover.satisfiable(terms.and2(domain, meaning));
                consistent.expect("it is decided")
            })
            .collect();
        for _ in 0..150 {
            let from = &states[rng.below(states.len() as u64) as usize];
            let to = &states[rng.below(states.len() as u64) as usize];
            for (k, command) in concrete.commands().enumerate() {
                let step = concrete.step_formula(terms, command);
                let (s, t) = (
                    found.alpha.meaning(terms, from),
                    found.alpha.meaning(terms, to),
                );
                let there = terms.and([s, step, terms.prime(t)]);
                let there = prover.satisfiable(there).expect("it is decided");
                let source = found.alpha.space().tuple(&mut found.manager, from, false);
                let after = found.post(source, k);
                let related = found.alpha.space().contains(&found.manager, after, to);
                assert_eq!(
                    related, there,
                    "seed {seed} {} {from:?} {to:?}\n{text}",
                    command.name
                );
            }
        }
    }
}

/// bdd2f says what the diagram says, for every abstract state.
#[test]
fn formulas_of_diagrams_agree_with_truth_tables() {
    let loaded = read("var p : {u, v, w}\nvar q : {k, l, m, n, o}\nvar a, b : bool\n");
    let mut alpha = Alpha::new();
    alpha.add_copies(&loaded.terms, &system(&loaded));
    for seed in 0..200 {
        let mut rng = Rng::new(seed);
        let mut m = Manager::new();
        let valid = alpha.space().valid(&mut m, false);
        let states = alpha.space().tuples(&mut m, valid, 1000);
        assert_eq!(states.len(), 60);
        let chosen: Vec<bool> = states
            .iter()
            .map(|s| rng.below(3) < (s[0] as u64) + 1)
            .collect();
        let mut set = Bdd::FALSE;
        for (state, &is) in states.iter().zip(&chosen) {
            if is {
                let one = alpha.space().tuple(&mut m, state, false);
                set = m.or(set, one);
            }
        }
        let formula = bdd2f(&alpha, &mut m, set);
        for (state, &is) in states.iter().zip(&chosen) {
            assert_eq!(formula.holds(state), is, "seed {seed}, {state:?}");
        }
    }
}
