//! Liveness of variables at each location.

use super::cut::Cuts;
use sectile_model::{Edge, Model};
use sectile_terms::{Stage, Symbol, Term, Terms};
use std::collections::BTreeMap;

/// For each location and each variable of the graph: whether its value may affect reaching an
/// error.
///
/// A value that is only used to compute irrelevant values is irrelevant. Variables in `restrict`
/// are always relevant.
pub(super) fn variables(terms: &Terms, graph: &Model, cuts: &Cuts) -> Vec<Vec<bool>> {
    let uses = Uses::new(terms, graph);
    let mut live = vec![uses.always.clone(); graph.locations.len()];
    let mut entering: Vec<Vec<usize>> = vec![Vec::new(); graph.locations.len()];
    for (i, edge) in graph.edges.iter().enumerate() {
        if cuts.follows(edge) {
            entering[edge.to.0].push(i);
        }
    }
    let mut pending: Vec<usize> = (0..graph.locations.len()).collect();
    while let Some(location) = pending.pop() {
        for &index in &entering[location] {
            let edge = &graph.edges[index];
            let before = uses.before(index, &live[location]);
            let known = &mut live[edge.from.0];
            let mut grown = false;
            for (old, new) in known.iter_mut().zip(before) {
                grown |= new && !*old;
                *old |= new;
            }
            if grown {
                pending.push(edge.from.0);
            }
        }
    }
    live
}

/// What the edges read, as positions of variables.
struct Uses {
    always: Vec<bool>,
    edges: Vec<EdgeUses>,
}

struct EdgeUses {
    /// Read unconditionally.
    tested: Vec<usize>,
    /// For each variable: the variables in its new value, if it is assigned.
    sources: Vec<Option<Vec<usize>>>,
}

impl Uses {
    fn new(terms: &Terms, graph: &Model) -> Uses {
        let places = graph.variables.iter().enumerate();
        let place: BTreeMap<Symbol, usize> = places.map(|(i, s)| (*s, i)).collect();
        let at = |list: &[Term], stage: Stage| -> Vec<usize> {
            let found = terms.free_vars_of(list);
            let here = found.iter().filter(|v| v.1 == stage);
            here.filter_map(|v| place.get(&v.0).copied()).collect()
        };
        let mut always = vec![false; graph.variables.len()];
        for i in at(&graph.restrict, Stage::Now) {
            always[i] = true;
        }
        let edge_uses = |edge: &Edge| {
            let command = &edge.command;
            let mut tested = at(&command.guards, Stage::Now);
            tested.extend(at(&command.relations, Stage::Now));
            let mut sources = vec![None; graph.variables.len()];
            for update in &command.updates {
                if let Some(&i) = place.get(&update.symbol) {
                    sources[i] = Some(at(&[update.value], Stage::Now));
                }
            }
            // A relation on a next value needs that value even if nothing else does.
            for i in at(&command.relations, Stage::Next) {
                tested.extend(sources[i].iter().flatten());
            }
            EdgeUses { tested, sources }
        };
        Uses {
            always,
            edges: graph.edges.iter().map(edge_uses).collect(),
        }
    }

    /// The relevant variables before an edge, given the relevant ones after it.
    fn before(&self, edge: usize, after: &[bool]) -> Vec<bool> {
        let uses = &self.edges[edge];
        let mut before = vec![false; after.len()];
        for &i in &uses.tested {
            before[i] = true;
        }
        let needed = uses.sources.iter().zip(after).filter(|(_, live)| **live);
        for &i in needed.flat_map(|(sources, _)| sources.iter().flatten()) {
            before[i] = true;
        }
        before
    }
}
