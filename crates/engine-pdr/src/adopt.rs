//! Adopts lemmas of other engines: inductive ones hold in every frame.

use sectile_engine::{EngineError, Guess, Run, SafetyQuestion, Unroller};
use sectile_terms::{Term, Terms};
use std::time::Duration;

/// Time limit for checking lemmas of other engines.
const LONGEST: Duration = Duration::from_millis(400);

/// The formulas that other engines have found since the last call, restricted to an inductive
/// subset.
pub fn adopted(
    terms: &Terms,
    asked: &SafetyQuestion<'_>,
    run: &mut Run<'_>,
) -> Result<Vec<Term>, EngineError> {
    let news = run.news(terms, asked.system);
    if news.is_empty() {
        return Ok(Vec::new());
    }
    let unroller = Unroller::new(terms, asked.system);
    let mut solver = run.backend.solver(terms)?;
    let budget = run.share(8, Some(LONGEST));
    let guesses = news.into_iter().map(Guess::alone).collect();
    let part = unroller.inductive_part(guesses, solver.as_mut(), &budget)?;
    let part = part.unwrap_or_default();
    run.adopted(terms, &part);
    Ok(part)
}
