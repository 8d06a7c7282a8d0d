//! A graph that changes: every node and edge with the steps during which it is there.
//!
//! So any step can be shown without those before it, and what stays is written once.

use crate::page::layout::{Layout, Outline};
use crate::text::cut;
use sectile_engine::{Picture, PictureNode, SliceReason};
use serde::Serialize;
use std::collections::{BTreeMap, VecDeque};

/// Longer conditions of labels are cut.
const LONGEST_LABEL: usize = 300;

/// The history of one graph.
#[derive(Debug, Default)]
pub(crate) struct Scene {
    title: String,
    /// The step with which it begins.
    pub first: usize,
    /// A node and what it becomes by splits are different shapes, though they may have one number.
    shapes: Vec<Outline>,
    /// The shapes of the nodes, by number.
    current: BTreeMap<usize, usize>,
    nodes: Vec<NodeSpan>,
    open_nodes: BTreeMap<usize, usize>,
    edges: Vec<EdgeSpan>,
    open_edges: BTreeMap<(usize, usize, usize), usize>,
    texts: Texts,
}

/// Texts that occur often are written once.
#[derive(Debug, Default)]
struct Texts {
    list: Vec<String>,
    known: BTreeMap<String, usize>,
}

impl Texts {
    fn number(&mut self, text: &str) -> usize {
        if let Some(&known) = self.known.get(text) {
            return known;
        }
        self.known.insert(text.to_string(), self.list.len());
        self.list.push(cut(text, LONGEST_LABEL));
        self.list.len() - 1
    }
}

/// A node with one label, from a step to a step.
#[derive(Clone, Debug, PartialEq, Eq)]
struct NodeSpan {
    shape: usize,
    first: usize,
    last: Option<usize>,
    label: Vec<usize>,
    initial: bool,
    error: bool,
    labelled: bool,
    removed: Option<SliceReason>,
}

impl NodeSpan {
    /// Whether it says the same of the same node.
    fn says_as(&self, other: &NodeSpan) -> bool {
        self.label == other.label && self.flags() == other.flags()
    }

    /// As the page reads them.
    fn flags(&self) -> u8 {
        u8::from(self.initial) + 2 * u8::from(self.error) + 4 * u8::from(self.labelled)
    }
}

/// A relation between two nodes, from a step to a step.
#[derive(Clone, Debug, PartialEq, Eq)]
struct EdgeSpan {
    from: usize,
    to: usize,
    relation: usize,
    first: usize,
    last: Option<usize>,
    removed: Option<SliceReason>,
}

/// A scene as the page reads it.
#[derive(Debug, Serialize)]
pub(crate) struct SceneData {
    title: String,
    first: usize,
    last: usize,
    /// In cells.
    size: [usize; 2],
    texts: Vec<String>,
    /// The number of the node, its place, and the shape that it was split from, or -1.
    shapes: Vec<(usize, usize, usize, i64)>,
    /// Where the parts of each first node are: shape, left, top, width, height.
    regions: Vec<[usize; 5]>,
    /// Shape, first step, last step, flags (1 initial, 2 error, 4 labelled), reason of removal, label.
    nodes: Vec<(usize, usize, usize, u8, u8, Vec<usize>)>,
    /// From, to, relation, first step, last step, reason of removal.
    edges: Vec<[usize; 6]>,
}

/// Reasons by number; 0 is none. The page has the same list.
fn reason_number(reason: Option<SliceReason>) -> u8 {
    match reason {
        None => 0,
        Some(SliceReason::Inconsistent) => 1,
        Some(SliceReason::ForwardUnreachable) => 2,
        Some(SliceReason::BackwardUnreachable) => 3,
        Some(SliceReason::Bypassed) => 4,
        Some(SliceReason::Simplified) => 5,
    }
}

impl Scene {
    pub(crate) fn new(title: String, first: usize) -> Scene {
        Scene {
            title,
            first,
            ..Scene::default()
        }
    }

    /// How much is recorded.
    pub(crate) fn parts(&self) -> usize {
        self.nodes.len() + self.edges.len()
    }

    /// A node became two.
    pub(crate) fn split(&mut self, node: usize, halves: [usize; 2]) {
        let Some(&parent) = self.current.get(&node) else {
            return;
        };
        self.current.remove(&node);
        for half in halves {
            self.current.insert(half, self.shapes.len());
            self.shapes.push(Outline::new(half, Some(parent)));
        }
    }

