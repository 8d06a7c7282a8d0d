//! Pictures of the unwinding.

use super::tree::Tree;
use sectile_engine::{Event, Interest, Picture, PictureEdge, PictureNode, Run};
use sectile_terms::{NativePrinter, Term};
use std::collections::BTreeSet;

/// Maximum size of a tree in a picture.
const LARGEST: usize = 1_500;

/// Name of the edge from a covered vertex to the one that covers it.
const COVERED: &str = "covered by";

impl Tree<'_> {
    /// Reports the size of the tree and its picture, to observers that want them.
    pub fn tell(&self, step: u64, title: &str, is_error: &[bool], run: &mut Run<'_>) {
        if !run.wants(Interest::Steps) {
            return;
        }
        let labels = self.vertices.iter().flat_map(|v| &v.label);
        let predicates: BTreeSet<&Term> = labels.collect();
        run.tell(Event::Abstraction {
            step,
            nodes: self.vertices.len(),
            edges: self.vertices.len() - 1,
            predicates: predicates.len(),
        });
        if run.wants(Interest::Pictures) && self.vertices.len() <= LARGEST {
            let picture = self.picture(step, title, is_error);
            run.tell(Event::Picture(Box::new(picture)));
        }
    }

    /// Reports the error path that is examined next.
    pub fn tell_path(&self, vertex: usize, run: &mut Run<'_>) {
        if run.wants(Interest::Steps) {
            let (nodes, edges) = self.path(vertex);
            let relations = edges.iter().map(|&e| self.step_name(e));
            run.tell(Event::PathFound {
                nodes,
                relations: relations.collect(),
            });
        }
    }

    fn step_name(&self, edge: usize) -> String {
        self.formulas.graph().edges[edge].command.name.clone()
    }

    fn picture(&self, step: u64, title: &str, is_error: &[bool]) -> Picture {
        let printer = NativePrinter::new(self.formulas.terms());
        let nodes = self.vertices.iter().enumerate().map(|(v, vertex)| {
            let place = &self.formulas.graph().locations[vertex.location].name;
            let label = vertex.label.iter().map(|&t| printer.print(t));
            PictureNode {
                id: v,
                label: std::iter::once(format!("at {place}"))
                    .chain(label)
                    .collect(),
                initial: v == 0,
                error: is_error[vertex.location],
                labelled: false,
                removed: None,
            }
        });
        let steps = self.vertices.iter().enumerate().filter_map(|(v, vertex)| {
            let (from, edge) = vertex.parent?;
            Some((from, v, self.step_name(edge)))
        });
        let covers = self.vertices.iter().enumerate();
        let covers = covers.filter_map(|(v, x)| Some((v, x.covered_by?, COVERED.to_string())));
        let edges = steps.chain(covers).map(|(from, to, relation)| PictureEdge {
            from,
            to,
            relation,
            removed: None,
        });
        Picture {
            step,
            title: title.to_string(),
            nodes: nodes.collect(),
            edges: edges.collect(),
        }
    }
}
