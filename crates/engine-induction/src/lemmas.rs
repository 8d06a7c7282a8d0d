//! Lemmas for induction: guesses that hold, proved before the property and used with it.

use crate::effects::guesses;
use crate::houdini::inductive_part;
use sectile_engine::{EngineError, Run, SafetyQuestion, Unroller};
use sectile_invariants::Proof;
use sectile_terms::{Term, Terms};
use std::time::Duration;

/// Lemmas are worth no more time than this.
const LONGEST: Duration = Duration::from_secs(3);

/// Formulas that are together inductive; none if there is nothing to guess or it takes too long.
pub fn proved(
    terms: &Terms,
    asked: &SafetyQuestion<'_>,
    unroller: &Unroller<'_>,
    run: &Run<'_>,
) -> Result<Vec<Term>, EngineError> {
    let guesses = guesses(terms, asked.system);
    let mut solver = run.backend.solver(terms)?;
    let limit = run.budget.remaining().map_or(LONGEST, |rest| rest / 10);
    let budget = run.budget.clone().with_time(limit.min(LONGEST));
    let part = inductive_part(unroller, guesses, solver.as_mut(), &budget)?;
    Ok(part.unwrap_or_default())
}

/// The lemmas that a proof by induction over one step needs.
pub fn needed(
    terms: &Terms,
    asked: &SafetyQuestion<'_>,
    lemmas: &[Term],
    run: &Run<'_>,
) -> Result<Vec<Term>, EngineError> {
    let good = terms.not(asked.bad);
    let step = |c| (0, 0, asked.system.step_formula(terms, c));
    let proof = Proof {
        terms,
        conditions: vec![lemmas.iter().copied().chain([good]).collect()],
        bad: vec![terms.and2(asked.system.restrict_formula(terms), asked.bad)],
        steps: asked.system.commands.iter().map(step).collect(),
    };
    let mut solver = run.backend.solver(terms)?;
    let needed = proof.needed_within(LONGEST, solver.as_mut(), &run.budget)?;
    Ok(match needed {
        Some(mut lists) => lists.swap_remove(0),
        None => lemmas.to_vec(),
    })
}
