//! Abstractions: nodes labelled with predicates, edges labelled with transition relations.

use crate::relation::RelationId;
use sectile_base::digraph::Digraph;
use sectile_terms::{Term, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// A node. Numbers are never used again.
pub type NodeId = usize;

/// Values of a relation's variables and inputs at which it leads from one node to another.
pub type Witness = Rc<[Value]>;

/// What a node is for.
///
/// Paper: [BrDrFiWe07, Def. 1]: initial and error nodes are those whose label contains the
/// predicate; whether a state of the node satisfies it does not matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Role {
    /// Paths may start here.
    pub initial: bool,
    /// Error paths end here.
    pub error: bool,
    /// Not a set of states, but what comes before the initial ones.
    pub start: bool,
}

impl Role {
    /// Neither initial nor error.
    pub const INNER: Role = Role::of_states(false, false);
    /// What comes before the initial states.
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

/// A node with its label.
#[derive(Clone, Debug)]
pub struct Node {
    /// The predicates of the label; the background of the run comes on top.
    pub label: Vec<Term>,
    /// What it is for.
    pub role: Role,
    /// Whether the slice still contains it.
    pub alive: bool,
    /// Nodes that were bypassed on the way from here (see `bypass`).
    pub ghosts: Vec<Ghost>,
}

/// States that a run visits between two nodes since the node they belonged to was bypassed.
#[derive(Clone, Debug)]
pub struct Ghost {
    /// How they are reached.
    pub relation: RelationId,
    /// The label of the bypassed node.
    pub label: Vec<Term>,
}

/// One relation of an edge.
#[derive(Clone, Debug)]
pub struct Arc {
    /// The relation.
    pub relation: RelationId,
    /// What is known of it.
    pub status: Status,
}

/// What is known of a relation on an edge.
#[derive(Clone, Debug)]
pub enum Status {
    /// Whether it leads from one node to the other has to be checked.
    Open,
    /// It does, by this step if one is kept.
    Feasible(Option<Witness>),
}

impl Arc {
    /// A relation that has to be checked.
    pub fn open(relation: RelationId) -> Arc {
        Arc {
            relation,
            status: Status::Open,
        }
    }

    /// The concrete step, if one is known.
    pub fn witness(&self) -> Option<&Witness> {
        match &self.status {
            Status::Feasible(witness) => witness.as_ref(),
            Status::Open => None,
        }
    }
}

/// An abstraction.
///
/// Paper: [BrDrFiWe07, Def. 1].
#[derive(Clone, Debug, Default)]
pub struct Abstraction {
    nodes: Vec<Node>,
    out: Vec<BTreeMap<NodeId, Vec<Arc>>>,
    into: Vec<BTreeSet<NodeId>>,
}

impl Abstraction {
    /// Adds a node without edges.
    pub fn add_node(&mut self, label: Vec<Term>, role: Role) -> NodeId {
        self.push(Node {
            label,
            role,
            alive: true,
            ghosts: Vec::new(),
        })
    }

    fn push(&mut self, node: Node) -> NodeId {
        self.nodes.push(node);
        self.out.push(BTreeMap::new());
        self.into.push(BTreeSet::new());
        self.nodes.len() - 1
    }

    /// Adds a relation to an edge, unless it is there.
    pub fn add_arc(&mut self, from: NodeId, to: NodeId, arc: Arc) {
        let list = self.out[from].entry(to).or_default();
        if list.iter().all(|a| a.relation != arc.relation) {
            list.push(arc);
        }
        self.into[to].insert(from);
    }

    /// One node.
    pub fn node(&self, n: NodeId) -> &Node {
        &self.nodes[n]
    }

    /// One node, to be changed.
    pub fn node_mut(&mut self, n: NodeId) -> &mut Node {
        &mut self.nodes[n]
    }

    /// All nodes of the slice.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> + '_ {
        (0..self.nodes.len()).filter(|&n| self.nodes[n].alive)
    }

