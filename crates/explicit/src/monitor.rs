//! Safety properties as tests of single states.

use crate::code::Code;
use crate::error::{Context, ExploreError};
use crate::layout::{Layout, Scope};
use crate::machine::Machine;
use sectile_model::{LocationId, Model, Property, PropertyKind};
use sectile_terms::{Term, Terms};

/// Decides whether a state violates a property.
pub(crate) struct Monitor {
    /// The locations to which the property applies; all if `None`.
    locations: Option<Vec<usize>>,
    /// The property is violated if this is true at such a location.
    bad: Code,
}

impl Monitor {
    /// The monitor of a property; `None` for CTL.
    pub(crate) fn new(
        terms: &Terms,
        layout: &Layout,
        model: &Model,
        property: &Property,
        machine: &mut Machine,
    ) -> Result<Option<Monitor>, ExploreError> {
        let (locations, bad) = match &property.kind {
            PropertyKind::Invariant(p) => (None, terms.not(*p)),
            PropertyKind::Error(p) => (None, *p),
            PropertyKind::AtLocation(l, p) => (Some(&[*l][..]), terms.not(*p)),
            PropertyKind::Unreachable(list) => (Some(&list[..]), terms.tt()),
            PropertyKind::Ctl(_) => return Ok(None),
        };
        let position = |l: &LocationId| location_of(model, *l, &property.name);
        let positions = locations.map(|list| list.iter().map(position).collect());
        Ok(Some(Monitor {
            locations: positions.transpose()?,
            bad: state_code(terms, layout, bad, &property.name, machine)?,
        }))
    }

    /// Whether the loaded state violates the property.
    pub(crate) fn is_violated(&self, machine: &mut Machine, location: usize) -> bool {
        let here = self
            .locations
            .as_ref()
            .is_none_or(|l| l.contains(&location));
        here && machine.test(&self.bad)
    }
}

/// The program of a state formula of a property.
pub(crate) fn state_code(
    terms: &Terms,
    layout: &Layout,
    t: Term,
    property: &str,
    machine: &mut Machine,
) -> Result<Code, ExploreError> {
    let context = Context::Property(property.to_string());
    let scope = Scope::of_states(layout, &context);
    Code::new(terms, t, scope, &mut machine.numbers)
}

/// The position of a location, if the model has it.
pub(crate) fn location_of(
    model: &Model,
    id: LocationId,
    property: &str,
) -> Result<usize, ExploreError> {
    match id.0 < model.locations.len() {
        true => Ok(id.0),
        false => Err(ExploreError::Unsupported {
            what: format!("the location in `{property}`, which the model does not have"),
        }),
    }
}
