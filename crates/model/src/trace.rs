//! Concrete runs.

use crate::graph::LocationId;
use sectile_terms::Value;

/// A concrete state.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct State {
    /// The control location, in program graphs.
    pub location: Option<LocationId>,
    /// The values of the model's variables, in its order.
    pub values: Vec<Value>,
}

/// One step of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Index of the command of the system, or of the edge of the graph.
    pub command: usize,
    /// The values of the command's inputs, in its order.
    pub inputs: Vec<Value>,
}

/// A concrete run: one more state than steps. In a lasso the last state is an earlier one again.
#[derive(Clone, Debug, PartialEq, Eq)]
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
