//! The labelled graph as a picture.

use crate::abstraction::Abstraction;
use sectile_engine::{Picture, PictureEdge, PictureNode, SliceReason};

impl Abstraction<'_> {
    /// The graph as it is, with what was removed since the last picture.
    pub fn picture(&mut self, step: u64) -> Picture {
        let removed = std::mem::take(&mut self.removed);
        let live = (0..self.nodes.len()).filter(|&n| self.is_live(n));
        // What was split since then is shown as its halves.
        let gone = removed.nodes.into_iter().map(|(n, why)| (n, Some(why)));
        let mut nodes: Vec<_> = live.map(|n| (n, None)).chain(gone).collect();
        nodes.sort_by_key(|(n, _)| *n);
        let live = self.edges.iter().enumerate().filter(|(_, e)| e.live);
        let gone = removed.edges.into_iter().map(|(e, why)| (e, Some(why)));
        let edges = live.map(|(e, _)| (e, None)).chain(gone);
        Picture {
            step,
            title: match step {
                0 => "initial abstraction".to_string(),
                _ => "split and slice".to_string(),
            },
            edges: edges.map(|(e, why)| self.picture_edge(e, why)).collect(),
            nodes: nodes
                .iter()
                .map(|&(n, why)| self.picture_node(n, why))
                .collect(),
        }
    }

    fn picture_node(&self, node: usize, removed: Option<SliceReason>) -> PictureNode {
        let own = &self.nodes[node];
        let place = &self.formulas.graph().locations[own.location].name;
        let label = own.label.iter().map(|&t| self.print(t));
        PictureNode {
            id: node,
            label: std::iter::once(format!("at {place}"))
                .chain(label)
                .collect(),
            initial: self.is_start(node),
            error: self.is_error(node),
            labelled: false,
            removed,
        }
    }

    fn picture_edge(&self, edge: usize, removed: Option<SliceReason>) -> PictureEdge {
        let own = &self.edges[edge];
        let name = &self.formulas.graph().edges[own.block].command.name;
        PictureEdge {
            from: own.from,
            to: own.to,
            relation: name.clone(),
            removed,
        }
    }
}
