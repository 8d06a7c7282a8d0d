//! Lemmas for induction: guesses that hold, proved before the property and used with it.

use crate::effects::{Guess, guesses};
use crate::houdini::inductive_part;
use crate::step::Induction;
use sectile_engine::{EngineError, Run, SafetyQuestion, Unroller};
use sectile_invariants::Proof;
use sectile_terms::{Term, Terms};
use std::time::Duration;

/// Lemmas are worth no more time than this.
const LONGEST: Duration = Duration::from_secs(5);

/// Formulas that are together inductive; none if there is nothing to guess or it takes too long.
pub fn proved(
    terms: &Terms,
    asked: &SafetyQuestion<'_>,
    unroller: &Unroller<'_>,
    run: &mut Run<'_>,
) -> Result<Vec<Term>, EngineError> {
    let given = run.lemmas.iter().map(|&claim| Guess {
        claim,
        weaker: Vec::new(),
    });
    let guesses: Vec<Guess> = given.chain(guesses(terms, asked)).collect();
    if guesses.is_empty() {
        return Ok(Vec::new());
    }
    let mut solver = run.backend.solver(terms)?;
    let limit = run.budget.remaining().map_or(LONGEST, |rest| rest / 4);
    let budget = run.budget.clone().with_time(limit.min(LONGEST));
    let part = inductive_part(unroller, guesses, solver.as_mut(), &budget)?;
    let lemmas = part.unwrap_or_default();
    run.count("lemmas", lemmas.len() as u64);
    Ok(lemmas)
}

/// The lemmas that a proof by induction needs, with those that these need to be inductive.
pub fn needed(
    terms: &Terms,
    asked: &SafetyQuestion<'_>,
    lemmas: Vec<Term>,
    induction: &Induction<'_>,
    run: &Run<'_>,
) -> Result<Vec<Term>, EngineError> {
    if lemmas.is_empty() {
        return Ok(lemmas);
    }
    let used = induction.used(&lemmas, run)?;
    let lost = terms.not(terms.and(used.iter().copied()));
    let proof = Proof {
        terms,
        bad: vec![terms.and2(asked.system.restrict_formula(terms), lost)],
        conditions: vec![lemmas.clone()],
        // One step for all commands: there are fewer questions, and none is hard.
        steps: vec![(0, 0, asked.system.transition_formula(terms))],
    };
    let mut solver = run.backend.solver(terms)?;
    let found = proof.needed_within(LONGEST, solver.as_mut(), &run.budget)?;
    Ok(found.and_then(|mut lists| lists.pop()).unwrap_or(lemmas))
}
