//! Checks interpolants by their definition, with an independent solver.

use crate::traits::{Answer, Solver, SolverError, scoped};
use sectile_base::Budget;
use sectile_terms::{Stage, Symbol, Term, Terms};
use std::collections::BTreeSet;

/// Which part of the contract of a sequence of interpolants does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Broken {
    /// There are not as many formulas as cuts.
    Length {
        /// How many there should be.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// The interpolant before this block, together with the block, does not imply the next one.
    Step(usize),
    /// The interpolant at this cut mentions a variable that does not occur on both sides.
    Vocabulary(usize),
    /// The solver could not tell for this block.
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
        return Ok(Err(Broken::Length {
            expected: blocks.len().saturating_sub(1),
            found: interpolants.len(),
        }));
    }
    for (cut, &formula) in interpolants.iter().enumerate() {
        if !vocabulary_is_shared(terms, blocks, cut, formula) {
            return Ok(Err(Broken::Vocabulary(cut)));
        }
    }
    for (i, &block) in blocks.iter().enumerate() {
        let before = if i == 0 {
            terms.tt()
        } else {
            interpolants[i - 1]
        };
        let after = interpolants.get(i).copied().unwrap_or(terms.ff());
        let query = terms.and([before, block, terms.not(after)]);
        let answer = scoped(solver, |s| -> Result<Option<bool>, SolverError> {
            s.assert(query)?;
            Ok(match s.check(&[], budget)? {
                Answer::Unsat(_) => Some(true),
                Answer::Sat(_) => Some(false),
                Answer::Unknown(_) => None,
            })
        })?;
        match answer {
            Some(true) => {}
            Some(false) => return Ok(Err(Broken::Step(i))),
            None => return Ok(Err(Broken::Unknown(i))),
        }
    }
    Ok(Ok(()))
}

/// Whether the formula at a cut mentions only what occurs both before and after it.
fn vocabulary_is_shared(terms: &Terms, blocks: &[Term], cut: usize, formula: Term) -> bool {
    let names = |part: &[Term]| -> BTreeSet<(Symbol, Stage)> {
        terms.free_vars_of(part).into_iter().collect()
    };
    let before = names(&blocks[..=cut]);
    let after = names(&blocks[cut + 1..]);
    let mentioned = terms.free_vars(formula);
    mentioned
        .iter()
        .all(|v| before.contains(v) && after.contains(v))
}
