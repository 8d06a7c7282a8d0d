//! The slots for the values of a model during the computation of a step.

use crate::error::{Context, ExploreError};
use rustc_hash::FxHashMap;
use sectile_model::Model;
use sectile_terms::{Sort, Stage, Symbol, Terms};

/// The slots of a model, in this order: current values of the variables, rigid constants, next
/// values of the variables, inputs of the current command.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    /// The variables, in the order of the model.
    pub variables: Vec<Symbol>,
    /// The symbolic constants, in the order of the model.
    pub rigid: Vec<Symbol>,
    /// The sorts of the variables, then those of the constants.
    pub sorts: Vec<Sort>,
    /// The maximum number of inputs of a command.
    inputs: usize,
    positions: FxHashMap<Symbol, usize>,
}

impl Layout {
    /// The layout of a model.
    pub(crate) fn new(terms: &Terms, model: &Model) -> Layout {
        let inputs = model.commands().map(|c| c.inputs.len()).max();
        let all: Vec<Symbol> = model
            .variables
            .iter()
            .chain(&model.rigid)
            .copied()
            .collect();
        let sorts: Vec<Sort> = all.iter().map(|&s| terms.symbol_sort(s)).collect();
        Layout {
            variables: model.variables.to_vec(),
            rigid: model.rigid.to_vec(),
            sorts,
            inputs: inputs.unwrap_or(0),
            positions: all.iter().enumerate().map(|(i, &s)| (s, i)).collect(),
        }
    }

    /// The number of values in a state: variables and constants.
    pub(crate) fn width(&self) -> usize {
        self.sorts.len()
    }

    /// The slot of the next value of a variable, by its position.
    pub(crate) fn next(&self, variable: usize) -> usize {
        self.width() + variable
    }

    /// The slot of an input, by its position in the command.
    pub(crate) fn input(&self, position: usize) -> usize {
        self.width() + self.variables.len() + position
    }

    /// Number of slots.
    pub(crate) fn slots(&self) -> usize {
        self.input(self.inputs)
    }

    /// The position of a variable or constant.
    pub(crate) fn position(&self, symbol: Symbol) -> Option<usize> {
        self.positions.get(&symbol).copied()
    }
}

/// Maps the variables of a formula to slots.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'a> {
    /// The slots.
    pub layout: &'a Layout,
    /// The inputs that may occur.
    pub inputs: &'a [Symbol],
    /// The variables, by position, whose next value is the current one: they have only one slot.
    pub kept: &'a [bool],
    /// The part of the model that contains the formula, for messages.
    pub context: &'a Context,
}

impl<'a> Scope<'a> {
    /// The scope of formulas over current values.
    pub(crate) fn of_states(layout: &'a Layout, context: &'a Context) -> Scope<'a> {
        Scope {
            layout,
            inputs: &[],
            kept: &[],
            context,
        }
    }

    /// The slot of a variable.
    pub(crate) fn slot(
        &self,
        terms: &Terms,
        symbol: Symbol,
        stage: Stage,
    ) -> Result<usize, ExploreError> {
        let found = match (self.layout.position(symbol), stage) {
            (Some(position), Stage::Now) => Some(position),
            (Some(position), Stage::Next) if position < self.layout.variables.len() => {
                let kept = self.kept.get(position) == Some(&true);
                Some(if kept {
                    position
                } else {
                    self.layout.next(position)
                })
            }
            (None, Stage::Now) => {
                let position = self.inputs.iter().position(|&i| i == symbol);
                position.map(|p| self.layout.input(p))
            }
            _ => None,
        };
        found.ok_or_else(|| ExploreError::Undeclared {
            name: terms.name(symbol).to_string(),
            context: self.context.clone(),
        })
    }
}
