//! Evidence about one question that clauses are asked.

use crate::horn::{check_derivation, check_interpretation};
use crate::{Claim, Outcome, refused};
use sectile_base::Budget;
use sectile_model::{ClauseEvidence, ClauseTask, HornClauses};
use sectile_solver::{Solver, SolverError};

/// Checks evidence about clauses. `solver` must be fresh.
///
/// Meanings must make every clause with a head true, and the queries that are asked; a derivation
/// must end with one of these.
pub fn check_clauses(
    task: &ClauseTask<'_>,
    claim: Claim,
    evidence: &ClauseEvidence,
    solver: &mut dyn Solver,
    budget: &Budget,
) -> Result<Outcome, SolverError> {
    match (claim, evidence) {
        (Claim::Holds, ClauseEvidence::Meanings(meanings)) => {
            let kept = task.clauses.clauses.iter().enumerate();
            let kept = kept.filter(|(i, c)| c.head.is_some() || task.queries.contains(i));
            let asked = HornClauses {
                name: task.clauses.name.clone(),
                predicates: task.clauses.predicates.clone(),
                clauses: kept.map(|(_, c)| c.clone()).collect(),
            };
            check_interpretation(task.terms, &asked, meanings, solver, budget)
        }
        (Claim::Violated, ClauseEvidence::Derivation(derivation)) => {
            let last = derivation.instances.last();
            if last.is_none_or(|i| !task.queries.contains(&i.clause)) {
                return Ok(refused("the derivation is about another question"));
            }
            Ok(check_derivation(task.terms, task.clauses, derivation))
        }
        (Claim::Holds, ClauseEvidence::Derivation(_)) => {
            Ok(refused("a derivation does not show that a property holds"))
        }
        (Claim::Violated, ClauseEvidence::Meanings(_)) => {
            Ok(refused("meanings do not show that a property is violated"))
        }
    }
}
