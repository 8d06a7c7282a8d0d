//! The solvers against each other and against our own evaluation, on random formulas.
#![allow(clippy::print_stderr, reason = "skipped tests must be visible")]

#[path = "../../smtlib/tests/common/mod.rs"]
mod common;

use common::Garden;
use sectile_base::{Budget, Rng};
use sectile_solver::{Answer, Solver};
use sectile_solver_process::{ProcessBackend, ProcessSolver, dialects};
use sectile_terms::{Sort, Term, Terms, Value};
use std::time::Duration;

/// Whether the formulas are satisfiable with the assumptions; a model is evaluated, a core is
/// asked about again.
fn decide(
    terms: &Terms,
    solver: &mut ProcessSolver<'_>,
    asserted: &[Term],
    assumed: &[Term],
) -> Option<bool> {
    let budget = Budget::unlimited().with_time(Duration::from_secs(20));
    let core = match solver.check(assumed, &budget).expect("the solver works") {
        Answer::Sat(model) => {
            for &t in asserted.iter().chain(assumed) {
                assert_eq!(model.eval(terms, t), Ok(Value::Bool(true)));
            }
            return Some(true);
        }
        Answer::Unknown(_) => return None,
        Answer::Unsat(refutation) => refutation.core(),
    };
    let again = solver.check(&core, &budget).expect("the solver works");
    assert!(!again.is_sat(), "a core must be inconsistent");
    Some(false)
}

#[test]
fn random_formulas_are_decided_alike() {
    let mut found = dialects();
    found.retain(|d| {
        let there = ProcessBackend::new(d.clone()).find_program().is_ok();
        if !there {
            eprintln!("skipped: {} not found", d.name);
        }
        there
    });
    let (mut sat, mut unsat) = (0, 0);
    for seed in 0..25 {
        let mut rng = Rng::new(seed);
        let mut garden = Garden::new();
        let formulas: Vec<Term> = (0..20)
            .map(|_| garden.grow(&mut rng, Sort::Bool, 4))
            .collect();
        let terms = &garden.terms;
        let mut solvers: Vec<ProcessSolver<'_>> = found
            .iter()
            .map(|d| ProcessSolver::new(terms, d.clone(), None))
            .collect();
        // A random walk through scopes, the same for all solvers.
        let mut frames: Vec<Vec<Term>> = vec![Vec::new()];
        for _ in 0..15 {
            let deep = frames.len() > 1;
            if deep && rng.chance(1, 3) {
                frames.pop();
                solvers.iter_mut().for_each(Solver::pop);
            } else if rng.chance(1, 2) {
                frames.push(Vec::new());
                solvers.iter_mut().for_each(Solver::push);
            }
            let f = *rng.pick(&formulas).expect("there are formulas");
            frames.last_mut().expect("there is a frame").push(f);
            for solver in &mut solvers {
                solver.assert(f).expect("formulas are portable");
            }
            let assumed: Vec<Term> = (0..rng.below(3))
                .map(|_| *rng.pick(&formulas).expect("there are formulas"))
                .collect();
            let asserted = frames.concat();
            let mut answers = Vec::new();
            for solver in &mut solvers {
                answers.extend(decide(terms, solver, &asserted, &assumed));
            }
            assert!(answers.windows(2).all(|w| w[0] == w[1]), "seed {seed}");
            match answers.first() {
                Some(true) => sat += 1,
                Some(false) => unsat += 1,
                None => {}
            }
        }
    }
    if !found.is_empty() {
        assert!(sat > 30 && unsat > 30, "{sat} {unsat}");
    }
}
