//! Tests of the core as a plain SAT solver, with proof replay.

use super::procedure::NoTheory;
use super::*;
use crate::meter::Meter;
use crate::proof_log::{Origin, ProofLog, Step, StepId};
use sectile_base::{Budget, Rng};
use std::collections::BTreeSet;

type Clauses = Vec<Vec<Lit>>;

fn lit(code: i32) -> Lit {
    Var(code.unsigned_abs() - 1).literal(code > 0)
}

fn solver(vars: u32, clauses: &Clauses, log: bool) -> Sat<NoTheory> {
    let mut sat = Sat::<NoTheory>::new(log);
    for _ in 0..vars {
        sat.new_var();
    }
    for (i, c) in clauses.iter().enumerate() {
        sat.add_clause(c, Guard::Always, Origin::Input(i as u32));
    }
    sat
}

fn solve(sat: &mut Sat<NoTheory>, assumptions: &[Lit]) -> Outcome {
    let budget = Budget::unlimited();
    sat.solve(assumptions, &mut Meter::new(&budget))
}

fn brute_force(vars: u32, clauses: &Clauses, assumptions: &[Lit]) -> bool {
    (0..1u32 << vars).any(|bits| {
        let holds = |l: &Lit| (bits >> l.var().0 & 1 == 1) == l.is_positive();
        assumptions.iter().all(holds) && clauses.iter().all(|c| c.iter().any(holds))
    })
}

/// Replays the cone of a step, with exactly one clash for each resolution; returns its clause.
fn replay(log: &ProofLog, last: StepId) -> BTreeSet<Lit> {
    let mut derived: Vec<BTreeSet<Lit>> = Vec::new();
    for (i, needed) in log.cone(&[last]).into_iter().enumerate() {
        let mut clause = BTreeSet::new();
        match log.step(StepId(i as u32)) {
            _ if !needed => {}
            Step::Leaf { lits, .. } => clause.extend(lits.iter().copied()),
            Step::Chain(list) => {
                clause = derived[list[0].0 as usize].clone();
                for next in &list[1..] {
                    let other = derived[next.0 as usize].iter().copied();
                    let pivot: Vec<Lit> = other.clone().filter(|&l| clause.contains(&!l)).collect();
                    assert_eq!(pivot.len(), 1, "{clause:?} against {other:?}");
                    clause.remove(&!pivot[0]);
                    clause.extend(other.filter(|&l| l != pivot[0]));
                }
            }
        }
        derived.push(clause);
    }
    derived.swap_remove(last.0 as usize)
}

fn check_answer(
    sat: &Sat<NoTheory>,
    outcome: Outcome,
    vars: u32,
    clauses: &Clauses,
    assumptions: &[Lit],
) {
    let expected = brute_force(vars, clauses, assumptions);
    match outcome {
        Outcome::Unknown => panic!("no limit was set"),
        Outcome::Sat => {
            assert!(expected);
            // Every clause must be met by the assigned literals alone.
            for c in clauses {
                if c.iter().any(|&l| c.contains(&!l)) {
                    continue;
                }
                assert!(c.iter().any(|&l| sat.value(l) == Some(true)), "{c:?}");
            }
            assert!(assumptions.iter().all(|&l| sat.value(l) == Some(true)));
        }
        Outcome::Unsat => {
            assert!(!expected);
            let core = &sat.core;
            assert!(core.iter().all(|l| assumptions.contains(l)));
            assert!(!brute_force(vars, clauses, core), "the core must suffice");
            if let Some(log) = &sat.log
                && sat.final_step != StepId::NONE
            {
                let derived = replay(log, sat.final_step);
                assert!(
                    derived.iter().all(|&l| core.contains(&!l)),
                    "{derived:?} {core:?}"
                );
            }
        }
    }
}

fn random_literals(rng: &mut Rng, vars: u32, count: u64) -> Vec<Lit> {
    let mut one = |_| Var(rng.below(u64::from(vars)) as u32).literal(rng.below(2) == 0);
    (0..count).map(&mut one).collect()
}

fn random_clause(rng: &mut Rng, vars: u32) -> Vec<Lit> {
    let len = 1 + rng.below(4);
    random_literals(rng, vars, len)
}

#[test]
fn random_formulas_agree_with_enumeration() {
    let mut rng = Rng::new(11);
    for round in 0..1500 {
        let vars = 3 + rng.below(8) as u32;
        let count = (f64::from(vars) * (1.5 + rng.below(30) as f64 / 10.0)) as usize;
        let clauses: Clauses = (0..count).map(|_| random_clause(&mut rng, vars)).collect();
        let mut sat = solver(vars, &clauses, round % 2 == 0);
        for _ in 0..6 {
            let n = rng.below(4);
            let assumptions = random_literals(&mut rng, vars, n);
            let outcome = solve(&mut sat, &assumptions);
            check_answer(&sat, outcome, vars, &clauses, &assumptions);
        }
    }
}

