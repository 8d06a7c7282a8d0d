//! Smaller invariants: conditions that the proof does not need are left out.
//!
//! Starting from the property, the conditions that imply it are collected from unsatisfiable
//! cores, then those that carry these over every step, and so on: what is collected is inductive
//! by itself. One pass, at most two queries for each condition and step.

use sectile_base::Budget;
use sectile_certify::safe_at_locations;
use sectile_model::{Certificate, Model, Task};
use sectile_report::readable;
use sectile_solver::{Answer, Backend, Solver, SolverError, scoped};
use sectile_terms::Term;
use std::time::Duration;

/// More questions than this are not cheap any more.
const MOST_QUERIES: usize = 4000;

/// Nor is more time than this.
const LONGEST: Duration = Duration::from_secs(5);

/// A certificate with fewer conditions, if there is one and it is found quickly.
///
/// It is weaker than the given one and has to be checked like any other.
pub fn minimised(
    task: &Task<'_>,
    certificate: &Certificate,
    backend: &dyn Backend,
    budget: &Budget,
) -> Option<Certificate> {
    let invariants = match certificate {
        Certificate::Invariant(t) => vec![*t],
        Certificate::LocationInvariants(list) => list.clone(),
        _ => return None,
    };
    let proof = Proof::new(task, &invariants)?;
    let limit = budget.remaining().map_or(LONGEST, |rest| rest.min(LONGEST));
    let budget = budget.clone().with_time(limit);
    let mut solver = backend.solver(task.terms).ok()?;
    let needed = proof.needed(solver.as_mut(), &budget).ok()??;
    let count = |lists: &[Vec<Term>]| lists.iter().map(Vec::len).sum::<usize>();
    if count(&needed) >= count(&proof.conditions) {
        return None;
    }
    let mut smaller = needed.into_iter().map(|list| task.terms.and(list));
    Some(match certificate {
        Certificate::Invariant(_) => Certificate::Invariant(smaller.next()?),
        _ => Certificate::LocationInvariants(smaller.collect()),
    })
}

/// A proof by invariants, with a system as a program of one location.
struct Proof<'p> {
    task: &'p Task<'p>,
    conditions: Vec<Vec<Term>>,
    /// What must not be, at each location.
    bad: Vec<Term>,
    /// Source, target and formula of every step.
    steps: Vec<(usize, usize, Term)>,
}

impl<'p> Proof<'p> {
    /// `None` for properties that invariants do not prove, and for proofs that are too large.
    fn new(task: &'p Task<'p>, invariants: &[Term]) -> Option<Proof<'p>> {
        let terms = task.terms;
        let conditions: Vec<Vec<Term>> = invariants.iter().map(|&t| readable(terms, t)).collect();
        let (steps, restrict): (Vec<_>, Term) = match task.model {
            Model::System(system) => {
                let step = |c| (0, 0, system.step_formula(terms, c));
                let steps = system.commands.iter().map(step).collect();
                (steps, system.restrict_formula(terms))
            }
            Model::Graph(graph) => {
                let step = |e| graph.step_formula(terms, e);
                let edges = graph.edges.iter();
                let steps = edges.map(|e| (e.from.0, e.to.0, step(e))).collect();
                (steps, graph.restrict_formula(terms))
            }
        };
        let queries: usize = steps.iter().map(|s| 2 * conditions[s.1].len()).sum();
        if queries > MOST_QUERIES {
            return None;
        }
        let safe = safe_at_locations(task, conditions.len())?;
        let bad = safe.iter().map(|&s| terms.and2(restrict, terms.not(s)));
        Some(Proof {
            task,
            conditions,
            bad: bad.collect(),
            steps,
        })
    }

    /// The conditions at each location that the proof needs, or `None` if it is no proof.
    fn needed(
        &self,
        solver: &mut dyn Solver,
        budget: &Budget,
    ) -> Result<Option<Vec<Vec<Term>>>, SolverError> {
        let terms = self.task.terms;
        let mut needed: Vec<Vec<Term>> = vec![Vec::new(); self.conditions.len()];
        let mut work: Vec<(usize, Term)> = Vec::new();
        for (location, &bad) in self.bad.iter().enumerate() {
            let Some(new) = self.core(location, bad, &needed, solver, budget)? else {
                return Ok(None);
            };
            needed[location].extend(&new);
            work.extend(new.into_iter().map(|t| (location, t)));
        }
        while let Some((location, condition)) = work.pop() {
            let fails = terms.not(terms.prime(condition));
            for &(from, _, step) in self.steps.iter().filter(|s| s.1 == location) {
                let query = terms.and2(step, fails);
                let Some(new) = self.core(from, query, &needed, solver, budget)? else {
                    return Ok(None);
                };
                needed[from].extend(&new);
                work.extend(new.into_iter().map(|t| (from, t)));
            }
        }
        // The order of the original is kept: it is the order in which things were thought of.
        let kept = self.conditions.iter().zip(&needed);
        let kept = kept.map(|(all, some)| all.iter().copied().filter(|t| some.contains(t)));
        Ok(Some(kept.map(Iterator::collect).collect()))
    }

    /// Conditions at a location that exclude the query besides those already needed there.
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
}
