//! Counterexamples read backwards through their abstract states, as Figures 9 and 11 print it.

use crate::common;

use common::{backend, formulas, model, read, run, system, zoo};
use sectile_base::{Budget, Rng};
use sectile_engine_predabs::{AbstractPath, CouAnal, Prover, Question, Transformers};
use sectile_report::Status;
use sectile_terms::Term;
use sectile_testkit::driven::explored;
use sectile_testkit::texts::condition;

/// I24, I25: the n-th refinement adds x + n = y; I26: with acceleration x > y is found at once.
#[test]
fn figure_10_as_printed() {
    let loaded = zoo("fig10.sct");
    for rounds in 1..5 {
        let text = rounds.to_string();
        let settings = [
            ("backward", "states"),
            ("acceleration", "false"),
            ("rounds", text.as_str()),
        ];
        let report = run(&loaded, "safe", &settings);
        assert_eq!(report.status, Status::Unknown);
        let mut expected = vec!["x = y".to_string()];
        expected.extend((1..=rounds).map(|k| format!("x + {k} = y")));
        let reached = &report.reached;
        let words = format!("are {}", expected.join("; "));
        assert!(reached.contains(&words), "{reached}");
    }
    let report = run(&loaded, "safe", &[("backward", "states")]);
    assert_eq!(report.status, Status::Holds);
    assert_eq!(report.statistics["iterations"], 1);
    assert_eq!(report.statistics["predicates"], 2);
}

/// I24: verdicts are those of explicit search, with and without acceleration.
#[test]
fn the_printed_analysis_agrees_with_explicit_search() {
    let mut seen = [0, 0];
    for seed in 0..100 {
        let text = model(&mut Rng::new(17_000 + seed));
        let loaded = read(&text);
        let expected = explored(&loaded);
        seen[usize::from(expected == Status::Holds)] += 1;
        for acceleration in ["true", "false"] {
            let settings = [("backward", "states"), ("acceleration", acceleration)];
            let report = run(&loaded, "bad", &settings);
            let reached = &report.reached;
            assert_eq!(
                report.status, expected,
                "seed {seed} {settings:?}\n{text}{reached}"
            );
        }
    }
    assert!(seen[0] > 5 && seen[1] > 5, "{seen:?}");
}

/// Lemma 5: a sequence of sets and commands is a symbolic computation exactly if X_0 meets the
/// initial states; if it is none, X_i is the last set from which the rest of it can be taken.
#[test]
fn lemma_5_on_random_sequences() {
    let mut counts = [0, 0];
    for seed in 0..60 {
        let mut rng = Rng::new(18_000 + seed);
        let text = model(&mut rng);
        let loaded = read(&text);
        let (terms, concrete) = (&loaded.terms, system(&loaded));
        let mut prover = Prover::new(terms, backend(), &Budget::unlimited()).expect("a solver");
        let mut t = Transformers::new(terms, &concrete, backend(), &Budget::unlimited());
        for _ in 0..6 {
            let length = 1 + rng.below(3) as usize;
            let edges = concrete.edges.len() as u64;
            let commands: Vec<usize> = (0..length).map(|_| rng.below(edges) as usize).collect();
            let mut cells: Vec<Term> = Vec::new();
            for _ in 0..=length {
                cells.push(formulas(&loaded, &condition(&mut rng, 1))[0]);
            }
            let mut parts = vec![terms.at_step(concrete.init_formula(terms), 0)];
            for (k, &cell) in cells.iter().enumerate() {
                parts.push(terms.at_step(cell, k as u32));
            }
            for (k, &c) in commands.iter().enumerate() {
                let step = concrete.step_formula(terms, &concrete.edges[c].command);
                parts.push(terms.at_step(step, k as u32));
            }
            let real = prover
                .satisfiable(terms.and(parts.clone()))
                .expect("it is decided");
            let question = Question {
                terms,
                system: &concrete,
                bad: terms.tt(),
            };
            let path = AbstractPath {
                states: Vec::new(),
                commands: commands.clone(),
            };
            let found = question.couanal(&path, &cells, &[], &mut prover, &mut t);
            match found.expect("it is decided") {
                CouAnal::Real => assert!(real, "seed {seed}\n{text}"),
                CouAnal::Spurious { last, .. } => {
                    assert!(!real, "seed {seed}\n{text}");
                    // From X_i on, the rest can be taken, unless no state is in it at all.
                    let (i, set) = last;
                    let mut rest = vec![terms.at_step(set, i as u32)];
                    rest.push(terms.at_step(concrete.restrict_formula(terms), i as u32));
                    for k in i..length {
                        let command = &concrete.edges[commands[k]].command;
                        let step = concrete.step_formula(terms, command);
                        rest.push(terms.at_step(step, k as u32));
                        rest.push(terms.at_step(cells[k + 1], k as u32 + 1));
                    }
                    let domain = terms.and2(set, concrete.restrict_formula(terms));
                    let some = prover.satisfiable(domain).expect("it is decided");
                    let on = prover.satisfiable(terms.and(rest)).expect("it is decided");
                    assert_eq!(on, some, "seed {seed}\n{text}");
                }
            }
            counts[usize::from(real)] += 1;
        }
    }
    assert!(counts[0] > 20 && counts[1] > 20, "{counts:?}");
}
