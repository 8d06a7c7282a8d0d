//! Error paths of the abstraction.

use crate::abstraction::Abstraction;
use sectile_engine::LabelledPath;

/// A path of nodes from the start to an error, with the edges between them.
pub(crate) struct Path {
    pub nodes: Vec<usize>,
    pub edges: Vec<usize>,
}

/// A shortest path from the start to an error.
pub(crate) fn find(abstraction: &Abstraction<'_>) -> Option<Path> {
    let start = Some(abstraction.start).filter(|&n| abstraction.is_live(n));
    let is_error = |n: usize| abstraction.is_error[abstraction.nodes[n].location];
    let nodes = abstraction.flow().shortest_path(start, is_error)?;
    let between = |ends: &[usize]| {
        let mut leaving = abstraction.edges_from(ends[0]);
        leaving.find(|&e| abstraction.edges[e].to == ends[1])
    };
    let edges = nodes.windows(2).map(between).collect::<Option<_>>()?;
    Some(Path { nodes, edges })
}

impl Path {
    /// The path with the labels of its nodes.
    pub fn labelled<'g>(&self, abstraction: &Abstraction<'g>) -> LabelledPath<'g> {
        let formulas = abstraction.formulas;
        let terms = formulas.terms();
        let blocks = self.edges.iter().map(|&e| abstraction.edges[e].block);
        let label = |k: usize| {
            let label = abstraction.nodes[self.nodes[k]].label.iter();
            terms.and(label.map(|&t| formulas.at(t, k)))
        };
        let part = |label, step| terms.and2(label, step);
        LabelledPath::new(formulas, blocks.collect(), label, part)
    }
}