    /// The shapes of nodes, if all of them are known.
    pub(crate) fn places_of(&self, nodes: &[usize]) -> Option<Vec<usize>> {
        nodes.iter().map(|n| self.current.get(n).copied()).collect()
    }

    /// The graph of a step.
    pub(crate) fn show(&mut self, step: usize, picture: &Picture) {
        let depths = depths(picture);
        for node in &picture.nodes {
            self.show_node(step, node, &depths);
        }
        for edge in &picture.edges {
            let ends = (self.current.get(&edge.from), self.current.get(&edge.to));
            let (Some(&from), Some(&to)) = ends else {
                continue;
            };
            let relation = self.texts.number(&edge.relation);
            self.show_edge(step, [from, to, relation], edge.removed);
        }
        // What the picture does not show any more is gone since the step before.
        let nodes = &self.nodes;
        self.open_nodes
            .retain(|_, at| nodes[*at].last == Some(step));
        let edges = &self.edges;
        self.open_edges
            .retain(|_, at| edges[*at].last == Some(step));
        let gone = picture.nodes.iter().filter(|n| n.removed.is_some());
        for node in gone {
            if let Some(shape) = self.current.remove(&node.id) {
                self.open_nodes.remove(&shape);
            }
        }
    }

    fn show_node(&mut self, step: usize, node: &PictureNode, depths: &BTreeMap<usize, usize>) {
        let shapes = &mut self.shapes;
        let shape = *self.current.entry(node.id).or_insert_with(|| {
            shapes.push(Outline::new(node.id, None));
            shapes.len() - 1
        });
        self.shapes[shape].show(step, depths.get(&node.id).copied(), node.error);
        let texts = node.label.iter();
        let span = NodeSpan {
            shape,
            first: step,
            last: Some(step),
            label: texts.map(|t| self.texts.number(t)).collect(),
            initial: node.initial,
            error: node.error,
            labelled: node.labelled,
            removed: node.removed,
        };
        let open = self.open_nodes.get(&shape).copied();
        match open.map(|at| &mut self.nodes[at]) {
            Some(old) if old.says_as(&span) => {
                (old.last, old.removed) = (span.last, span.removed);
            }
            _ => {
                self.open_nodes.insert(shape, self.nodes.len());
                self.nodes.push(span);
            }
        }
    }

    fn show_edge(&mut self, step: usize, key: [usize; 3], removed: Option<SliceReason>) {
        let [from, to, relation] = key;
        let key = (from, to, relation);
        match self.open_edges.get(&key) {
            Some(&at) => {
                let old = &mut self.edges[at];
                // Of several relations of one name, one that stays counts.
                old.removed = removed.filter(|_| old.last != Some(step) || old.removed.is_some());
                old.last = Some(step);
            }
            None => {
                self.open_edges.insert(key, self.edges.len());
                self.edges.push(EdgeSpan {
                    from,
                    to,
                    relation,
                    first: step,
                    last: Some(step),
                    removed,
                });
            }
        }
        if removed.is_some() {
            self.open_edges.remove(&key);
        }
    }

    /// The scene for the page; `last` is its last step.
    pub(crate) fn finish(self, last: usize) -> SceneData {
        let between = self.edges.iter().map(|e| (e.from, e.to));
        let layout = Layout::new(&self.shapes, between);
        let shapes = self.shapes.iter().zip(&layout.cells);
        let shapes = shapes.map(|(s, cell)| {
            let parent = s.parent.and_then(|p| i64::try_from(p).ok());
            (s.id, cell[0], cell[1], parent.unwrap_or(-1))
        });
        // What is open in the last picture stays to the end, even if later ones were not drawn.
        let end = |open: bool, at: Option<usize>| if open { last } else { at.unwrap_or(last) };
        let is_open = |at: &usize, shape: &usize| self.open_nodes.get(shape) == Some(at);
        let nodes = self.nodes.iter().enumerate().map(|(at, n)| {
            (
                n.shape,
                n.first,
                end(is_open(&at, &n.shape), n.last),
                n.flags(),
                reason_number(n.removed),
                n.label.clone(),
            )
        });
        let nodes = nodes.collect();
        let edges = self.edges.iter().enumerate().map(|(at, e)| {
            let open = self.open_edges.get(&(e.from, e.to, e.relation)) == Some(&at);
            let why = usize::from(reason_number(e.removed));
            [e.from, e.to, e.relation, e.first, end(open, e.last), why]
        });
        SceneData {
            edges: edges.collect(),
            nodes,
            shapes: shapes.collect(),
            regions: layout.regions,
            size: layout.size,
            texts: self.texts.list,
            title: self.title,
            first: self.first,
            last,
        }
    }
}

