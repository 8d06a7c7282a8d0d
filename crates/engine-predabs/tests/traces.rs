//! Abstract structures have all traces of a program.

use crate::common::backend;
use sectile_base::{Budget, Rng};
use sectile_engine_predabs::{AbstractSystem, Alpha, Prover};
use sectile_explicit::{SimulationOptions, simulate};
use sectile_model::{Model, State};
use sectile_terms::{Stage, Symbol, Term, Terms, Value, evaluate};
use sectile_testkit::programs::Random;
use sectile_transform::{Pass as _, PcEncoding};

/// The abstract state of a concrete one: the only one of the list whose meaning is true there.
fn abstraction(
    terms: &Terms,
    model: &Model,
    states: &[(Vec<usize>, Term)],
    concrete: &State,
) -> Vec<usize> {
    let value = |symbol: Symbol, _: Stage| -> Option<Value> {
        let place = model.variables.iter().position(|&v| v == symbol)?;
        Some(concrete.values[place].clone())
    };
    let holds = |meaning: Term| evaluate(terms, meaning, &value) == Ok(Value::Bool(true));
    let mut found = states.iter().filter(|(_, meaning)| holds(*meaning));
    let first = found.next().expect("every state has an abstract one");
    assert!(found.next().is_none(), "abstract states overlap");
    first.0.clone()
}

/// Paper: [Fr23, Thm. 5], over random programs and predicates: the abstract states of a run
/// are a path of the abstract structure, from an abstract initial state.
#[test]
fn every_run_is_an_abstract_path() {
    let mut steps = 0;
    for seed in 0..40 {
        let random = Random::new(seed);
        let terms = &random.terms;
        let encoded = PcEncoding.apply(&random.task());
        let system = encoded.expect("programs have a program counter").model;
        let mut rng = Rng::new(seed);
        let numbers: Vec<Term> = ["x", "y"]
            .iter()
            .map(|n| terms.var(terms.symbol(n).expect("it is declared")))
            .collect();
        let mut alpha = Alpha::new();
        for k in 0..1 + rng.below(3) {
            let left = numbers[rng.below(2) as usize];
            let right = match rng.chance(1, 2) {
                true => numbers[rng.below(2) as usize],
                false => terms.int(rng.range(0..=3)),
            };
            let predicate = match rng.chance(1, 2) {
                true => terms.le(left, right),
                false => terms.eq(left, right),
            };
            if terms.as_bool(predicate).is_none() {
                alpha.add_predicate(terms, &format!("a{k}"), predicate);
            }
        }
        alpha.add_copies(terms, &system);
        let budget = Budget::unlimited();
        let mut prover = Prover::new(terms, backend(), &budget).expect("the solver is there");
        let made = AbstractSystem::new(terms, &system, alpha, terms.tt(), &mut prover);
        let mut found = made.expect("it can be computed");
        let valid = found.valid;
        let states: Vec<(Vec<usize>, Term)> = found
            .states(valid, 10_000)
            .into_iter()
            .map(|s| (s.to_vec(), found.alpha.meaning(terms, &s)))
            .collect();
        for walk in 0..4 {
            let options = SimulationOptions {
                steps: 25,
                seed: 10 * seed + walk,
                domain: None,
            };
            let run = simulate(terms, &system, &options, &budget).expect("it can be run");
            let path: Vec<Vec<usize>> = run
                .trace
                .states
                .iter()
                .map(|s| abstraction(terms, &system, &states, s))
                .collect();
            if let Some(first) = path.first() {
                let space = found.alpha.space();
                assert!(space.contains(&found.manager, found.initial, first));
            }
            for (k, step) in run.trace.steps.iter().enumerate() {
                let space = found.alpha.space();
                let here = space.tuple(&mut found.manager, &path[k], false);
                let after = found.post(here, step.command);
                let space = found.alpha.space();
                assert!(
                    space.contains(&found.manager, after, &path[k + 1]),
                    "seed {seed}: step {k} of {:?}",
                    run.trace
                );
                steps += 1;
            }
        }
    }
    assert!(steps > 800, "{steps}");
}
