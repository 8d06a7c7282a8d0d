//! Lemmas from a smaller instance of a model.

use crate::check::{BadRequest, CheckOptions, check};
use crate::load::Loaded;
use sectile_certify::Claim;
use sectile_engine::Silent;
use sectile_model::Certificate;
use sectile_terms::{Copier, Term};
use std::collections::BTreeMap;

/// What proves the properties of a smaller instance, in the words of a larger one.
///
/// The smaller instance is checked with the same engines and limits. Formulas about processes that
/// only it has are left out; whether the others hold in the larger instance is not known.
pub fn lemmas(
    large: &Loaded,
    small: &Loaded,
    options: &CheckOptions,
) -> Result<Vec<Term>, BadRequest> {
    let options = CheckOptions {
        predicates: Vec::new(),
        selected: BTreeMap::new(),
        lemmas: Vec::new(),
        minimise: false,
        first_violation: false,
        ..options.clone()
    };
    let checked = check(small, &options, &mut Silent)?;
    let proofs = checked.certificates.iter().flatten();
    let proofs = proofs.filter_map(|(claim, certificate)| match (claim, certificate) {
        (Claim::Holds, Certificate::Invariants(proof)) if proof.is_inductive() => Some(proof),
        _ => None,
    });
    let invariants = proofs.flat_map(|p| p.at.iter().copied().flatten());
    let parts = invariants.flat_map(|i| small.terms.conjuncts(i));
    Ok(transferred(small, large, &parts.collect::<Vec<_>>()))
}

/// Formulas about one instance in the store of another one; those about variables that it does not
/// have are left out.
pub fn transferred(from: &Loaded, to: &Loaded, formulas: &[Term]) -> Vec<Term> {
    let mut copier = Copier::new(&from.terms, &to.terms);
    let copied = formulas.iter().filter_map(|&f| copier.term(f).ok());
    copied.collect()
}
