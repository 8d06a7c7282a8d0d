//! Properties as sets of bad states.

use super::ExportError;
use sectile_model::{LocationId, Model, Property, PropertyKind};
use sectile_terms::{Term, Terms};

/// The states in which a property is violated: formulas at locations.
pub(crate) type BadStates = Vec<(LocationId, Term)>;

/// The bad states of a property of a model.
pub(crate) fn bad_states(
    terms: &Terms,
    model: &Model,
    property: &Property,
) -> Result<BadStates, ExportError> {
    let mentioned = match &property.kind {
        PropertyKind::Invariant(_) | PropertyKind::Error(_) | PropertyKind::Ctl(_) => &[][..],
        PropertyKind::Unreachable(list) => list,
        PropertyKind::AtLocation(location, _) => std::slice::from_ref(location),
    };
    if mentioned.iter().any(|l| l.0 >= model.locations.len()) {
        return Err(ExportError::NoSuchLocation(property.name.clone()));
    }
    let mut bad = Vec::new();
    for location in (0..model.locations.len()).map(LocationId) {
        let safe = property.kind.safe_at(terms, location);
        let safe = safe.ok_or_else(|| ExportError::NotSafety(property.name.clone()))?;
        let formula = terms.not(safe);
        if terms.as_bool(formula) != Some(false) {
            bad.push((location, formula));
        }
    }
    Ok(bad)
}
