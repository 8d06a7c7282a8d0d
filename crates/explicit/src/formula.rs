//! CTL formulas as flat lists, with arguments before the formulas that use them.

use crate::code::Code;
use crate::error::ExploreError;
use crate::layout::Layout;
use crate::machine::Machine;
use crate::monitor::{location_of, state_code};
use rustc_hash::FxHashMap;
use sectile_model::{Ctl, Model, Property, PropertyKind};
use sectile_terms::Terms;

/// A CTL formula; its last part is the whole formula.
pub(crate) struct Formula<'p> {
    /// The parts, with the compiled state formulas.
    pub parts: Vec<(&'p Ctl, Option<Code>)>,
    /// The positions of sub-formulas, which are identified by their addresses.
    positions: FxHashMap<*const Ctl, usize>,
}

impl<'p> Formula<'p> {
    /// The formula of a property; `None` unless it is a CTL property.
    pub(crate) fn new(
        terms: &Terms,
        layout: &Layout,
        model: &Model,
        property: &'p Property,
        machine: &mut Machine,
    ) -> Result<Option<Formula<'p>>, ExploreError> {
        let PropertyKind::Ctl(root) = &property.kind else {
            return Ok(None);
        };
        let mut parts: Vec<(&'p Ctl, Option<Code>)> = Vec::new();
        for ctl in post_order(root) {
            let code = match ctl {
                Ctl::State(t) => Some(state_code(terms, layout, *t, &property.name, machine)?),
                _ => None,
            };
            if let Ctl::At(location) = ctl {
                location_of(model, *location, &property.name)?;
            }
            parts.push((ctl, code));
        }
        let places = parts.iter().enumerate();
        let positions = places.map(|(i, part)| (std::ptr::from_ref(part.0), i));
        Ok(Some(Formula {
            positions: positions.collect(),
            parts,
        }))
    }

    /// The position of a sub-formula.
    pub(crate) fn position(&self, part: &Ctl) -> usize {
        self.positions[&std::ptr::from_ref(part)]
    }

    /// The position of the whole formula.
    pub(crate) fn root(&self) -> usize {
        self.parts.len() - 1
    }
}

/// All sub-formulas, arguments first.
fn post_order(root: &Ctl) -> Vec<&Ctl> {
    let mut order = Vec::new();
    let mut stack = vec![root];
    while let Some(ctl) = stack.pop() {
        order.push(ctl);
        stack.extend(ctl.arguments());
    }
    order.reverse();
    order
}
