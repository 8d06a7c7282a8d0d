//! Lemmas from proofs of a smaller instance of a model.

use crate::check::{BadRequest, CheckOptions, check};
use sectile_base::Int;
use sectile_certify::Claim;
use sectile_engine::Silent;
use sectile_frontend::load::{Loaded, load_text};
use sectile_model::{Certificate, Family, Task};
use sectile_terms::{Copier, Term};
use std::collections::BTreeMap;

/// Turns of every engine before a smaller instance is tried. By then, all test models except the
/// largest instances are decided.
pub(crate) const TURNS_BEFORE: u32 = 2;

/// Turns of every engine before a smaller instance is tried again, for longer.
pub(crate) const TURNS_BETWEEN: u32 = 2;

/// The number of processes of the smaller instance: enough for two to interfere with a third, and
/// few enough to be proved early.
const FEW_PROCESSES: usize = 3;

/// The model with [`FEW_PROCESSES`], if a parameter is the size of a larger family and the property
/// is about single states.
pub(crate) fn instance(loaded: &Loaded, task: &Task<'_>) -> Option<Loaded> {
    task.property.kind.safe_at(task.terms, task.model.entry)?;
    let sizes = task.model.families.list.iter().map(Family::size);
    let sizes: Vec<usize> = sizes.filter(|&s| s > FEW_PROCESSES).collect();
    let is_size = |v: &Int| sizes.iter().any(|&s| *v == Int::from(s));
    let mut parameters = loaded.reading.module.parameters.iter();
    let (name, _) = parameters.find(|(_, v)| is_size(v))?;
    let mut given = loaded.parameters.clone();
    given.retain(|(n, _)| n != name);
    given.push((name.clone(), FEW_PROCESSES.to_string()));
    let text = loaded.source.text().to_string();
    load_text(loaded.source.name(), text, loaded.frontend, &given).ok()
}

/// The proofs of a smaller instance as formulas about a larger one.
///
/// The smaller instance is checked with the same engines and limits; `None` if that decides
/// nothing. Formulas about processes that only exist there are left out. The result is not known to
/// hold in the larger instance.
pub fn lemmas(
    large: &Loaded,
    small: &Loaded,
    options: &CheckOptions,
) -> Result<Option<Vec<Term>>, BadRequest> {
    let options = CheckOptions {
        predicates: Vec::new(),
        selected: BTreeMap::new(),
        lemmas: Vec::new(),
        minimise: false,
        first_violation: false,
        ..options.within(options.timeout)
    };
    let checked = check(small, &options, &mut Silent)?;
    let mut proofs = checked.certificates.iter().flatten().peekable();
    if proofs.peek().is_none() {
        return Ok(None);
    }
    let proofs = proofs.filter_map(|(claim, certificate)| match (claim, certificate) {
        (Claim::Holds, Certificate::Invariants(proof)) if proof.is_inductive() => Some(proof),
        _ => None,
    });
    let invariants = proofs.flat_map(|p| p.at.iter().copied().flatten());
    let parts = invariants.flat_map(|i| small.terms.conjuncts(i));
    let lemmas = transferred(small, large, &parts.collect::<Vec<_>>());
    Ok(Some(lemmas))
}

/// Copies formulas about one instance to the store of another one; formulas about missing variables
/// are left out.
pub fn transferred(from: &Loaded, to: &Loaded, formulas: &[Term]) -> Vec<Term> {
    let mut copier = Copier::new(&from.terms, &to.terms);
    let copied = formulas.iter().filter_map(|&f| copier.term(f).ok());
    copied.collect()
}
