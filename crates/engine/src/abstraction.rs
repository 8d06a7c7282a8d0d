//! Abstraction graphs: nodes labelled with predicates, edges labelled with relations, refined by
//! splits.
//!
//! The engines that slice an explicit abstraction share this graph. They choose the additional data
//! of a node (`N`), the relations on an edge (`R`) and the representation of a concrete step (`W`).

use crate::event::{PictureEdge, PictureNode, SliceReason};
use sectile_base::digraph::Digraph;
use sectile_terms::Term;
use std::collections::{BTreeMap, BTreeSet};

/// A node. Numbers are never reused.
pub type NodeId = usize;

/// A node with its label.
#[derive(Clone, Debug)]
pub struct Node<N> {
    /// The predicates of the label.
    pub label: Vec<Term>,
    /// Data of the engine.
    pub own: N,
    /// Whether the node has not been sliced away.
    pub alive: bool,
}

/// One relation of an edge.
#[derive(Clone, Debug)]
pub struct Arc<R, W> {
    /// The relation.
    pub relation: R,
    /// Its status.
    pub status: Status<W>,
}

/// The status of a relation on an edge.
#[derive(Clone, Debug)]
pub enum Status<W> {
    /// Not yet checked.
    Open,
    /// Some step leads from one node to the other; the step itself, if it was kept.
    Feasible(Option<W>),
}

impl<R, W> Arc<R, W> {
    /// A relation that was not checked yet.
    pub fn open(relation: R) -> Arc<R, W> {
        Arc {
            relation,
            status: Status::Open,
        }
    }

    /// The concrete step, if one is known.
    pub fn witness(&self) -> Option<&W> {
        match &self.status {
            Status::Feasible(witness) => witness.as_ref(),
            Status::Open => None,
        }
    }
}

/// An end of a concrete step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The state before the step.
    Before,
    /// The state after it.
    After,
}

/// Nodes and relations that were removed, with reasons, for a picture.
#[derive(Clone, Debug)]
pub struct Removed<R> {
    /// Nodes.
    pub nodes: Vec<(NodeId, SliceReason)>,
    /// Relations of edges.
    pub arcs: Vec<(NodeId, NodeId, R, SliceReason)>,
}

impl<R> Default for Removed<R> {
    fn default() -> Removed<R> {
        Removed {
            nodes: Vec::new(),
            arcs: Vec::new(),
        }
    }
}

/// An abstraction graph.
///
/// Paper: [BrDrFiWe07, Def. 1], [ErHoPoSc11, Sect. 5].
#[derive(Clone, Debug)]
pub struct Abstraction<N, R, W> {
    nodes: Vec<Node<N>>,
    out: Vec<BTreeMap<NodeId, Vec<Arc<R, W>>>>,
    into: Vec<BTreeSet<NodeId>>,
}

impl<N, R, W> Default for Abstraction<N, R, W> {
    fn default() -> Abstraction<N, R, W> {
        Abstraction {
            nodes: Vec::new(),
            out: Vec::new(),
            into: Vec::new(),
        }
    }
}

impl<N: Clone, R: Copy + PartialEq, W: Clone> Abstraction<N, R, W> {
    /// Adds a node without edges.
    pub fn add_node(&mut self, label: Vec<Term>, own: N) -> NodeId {
        self.push(Node {
            label,
            own,
            alive: true,
        })
    }

    fn push(&mut self, node: Node<N>) -> NodeId {
        self.nodes.push(node);
        self.out.push(BTreeMap::new());
        self.into.push(BTreeSet::new());
        self.nodes.len() - 1
    }

    /// Adds a relation to an edge, unless it is already there.
    pub fn add_arc(&mut self, from: NodeId, to: NodeId, arc: Arc<R, W>) {
        let list = self.out[from].entry(to).or_default();
        if list.iter().all(|a| a.relation != arc.relation) {
            list.push(arc);
        }
        self.into[to].insert(from);
    }

    /// One node.
    pub fn node(&self, n: NodeId) -> &Node<N> {
        &self.nodes[n]
    }

    /// One node, to be changed.
    pub fn node_mut(&mut self, n: NodeId) -> &mut Node<N> {
        &mut self.nodes[n]
    }

