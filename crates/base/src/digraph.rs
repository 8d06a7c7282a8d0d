//! Directed graphs and the questions asked of them.
//!
//! All algorithms keep their own stack: graphs of programs and of state
//! spaces are deep. Results depend only on the numbering of the nodes and on
//! the order in which edges were added.

use std::collections::VecDeque;

/// A directed graph on the nodes `0..len`, held as adjacency lists.
///
/// Parallel edges and self-loops are allowed. Every edge has an index, in
/// order of insertion, by which a caller may attach data to it.
#[derive(Clone, Debug, Default)]
pub struct Digraph {
    edges: Vec<(usize, usize)>,
    outgoing: Vec<Vec<usize>>,
}

/// The stages of a depth-first visit.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    New,
    Open,
    Done,
}

impl Digraph {
    /// A graph of `nodes` nodes and no edges.
    #[must_use]
    pub fn new(nodes: usize) -> Digraph {
        Digraph {
            edges: Vec::new(),
            outgoing: vec![Vec::new(); nodes],
        }
    }

    /// A graph of `nodes` nodes with the edges given by `successors`.
    #[must_use]
    pub fn from_successors<I>(nodes: usize, successors: impl Fn(usize) -> I) -> Digraph
    where
        I: IntoIterator<Item = usize>,
    {
        let mut graph = Digraph::new(nodes);
        for node in 0..nodes {
            for target in successors(node) {
                graph.add_edge(node, target);
            }
        }
        graph
    }

    /// Adds a node and returns its number.
    pub fn add_node(&mut self) -> usize {
        self.outgoing.push(Vec::new());
        self.outgoing.len() - 1
    }

    /// Adds an edge and returns its index.
    ///
    /// # Panics
    /// If either end is not a node.
    pub fn add_edge(&mut self, from: usize, to: usize) -> usize {
        let nodes = self.len();
        assert!(
            from < nodes && to < nodes,
            "edge {from} -> {to} leaves the graph of {nodes} nodes"
        );
        let edge = self.edges.len();
        self.edges.push((from, to));
        self.outgoing[from].push(edge);
        edge
    }

    /// The number of nodes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.outgoing.len()
    }

    /// Whether there are no nodes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.outgoing.is_empty()
    }

    /// The number of edges.
    #[must_use]
    pub fn edge_count(&self) -> usize {
        self.edges.len()
    }

    /// The ends of an edge, source first.
    ///
    /// # Panics
    /// If there is no such edge.
    #[must_use]
    pub fn edge(&self, edge: usize) -> (usize, usize) {
        self.edges[edge]
    }

    /// The edges that leave a node, in order of insertion.
    ///
    /// # Panics
    /// If there is no such node.
    #[must_use]
    pub fn edges_from(&self, node: usize) -> &[usize] {
        &self.outgoing[node]
    }

    /// The targets of the edges that leave a node, in order of insertion.
    ///
    /// # Panics
    /// If there is no such node.
    pub fn successors(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        self.outgoing[node].iter().map(|&edge| self.edges[edge].1)
    }

    /// The same graph with every edge turned round; edges keep their index.
    #[must_use]
    pub fn reversed(&self) -> Digraph {
        let mut graph = Digraph::new(self.len());
        for &(from, to) in &self.edges {
            graph.add_edge(to, from);
        }
        graph
    }

    /// The strongly connected components, each before those from which it
    /// can be reached (reverse topological order). Nodes ascend within one.
    #[must_use]
    pub fn strongly_connected_components(&self) -> Vec<Vec<usize>> {
        let mut search = Tarjan::new(self);
        for root in 0..self.len() {
            search.run(root);
        }
        search.components
    }

    /// For every node, whether it can be reached from one of `starts`.
    /// Starts are reached by themselves.
    ///
    /// # Panics
    /// If a start is not a node.
    #[must_use]
    pub fn reachable_from(&self, starts: impl IntoIterator<Item = usize>) -> Vec<bool> {
        let mut seen = vec![false; self.len()];
        let mut pending: Vec<usize> = starts.into_iter().collect();
        while let Some(node) = pending.pop() {
            if !std::mem::replace(&mut seen[node], true) {
                pending.extend(self.successors(node).filter(|&next| !seen[next]));
            }
        }
        seen
    }

    /// A path with the fewest edges from one of `starts` to a node that
    /// satisfies `is_goal`, both ends included.
    ///
    /// Among the shortest, the one met first in the order of the starts and
    /// of the edges. `is_goal` is asked at most once per node.
    ///
    /// # Panics
    /// If a start is not a node.
    #[must_use]
    pub fn shortest_path(
        &self,
        starts: impl IntoIterator<Item = usize>,
        mut is_goal: impl FnMut(usize) -> bool,
    ) -> Option<Vec<usize>> {
        // A start is its own parent: that ends the way back.
        let mut parent: Vec<Option<usize>> = vec![None; self.len()];
        let mut queue = VecDeque::new();
        for start in starts {
            if parent[start].is_none() {
                parent[start] = Some(start);
                queue.push_back(start);
            }
        }
        while let Some(node) = queue.pop_front() {
            if is_goal(node) {
                return Some(path_back(&parent, node));
            }
            for next in self.successors(node) {
                if parent[next].is_none() {
                    parent[next] = Some(node);
                    queue.push_back(next);
                }
            }
        }
        None
    }

    /// The nodes in an order in which every edge goes forward; none if there
    /// is a cycle. Of the nodes free to come next, the one that became free
    /// first.
    #[must_use]
    pub fn topological_order(&self) -> Option<Vec<usize>> {
        let mut incoming = vec![0_usize; self.len()];
        for &(_, to) in &self.edges {
            incoming[to] += 1;
        }
        let mut order: Vec<usize> = (0..self.len()).filter(|&n| incoming[n] == 0).collect();
        let mut next = 0;
        while let Some(&node) = order.get(next) {
            next += 1;
            for target in self.successors(node) {
                incoming[target] -= 1;
                if incoming[target] == 0 {
                    order.push(target);
                }
            }
        }
        (order.len() == self.len()).then_some(order)
    }

    /// The edges met by a depth-first search from `entry` that lead back to
    /// a node still being visited, in the order met.
    ///
    /// Without them, what `entry` reaches has no cycle.
    ///
    /// # Panics
    /// If the entry is not a node.
    #[must_use]
    pub fn back_edges(&self, entry: usize) -> Vec<usize> {
        let mut marks = vec![Mark::New; self.len()];
        let mut found = Vec::new();
        // A node being visited, with the position of its next edge.
        let mut stack = vec![(entry, 0)];
        marks[entry] = Mark::Open;
        while let Some((node, position)) = stack.last_mut() {
            let Some(&edge) = self.outgoing[*node].get(*position) else {
                marks[*node] = Mark::Done;
                stack.pop();
                continue;
            };
            *position += 1;
            let target = self.edges[edge].1;
            match marks[target] {
                Mark::New => {
                    marks[target] = Mark::Open;
                    stack.push((target, 0));
                }
                Mark::Open => found.push(edge),
                Mark::Done => {}
            }
        }
        found
    }

    /// The targets of [`Digraph::back_edges`], ascending and without
    /// repetition: a set of nodes that cuts every cycle `entry` reaches.
    ///
    /// # Panics
    /// If the entry is not a node.
    #[must_use]
    pub fn loop_heads(&self, entry: usize) -> Vec<usize> {
        let back = self.back_edges(entry);
        let mut heads: Vec<usize> = back.into_iter().map(|edge| self.edges[edge].1).collect();
        heads.sort_unstable();
        heads.dedup();
        heads
    }
}

