//! Turns a system into a graph: values of finite variables become locations.
//!
//! `choose` finds the variables, `build` makes locations and edges by substituting their values in
//! guards and assignments, `property` translates the property, `back` the evidence.

mod back;
mod build;
mod choose;
mod property;

use crate::ctl::any_leaf;
use crate::pass::{Applied, Pass};
use sectile_model::{Ctl, PropertyKind, Task};
use sectile_terms::Symbol;

/// The choice of control variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Control {
    /// Those that behave like program counters: finite, read by some guard, and assigned by every
    /// command a value that depends only on their own old value. Enumerations are taken first, then
    /// Booleans, then ranges, as long as there are few enough values.
    Automatic,
    /// These, in this order.
    Variables(Vec<Symbol>),
}

/// Makes a graph of a system whose locations are the values of some finite variables.
///
/// Only reachable locations are made. If the initial condition allows several of them, there is one
/// more, `init`, with an edge `start` to each. The new model has the variables of the old one
/// without the chosen ones.
///
/// Paper: [BeGrLa, Sect. 5.3], extended transition systems; here the control is found, not given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ControlSplit {
    /// Which variables become the control.
    pub control: Control,
    /// Maximum number of locations.
    pub most_locations: usize,
}

impl Default for ControlSplit {
    fn default() -> ControlSplit {
        ControlSplit {
            control: Control::Automatic,
            most_locations: 256,
        }
    }
}

impl ControlSplit {
    /// A split by the variables that behave like program counters.
    pub fn automatic() -> ControlSplit {
        ControlSplit::default()
    }

    /// A split by these variables.
    pub fn on(variables: Vec<Symbol>) -> ControlSplit {
        ControlSplit {
            control: Control::Variables(variables),
            ..ControlSplit::default()
        }
    }
}

impl Pass for ControlSplit {
    fn name(&self) -> &'static str {
        "control-split"
    }

    fn made(&self, task: &Task<'_>) -> Result<Applied, String> {
        let (terms, system) = (task.terms, task.model);
        if !system.is_system() {
            return Err("the model is not a system".to_string());
        }
        if mentions_locations(&task.property.kind) {
            let reason = "the property is about locations, which a system does not have";
            return Err(reason.to_string());
        }
        let control = choose::control(terms, system, self)?;
        let mut split = build::split(terms, system, control, self.most_locations)?;
        let (property, error) = property::translate(terms, &mut split, task.property);
        let graph = split.graph.clone();
        let back = back::Recombine {
            variables: system.variables.clone(),
            split,
            error,
        };
        Ok(Applied::new(graph, property, back))
    }
}

/// Whether a property names locations.
fn mentions_locations(kind: &PropertyKind) -> bool {
    match kind {
        PropertyKind::Invariant(_) | PropertyKind::Error(_) => false,
        PropertyKind::Unreachable(_) | PropertyKind::AtLocation(..) => true,
        PropertyKind::Ctl(formula) => any_leaf(formula, |leaf| matches!(leaf, Ctl::At(_))),
    }
}
