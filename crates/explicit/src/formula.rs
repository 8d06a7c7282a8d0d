//! CTL formulas as flat lists, arguments before the formulas that use them.

use crate::code::Code;
use crate::error::ExploreError;
use crate::layout::Layout;
use crate::machine::Machine;
use crate::monitor::{location_of, state_code};
use rustc_hash::FxHashMap;
use sectile_model::{Ctl, Model, Property, PropertyKind};
use sectile_terms::Terms;

/// A position in a [`Formula`].
pub(crate) type Part = usize;

/// An operator with its arguments.
pub(crate) enum Operator {
    /// A state formula.
    State(Code),
    /// The program is at a location.
    At(usize),
    /// Negation.
    Not(Part),
    /// Conjunction.
    And(Part, Part),
    /// Disjunction.
    Or(Part, Part),
    /// Some successor.
    Ex(Part),
    /// All successors.
    Ax(Part),
    /// Some path, some time.
    Ef(Part),
    /// All paths, some time.
    Af(Part),
    /// Some path, always.
    Eg(Part),
    /// All paths, always.
    Ag(Part),
    /// Some path, until.
    Eu(Part, Part),
    /// All paths, until.
    Au(Part, Part),
    /// Some path, until or for ever.
    Ew(Part, Part),
    /// All paths, until or for ever.
    Aw(Part, Part),
}

/// A CTL formula; its last part is the whole.
pub(crate) struct Formula {
    /// The parts.
    pub parts: Vec<Operator>,
}

impl Formula {
    /// The formula of a property; none unless it is CTL.
    pub(crate) fn new(
        terms: &Terms,
        layout: &Layout,
        model: &Model,
        property: &Property,
        machine: &mut Machine,
    ) -> Result<Option<Formula>, ExploreError> {
        let PropertyKind::Ctl(root) = &property.kind else {
            return Ok(None);
        };
        let mut parts: Vec<Operator> = Vec::new();
        let mut positions: FxHashMap<*const Ctl, Part> = FxHashMap::default();
        for ctl in post_order(root) {
            let at = |c: &Ctl| positions[&std::ptr::from_ref(c)];
            let operator = match ctl {
                Ctl::State(t) => {
                    Operator::State(state_code(terms, layout, *t, &property.name, machine)?)
                }
                Ctl::At(l) => Operator::At(location_of(model, *l, &property.name)?),
                Ctl::Not(a) => Operator::Not(at(a)),
                Ctl::And(a, b) => Operator::And(at(a), at(b)),
                Ctl::Or(a, b) => Operator::Or(at(a), at(b)),
                Ctl::Ex(a) => Operator::Ex(at(a)),
                Ctl::Ax(a) => Operator::Ax(at(a)),
                Ctl::Ef(a) => Operator::Ef(at(a)),
                Ctl::Af(a) => Operator::Af(at(a)),
                Ctl::Eg(a) => Operator::Eg(at(a)),
                Ctl::Ag(a) => Operator::Ag(at(a)),
                Ctl::Eu(a, b) => Operator::Eu(at(a), at(b)),
                Ctl::Au(a, b) => Operator::Au(at(a), at(b)),
                Ctl::Ew(a, b) => Operator::Ew(at(a), at(b)),
                Ctl::Aw(a, b) => Operator::Aw(at(a), at(b)),
            };
            positions.insert(std::ptr::from_ref(ctl), parts.len());
            parts.push(operator);
        }
        Ok(Some(Formula { parts }))
    }

    /// The whole formula.
    pub(crate) fn root(&self) -> Part {
        self.parts.len() - 1
    }
}

/// All sub-formulas, arguments first. They are told apart by their addresses.
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
