//! Computes the states in which the parts of a formula in normal form hold, with their justification.
//!
//! Only claims that do not depend on omitted parts of the graph are made: nothing is claimed about all
//! successors of a state that may have further ones. Eventualities get ranks: the rank of a state is
//! larger than those of the states that justify its claim.

use crate::bits::{Bits, ids};
use crate::graph::Graph;
use crate::table::{StateId, id_of};
use sectile_model::{NormalCtl, NormalPart, Paths};
use std::collections::VecDeque;

/// The states in which the parts of a formula hold.
pub(crate) struct Claims<'a> {
    graph: &'a Graph,
    formula: &'a NormalCtl,
    holds: Vec<Bits>,
    /// For parts with `U`, the ranks of the states; empty for other parts.
    ranks: Vec<Vec<u32>>,
}

impl<'a> Claims<'a> {
    /// Labels all states; `state_part` decides whether the state formula of a part holds in a
    /// state.
    pub(crate) fn new(
        graph: &'a Graph,
        formula: &'a NormalCtl,
        mut state_part: impl FnMut(usize, StateId) -> bool,
    ) -> Claims<'a> {
        let mut holds: Vec<Bits> = Vec::with_capacity(formula.parts.len());
        let mut ranks = Vec::with_capacity(formula.parts.len());
        for (k, part) in formula.parts.iter().enumerate() {
            let mut rank = Vec::new();
            holds.push(match *part {
                NormalPart::State(_) => Bits::from_fn(graph.len(), |id| state_part(k, id)),
                NormalPart::And(f, g) => holds[f].intersection(&holds[g]),
                NormalPart::Or(f, g) => holds[f].union(&holds[g]),
                NormalPart::Next(paths, f) => next(graph, paths, &holds[f]),
                NormalPart::Until(paths, f, g) => {
                    let (set, found) = until(graph, paths, &holds[f], &holds[g]);
                    rank = found;
                    set
                }
                NormalPart::Weak(paths, f, g) => weak(graph, paths, &holds[f], &holds[g]),
            });
            ranks.push(rank);
        }
        Claims {
            graph,
            formula,
            holds,
            ranks,
        }
    }

    /// Whether a part holds in a state.
    pub(crate) fn holds(&self, part: usize, id: StateId) -> bool {
        self.holds[part].contains(id)
    }

    /// The rank of a part in a state.
    pub(crate) fn rank(&self, part: usize, id: StateId) -> u32 {
        self.ranks[part].get(id as usize).copied().unwrap_or(0)
    }

    /// The claims that justify those of the whole formula in some states, for every part.
    pub(crate) fn needed(&self, starts: &[StateId]) -> Vec<Bits> {
        let mut needed = vec![Bits::empty(self.graph.len()); self.formula.parts.len()];
        let root = self.formula.root();
        let mut work: Vec<(usize, StateId)> = starts.iter().map(|&s| (root, s)).collect();
        while let Some((part, id)) = work.pop() {
            if !needed[part].contains(id) {
                needed[part].insert(id);
                self.reasons(part, id, |reason| work.push(reason));
            }
        }
        needed
    }

    /// Calls `add` with the claims that justify a claim.
    fn reasons(&self, part: usize, id: StateId, mut add: impl FnMut((usize, StateId))) {
        let (about, next) = match self.formula.parts[part] {
            NormalPart::State(_) => return,
            NormalPart::And(f, g) => {
                add((f, id));
                return add((g, id));
            }
            NormalPart::Or(f, g) => {
                return add((if self.holds(f, id) { f } else { g }, id));
            }
            NormalPart::Until(_, _, g) | NormalPart::Weak(_, _, g) if self.holds(g, id) => {
                return add((g, id));
            }
            NormalPart::Next(_, f) => (None, f),
            NormalPart::Until(_, f, _) | NormalPart::Weak(_, f, _) => (Some(f), part),
        };
        if let Some(f) = about {
            add((f, id));
        }
        let successors = self.graph.successors(id);
        match (self.looks_at_all(part, id), self.chosen(part, id)) {
            (true, _) => successors.iter().for_each(|&t| add((next, t))),
            (false, Some(step)) => add((next, successors[step])),
            (false, None) => {}
        }
    }

    /// Whether a claim is justified by all steps from the state.
    pub(crate) fn looks_at_all(&self, part: usize, id: StateId) -> bool {
        match self.formula.parts[part] {
            NormalPart::Next(Paths::All, _) => true,
            NormalPart::Until(Paths::All, _, g) | NormalPart::Weak(Paths::All, _, g) => {
                !self.holds(g, id)
            }
            _ => false,
        }
    }

    /// The position of the step that justifies a claim, among those of the state, if there is one.
    pub(crate) fn chosen(&self, part: usize, id: StateId) -> Option<usize> {
        let find = |fits: &dyn Fn(StateId) -> bool| {
            let mut successors = self.graph.successors(id).iter();
            successors.position(|&t| fits(t))
        };
        match self.formula.parts[part] {
            NormalPart::Until(_, _, g) | NormalPart::Weak(_, _, g) if self.holds(g, id) => None,
            NormalPart::Next(Paths::Some, f) => find(&|t| self.holds(f, t)),
            NormalPart::Until(..) => {
                let rank = self.rank(part, id);
                find(&|t| self.holds(part, t) && self.rank(part, t) < rank)
            }
            NormalPart::Weak(Paths::Some, ..) => find(&|t| self.holds(part, t)),
            _ => None,
        }
    }
}

