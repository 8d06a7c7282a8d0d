//! Properties as sets of bad states.

use super::ExportError;
use sectile_model::{Ctl, LocationId, Model, Property, PropertyKind};
use sectile_terms::{Term, Terms};

/// The states in which a property is violated: formulas, at a location in program graphs.
pub(crate) type BadStates = Vec<(Option<LocationId>, Term)>;

/// The bad states of a property of a model.
pub(crate) fn bad_states(
    terms: &Terms,
    model: &Model,
    property: &Property,
) -> Result<BadStates, ExportError> {
    let locations: Vec<Option<LocationId>> = match model {
        Model::System(_) => vec![None],
        Model::Graph(graph) => (0..graph.locations.len())
            .map(|i| Some(LocationId(i)))
            .collect(),
    };
    let mentioned = match &property.kind {
        PropertyKind::Invariant(_) | PropertyKind::Error(_) | PropertyKind::Ctl(_) => &[][..],
        PropertyKind::Unreachable(list) => list,
        PropertyKind::AtLocation(location, _) => std::slice::from_ref(location),
    };
    let no_such_location = || ExportError::NoSuchLocation {
        property: property.name.clone(),
    };
    if mentioned.iter().any(|&l| !locations.contains(&Some(l))) {
        return Err(no_such_location());
    }
    let mut bad = Vec::new();
    for location in locations {
        let formula = match &property.kind {
            PropertyKind::Invariant(p) => terms.not(*p),
            PropertyKind::Error(p) => *p,
            PropertyKind::Unreachable(list) => {
                terms.bool(location.is_some_and(|l| list.contains(&l)))
            }
            PropertyKind::AtLocation(place, p) if location == Some(*place) => terms.not(*p),
            PropertyKind::AtLocation(..) => terms.ff(),
            PropertyKind::Ctl(Ctl::Ag(inner)) => {
                let holds = state_formula(terms, inner, location);
                terms.not(holds.ok_or_else(|| not_safety(property))?)
            }
            PropertyKind::Ctl(_) => return Err(not_safety(property)),
        };
        if terms.as_bool(formula) != Some(false) {
            bad.push((location, formula));
        }
    }
    Ok(bad)
}

fn not_safety(property: &Property) -> ExportError {
    ExportError::NotSafety {
        property: property.name.clone(),
    }
}

/// A formula without temporal operators, as it is at a location.
///
/// This recurses on the property as the user wrote it; `Ctl` is a tree of boxes anyway.
fn state_formula(terms: &Terms, formula: &Ctl, location: Option<LocationId>) -> Option<Term> {
    let inner = |f: &Ctl| state_formula(terms, f, location);
    Some(match formula {
        Ctl::State(p) => *p,
        Ctl::At(place) => terms.bool(location? == *place),
        Ctl::Not(a) => terms.not(inner(a)?),
        Ctl::And(a, b) => terms.and([inner(a)?, inner(b)?]),
        Ctl::Or(a, b) => terms.or([inner(a)?, inner(b)?]),
        Ctl::Ex(_)
        | Ctl::Ax(_)
        | Ctl::Ef(_)
        | Ctl::Af(_)
        | Ctl::Eg(_)
        | Ctl::Ag(_)
        | Ctl::Eu(..)
        | Ctl::Au(..)
        | Ctl::Ew(..)
        | Ctl::Aw(..) => return None,
    })
}
