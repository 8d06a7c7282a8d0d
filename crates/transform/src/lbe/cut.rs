//! The choice of locations that stay.

use super::BlockSize;
use sectile_base::digraph::Digraph;
use sectile_model::{Edge, LocationId, Model};

/// The status of a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It stays.
    Kept,
    /// It lies inside blocks.
    Inside,
    /// No error can be reached from it.
    Harmless,
    /// The entry does not reach it.
    Unreached,
}

/// The status of all locations.
pub(crate) struct Cuts {
    pub fates: Vec<Fate>,
    errors: Vec<LocationId>,
    /// The entry, if no error is reachable from it: it stays in any case.
    harmless_entry: Option<LocationId>,
}

impl Cuts {
    pub fn is_kept(&self, location: LocationId) -> bool {
        self.fates[location.0] == Fate::Kept
    }

    /// Whether it stays although no error is reachable from it.
    pub fn is_harmless(&self, location: LocationId) -> bool {
        self.harmless_entry == Some(location)
    }

    /// Whether the location lies on a path from the entry to an error.
    pub fn matters(&self, location: LocationId) -> bool {
        matches!(self.fates[location.0], Fate::Kept | Fate::Inside)
    }

    /// Whether runs to an error may use the edge. Edges after an error are irrelevant.
    pub fn follows(&self, edge: &Edge) -> bool {
        let is_error = self.errors.contains(&edge.from);
        !is_error && self.matters(edge.from) && self.matters(edge.to)
    }

    /// The locations that stay, in their order.
    pub fn kept(&self) -> Vec<LocationId> {
        let all = (0..self.fates.len()).map(LocationId);
        all.filter(|l| self.is_kept(*l)).collect()
    }
}

/// Chooses the locations that stay: the entry, the errors, and enough to cut every cycle.
pub(crate) fn choose(graph: &Model, errors: &[LocationId], size: BlockSize) -> Cuts {
    let count = graph.locations.len();
    let is_error = |l: LocationId| errors.contains(&l);
    // A run that has reached an error is not followed further.
    let edges = || graph.edges.iter().filter(|e| !is_error(e.from));
    let mut flow = Digraph::new(count);
    for edge in edges() {
        flow.add_edge(edge.from.0, edge.to.0);
    }
    let forward = flow.reachable_from([graph.entry.0]);
    let backward = flow.reversed().reachable_from(errors.iter().map(|e| e.0));
    let matters = |l: usize| forward[l] && backward[l];
    let mut relevant = Digraph::new(count);
    let mut entering = vec![0_usize; count];
    for edge in edges().filter(|e| matters(e.from.0) && matters(e.to.0)) {
        relevant.add_edge(edge.from.0, edge.to.0);
        entering[edge.to.0] += 1;
    }
    let heads = relevant.loop_heads(graph.entry.0);
    let stays = |l: usize| {
        let always = l == graph.entry.0 || is_error(LocationId(l));
        always
            || match size {
                BlockSize::Loops => heads.contains(&l),
                BlockSize::Sequences => entering[l] != 1 || heads.contains(&l),
                BlockSize::Parallel | BlockSize::Single => true,
            }
    };
    let fate = |l: usize| match () {
        () if l == graph.entry.0 || is_error(LocationId(l)) => Fate::Kept,
        () if !forward[l] => Fate::Unreached,
        () if !backward[l] => Fate::Harmless,
        () if stays(l) => Fate::Kept,
        () => Fate::Inside,
    };
    Cuts {
        fates: (0..count).map(fate).collect(),
        errors: errors.to_vec(),
        harmless_entry: Some(graph.entry).filter(|l| !backward[l.0]),
    }
}
