//! Evidence about finite systems: sets of states as decision diagrams.

use crate::trace::State;
use sectile_terms::{Symbol, Value};

/// For every part of a property in normal form, a set of states in which it holds.
///
/// For the verdict `holds` the parts are those of the property, and all initial states are in the set
/// of the whole. For `violated` they are those of its negation, and one initial state is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiagramProof {
    /// The diagrams of all sets, which share their nodes.
    pub diagram: Diagram,
    /// The set of every part, as a node.
    pub sets: Vec<usize>,
    /// For `violated`: the values of the symbolic constants, and an initial state.
    pub initial: Option<(Vec<Value>, State)>,
}

/// A decision diagram: every node branches on the value of a variable.
///
/// Node 0 is the empty set, node 1 has all states; those of `nodes` are counted from 2.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagram {
    /// The other nodes; a node comes after its children.
    pub nodes: Vec<DiagramNode>,
}

impl Diagram {
    /// The empty set.
    pub const EMPTY: usize = 0;
    /// The set of all states.
    pub const ALL: usize = 1;
    /// The number of the first of `nodes`.
    pub const FIRST: usize = 2;

    /// Adds a node and returns its number.
    pub fn add(&mut self, node: DiagramNode) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1 + Diagram::FIRST
    }
}

/// The states that, for the value of a variable, are in the child of that value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiagramNode {
    /// The variable, or symbolic constant.
    pub variable: Symbol,
    /// Its values with their children. Values that are not listed lead to the empty set.
    pub children: Vec<(Value, usize)>,
}
