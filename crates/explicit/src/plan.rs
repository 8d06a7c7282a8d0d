//! Plans: how all solutions of a list of constraints are found by backtracking.
//!
//! A plan is made once for the initial condition and once for every command. Its nodes say in
//! which order constraints are tested, which equations determine unknowns, and where values have
//! to be tried. Nodes are shared: what is left to do depends only on which unknowns have values
//! and which constraints are not yet used.

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

/// What the planner decided.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// Whose constraints they are.
    pub context: Context,
    /// What is to be found.
    pub unknowns: Vec<Unknown>,
    /// The nodes; the first is where execution starts.
    pub nodes: Vec<PlanNode>,
    /// Programs of constraints and values.
    pub codes: Vec<Code>,
}

/// A variable whose value is to be found.
#[derive(Clone, Debug)]
pub(crate) struct Unknown {
    /// What users call it.
    pub name: String,
    /// Where its value goes.
    pub slot: usize,
    /// Where the value is that it had before the step, for a next value.
    pub origin: Option<usize>,
    /// Its sort.
    pub sort: Sort,
    /// What it is to the model.
    pub role: Role,
    /// Number of values of the sort, if it is finite.
    pub size: Option<u32>,
    /// For an array, those that are tried.
    pub arrays: Option<Candidates>,
}

/// What an unknown is to the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Part of a state, with a finite range of its own: the user's domain does not apply.
    Ranged,
    /// Part of a state.
    State,
    /// Chosen in a step and forgotten: where nothing depends on it, one value is enough.
    Input,
}

/// Things to do in order, and how to go on.
#[derive(Clone, Debug)]
pub(crate) struct PlanNode {
    /// Tests and definitions; the first failing test ends this branch.
    pub steps: Vec<PlanStep>,
    /// How to go on.
    pub end: End,
}

/// One thing to do.
#[derive(Clone, Debug)]
pub(crate) enum PlanStep {
    /// A constraint all of whose unknowns have values.
    Check(CodeId),
    /// An equation that determines an unknown.
    Define(Definition),
}

/// `slot := code / divisor`.
#[derive(Clone, Debug)]
pub(crate) struct Definition {
    /// Where the value goes.
    pub slot: usize,
    /// The value before the division.
    pub code: CodeId,
    /// The divisor, unless it is one.
    pub divisor: Option<Int>,
    /// Whether a value that is not an integer means failure.
    pub integral: bool,
}

/// How a node goes on.
#[derive(Clone, Debug)]
pub(crate) enum End {
    /// A solution.
    Done,
    /// The cases of a disjunction, which may overlap.
    Branch(Vec<NodeId>),
    /// The values of an unknown.
    Choose(Choice),
}

/// An unknown whose values are tried.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    /// The unknown.
    pub unknown: usize,
    /// Constraints that narrow its values.
    pub rows: Vec<Row>,
    /// What to do with each value.
    pub next: NodeId,
}

/// A linear constraint on unknowns: `rest + sum of coefficient * unknown` relates to zero.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    /// The known part.
    pub rest: CodeId,
    /// The unknown part; never empty.
    pub summands: Vec<(usize, Rat)>,
    /// How the sum relates to zero.
    pub relation: Relation,
}