/// The path from a start to `goal`, following parents.
fn path_back(parent: &[Option<usize>], goal: usize) -> Vec<usize> {
    let mut path = vec![goal];
    let mut node = goal;
    while let Some(previous) = parent[node].filter(|&previous| previous != node) {
        path.push(previous);
        node = previous;
    }
    path.reverse();
    path
}

/// The state of Tarjan's search for strongly connected components.
struct Tarjan<'a> {
    graph: &'a Digraph,
    /// The smallest visiting number known to be reachable: 0 while unvisited.
    low: Vec<usize>,
    /// Visited nodes whose component is not complete, in order of visit.
    open: Vec<usize>,
    visited: usize,
    components: Vec<Vec<usize>>,
}

/// The `low` of nodes of complete components: above every visiting number,
/// so that edges into them lower nothing.
const COMPLETE: usize = usize::MAX;

/// A node being visited.
struct Frame {
    node: usize,
    position: usize,
    number: usize,
}

impl<'a> Tarjan<'a> {
    fn new(graph: &'a Digraph) -> Tarjan<'a> {
        Tarjan {
            graph,
            low: vec![0; graph.len()],
            open: Vec::new(),
            visited: 0,
            components: Vec::new(),
        }
    }

    /// Completes the components of everything reachable from `root`.
    fn run(&mut self, root: usize) {
        if self.low[root] != 0 {
            return;
        }
        let mut frames = vec![self.enter(root)];
        while let Some(frame) = frames.last_mut() {
            let Some(&edge) = self.graph.outgoing[frame.node].get(frame.position) else {
                let (node, number) = (frame.node, frame.number);
                frames.pop();
                self.leave(node, number);
                if let Some(parent) = frames.last() {
                    self.low[parent.node] = self.low[parent.node].min(self.low[node]);
                }
                continue;
            };
            frame.position += 1;
            let target = self.graph.edges[edge].1;
            if self.low[target] == 0 {
                frames.push(self.enter(target));
            } else {
                let node = frame.node;
                self.low[node] = self.low[node].min(self.low[target]);
            }
        }
    }

    fn enter(&mut self, node: usize) -> Frame {
        self.visited += 1;
        self.low[node] = self.visited;
        self.open.push(node);
        Frame {
            node,
            position: 0,
            number: self.visited,
        }
    }

    /// Closes the component of a node that reaches nothing older.
    fn leave(&mut self, node: usize, number: usize) {
        if self.low[node] != number {
            return;
        }
        let mut component = Vec::new();
        while let Some(member) = self.open.pop() {
            self.low[member] = COMPLETE;
            component.push(member);
            if member == node {
                break;
            }
        }
        component.sort_unstable();
        self.components.push(component);
    }
}