/// The states with `f` in the next state.
fn next(graph: &Graph, paths: Paths, f: &Bits) -> Bits {
    Bits::from_fn(graph.len(), |id| {
        let mut successors = graph.successors(id).iter();
        match paths {
            Paths::All => !graph.incomplete.contains(id) && successors.all(|&t| f.contains(t)),
            Paths::Some => successors.any(|&t| f.contains(t)),
        }
    })
}

/// The least fixpoint of `f` until `g`, with the iteration in which each state was added.
fn until(graph: &Graph, paths: Paths, f: &Bits, g: &Bits) -> (Bits, Vec<u32>) {
    let mut set = g.clone();
    let mut ranks = vec![0; graph.len()];
    // The number of steps that must still lead into the set before a state is added.
    let missing = |id: StateId| match paths {
        Paths::All if graph.incomplete.contains(id) => usize::MAX,
        Paths::All => graph.successors(id).len(),
        Paths::Some => 1,
    };
    let mut missing: Vec<usize> = ids(graph.len()).map(missing).collect();
    // First in, first out: the last successor to be added has the largest rank.
    let mut work: VecDeque<StateId> = set.iter().collect();
    while let Some(id) = work.pop_front() {
        for &p in graph.predecessors(id) {
            if set.contains(p) || !f.contains(p) {
                continue;
            }
            missing[p as usize] -= 1;
            if missing[p as usize] == 0 {
                set.insert(p);
                ranks[p as usize] = ranks[id as usize] + 1;
                work.push_back(p);
            }
        }
    }
    (set, ranks)
}

/// The greatest fixpoint of `f` until `g`, or `f` to the end of the path.
fn weak(graph: &Graph, paths: Paths, f: &Bits, g: &Bits) -> Bits {
    // Omitted steps may lead anywhere.
    let is_lost = |id: StateId| {
        let needs_all = paths == Paths::All || graph.successors(id).is_empty();
        needs_all && graph.incomplete.contains(id)
    };
    let stays = |id: StateId| g.contains(id) || (f.contains(id) && !is_lost(id));
    let mut set = Bits::from_fn(graph.len(), stays);
    // The number of steps that must lead out of the set before a state is removed.
    let left = |id: StateId| match paths {
        Paths::All => 1,
        Paths::Some => graph.successors(id).len(),
    };
    let mut left: Vec<usize> = ids(graph.len()).map(left).collect();
    let mut work: Vec<StateId> = set.complement().iter().collect();
    while let Some(id) = work.pop() {
        for &p in graph.predecessors(id) {
            if !set.contains(p) || g.contains(p) {
                continue;
            }
            left[p as usize] -= 1;
            if left[p as usize] == 0 {
                set.remove(p);
                work.push(p);
            }
        }
    }
    set
}

/// The states below a number with needed claims, and their positions in this list.
pub(crate) fn numbered(needed: &[Bits], len: usize) -> (Vec<StateId>, Vec<usize>) {
    let is_used = |id: &StateId| needed.iter().any(|set| set.contains(*id));
    let used: Vec<StateId> = (0..id_of(len)).filter(is_used).collect();
    let mut positions = vec![usize::MAX; len];
    for (i, &id) in used.iter().enumerate() {
        positions[id as usize] = i;
    }
    (used, positions)
}
