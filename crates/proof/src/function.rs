//! Steps about uninterpreted functions: equal arguments give equal results.

use crate::error::Fault;
use crate::meaning::{Clause, Lit, Meanings};
use sectile_terms::{Term, Terms};

/// The axiom about two applications of one function, as a clause: some arguments differ, or the
/// results are equal. Nothing for other terms.
pub fn congruence_axiom(terms: &Terms, s: Term, t: Term) -> Option<Vec<Term>> {
    let (f, left) = terms.application(s)?;
    let (g, right) = terms.application(t)?;
    if f != g {
        return None;
    }
    let pairs = left.into_iter().zip(right);
    let mut clause: Vec<Term> = pairs.map(|(a, b)| terms.neq(a, b)).collect();
    clause.push(terms.eq(s, t));
    Some(clause)
}

/// Whether a clause contains the axiom about two applications.
pub(crate) fn congruence(
    m: &mut Meanings<'_>,
    parts: &[Term],
    clause: &Clause,
) -> Result<bool, Fault> {
    let &[s, t] = parts else {
        return Err(Fault::WrongCount);
    };
    let Some(axiom) = congruence_axiom(m.terms, s, t) else {
        return Ok(false);
    };
    let lits: Vec<Lit> = axiom.iter().map(|&t| m.of_term(t)).collect();
    Ok(clause.covers(&lits))
}
