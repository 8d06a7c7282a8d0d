//! Safety properties as tests of single states.

use crate::code::Code;
use crate::error::{Context, ExploreError};
use crate::layout::{Layout, Scope};
use crate::machine::Machine;
use sectile_model::{LocationId, Model, Property, PropertyKind};
use sectile_terms::{Term, Terms};

/// Tells whether a state violates a property.
pub(crate) enum Monitor {
    /// Where this is true, the property is violated.
    Bad(Code),
    /// Where this is true at the location, the property is violated.
    BadAt(usize, Code),
    /// These locations violate the property.
    Forbidden(Vec<usize>),
}

impl Monitor {
    /// The monitor of a property; none for CTL.
    pub(crate) fn new(
        terms: &Terms,
        layout: &Layout,
        model: &Model,
        property: &Property,
        machine: &mut Machine,
    ) -> Result<Option<Monitor>, ExploreError> {
        let mut code = |t: Term| state_code(terms, layout, t, &property.name, machine);
        Ok(Some(match &property.kind {
            PropertyKind::Invariant(p) => Monitor::Bad(code(terms.not(*p))?),
            PropertyKind::Error(p) => Monitor::Bad(code(*p)?),
            PropertyKind::AtLocation(l, p) => {
                let location = location_of(model, *l, &property.name)?;
                Monitor::BadAt(location, code(terms.not(*p))?)
            }
            PropertyKind::Unreachable(list) => {
                let positions = list.iter().map(|l| location_of(model, *l, &property.name));
                Monitor::Forbidden(positions.collect::<Result<_, _>>()?)
            }
            PropertyKind::Ctl(_) => return Ok(None),
        }))
    }

    /// Whether the loaded state violates the property.
    pub(crate) fn is_violated(&self, machine: &mut Machine, location: usize) -> bool {
        match self {
            Monitor::Bad(code) => machine.test(code),
            Monitor::BadAt(at, code) => *at == location && machine.test(code),
            Monitor::Forbidden(list) => list.contains(&location),
        }
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
    let scope = Scope {
        layout,
        inputs: &[],
        kept: &[],
        context: &context,
    };
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