    /// All live nodes.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> + '_ {
        (0..self.nodes.len()).filter(|&n| self.nodes[n].alive)
    }

    /// All nodes that ever existed, in the order of their numbers.
    pub fn all(&self) -> &[Node<N>] {
        &self.nodes
    }

    /// The targets of edges from a node, with the relations.
    pub fn edges_from(&self, n: NodeId) -> impl Iterator<Item = (NodeId, &[Arc<R, W>])> + '_ {
        self.out[n].iter().map(|(&to, arcs)| (to, arcs.as_slice()))
    }

    /// The sources of edges to a node.
    pub fn sources(&self, n: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        self.into[n].iter().copied()
    }

    /// The relations of an edge.
    pub fn arcs(&self, from: NodeId, to: NodeId) -> &[Arc<R, W>] {
        self.out[from].get(&to).map_or(&[], Vec::as_slice)
    }

    /// The edges to a node from other nodes.
    pub fn incoming(&self, n: NodeId) -> impl Iterator<Item = (NodeId, &[Arc<R, W>])> + '_ {
        let others = self.sources(n).filter(move |&m| m != n);
        others.map(move |m| (m, self.arcs(m, n)))
    }

    /// The edges from a node to other nodes.
    pub fn leaving(&self, n: NodeId) -> impl Iterator<Item = (NodeId, &[Arc<R, W>])> + '_ {
        self.edges_from(n).filter(move |(to, _)| *to != n)
    }

    /// The edges that start or end in one of the given live nodes.
    pub fn edges_at(&self, nodes: impl IntoIterator<Item = NodeId>) -> BTreeSet<(NodeId, NodeId)> {
        let mut edges = BTreeSet::new();
        for n in nodes {
            if self.nodes[n].alive {
                edges.extend(self.edges_from(n).map(|(to, _)| (n, to)));
                edges.extend(self.sources(n).map(|from| (from, n)));
            }
        }
        edges
    }

    /// Keeps only the relations of an edge for which `keep` is true; an edge without relations is
    /// removed.
    ///
    /// Paper: [BrDrFiWe07, Sect. 5, Inconsistent Transition and Empty Edge].
    pub fn retain_arcs(
        &mut self,
        from: NodeId,
        to: NodeId,
        mut keep: impl FnMut(&mut Arc<R, W>) -> bool,
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

    /// The unchecked relations of edges that start or end in one of the given nodes.
    pub fn open_at(&self, nodes: impl IntoIterator<Item = NodeId>) -> Vec<(NodeId, NodeId, R)> {
        let mut open = Vec::new();
        for (from, to) in self.edges_at(nodes) {
            let arcs = self.arcs(from, to).iter();
            let arcs = arcs.filter(|a| matches!(a.status, Status::Open));
            open.extend(arcs.map(|a| (from, to, a.relation)));
        }
        open
    }

    /// Marks a relation as feasible, with its step if known.
    pub fn confirm(&mut self, from: NodeId, to: NodeId, relation: R, witness: Option<W>) {
        let arcs = self.out[from].get_mut(&to).into_iter().flatten();
        for arc in arcs.filter(|a| a.relation == relation) {
            arc.status = Status::Feasible(witness.clone());
        }
    }

    /// Removes a relation of an edge.
    pub fn remove_arc(&mut self, from: NodeId, to: NodeId, relation: R) {
        self.retain_arcs(from, to, |arc| arc.relation != relation);
    }

    /// Records a node and its edges before they are removed, for a picture.
    pub fn note_removal(&self, n: NodeId, reason: SliceReason, removed: &mut Removed<R>) {
        removed.nodes.push((n, reason));
        let out = self.edges_from(n).map(|(to, arcs)| (n, to, arcs));
        let into = self.incoming(n).map(|(m, arcs)| (m, n, arcs));
        for (from, to, arcs) in out.chain(into) {
            let lost = arcs.iter().map(|a| (from, to, a.relation, reason));
            removed.arcs.extend(lost);
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

    /// A second node with the label and the edges of another; a self-loop becomes four edges.
    ///
    /// Paper: [BrDrFiWe07, Sect. 6.1], [ErHoPoSc11, Fig. 7]: a split is a copy and two longer labels.
    pub fn copy(&mut self, n: NodeId) -> NodeId {
        let outgoing = self.out[n].clone();
        let incoming: Vec<_> = self.incoming(n).map(|(m, a)| (m, a.to_vec())).collect();
        let copy = self.push(self.nodes[n].clone());
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

    fn set_arcs(&mut self, from: NodeId, to: NodeId, arcs: Vec<Arc<R, W>>) {
        self.out[from].insert(to, arcs);
        self.into[to].insert(from);
    }

    /// After a split: an edge of the halves keeps its concrete step if the step still belongs
    /// there, and is open otherwise. `holds` evaluates the split predicate, which is true in the
    /// first half, at an end of the step. Returns the number of kept steps.
    pub fn inherit(
        &mut self,
        halves: [NodeId; 2],
        mut holds: impl FnMut(&Arc<R, W>, End) -> Option<bool>,
    ) -> u64 {
        let wanted = |n: NodeId| halves.iter().position(|&h| h == n).map(|i| i == 0);
        let mut kept = 0;
        for (from, to) in self.edges_at(halves) {
            self.retain_arcs(from, to, |arc| {
                let mut fits = |n, end| wanted(n).is_none_or(|w| holds(arc, end) == Some(w));
                if arc.witness().is_some() && fits(from, End::Before) && fits(to, End::After) {
                    kept += 1;
                } else {
                    arc.status = Status::Open;
                }
                true
            });
        }
        kept
    }

    /// For every node, whether it is reachable from a node that satisfies `starts`.
    pub fn reachable(&self, starts: impl Fn(NodeId) -> bool) -> Vec<bool> {
        self.flow()
            .reachable_from(self.nodes().filter(|&n| starts(n)))
    }

    /// For every node, whether it reaches one that satisfies `goal`.
    pub fn reaching(&self, goal: impl Fn(NodeId) -> bool) -> Vec<bool> {
        let back = Digraph::from_successors(self.nodes.len(), |n| self.into[n].iter().copied());
        back.reachable_from(self.nodes().filter(|&n| goal(n)))
    }

    /// A shortest path from a node that satisfies `starts` to one that satisfies `goal`.
    ///
    /// Breadth first, because long paths give predicates that do not generalise.
    pub fn shortest_path(
        &self,
        starts: impl Fn(NodeId) -> bool,
        goal: impl Fn(NodeId) -> bool,
    ) -> Option<Vec<NodeId>> {
        let starts = self.nodes().filter(|&n| starts(n));
        self.flow().shortest_path(starts, goal)
    }

    fn flow(&self) -> Digraph {
        Digraph::from_successors(self.nodes.len(), |n| self.out[n].keys().copied())
    }

    /// The number of live nodes, and of relations on live edges.
    pub fn size(&self) -> (usize, usize) {
        let arcs = self.out.iter().flat_map(BTreeMap::values).map(Vec::len);
        (self.nodes().count(), arcs.sum())
    }

    /// The nodes and edges for a picture, with those removed since the last one.
    pub fn picture(
        &self,
        removed: &Removed<R>,
        node: impl Fn(NodeId, Option<SliceReason>) -> PictureNode,
        edge: impl Fn(NodeId, NodeId, R, Option<SliceReason>) -> PictureEdge,
    ) -> (Vec<PictureNode>, Vec<PictureEdge>) {
        let gone = removed.nodes.iter().map(|&(n, why)| node(n, Some(why)));
        let mut nodes: Vec<PictureNode> = self.nodes().map(|n| node(n, None)).chain(gone).collect();
        nodes.sort_by_key(|n| n.id);
        let mut edges = Vec::new();
        for n in self.nodes() {
            for (to, arcs) in self.edges_from(n) {
                edges.extend(arcs.iter().map(|a| edge(n, to, a.relation, None)));
            }
        }
        let gone = removed.arcs.iter();
        edges.extend(gone.map(|&(from, to, relation, why)| edge(from, to, relation, Some(why))));
        (nodes, edges)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two nodes, the numbers 0 and 1, and edges between them whose steps lead from a number to a
    /// number.
    fn graph(edges: &[(NodeId, NodeId, [i32; 2])]) -> Abstraction<(), char, [i32; 2]> {
        let mut a = Abstraction::default();
        a.add_node(vec![], ());
        a.add_node(vec![], ());
        for &(from, to, step) in edges {
            let status = Status::Feasible(Some(step));
            let relation = 'r';
            a.add_arc(from, to, Arc { relation, status });
        }
        a
    }

    #[test]
    fn a_self_loop_is_split_into_four_and_one_of_them_keeps_the_step() {
        let (n, m) = (0, 1);
        let mut a = graph(&[(n, n, [1, -1]), (m, n, [0, 5]), (n, m, [-3, 0])]);
        let copy = a.copy(n);
        assert_eq!(a.size(), (3, 8));
        for (from, to) in [(n, n), (n, copy), (copy, n), (copy, copy), (m, copy)] {
            assert_eq!(a.arcs(from, to).len(), 1, "{from} to {to}");
            assert!(a.sources(to).any(|s| s == from));
        }
        // Split by "is positive".
        let kept = a.inherit([n, copy], |arc, end| {
            let [before, after] = arc.witness()?;
            Some(*if end == End::Before { before } else { after } > 0)
        });
        let known = |from, to| a.arcs(from, to).iter().any(|arc| arc.witness().is_some());
        let edges = a.edges_at([n, copy]);
        let left: Vec<_> = edges.into_iter().filter(|&(f, t)| known(f, t)).collect();
        assert_eq!((kept, left), (3, vec![(n, copy), (m, n), (copy, m)]));
    }

    #[test]
    fn a_removed_node_takes_its_edges_along() {
        let (n, m) = (0, 1);
        let mut a = graph(&[(n, m, [0, 0]), (m, n, [0, 0]), (m, m, [0, 0])]);
        let mut removed = Removed::default();
        a.note_removal(m, SliceReason::Inconsistent, &mut removed);
        a.remove_node(m);
        assert_eq!(a.size(), (1, 0));
        assert_eq!(a.sources(n).count(), 0);
        assert_eq!((removed.nodes.len(), removed.arcs.len()), (1, 3));
    }
}