    /// The targets of edges from a node, with the relations.
    pub fn edges_from(&self, n: NodeId) -> impl Iterator<Item = (NodeId, &[Arc])> + '_ {
        self.out[n].iter().map(|(&to, arcs)| (to, arcs.as_slice()))
    }

    /// The sources of edges to a node.
    pub fn sources(&self, n: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        self.into[n].iter().copied()
    }

    /// The relations of an edge.
    pub fn arcs(&self, from: NodeId, to: NodeId) -> &[Arc] {
        self.out[from].get(&to).map_or(&[], Vec::as_slice)
    }

    /// What leads to a node from others.
    pub fn incoming(&self, n: NodeId) -> impl Iterator<Item = (NodeId, &[Arc])> + '_ {
        let others = self.sources(n).filter(move |&m| m != n);
        others.map(move |m| (m, self.arcs(m, n)))
    }

    /// What leads from a node to others.
    pub fn leaving(&self, n: NodeId) -> impl Iterator<Item = (NodeId, &[Arc])> + '_ {
        self.edges_from(n).filter(move |(to, _)| *to != n)
    }

    /// Keeps only those relations of an edge that `keep` wants; an empty edge goes as well.
    ///
    /// Paper: [BrDrFiWe07, Sect. 5, Inconsistent Transition and Empty Edge].
    pub fn retain_arcs(
        &mut self,
        from: NodeId,
        to: NodeId,
        mut keep: impl FnMut(&mut Arc) -> bool,
    ) {
        let Some(arcs) = self.out[from].get_mut(&to) else {
            return;
        };
        arcs.retain_mut(&mut keep);
        if arcs.is_empty() {
            self.out[from].remove(&to);
            self.into[to].remove(&from);
        }
    }

    /// Removes a node with its edges. Its label stays readable.
    pub fn remove_node(&mut self, n: NodeId) {
        self.nodes[n].alive = false;
        for (to, _) in std::mem::take(&mut self.out[n]) {
            self.into[to].remove(&n);
        }
        for from in std::mem::take(&mut self.into[n]) {
            self.out[from].remove(&n);
        }
    }

    /// Splits a node: itself keeps the part where `q` holds, the new node gets the rest.
    ///
    /// Paper: [BrDrFiWe07, Sect. 6.1]. All edges are copied, a self loop into four.
    pub fn split(&mut self, n: NodeId, q: Term, not_q: Term) -> NodeId {
        let outgoing = self.out[n].clone();
        let incoming: Vec<_> = self.incoming(n).map(|(m, a)| (m, a.to_vec())).collect();
        let mut rest = self.nodes[n].clone();
        rest.label.push(not_q);
        self.nodes[n].label.push(q);
        let copy = self.push(rest);
        for (to, arcs) in outgoing {
            if to == n {
                self.set_arcs(n, copy, arcs.clone());
                self.set_arcs(copy, copy, arcs.clone());
            }
            self.set_arcs(copy, to, arcs);
        }
        for (from, arcs) in incoming {
            self.set_arcs(from, copy, arcs);
        }
        copy
    }

    fn set_arcs(&mut self, from: NodeId, to: NodeId, arcs: Vec<Arc>) {
        self.out[from].insert(to, arcs);
        self.into[to].insert(from);
    }

    /// Which nodes are reachable from an initial node.
    pub fn reachable(&self) -> Vec<bool> {
        self.flow()
            .reachable_from(self.nodes().filter(|&n| self.nodes[n].role.initial))
    }

    /// From which nodes an error node is reachable.
    pub fn co_reachable(&self) -> Vec<bool> {
        let back = Digraph::from_successors(self.nodes.len(), |n| self.into[n].iter().copied());
        back.reachable_from(self.nodes().filter(|&n| self.nodes[n].role.error))
    }

    /// A shortest path from an initial node to an error node.
    ///
    /// Breadth first, as long paths make predicates that do not generalise.
    pub fn error_path(&self) -> Option<Vec<NodeId>> {
        let initial = self.nodes().filter(|&n| self.nodes[n].role.initial);
        self.flow()
            .shortest_path(initial, |n| self.nodes[n].role.error)
    }

    fn flow(&self) -> Digraph {
        Digraph::from_successors(self.nodes.len(), |n| self.out[n].keys().copied())
    }

    /// Live nodes, and relations on live edges.
    pub fn size(&self) -> (usize, usize) {
        let arcs = self.out.iter().flat_map(BTreeMap::values).map(Vec::len);
        (self.nodes().count(), arcs.sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sectile_terms::{Sort, SymbolKind, Terms};

    /// Two nodes, the numbers 0 and 1, and edges between them.
    fn graph(edges: [(NodeId, NodeId); 3]) -> Abstraction {
        let mut a = Abstraction::default();
        a.add_node(vec![], Role::INNER);
        a.add_node(vec![], Role::INNER);
        for (from, to) in edges {
            a.add_arc(from, to, Arc::open(RelationId(0)));
        }
        a
    }

    #[test]
    fn a_self_loop_is_split_into_four() {
        let terms = Terms::new();
        let p = terms.declare("p", Sort::Bool, SymbolKind::State).unwrap();
        let p = terms.var(p);
        let (n, m) = (0, 1);
        let mut a = graph([(n, n), (m, n), (n, m)]);
        let copy = a.split(n, p, terms.not(p));
        let (nodes, arcs) = a.size();
        assert_eq!((nodes, arcs), (3, 8));
        for (from, to) in [(n, n), (n, copy), (copy, n), (copy, copy), (m, copy)] {
            assert_eq!(a.arcs(from, to).len(), 1, "{from} to {to}");
            assert!(a.sources(to).any(|s| s == from));
        }
        assert_eq!(a.node(n).label, [p]);
        assert_eq!(a.node(copy).label, [terms.not(p)]);
    }

    #[test]
    fn a_removed_node_takes_its_edges_along() {
        let (n, m) = (0, 1);
        let mut a = graph([(n, m), (m, n), (m, m)]);
        a.remove_node(m);
        assert_eq!(a.size(), (1, 0));
        assert_eq!(a.sources(n).count(), 0);
    }
}
