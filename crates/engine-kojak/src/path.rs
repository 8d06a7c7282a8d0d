//! Error paths of the abstraction.

use crate::abstraction::Abstraction;
use sectile_engine::LabelledPath;
use std::collections::VecDeque;

/// A path of nodes from the start to an error, with the edges between them.
pub(crate) struct Path {
    pub nodes: Vec<usize>,
    pub edges: Vec<usize>,
}

/// A shortest path from the start to an error.
pub(crate) fn find(abstraction: &Abstraction<'_>) -> Option<Path> {
    let start = abstraction.start;
    if !abstraction.is_live(start) {
        return None;
    }
    let mut entered: Vec<Option<usize>> = vec![None; abstraction.nodes.len()];
    let mut seen = vec![false; abstraction.nodes.len()];
    seen[start] = true;
    let mut queue = VecDeque::from([start]);
    while let Some(node) = queue.pop_front() {
        if abstraction.is_error[abstraction.nodes[node].location] {
            return Some(path_to(abstraction, &entered, node));
        }
        for e in abstraction.edges_from(node) {
            let to = abstraction.edges[e].to;
            if !std::mem::replace(&mut seen[to], true) {
                entered[to] = Some(e);
                queue.push_back(to);
            }
        }
    }
    None
}

fn path_to(abstraction: &Abstraction<'_>, entered: &[Option<usize>], goal: usize) -> Path {
    let mut path = Path {
        nodes: vec![goal],
        edges: Vec::new(),
    };
    let mut node = goal;
    while let Some(e) = entered[node] {
        node = abstraction.edges[e].from;
        path.edges.push(e);
        path.nodes.push(node);
    }
    path.nodes.reverse();
    path.edges.reverse();
    path
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
