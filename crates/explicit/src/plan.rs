//! Plans: how to find all solutions of a list of constraints by backtracking.
//!
//! A plan is made once for the initial condition and once for every command. Its nodes determine
//! the order in which constraints are tested, which equations define unknowns, and where values
//! must be tried. Nodes are shared: the remaining work depends only on which unknowns have values
//! and which constraints have not been used.

use crate::arrays::Candidates;
use crate::code::Code;
use crate::error::Context;
use crate::literal::Relation;
use sectile_base::{Int, Rat};
use sectile_terms::Sort;

/// A position in [`Plan::nodes`].
pub(crate) type NodeId = usize;

/// A position in [`Plan::codes`].
pub(crate) type CodeId = usize;

/// A plan.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// The part of the model that contains the constraints.
    pub context: Context,
    /// The unknowns.
    pub unknowns: Vec<Unknown>,
    /// The nodes; execution starts at the first.
    pub nodes: Vec<PlanNode>,
    /// Programs of constraints and values.
    pub codes: Vec<Code>,
}

/// A variable whose value is to be found.
#[derive(Clone, Debug)]
pub(crate) struct Unknown {
    /// Its name for users.
    pub name: String,
    /// The slot of its value.
    pub slot: usize,
    /// For a next value, the slot of the value before the step.
    pub origin: Option<usize>,
    /// Its sort.
    pub sort: Sort,
    /// Its role in the model.
    pub role: Role,
    /// Number of values of the sort, if it is finite.
    pub size: Option<u32>,
    /// For an array, the candidates to try.
    pub arrays: Option<Candidates>,
}

/// The role of an unknown in the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Part of a state, with a finite range of its own: the user's domain does not apply.
    Ranged,
    /// Part of a state.
    State,
    /// Chosen in a step and then forgotten: if nothing depends on it, one value is enough.
    Input,
}

/// Steps to execute in order, and a continuation.
#[derive(Clone, Debug)]
pub(crate) struct PlanNode {
    /// Tests and definitions; the first failing test ends this branch.
    pub steps: Vec<PlanStep>,
    /// The continuation.
    pub end: End,
}

/// A step of a plan.
#[derive(Clone, Debug)]
pub(crate) enum PlanStep {
    /// A constraint whose unknowns all have values.
    Check(CodeId),
    /// An equation that defines an unknown.
    Define(Definition),
}

/// `slot := code / divisor`.
#[derive(Clone, Debug)]
pub(crate) struct Definition {
    /// The slot of the value.
    pub slot: usize,
    /// The value before the division.
    pub code: CodeId,
    /// The divisor, unless it is one.
    pub divisor: Option<Int>,
    /// Whether a value that is not an integer is a failure.
    pub integral: bool,
}

/// The continuation of a node.
#[derive(Clone, Debug)]
pub(crate) enum End {
    /// A solution.
    Done,
    /// The cases of a disjunction, which may overlap.
    Branch(Vec<NodeId>),
    /// The values of an unknown are tried.
    Choose(Choice),
}

/// An unknown whose values are tried.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    /// The unknown.
    pub unknown: usize,
    /// Constraints that narrow its values.
    pub rows: Vec<Row>,
    /// The node to execute for each value.
    pub next: NodeId,
}

/// A linear constraint on unknowns: `rest + sum of coefficient * unknown` with a relation to zero.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    /// The known part.
    pub rest: CodeId,
    /// The unknown part; never empty.
    pub summands: Vec<(usize, Rat)>,
    /// The relation of the sum to zero.
    pub relation: Relation,
}
