//! The unwinding tree: vertices with labels and coverings.

use sectile_engine::PathFormulas;
use sectile_solver::Assignment;
use sectile_terms::Term;
use std::collections::BTreeSet;

/// A vertex: a location with the path from the root.
pub(crate) struct Vertex {
    pub location: usize,
    /// Its parent, and the edge from it.
    pub parent: Option<(usize, usize)>,
    /// Formulas that hold after every run along the path from the root.
    pub label: BTreeSet<Term>,
    pub children: Vec<usize>,
    pub expanded: bool,
    /// Every continuation from here is also one from that vertex.
    pub covered_by: Option<usize>,
    /// States that satisfy the label, from failed implication checks.
    pub hints: Vec<Assignment>,
}

/// The unwinding of a program graph.
///
/// Paper: [McMillan06, Def. 2 and 3]. Vertices are numbered in order of creation.
pub(crate) struct Tree<'g> {
    pub formulas: &'g PathFormulas<'g>,
    pub vertices: Vec<Vertex>,
    /// The vertices of each location.
    pub at: Vec<Vec<usize>>,
    /// Known facts of each location.
    facts: Vec<Term>,
}

impl<'g> Tree<'g> {
    /// A tree with only the root: the entry with the initial states.
    pub fn new(formulas: &'g PathFormulas<'g>, facts: Vec<Term>) -> Tree<'g> {
        let graph = formulas.graph();
        let mut tree = Tree {
            formulas,
            vertices: Vec::new(),
            at: vec![Vec::new(); graph.locations.len()],
            facts,
        };
        let init = formulas.terms().conjuncts(formulas.init());
        tree.add(graph.entry.0, None, init.into_iter().collect());
        tree
    }

    fn add(
        &mut self,
        location: usize,
        parent: Option<(usize, usize)>,
        label: BTreeSet<Term>,
    ) -> usize {
        let index = self.vertices.len();
        self.vertices.push(Vertex {
            location,
            parent,
            label,
            children: Vec::new(),
            expanded: false,
            covered_by: None,
            hints: Vec::new(),
        });
        self.at[location].push(index);
        index
    }

    /// A new vertex after an edge, labelled only with the facts of its location.
    pub fn add_child(&mut self, vertex: usize, edge: usize) -> usize {
        let to = self.formulas.graph().edges[edge].to.0;
        let known = self.formulas.terms().conjuncts(self.facts[to]);
        let child = self.add(to, Some((vertex, edge)), known.into_iter().collect());
        self.vertices[vertex].children.push(child);
        child
    }

    /// The label as one formula.
    pub fn label(&self, vertex: usize) -> Term {
        let label = self.vertices[vertex].label.iter().copied();
        self.formulas.terms().and(label)
    }

    /// The vertices and edges from the root to a vertex.
    pub fn path(&self, vertex: usize) -> (Vec<usize>, Vec<usize>) {
        let mut vertices: Vec<usize> = self.upwards(vertex).collect();
        vertices.reverse();
        let entered = vertices.iter().filter_map(|&v| self.vertices[v].parent);
        let edges = entered.map(|(_, edge)| edge).collect();
        (vertices, edges)
    }

    /// A vertex and its ancestors.
    fn upwards(&self, vertex: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(vertex), |&v| self.vertices[v].parent.map(|p| p.0))
    }

    /// Whether a vertex or one of its ancestors is covered.
    pub fn is_covered(&self, vertex: usize) -> bool {
        self.upwards(vertex)
            .any(|v| self.vertices[v].covered_by.is_some())
    }

    /// A vertex and its descendants.
    pub fn subtree(&self, vertex: usize) -> BTreeSet<usize> {
        let mut found = BTreeSet::new();
        let mut pending = vec![vertex];
        while let Some(v) = pending.pop() {
            found.insert(v);
            pending.extend(&self.vertices[v].children);
        }
        found
    }

    /// The position, on the path to `vertex`, of the last common ancestor with `other`.
    pub fn common_ancestor(&self, vertex: usize, other: usize) -> usize {
        let before: BTreeSet<usize> = self.upwards(other).collect();
        let path = self.path(vertex).0;
        path.iter().rposition(|v| before.contains(v)).unwrap_or(0)
    }
}
