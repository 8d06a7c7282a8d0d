//! Minimisation of unsatisfiable cores.

use super::Obstacle;
use crate::context::NativeSolver;
use sectile_base::Budget;
use sectile_solver::{Answer, Solver, SolverError};
use sectile_terms::{Term, Terms};

/// Maximum number of checks for making a core smaller.
const CHECKS: usize = 96;
/// Polls of the budget that one such check may take.
const POLLS_PER_CHECK: u64 = 40;

/// The assumptions of a core; none if there is a model or no answer.
fn core_of(
    solver: &mut NativeSolver<'_>,
    assumptions: &[Term],
    budget: &Budget,
) -> Result<Option<Vec<Term>>, SolverError> {
    Ok(match solver.check(assumptions, budget)? {
        Answer::Unsat(refutation) => Some(refutation.core()),
        Answer::Sat(_) | Answer::Unknown(_) => None,
    })
}

/// A smaller set of assumptions that still contradicts the assertions. The order is kept; the first
/// ones are removed first.
pub(super) fn minimise(
    solver: &mut NativeSolver<'_>,
    assumptions: &[Term],
    budget: &Budget,
) -> Result<Vec<Term>, Obstacle> {
    let core = core_of(solver, assumptions, budget)?;
    let core = core.ok_or_else(|| Obstacle::undecided(budget))?;
    let mut kept: Vec<Term> = assumptions.to_vec();
    kept.retain(|t| core.contains(t));
    let mut position = 0;
    for _ in 0..CHECKS {
        if position >= kept.len() || budget.check().is_err() {
            break;
        }
        let mut fewer = kept.clone();
        fewer.remove(position);
        let limit = budget.clone().with_steps(POLLS_PER_CHECK);
        match core_of(solver, &fewer, &limit)? {
            Some(core) => kept.retain(|t| core.contains(t)),
            None => position += 1,
        }
    }
    Ok(kept)
}

/// The blocks without unnecessary conjuncts.
pub(super) fn reduced_blocks(
    terms: &Terms,
    blocks: &[Term],
    budget: &Budget,
) -> Result<Vec<Term>, Obstacle> {
    let mut solver = NativeSolver::new(terms);
    let conjuncts: Vec<Vec<Term>> = blocks.iter().map(|&b| terms.conjuncts(b)).collect();
    let mut all: Vec<Term> = conjuncts.iter().flatten().copied().collect();
    all.sort_unstable();
    all.dedup();
    let needed = minimise(&mut solver, &all, budget)?;
    let reduced = conjuncts
        .iter()
        .map(|list| terms.and(list.iter().copied().filter(|t| needed.contains(t))));
    Ok(reduced.collect())
}
