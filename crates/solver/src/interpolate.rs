//! Checks interpolants against their definition, with an independent solver.

use crate::traits::{Answer, Solver, SolverError, scoped};
use sectile_base::Budget;
use sectile_terms::{Term, Terms};

/// The part of the contract of an interpolant sequence that fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Broken {
    /// The number of formulas differs from the number of cuts.
    Length,
    /// The interpolant before this block, together with the block, does not imply the next one.
    Step(usize),
    /// The interpolant at this cut mentions a variable that does not occur on both sides.
    Vocabulary(usize),
    /// The solver could not decide this block.
    Unknown(usize),
}

/// Checks the contract of [`Interpolator::sequence`](crate::Interpolator::sequence) with `solver`.
///
/// Paper: [ErHoPoSc11, Def. 3]. The first and last interpolant are `true` and `false`.
pub fn check_sequence(
    terms: &Terms,
    solver: &mut dyn Solver,
    blocks: &[Term],
    interpolants: &[Term],
    budget: &Budget,
) -> Result<Result<(), Broken>, SolverError> {
    if interpolants.len() + 1 != blocks.len() {
        return Ok(Err(Broken::Length));
    }
    for (cut, &formula) in interpolants.iter().enumerate() {
        if !vocabulary_is_shared(terms, blocks, cut, formula) {
            return Ok(Err(Broken::Vocabulary(cut)));
        }
    }
    for (i, &block) in blocks.iter().enumerate() {
        let before = i.checked_sub(1).map_or(terms.tt(), |k| interpolants[k]);
        let after = interpolants.get(i).copied().unwrap_or(terms.ff());
        let query = terms.and([before, block, terms.not(after)]);
        let broken = scoped(solver, |s| -> Result<Option<Broken>, SolverError> {
            s.assert(query)?;
            Ok(match s.check(&[], budget)? {
                Answer::Unsat(_) => None,
                Answer::Sat(_) => Some(Broken::Step(i)),
                Answer::Unknown(_) => Some(Broken::Unknown(i)),
            })
        })?;
        if let Some(broken) = broken {
            return Ok(Err(broken));
        }
    }
    Ok(Ok(()))
}

/// Whether the formula at a cut mentions only shared variables.
fn vocabulary_is_shared(terms: &Terms, blocks: &[Term], cut: usize, formula: Term) -> bool {
    let before = terms.free_vars_of(&blocks[..=cut]);
    let after = terms.free_vars_of(&blocks[cut + 1..]);
    let shared = |v| before.contains(v) && after.contains(v);
    terms.free_vars(formula).iter().all(shared)
}
