//! Proofs about graphs with unrolled loops.

use crate::model::{LocationId, Model};
use crate::property::PropertyKind;
use sectile_terms::Term;

/// A proof about the graph that results from unrolling some loops and cutting off irrelevant parts.
///
/// If the property is not about unreachable locations, the graph first gets an error location,
/// numbered last, with an edge from every location that is taken where the property fails.
///
/// Equivalent invariants at the loop heads of the original graph exist, but may be far too large:
/// they would have to describe all the rounds together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnrolledProof {
    /// The changes to the graph, in order.
    pub changes: Vec<GraphChange>,
    /// Invariants of some locations of the last graph, as with cut points.
    pub invariants: Vec<Option<Term>>,
}

/// A change of the graph that preserves every run into an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GraphChange {
    /// A loop is replaced by its first rounds.
    Unroll(Unrolling),
    /// All edges at some locations are removed.
    Cut {
        /// Locations that every cycle passes through, with the entry and the errors.
        kept: Vec<LocationId>,
        /// Kept locations that no run reaches.
        unreached: Vec<LocationId>,
        /// Kept locations from which no error is reached.
        harmless: Vec<LocationId>,
    },
}

/// A loop that is left after few rounds or never.
///
/// Every round gets copies of the head and the body, numbered after all other locations, round by
/// round, the head before the body; the first round uses the head itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unrolling {
    /// The loop head.
    pub head: LocationId,
    /// The other locations of a round.
    pub body: Vec<LocationId>,
    /// Bounds of exits: after this many rounds, started in any state, the loop does not lead to the
    /// exit. An exit that is not listed is not reached even without a round.
    pub exits: Vec<(LocationId, u32)>,
}

impl Unrolling {
    /// The bound of an exit.
    pub fn bound(&self, exit: LocationId) -> u32 {
        let mut exits = self.exits.iter();
        exits.find(|e| e.0 == exit).map_or(0, |e| e.1)
    }

    /// The number of rounds that remain.
    pub fn rounds(&self) -> u32 {
        self.exits.iter().map(|e| e.1).max().unwrap_or(0).max(1)
    }
}

impl UnrolledProof {
    /// For each location of the last graph, the original location.
    pub fn origins(&self, graph: &Model, property: &PropertyKind) -> Vec<LocationId> {
        let named = matches!(property, PropertyKind::Unreachable(_));
        let locations = graph.locations.len() + usize::from(!named);
        let mut origins: Vec<LocationId> = (0..locations).map(LocationId).collect();
        for change in &self.changes {
            let GraphChange::Unroll(unrolling) = change else {
                continue;
            };
            for round in 0..unrolling.rounds() {
                let heads = std::iter::once(&unrolling.head).filter(|_| round > 0);
                let copied = heads.chain(&unrolling.body);
                let known = copied.filter_map(|l| origins.get(l.0).copied());
                let known: Vec<LocationId> = known.collect();
                origins.extend(known);
            }
        }
        origins
    }
}
