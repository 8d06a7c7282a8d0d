//! Proofs about graphs whose loops are unrolled.

use crate::model::{LocationId, Model};
use crate::property::PropertyKind;
use sectile_terms::Term;

/// A proof about what is left of a graph when some loops are unrolled and what does not matter is
/// cut off.
///
/// Where the property does not name the locations that are not to be reached, the graph first gets
/// one, behind all others, with an edge into it from every location: taken where the property does
/// not hold.
///
/// Invariants that say the same at the loop heads of the graph itself exist, but they may be far
/// too large to be written: what is safe there is what happens in all the rounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnrolledProof {
    /// What is done to the graph, one after the other.
    pub changes: Vec<GraphChange>,
    /// Invariants of some locations of the last graph, as with cut points.
    pub invariants: Vec<Option<Term>>,
}

/// Something that keeps every run into an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GraphChange {
    /// A loop is replaced by its first rounds.
    Unroll(Unrolling),
    /// All edges at some locations are removed.
    Cut {
        /// Locations that every cycle passes through, with the entry and the errors.
        kept: Vec<LocationId>,
        /// No run reaches these of them.
        unreached: Vec<LocationId>,
        /// No error is reached from these of them.
        harmless: Vec<LocationId>,
    },
}

/// A loop that is left after few rounds or never.
///
/// Every round gets copies of the head and the body, numbered behind all other locations, round by
/// round, the head before the body; the first round has the head itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unrolling {
    /// Where a round begins.
    pub head: LocationId,
    /// What else lies in a round.
    pub body: Vec<LocationId>,
    /// For where the loop leads: after this many rounds, begun in any state, it does not lead there.
    /// What is not named is not reached even without a round.
    pub exits: Vec<(LocationId, u32)>,
}

impl Unrolling {
    /// The bound of an exit.
    pub fn bound(&self, exit: LocationId) -> u32 {
        let mut exits = self.exits.iter();
        exits.find(|e| e.0 == exit).map_or(0, |e| e.1)
    }

    /// How many rounds are left.
    pub fn rounds(&self) -> u32 {
        self.exits.iter().map(|e| e.1).max().unwrap_or(0).max(1)
    }
}

impl UnrolledProof {
    /// The location that each one of the last graph is a copy of, for a graph and a property.
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
