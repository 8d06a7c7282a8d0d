//! The part of an inductive invariant that a proof needs.
//!
//! Starting from the bad states, the conditions that exclude them are collected from unsatisfiable
//! cores, then the conditions that make these inductive, and so on: the result is inductive.
//! Finally, conditions are removed one by one as long as the rest is still a proof.

use crate::{EngineError, PathFormulas, Run};
use sectile_base::Budget;
use sectile_solver::{Answer, Solver, SolverError, scoped};
use sectile_terms::{Node, Term, Terms};
use std::time::Duration;

/// Maximum number of queries: more are not cheap.
const MOST_QUESTIONS: usize = 4000;

/// Maximum number of conditions of one location that are tried one by one.
const MOST_SINGLE: usize = 60;

/// A proof by conditions at locations; a system is a program with one location.
pub struct Proof<'p> {
    /// The store of all formulas.
    pub terms: &'p Terms,
    /// The conditions at each location: inductive together, and true initially.
    pub conditions: Vec<Vec<Term>>,
    /// The bad states at each location.
    pub bad: Vec<Term>,
    /// Source, target and formula of every step.
    pub steps: Vec<(usize, usize, Term)>,
}

impl Proof<'_> {
    /// The conditions at each location that the proof needs, within this many queries and this much
    /// time; `None` if that is not enough, or if it is not a proof.
    pub fn needed_within(
        &self,
        longest: Duration,
        solver: &mut dyn Solver,
        budget: &Budget,
    ) -> Result<Option<Vec<Vec<Term>>>, SolverError> {
        let asked = self.steps.iter().map(|s| 2 * self.conditions[s.1].len());
        if asked.sum::<usize>() > MOST_QUESTIONS {
            return Ok(None);
        }
        let limit = budget.remaining().map_or(longest, |rest| rest.min(longest));
        self.needed(solver, &budget.clone().with_time(limit))
    }

    /// The conditions at each location that the proof needs, or `None` if it is not a proof.
    fn needed(
        &self,
        solver: &mut dyn Solver,
        budget: &Budget,
    ) -> Result<Option<Vec<Vec<Term>>>, SolverError> {
        let terms = self.terms;
        let mut needed: Vec<Vec<Term>> = vec![Vec::new(); self.conditions.len()];
        let mut work: Vec<(usize, Term)> = Vec::new();
        let mut queries: Vec<(usize, Term)> = self.bad.iter().copied().enumerate().collect();
        loop {
            for (location, query) in queries {
                let Some(new) = self.core(location, query, &needed, solver, budget)? else {
                    return Ok(None);
                };
                needed[location].extend(&new);
                work.extend(new.into_iter().map(|t| (location, t)));
            }
            let Some((location, condition)) = work.pop() else {
                break;
            };
            // The conditions needed at one location are queried together: this takes fewer queries,
            // and cores share conditions.
            let mut carried = vec![condition];
            work.retain(|&(other, t)| {
                let is_here = other == location;
                carried.extend(is_here.then_some(t));
                !is_here
            });
            let fails = terms.not(terms.prime(terms.and(carried)));
            let steps = self.steps.iter().filter(|s| s.1 == location);
            queries = steps.map(|s| (s.0, terms.and2(s.2, fails))).collect();
        }
        for list in &mut needed {
            self.drop_implied(list, solver, budget)?;
        }
        self.drop_single(&mut needed, solver, budget)?;
        // The original order is kept: it is the order of discovery.
        let kept = self.conditions.iter().zip(&needed);
        let kept = kept.map(|(all, some)| all.iter().copied().filter(|t| some.contains(t)));
        Ok(Some(kept.map(Iterator::collect).collect()))
    }

    /// Conditions at a location that exclude the query, besides those already needed there.
    fn core(
        &self,
        location: usize,
        query: Term,
        needed: &[Vec<Term>],
        solver: &mut dyn Solver,
        budget: &Budget,
    ) -> Result<Option<Vec<Term>>, SolverError> {
        scoped(solver, |solver| {
            solver.assert(query)?;
            for &t in &needed[location] {
                solver.assert(t)?;
            }
            if solver.check(&[], budget)?.is_unsat() {
                return Ok(Some(Vec::new()));
            }
            let rest = self.conditions[location].iter().copied();
            let rest: Vec<Term> = rest.filter(|t| !needed[location].contains(t)).collect();
            Ok(match solver.check(&rest, budget)? {
                Answer::Unsat(refutation) => Some(refutation.core()),
                Answer::Sat(_) | Answer::Unknown(_) => None,
            })
        })
    }

    /// Removes conditions one by one as long as the rest is still a proof.
    fn drop_single(
        &self,
        needed: &mut [Vec<Term>],
        solver: &mut dyn Solver,
        budget: &Budget,
    ) -> Result<(), SolverError> {
        for location in (0..needed.len()).rev() {
            let mut place = needed[location].len();
            if place > MOST_SINGLE {
                continue;
            }
            while place > 0 {
                place -= 1;
                let dropped = needed[location].remove(place);
                if !self.carries(location, needed, solver, budget)? {
                    needed[location].insert(place, dropped);
                }
            }
        }
        Ok(())
    }

    /// Whether the conditions at a location exclude the bad states and are preserved by its steps.
    fn carries(
        &self,
        location: usize,
        needed: &[Vec<Term>],
        solver: &mut dyn Solver,
        budget: &Budget,
    ) -> Result<bool, SolverError> {
        let terms = self.terms;
        let steps = self.steps.iter().filter(|s| s.0 == location);
        let wrong = steps.map(|&(_, to, step)| {
            let kept = terms.and(needed[to].iter().copied());
            terms.and2(step, terms.not(terms.prime(kept)))
        });
        let questions: Vec<Term> = wrong.chain([self.bad[location]]).collect();
        for question in questions {
            let all = needed[location].iter().copied().chain([question]);
            let all: Vec<Term> = all.collect();
            if !solver.check(&all, budget)?.is_unsat() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Removes conditions that follow from the others, which does not change the meaning.
    fn drop_implied(
        &self,
        list: &mut Vec<Term>,
        solver: &mut dyn Solver,
        budget: &Budget,
    ) -> Result<(), SolverError> {
        let mut place = list.len();
        while place > 0 && list.len() > 1 {
            place -= 1;
            let others = list.iter().enumerate().filter(|o| o.0 != place);
            let mut all: Vec<Term> = others.map(|o| *o.1).collect();
            all.push(self.terms.not(list[place]));
            if solver.check(&all, budget)?.is_unsat() {
                list.remove(place);
            }
        }
        Ok(())
    }
}

/// Maximum time: more is not cheap.
const LONGEST: Duration = Duration::from_secs(3);

/// Weaker invariants of the locations of a program that still exclude all errors, if they are found
/// quickly.
pub fn weakened(
    formulas: &PathFormulas<'_>,
    errors: &[usize],
    invariants: Vec<Term>,
    run: &Run<'_>,
) -> Result<Vec<Term>, EngineError> {
    let terms = formulas.terms();
    let graph = formulas.graph();
    let parts = |t: &Term| match terms.node(*t) {
        Node::And(list) => list.to_vec(),
        _ => vec![*t],
    };
    let edges = graph.edges.iter().enumerate();
    let bad = (0..graph.locations.len()).map(|l| terms.bool(errors.contains(&l)));
    let proof = Proof {
        terms,
        conditions: invariants.iter().map(parts).collect(),
        bad: bad.collect(),
        steps: edges
            .map(|(i, e)| (e.from.0, e.to.0, formulas.step(i)))
            .collect(),
    };
    let mut solver = run.backend.solver(terms)?;
    let needed = proof.needed_within(LONGEST, solver.as_mut(), &run.budget)?;
    Ok(match needed {
        Some(lists) => lists.into_iter().map(|list| terms.and(list)).collect(),
        None => invariants,
    })
}
