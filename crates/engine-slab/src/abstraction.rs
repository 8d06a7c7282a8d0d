//! Abstractions of systems: nodes are sets of states with a role.

use crate::relation::RelationId;
use sectile_engine::NodeId;
use sectile_terms::{Term, Value};
use std::rc::Rc;

/// Values of a relation's variables and inputs for which it leads from one node to another.
pub type Witness = Rc<[Value]>;

/// A node with its label; the background of the run is added implicitly.
pub type Node = sectile_engine::Node<Own>;

/// A relation of an edge.
pub type Arc = sectile_engine::Arc<RelationId, Witness>;

/// An abstraction graph.
///
/// Paper: [BrDrFiWe07, Def. 1].
pub type Abstraction = sectile_engine::Abstraction<Own, RelationId, Witness>;

/// The role of a node.
///
/// Paper: [BrDrFiWe07, Def. 1]: initial and error nodes are those whose label contains the
/// predicate; whether a state of the node satisfies it does not matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Role {
    /// Paths may start here.
    pub initial: bool,
    /// Error paths end here.
    pub error: bool,
    /// Not a set of states, but the source of the initial ones.
    pub start: bool,
}

impl Role {
    /// Neither initial nor error.
    pub const INNER: Role = Role::of_states(false, false);
    /// The source of the initial states.
    pub const START: Role = Role {
        start: true,
        ..Role::of_states(true, false)
    };

    /// A set of states.
    pub const fn of_states(initial: bool, error: bool) -> Role {
        Role {
            initial,
            error,
            start: false,
        }
    }
}

/// The additional data of a node.
#[derive(Clone, Debug)]
pub struct Own {
    /// Its role.
    pub role: Role,
    /// Nodes that were bypassed on edges from here (see `bypass`).
    pub ghosts: Vec<Ghost>,
}

impl From<Role> for Own {
    fn from(role: Role) -> Own {
        let ghosts = Vec::new();
        Own { role, ghosts }
    }
}

/// States that a run visits between two nodes, since their own node was bypassed.
#[derive(Clone, Debug)]
pub struct Ghost {
    /// The relation that reaches them.
    pub relation: RelationId,
    /// The label of the bypassed node.
    pub label: Vec<Term>,
}

/// A shortest path from an initial node to an error node.
pub fn error_path(graph: &Abstraction) -> Option<Vec<NodeId>> {
    let role = |n| graph.node(n).own.role;
    graph.shortest_path(|n| role(n).initial, |n| role(n).error)
}