/// How far nodes are from the initial ones; those that are not reached are not listed.
fn depths(picture: &Picture) -> BTreeMap<usize, usize> {
    let mut next: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for edge in &picture.edges {
        next.entry(edge.from).or_default().push(edge.to);
    }
    let initial = picture.nodes.iter().filter(|n| n.initial);
    let mut depths: BTreeMap<usize, usize> = initial.map(|n| (n.id, 0)).collect();
    let mut queue: VecDeque<usize> = depths.keys().copied().collect();
    while let Some(node) = queue.pop_front() {
        let depth = depths[&node] + 1;
        for &to in next.get(&node).into_iter().flatten() {
            if let std::collections::btree_map::Entry::Vacant(place) = depths.entry(to) {
                place.insert(depth);
                queue.push_back(to);
            }
        }
    }
    depths
}

#[cfg(test)]
mod tests {
    use super::*;
    use sectile_engine::PictureEdge;

    fn picture(step: u64, nodes: &[(usize, Option<SliceReason>)]) -> Picture {
        let node = |&(id, removed): &(usize, Option<SliceReason>)| PictureNode {
            id,
            label: vec![format!("x = {id}")],
            initial: id == 1,
            error: false,
            labelled: false,
            removed,
        };
        let edge = |w: &[(usize, Option<SliceReason>)]| PictureEdge {
            from: w[0].0,
            to: w[1].0,
            relation: "go".to_string(),
            removed: w[1].1,
        };
        Picture {
            step,
            title: String::new(),
            nodes: nodes.iter().map(node).collect(),
            edges: nodes.windows(2).map(edge).collect(),
        }
    }

    #[test]
    fn a_half_with_the_number_of_the_whole_is_another_shape() {
        let gone = Some(SliceReason::BackwardUnreachable);
        let mut scene = Scene::new(String::new(), 0);
        scene.show(0, &picture(1, &[(1, None), (2, None)]));
        scene.split(2, [2, 3]);
        scene.show(1, &picture(2, &[(1, None), (2, None), (3, gone)]));
        scene.show(2, &picture(3, &[(1, None), (2, None)]));
        assert_eq!(scene.places_of(&[1, 2]), Some(vec![0, 2]));
        assert_eq!(scene.places_of(&[3]), None);
        let data = scene.finish(5);
        let ids: Vec<(usize, i64)> = data.shapes.iter().map(|s| (s.0, s.3)).collect();
        assert_eq!(ids, [(1, -1), (2, -1), (2, 1), (3, 1)]);
        // The first one stays to the end, the whole is gone when its halves are there, and the
        // half that is removed is there for one step, with the reason.
        let spans: Vec<_> = data.nodes.iter().map(|n| (n.0, n.1, n.2, n.4)).collect();
        assert_eq!(
            spans,
            [(0, 0, 5, 0), (1, 0, 0, 0), (2, 1, 5, 0), (3, 1, 1, 3)]
        );
        let spans: Vec<_> = data
            .edges
            .iter()
            .map(|e| (e[0], e[1], e[3], e[4], e[5]))
            .collect();
        assert_eq!(spans, [(0, 1, 0, 0, 0), (0, 2, 1, 5, 0), (2, 3, 1, 1, 3)]);
    }

    #[test]
    fn a_new_label_is_a_new_span_in_the_same_place() {
        let mut scene = Scene::new(String::new(), 0);
        let mut next = picture(2, &[(1, None)]);
        next.nodes[0].label.push("y = 2".to_string());
        scene.show(0, &picture(1, &[(1, None)]));
        scene.show(1, &next);
        let data = scene.finish(1);
        assert_eq!(data.shapes.len(), 1);
        let spans: Vec<_> = data
            .nodes
            .iter()
            .map(|n| (n.0, n.1, n.2, n.5.len()))
            .collect();
        assert_eq!(spans, [(0, 0, 0, 1), (0, 1, 1, 2)]);
    }
}
