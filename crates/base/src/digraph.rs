//! Directed graphs: reachability, components, shortest paths and orders.
//!
//! All algorithms keep their own stack: graphs of programs and of state
//! spaces are deep. Results depend only on the numbering of the nodes and on
//! the order in which edges were added.

use std::collections::VecDeque;

/// A directed graph on the nodes `0..len`, held as adjacency lists: the targets of a node's edges, in
/// the order in which they were added. Parallel edges and self-loops are allowed. A number that is
/// not a node makes every method panic.
#[derive(Clone, Debug, Default)]
pub struct Digraph {
    targets: Vec<Vec<usize>>,
}

/// The state of a node during depth-first search.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    New,
    Open,
    Done,
}

impl Digraph {
    /// A graph of `nodes` nodes and no edges.
    pub fn new(nodes: usize) -> Digraph {
        Digraph {
            targets: vec![Vec::new(); nodes],
        }
    }

    /// A graph of `nodes` nodes with the edges given by `successors`.
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

    /// Adds an edge.
    pub fn add_edge(&mut self, from: usize, to: usize) {
        let nodes = self.targets.len();
        assert!(
            from < nodes && to < nodes,
            "edge {from} -> {to} leaves the graph of {nodes} nodes"
        );
        self.targets[from].push(to);
    }

    /// The number of nodes.
    pub fn nodes(&self) -> usize {
        self.targets.len()
    }

    /// The targets of the edges that leave a node, in order of insertion.
    pub fn successors(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        self.targets[node].iter().copied()
    }

    /// The graph with all edges reversed.
    pub fn reversed(&self) -> Digraph {
        let mut graph = Digraph::new(self.nodes());
        for (from, targets) in self.targets.iter().enumerate() {
            for &to in targets {
                graph.targets[to].push(from);
            }
        }
        graph
    }

    /// The strongly connected components in reverse topological order: each one comes before those
    /// that lead to it. Nodes ascend within a component.
    pub fn strongly_connected_components(&self) -> Vec<Vec<usize>> {
        let mut search = Tarjan::new(self);
        for root in 0..self.nodes() {
            search.run(root);
        }
        search.components
    }

    /// For every node, whether it is reachable from one of `starts`. The starts count as reachable.
    pub fn reachable_from(&self, starts: impl IntoIterator<Item = usize>) -> Vec<bool> {
        let mut seen = vec![false; self.nodes()];
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
    /// Among shortest paths, the one found first in the order of the starts and of the edges.
    /// `is_goal` is called at most once per node.
    pub fn shortest_path(
        &self,
        starts: impl IntoIterator<Item = usize>,
        mut is_goal: impl FnMut(usize) -> bool,
    ) -> Option<Vec<usize>> {
        // A start is its own parent: this ends the walk back.
        let mut parent: Vec<Option<usize>> = vec![None; self.nodes()];
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

    /// A topological order of the nodes; none if there is a cycle. Among several possible nodes,
    /// the one that became available first comes next.
    pub fn topological_order(&self) -> Option<Vec<usize>> {
        let mut incoming = vec![0_usize; self.nodes()];
        for &to in self.targets.iter().flatten() {
            incoming[to] += 1;
        }
        let mut order: Vec<usize> = (0..self.nodes()).filter(|&n| incoming[n] == 0).collect();
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
        (order.len() == self.nodes()).then_some(order)
    }

    /// The targets of back edges of a depth-first search from `entry`, ascending: they cut every
    /// cycle that `entry` reaches.
    pub fn loop_heads(&self, entry: usize) -> Vec<usize> {
        let mut marks = vec![Mark::New; self.nodes()];
        let mut heads = Vec::new();
        // A node being visited, with the position of its next edge.
        let mut stack = vec![(entry, 0)];
        marks[entry] = Mark::Open;
        while let Some((node, position)) = stack.last_mut() {
            let Some(&target) = self.targets[*node].get(*position) else {
                marks[*node] = Mark::Done;
                stack.pop();
                continue;
            };
            *position += 1;
            match marks[target] {
                Mark::New => {
                    marks[target] = Mark::Open;
                    stack.push((target, 0));
                }
                Mark::Open => heads.push(target),
                Mark::Done => {}
            }
        }
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
            low: vec![0; graph.nodes()],
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
            let Some(&target) = self.graph.targets[frame.node].get(frame.position) else {
                let (node, number) = (frame.node, frame.number);
                frames.pop();
                self.leave(node, number);
                if let Some(parent) = frames.last() {
                    self.low[parent.node] = self.low[parent.node].min(self.low[node]);
                }
                continue;
            };
            frame.position += 1;
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
