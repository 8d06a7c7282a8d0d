//! Every step as a separate query.

use crate::error::ReplayError;
use crate::refutation::{Inference, ProofStep, Refutation, Source};
use crate::shape;
use sectile_terms::{Term, Terms};

/// For each step its number and formulas that contradict each other if the step is right.
///
/// They are the negated literals of the clause, and its premises: the source of an input, or the
/// resolved clauses. Definitions and lemmas of the theories have no premises. Any SMT solver that
/// answers `unsat` to each of these queries confirms the refutation as a whole, as the last step is
/// the empty clause.
///
/// # Errors
/// If the refutation is malformed. The steps themselves are not checked.
pub fn claims(
    terms: &Terms,
    assertions: &[Term],
    assumptions: &[Term],
    refutation: &Refutation,
) -> Result<Vec<(usize, Vec<Term>)>, ReplayError> {
    shape::check(terms, assertions, assumptions, refutation)?;
    let literals = |step: &ProofStep| -> Vec<Term> {
        let lits = step.clause.iter();
        lits.map(|&l| refutation.literal_term(terms, l)).collect()
    };
    let claim = |step: &ProofStep| {
        let mut claim: Vec<Term> = match &step.inference {
            Inference::Input(Source::Assertion(i)) => vec![assertions[*i as usize]],
            Inference::Input(Source::Assumption(i)) => vec![assumptions[*i as usize]],
            Inference::Resolution(chain) => {
                let premises = chain.iter().map(|&s| &refutation.steps[s as usize]);
                premises.map(|s| terms.or(literals(s))).collect()
            }
            _ => Vec::new(),
        };
        claim.extend(literals(step).into_iter().map(|l| terms.not(l)));
        claim
    };
    let steps = refutation.steps.iter();
    Ok(steps.map(claim).enumerate().collect())
}
