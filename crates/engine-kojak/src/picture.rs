//! The labelled graph as a picture.

use crate::abstraction::Abstraction;
use sectile_engine::{NodeId, Picture, PictureEdge, PictureNode};

impl Abstraction<'_> {
    /// The graph as it is, with what was removed since the last picture.
    pub fn picture(&mut self, step: u64) -> Picture {
        let removed = std::mem::take(&mut self.removed);
        let node = |n: NodeId, removed| PictureNode {
            id: n,
            label: self.label_words(n),
            initial: self.is_start(n),
            error: self.is_error(n),
            labelled: false,
            removed,
        };
        let edge = |from, to, block: usize, removed| PictureEdge {
            from,
            to,
            relation: self.formulas.graph().edges[block].command.name.clone(),
            removed,
        };
        // What was split since the last picture is shown as its halves.
        let (nodes, edges) = self.graph.picture(&removed, node, edge);
        let title = match step {
            0 => "initial abstraction",
            _ => "split and slice",
        };
        Picture {
            step,
            title: title.to_string(),
            nodes,
            edges,
        }
    }

    fn label_words(&self, node: NodeId) -> Vec<String> {
        let place = &self.formulas.graph().locations[self.location(node)].name;
        let label = self.graph.node(node).label.iter();
        let words = label.map(|&t| self.print(t));
        std::iter::once(format!("at {place}"))
            .chain(words)
            .collect()
    }
}
