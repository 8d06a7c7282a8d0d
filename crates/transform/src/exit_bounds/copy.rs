//! Copying the rounds of a loop.

use sectile_model::{Edge, Location, LocationId, Model, Unrolling};
use std::collections::{BTreeMap, BTreeSet};

/// The locations that are reachable from one without passing a kept one.
pub(super) fn inside(graph: &Model, from: LocationId, kept: &[LocationId]) -> BTreeSet<LocationId> {
    let mut found = BTreeSet::new();
    let mut pending = vec![from];
    while let Some(here) = pending.pop() {
        for e in graph.edges_from(here) {
            let to = graph.edges[e].to;
            if !kept.contains(&to) && found.insert(to) {
                pending.push(to);
            }
        }
    }
    found
}

/// The original locations and edges of those in the new graph.
pub(super) struct Origin {
    pub locations: Vec<LocationId>,
    pub edges: Vec<usize>,
}

/// The graph without the edges at some locations.
pub(super) fn without(graph: &Model, is_cut: &dyn Fn(&LocationId) -> bool) -> (Model, Origin) {
    let is_kept = |e: &Edge| !is_cut(&e.from) && !is_cut(&e.to);
    let all = 0..graph.edges.len();
    let origin = Origin {
        locations: (0..graph.locations.len()).map(LocationId).collect(),
        edges: all.filter(|&e| is_kept(&graph.edges[e])).collect(),
    };
    let mut new = graph.clone();
    new.edges.retain(is_kept);
    (new, origin)
}

/// Replaces a loop by as many rounds as its exits allow.
///
/// The head itself starts the first round; the other locations of a round are copied for every
/// round, because other loops may pass through them as well.
pub(super) fn unroll(graph: &Model, unrolling: &Unrolling) -> (Model, Origin) {
    let head = unrolling.head;
    let inside: BTreeSet<LocationId> = unrolling.body.iter().copied().collect();
    let rounds = unrolling.rounds();
    let mut new = graph.clone();
    let mut origin = Origin {
        locations: (0..graph.locations.len()).map(LocationId).collect(),
        edges: Vec::new(),
    };
    let mut copies: Vec<BTreeMap<LocationId, LocationId>> = Vec::new();
    for round in 0..rounds {
        let mut map = BTreeMap::new();
        let heads = std::iter::once(&head).filter(|_| round > 0);
        for &old in heads.chain(&inside) {
            map.insert(old, LocationId(new.locations.len()));
            let Location { name, span, .. } = &graph.locations[old.0];
            let name = format!("{name}.{}", new.locations.len());
            new.locations.push(Location::new(name, *span));
            origin.locations.push(old);
        }
        if round == 0 {
            map.insert(head, head);
        }
        copies.push(map);
    }
    new.edges.clear();
    for (i, edge) in graph.edges.iter().enumerate() {
        if edge.from != head {
            new.edges.push(edge.clone());
            origin.edges.push(i);
        }
    }
    for (round, map) in (0_u32..).zip(&copies) {
        for (i, edge) in graph.edges.iter().enumerate() {
            let Some(&from) = map.get(&edge.from) else {
                continue;
            };
            let to = match edge.to {
                to if to == head => copies.get(round as usize + 1).map(|next| next[&head]),
                to if inside.contains(&to) => map.get(&to).copied(),
                to => (round < unrolling.bound(to)).then_some(to),
            };
            if let Some(to) = to {
                let command = edge.command.clone();
                new.edges.push(Edge::new(from, to, command));
                origin.edges.push(i);
            }
        }
    }
    (new, origin)
}
