//! Verification diagrams: the proof as a picture.
//!
//! The nodes that were removed because they lead to no error, with the commands between them, are
//! a diagram of the kind of Manna and Pnueli: every initial state lies in an initial node, every
//! command leads from a node into one of those its edges point to, and no node contains an error.

use crate::abstraction::{Abstraction, Arc, NodeId, Role};
use crate::relation::RelationId;
use crate::search::Search;
use sectile_engine::{Event, Interest, Picture, PictureEdge, PictureNode, Run, Stop};
use sectile_terms::NativePrinter;

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
        let role = Role {
            initial: true,
            error: false,
            start: true,
        };
        let before = self.graph.add_node(Vec::new(), role);
        let labels = std::mem::take(&mut self.record.safe);
        let nodes: Vec<NodeId> = labels
            .iter()
            .map(|(label, _)| self.graph.add_node(label.clone(), Role::INNER))
            .collect();
        self.record.safe = labels;
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
                            relation: self.relations.get(relation).name.clone(),
                            removed: None,
                        });
                    }
                }
            }
        }
        let printer = NativePrinter::new(self.terms);
        let shown = nodes.iter().zip(initial).map(|(&n, initial)| PictureNode {
            id: n,
            label: {
                let label = self.graph.node(n).label.iter();
                label.map(|&p| printer.print(p)).collect()
            },
            initial,
            error: false,
            removed: None,
        });
        self.step += 1;
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
