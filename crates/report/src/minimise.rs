//! Smaller invariants: conditions that the proof does not need are left out.

use crate::clauses::readable;
use sectile_base::Budget;
use sectile_engine::Proof;
use sectile_model::{Certificate, LocationId, Task};
use sectile_solver::Backend;
use sectile_terms::Term;
use std::time::Duration;

/// More time than this is not cheap any more.
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
        Certificate::Invariants(proof) if proof.is_inductive() => proof.at_all()?,
        _ => return None,
    };
    let proof = proof_of(task, &invariants)?;
    let mut solver = backend.solver(task.terms).ok()?;
    let needed = proof
        .needed_within(LONGEST, solver.as_mut(), budget)
        .ok()??;
    let count = |lists: &[Vec<Term>]| lists.iter().map(Vec::len).sum::<usize>();
    if count(&needed) >= count(&proof.conditions) {
        return None;
    }
    let smaller = needed.into_iter().map(|list| task.terms.and(list));
    Some(Certificate::invariants(smaller.collect()))
}

/// The proof by invariants; a system is a program with one location.
///
/// `None` for properties that invariants do not prove.
fn proof_of<'p>(task: &Task<'p>, invariants: &[Term]) -> Option<Proof<'p>> {
    let terms = task.terms;
    let conditions: Vec<Vec<Term>> = invariants.iter().map(|&t| readable(terms, t)).collect();
    let model = task.model;
    let steps = model.edges.iter();
    let steps = steps.map(|e| (e.from.0, e.to.0, model.step_formula(terms, &e.command)));
    let steps = steps.collect();
    let restrict = model.restrict_formula(terms);
    let locations = (0..model.locations.len()).map(LocationId);
    let safe = locations.map(|l| task.property.kind.safe_at(terms, l));
    let safe = safe.collect::<Option<Vec<Term>>>()?;
    let bad = safe.iter().map(|&s| terms.and2(restrict, terms.not(s)));
    Some(Proof {
        terms,
        bad: bad.collect(),
        conditions,
        steps,
    })
}
