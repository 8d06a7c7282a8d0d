//! Concrete runs.

use crate::model::LocationId;
use sectile_terms::Value;

/// A concrete state.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct State {
    /// The location.
    pub location: LocationId,
    /// The values of the model's variables, in its order.
    pub values: Vec<Value>,
}

/// One step of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The index of the edge.
    pub command: usize,
    /// The values of the command's inputs, in its order.
    pub inputs: Vec<Value>,
    /// The states that the step rests on: the one in which its edge starts, then those of the
    /// premises of the edge. Empty in a run, where every step starts in the previous state.
    pub rests_on: Vec<usize>,
}

impl Step {
    /// A step of a run.
    pub fn new(command: usize, inputs: Vec<Value>) -> Step {
        Step {
            command,
            inputs,
            rests_on: Vec::new(),
        }
    }
}

/// A concrete run: one more state than steps. In a lasso the last state repeats an earlier one.
///
/// If edges have premises it is a derivation: each step leads from the states it rests on to the
/// next one of the list. In a run, that is always the previous state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// The values of the symbolic constants, in the model's order.
    pub rigid: Vec<Value>,
    /// The states, from an initial one.
    pub states: Vec<State>,
    /// The steps between them.
    pub steps: Vec<Step>,
    /// In a lasso, the number of the earlier state that the last one repeats.
    pub back_to: Option<usize>,
}
