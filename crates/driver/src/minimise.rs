//! Smaller invariants: conditions that the proof does not need are left out.

use sectile_base::Budget;
use sectile_certify::safe_at_locations;
use sectile_engine::Proof;
use sectile_model::{Certificate, Model, Task};
use sectile_report::readable;
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
        Certificate::Invariant(t) => vec![*t],
        Certificate::LocationInvariants(list) => list.clone(),
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
    let mut smaller = needed.into_iter().map(|list| task.terms.and(list));
    Some(match certificate {
        Certificate::Invariant(_) => Certificate::Invariant(smaller.next()?),
        _ => Certificate::LocationInvariants(smaller.collect()),
    })
}

/// The proof by invariants; a system is a program with one location.
///
/// `None` for properties that invariants do not prove.
fn proof_of<'p>(task: &Task<'p>, invariants: &[Term]) -> Option<Proof<'p>> {
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
    let safe = safe_at_locations(task, conditions.len())?;
    let bad = safe.iter().map(|&s| terms.and2(restrict, terms.not(s)));
    Some(Proof {
        terms,
        bad: bad.collect(),
        conditions,
        steps,
    })
}
