//! Stepwise interpolation: one interpolation query per cut of a path.

use crate::config::Exists;
use crate::sources::Question;
use sectile_engine::{Run, Stop, step_number};
use sectile_solver::{Eliminator, Interpolation, Interpolator};
use sectile_terms::{Stage, Symbol, Term};

/// A sequence of interpolants by one query for every cut, if all succeed.
///
/// Paper: [ErHoPoSc11, Sect. 3]: the next one separates the image of the last one under one edge
/// from all edges after it. The variables before the edge are quantified; with constants in their
/// place the query has no quantifiers.
pub(crate) fn stepwise(
    question: &Question<'_>,
    exists: Exists,
    interpolator: &mut dyn Interpolator,
    run: &Run<'_>,
) -> Result<Option<Vec<Term>>, Stop> {
    let terms = question.terms();
    let mut eliminator = run.backend.eliminator(terms)?;
    let mut before = terms.tt();
    let mut sequence = Vec::new();
    for (k, &block) in question.blocks.iter().enumerate() {
        let after = &question.blocks[k + 1..];
        if after.is_empty() {
            break;
        }
        let step = terms.and2(before, block);
        let here = Stage::At(step_number(question.first + k));
        let reached = match exists {
            Exists::Skolem => skolem(question, step, here),
            Exists::Eliminated => eliminated(question, step, here, eliminator.as_mut(), run)?,
        };
        let rest = terms.and(after.iter().copied());
        before = match interpolator.sequence(&[reached, rest], &run.budget)? {
            Interpolation::Unsat(list) => list[0],
            Interpolation::Sat(_) | Interpolation::Unknown(_) => return Ok(None),
        };
        sequence.push(before);
    }
    Ok(Some(sequence))
}

/// The stages of constants come after those of all paths.
const SKOLEM: u32 = u32::MAX / 2;

/// The step with fresh constants for the variables before it.
fn skolem(question: &Question<'_>, step: Term, here: Stage) -> Term {
    let fresh = |stage: Stage| match stage {
        Stage::At(k) if stage == here => Stage::At(k + SKOLEM),
        other => other,
    };
    question.terms().restage(step, |_, stage| fresh(stage))
}

/// The step with the variables before it eliminated.
fn eliminated(
    question: &Question<'_>,
    step: Term,
    here: Stage,
    eliminator: &mut dyn Eliminator,
    run: &Run<'_>,
) -> Result<Term, Stop> {
    let slots = question.terms().free_vars(step).into_iter();
    let slots: Vec<(Symbol, Stage)> = slots.filter(|s| s.1 == here).collect();
    let projection = eliminator.project(step, &slots, &run.budget)??;
    // An over-approximation might not be separable from the rest.
    Ok(match projection.exact {
        true => projection.formula,
        false => skolem(question, step, here),
    })
}
