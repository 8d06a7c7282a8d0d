//! Verification diagrams: the proof as a picture.
//!
//! The nodes that were removed because they lead to no error, with the commands between them, are
//! a diagram of the kind of Manna and Pnueli: every initial state lies in an initial node, every
//! command leads from a node into one of those its edges point to, and no node contains an error.

use crate::abstraction::{Abstraction, Arc, Role};
use crate::relation::RelationId;
use crate::search::Search;
use sectile_engine::{Event, Interest, NodeId, Picture, PictureEdge, PictureNode, Run, Stop};

/// Larger diagrams are nothing to look at.
const LARGEST: usize = 200;

impl Search<'_, '_> {
    /// Tells the diagram of the proof, if somebody wants to see it. Not for bypassed graphs.
    pub fn tell_diagram(
        &mut self,
        start: RelationId,
        commands: &[RelationId],
        run: &mut Run<'_>,
    ) -> Result<(), Stop> {
        if !run.wants(Interest::Pictures) || self.record.safe.len() > LARGEST {
            return Ok(());
        }
        self.graph = Abstraction::default();
        let before = self.graph.add_node(Vec::new(), Role::START.into());
        let labels = self.record.safe.iter().map(|(label, _)| label.clone());
        let nodes: Vec<NodeId> = labels
            .map(|label| self.graph.add_node(label, Role::INNER.into()))
            .collect();
        let mut edges = Vec::new();
        let mut initial = Vec::new();
        for &m in &nodes {
            initial.push(self.concrete_step(before, start, m)?.is_some());
            for &n in &nodes {
                for &relation in commands {
                    if self.concrete_step(m, relation, n)?.is_some() {
                        self.graph.add_arc(m, n, Arc::open(relation));
                        edges.push(PictureEdge {
                            from: m,
                            to: n,
                            relation: self.relations.get(relation).command.name.clone(),
                            removed: None,
                        });
                    }
                }
            }
        }
        self.step += 1;
        let shown = nodes.iter().zip(initial).map(|(&n, initial)| PictureNode {
            id: n,
            label: self.label_words(n),
            initial,
            error: false,
            labelled: false,
            removed: None,
        });
        let picture = Picture {
            step: self.step,
            title: "verification diagram".to_string(),
            nodes: shown.collect(),
            edges,
        };
        run.tell(Event::Picture(Box::new(picture)));
        Ok(())
    }
}