#[test]
fn scopes_are_forgotten_and_variables_reused() {
    let mut rng = Rng::new(5);
    let vars = 9;
    let base: Clauses = (0..14).map(|_| random_clause(&mut rng, vars)).collect();
    let mut sat = solver(vars, &base, true);
    let mut stack: Vec<(Lit, Clauses)> = Vec::new();
    for _ in 0..3000 {
        match rng.below(4) {
            0 if stack.len() < 5 => {
                let activation = sat.push_scope();
                stack.push((activation, Vec::new()));
            }
            1 if !stack.is_empty() => {
                sat.pop_scope();
                stack.pop();
            }
            2 if !stack.is_empty() => {
                let clause = random_clause(&mut rng, vars);
                let (activation, list) = stack.last_mut().unwrap();
                let mut guarded = clause.clone();
                guarded.push(!*activation);
                sat.add_clause(&guarded, Guard::When(*activation), Origin::Input(0));
                list.push(clause);
            }
            _ => {
                let assumptions: Vec<Lit> = stack.iter().map(|s| s.0).collect();
                let mut all = base.clone();
                all.extend(stack.iter().flat_map(|s| s.1.iter().cloned()));
                let outcome = solve(&mut sat, &assumptions);
                let expected = if brute_force(vars, &all, &[]) {
                    Outcome::Sat
                } else {
                    Outcome::Unsat
                };
                assert_eq!(outcome, expected);
            }
        }
    }
    assert!(sat.num_vars() <= vars as usize + 5);
}

#[test]
fn memory_stays_bounded_over_many_scopes() {
    let mut sat = solver(6, &vec![vec![lit(1), lit(2)], vec![lit(-1), lit(3)]], false);
    for i in 0..100_000u32 {
        let activation = sat.push_scope();
        let x = Var(i % 6).positive();
        sat.add_clause(
            &[!activation, !x, lit(4)],
            Guard::When(activation),
            Origin::Input(0),
        );
        sat.add_clause(&[!activation, x], Guard::When(activation), Origin::Input(0));
        assert_eq!(solve(&mut sat, &[activation]), Outcome::Sat);
        sat.pop_scope();
    }
    assert!(sat.arena.words() < 20_000);
    assert_eq!(sat.num_vars(), 7);
}

fn pigeons(n: u32) -> (u32, Clauses) {
    let var = |p: u32, h: u32| Var(p * n + h);
    let mut clauses: Clauses = (0..=n)
        .map(|p| (0..n).map(|h| var(p, h).positive()).collect())
        .collect();
    for h in 0..n {
        for p in 0..=n {
            for q in 0..p {
                clauses.push(vec![var(p, h).negative(), var(q, h).negative()]);
            }
        }
    }
    ((n + 1) * n, clauses)
}

#[test]
fn pigeons_do_not_fit_and_the_proof_replays() {
    let (vars, clauses) = pigeons(6);
    let mut sat = solver(vars, &clauses, true);
    assert_eq!(solve(&mut sat, &[]), Outcome::Unsat);
    let log = sat.log.as_ref().unwrap();
    assert!(replay(log, sat.final_step).is_empty());
}

#[test]
fn a_step_limit_gives_unknown_and_the_solver_recovers() {
    let (vars, clauses) = pigeons(7);
    let mut sat = solver(vars, &clauses, false);
    let budget = Budget::unlimited().with_steps(3);
    assert_eq!(sat.solve(&[], &mut Meter::new(&budget)), Outcome::Unknown);
    assert_eq!(solve(&mut sat, &[]), Outcome::Unsat);
}

#[test]
fn variables_without_obligation_are_not_decided() {
    let mut sat = solver(6, &vec![vec![lit(1), lit(2)]], false);
    sat.add_clause(
        &[lit(-3), lit(4), lit(5)],
        Guard::When(lit(3)),
        Origin::Input(0),
    );
    assert_eq!(solve(&mut sat, &[]), Outcome::Sat);
    assert_eq!(sat.value(lit(4)), None);
    assert_eq!(sat.statistics.decisions, 1);
    assert_eq!(solve(&mut sat, &[lit(3)]), Outcome::Sat);
    assert!(sat.value(lit(4)) == Some(true) || sat.value(lit(5)) == Some(true));
}
