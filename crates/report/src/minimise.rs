//! Smaller invariants: conditions that the proof does not need are left out.

use crate::clauses::readable;
use sectile_base::Budget;
use sectile_engine::Proof;
use sectile_model::{Certificate, LocationId, Task};
use sectile_solver::Backend;
use sectile_terms::{Node, Term, Terms};
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

/// From this many values on, a formula about numbers is a list of values.
const LIST: usize = 12;

/// Whether formulas say of numbers only which values they have, one by one, as searches of single
/// states do. That is a proof, but tells a reader nothing.
pub fn lists_values(terms: &Terms, formulas: &[Term]) -> bool {
    let mut values = 0;
    for term in terms.post_order(formulas) {
        match *terms.node(term) {
            Node::Zero(sum) if terms.linear(sum).monomials().len() == 1 => values += 1,
            Node::Zero(_) | Node::NonPos(_) | Node::Neg(_) => return false,
            _ => {}
        }
    }
    values >= LIST
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

#[cfg(test)]
mod tests {
    use super::lists_values;
    use sectile_terms::{Sort, SymbolKind, Terms};

    #[test]
    fn lists_of_values_and_formulas() {
        let terms = Terms::new();
        let variable = |name| terms.var(terms.fresh(name, Sort::Int, SymbolKind::State));
        let (x, y) = (variable("x"), variable("y"));
        let state = |k: i64| terms.and2(terms.eq(x, terms.int(k)), terms.eq(y, terms.int(2 * k)));
        let list = |n: i64| terms.or((0..n).map(state));
        assert!(lists_values(&terms, &[list(10)]));
        assert!(!lists_values(&terms, &[list(3)]));
        assert!(!lists_values(
            &terms,
            &[terms.and2(list(10), terms.le(x, y))]
        ));
        assert!(!lists_values(&terms, &[list(10), terms.eq(x, y)]));
    }
}
