//! Random small systems against the naive implementation, and bounded searches against exact ones.

use crate::zoo;

use sectile_explicit::{Answer, Exploration, Extent, Options, PropertyResult};
use sectile_model::{Certificate, Ctl, Model, Module, PropertyKind, State};
use sectile_terms::{Term, Terms};
use std::collections::BTreeSet;
use zoo::naive::{self, Naive};
use zoo::random::{self, Bounds};
use zoo::{domain, run};

const SYSTEMS: u64 = 120;

fn for_each_system(mut check: impl FnMut(&Terms, &Module, Bounds)) {
    for seed in 0..SYSTEMS {
        for bounds in [Bounds::Restrict, Bounds::Commands] {
            let terms = Terms::new();
            let module = random::module(&terms, seed, bounds);
            check(&terms, &module, bounds);
        }
    }
}

fn system(module: &Module) -> &Model {
    assert!(module.model.is_system(), "only systems are generated");
    &module.model
}

#[test]
fn exact_searches_agree_with_the_naive_implementation() {
    let (mut with_states, mut with_deadlocks, mut answers) = (0, 0, [0; 2]);
    for_each_system(|terms, module, bounds| {
        let expected = naive::explore(terms, system(module), 0, 3);
        let found = run(terms, module, &Options::default());
        assert_eq!(found.extent, Extent::Exact);
        compare(terms, module, &expected, &found);
        if bounds == Bounds::Commands {
            // The conditions bound everything inside of the domain, so nothing is cut off.
            let found = run(terms, module, &domain(0, 3));
            assert_eq!(found.extent, Extent::Exact);
            compare(terms, module, &expected, &found);
        }
        with_states += usize::from(found.states > 3);
        with_deadlocks += usize::from(found.deadlocks.count > 0);
        for p in &found.properties {
            answers[usize::from(p.answer == Answer::Holds)] += 1;
        }
    });
    // The generator must not degenerate.
    assert!(with_states > 80, "{with_states}");
    assert!(with_deadlocks > 20, "{with_deadlocks}");
    assert!(answers.iter().all(|&n| n > 300), "{answers:?}");
}

fn compare(terms: &Terms, module: &Module, expected: &Naive, found: &Exploration) {
    let states: BTreeSet<State> = found.reachable_states().collect();
    assert_eq!(states, expected.states.iter().cloned().collect());
    assert_eq!(found.states, expected.states.len());
    assert_eq!(found.initial_states, expected.initial);
    let transitions: usize = expected.steps.iter().map(Vec::len).sum();
    assert_eq!(found.transitions, transitions as u64);
    assert_eq!(
        found.depth,
        expected.depth.iter().max().copied().unwrap_or(0)
    );
    let dead = |s: &usize| expected.is_deadlock(*s);
    let deadlocks: Vec<usize> = (0..expected.states.len()).filter(dead).collect();
    assert_eq!(found.deadlocks.count, deadlocks.len());
    let nearest = deadlocks.iter().map(|&s| expected.depth[s]).min();
    let shortest = found.deadlocks.shortest.as_ref().map(|t| t.steps.len());
    assert_eq!(shortest, nearest);
    for (property, result) in module.properties.iter().zip(&found.properties) {
        match &property.kind {
            PropertyKind::Invariant(p) => {
                let bad = |s: &usize| !expected.satisfies(terms, &module.model, *p, *s);
                let bad = (0..expected.states.len()).filter(bad);
                let nearest = bad.map(|s| expected.depth[s]).min();
                let shortest = result.evidence.as_ref().map(|t| t.steps.len());
                assert_eq!(shortest, nearest);
                assert_eq!(result.answer == Answer::Holds, nearest.is_none());
            }
            PropertyKind::Ctl(f) => {
                let label = expected.label(terms, &module.model, f);
                let holds = label[..expected.initial].iter().all(|&l| l);
                let answer = if holds {
                    Answer::Holds
                } else {
                    Answer::Violated
                };
                assert_eq!(result.answer, answer, "{f:?}");
                if let (Some(q), Answer::Violated) = (promise(f), answer) {
                    check_broken_promise(terms, module, expected, q, result);
                }
            }
            _ => panic!("not generated"),
        }
    }
}

/// The state formula `q` of `AF q` and `AG(p => AF q)`.
fn promise(f: &Ctl) -> Option<Term> {
    match f {
        Ctl::Af(inner) => match **inner {
            Ctl::State(q) => Some(q),
            _ => None,
        },
        Ctl::Ag(inner) => match &**inner {
            Ctl::Or(premise, conclusion) if matches!(**premise, Ctl::Not(_)) => {
                promise(conclusion).filter(|_| matches!(**conclusion, Ctl::Af(_)))
            }
            _ => None,
        },
        _ => None,
    }
}

/// The run ends in a loop or in a deadlock, without `q` from some state on.
fn check_broken_promise(
    terms: &Terms,
    module: &Module,
    expected: &Naive,
    q: Term,
    result: &PropertyResult,
) {
    let trace = result.evidence.as_ref().expect("a path can show it");
    let number = |s: &State| {
        let found = expected.states.iter().position(|t| t == s);
        found.expect("the state is reachable")
    };
    let last = number(&trace.states[trace.states.len() - 1]);
    assert!(trace.back_to.is_some() || expected.is_deadlock(last));
    let start = trace.back_to.unwrap_or(trace.states.len() - 1);
    for state in &trace.states[start..] {
        assert!(!expected.satisfies(terms, &module.model, q, number(state)));
    }
}

#[test]
fn bounded_searches_never_contradict_exact_ones() {
    let (mut decided, mut open) = (0, 0);
    for_each_system(|terms, module, bounds| {
        let exact = run(terms, module, &Options::default());
        let depth = |d| Options {
            max_depth: Some(d),
            ..Options::default()
        };
        let states = |n| Options {
            max_states: Some(n),
            ..Options::default()
        };
        let mut limited = vec![
            depth(0),
            depth(1),
            depth(2),
            states(0),
            states(1),
            states(4),
        ];
        if bounds == Bounds::Commands {
            limited.extend([domain(0, 2), domain(1, 2), domain(1, 1)]);
        }
        for options in limited {
            let found = run(terms, module, &options);
            if found.extent == Extent::Exact {
                assert_eq!(found.states, exact.states);
            }
            assert!(found.states <= exact.states);
            assert!(found.deadlocks.count <= exact.deadlocks.count);
            for (bounded, truth) in found.properties.iter().zip(&exact.properties) {
                match bounded.answer {
                    Answer::Holds | Answer::Violated => {
                        assert_eq!(bounded.answer, truth.answer);
                        decided += usize::from(!found.extent.is_exact());
                    }
                    _ => open += 1,
                }
            }
        }
    });
    assert!(decided > 500 && open > 300, "{decided} {open}");
}

#[test]
fn reachable_states_are_an_inductive_invariant() {
    for_each_system(|terms, module, _| {
        let found = run(terms, module, &Options::default());
        let Some(Certificate::Invariants(proof)) = found.invariant(terms, 100) else {
            panic!("the search is exact and small");
        };
        let [Some(invariant)] = proof.at[..] else {
            panic!("a system has one location");
        };
        let expected = naive::explore(terms, system(module), 0, 3);
        for s in 0..expected.states.len() {
            assert!(expected.satisfies(terms, &module.model, invariant, s));
        }
        let all = Model {
            init: vec![invariant],
            edges: Vec::new(),
            ..system(module).clone()
        };
        // Nothing but the reachable states satisfies it.
        assert_eq!(naive::explore(terms, &all, 0, 3).states.len(), found.states);
    });
}
