//! The graph of the states and steps that a search found.

use crate::bits::{Bits, ids};
use crate::table::StateId;

/// States and steps, in both directions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    /// The end of the steps of each expanded state in `targets`.
    ends: Vec<usize>,
    targets: Vec<StateId>,
    commands: Vec<u32>,
    /// States that may have further successors.
    pub incomplete: Bits,
    source_ends: Vec<usize>,
    sources: Vec<StateId>,
}

impl Graph {
    /// Adds steps by one command from the state that is being expanded.
    pub(crate) fn extend(&mut self, targets: &[StateId], command: u32) {
        self.targets.extend_from_slice(targets);
        self.commands.resize(self.targets.len(), command);
    }

    /// Ends the expansion of a state; states are expanded in order.
    pub(crate) fn close(&mut self, id: StateId) {
        debug_assert_eq!(self.ends.len(), id as usize);
        self.ends.push(self.targets.len());
    }

    /// Ends the search: states that were not closed have unknown successors.
    pub(crate) fn finish(&mut self, states: usize, mut incomplete: Bits) {
        let expanded = self.ends.len();
        let known = self.ends.last().copied().unwrap_or(0);
        self.targets.truncate(known);
        self.commands.truncate(known);
        self.ends.resize(states, known);
        for id in ids(states).skip(expanded) {
            incomplete.insert(id);
        }
        self.incomplete = incomplete;
        self.reverse(states);
    }

    fn reverse(&mut self, states: usize) {
        let mut starts = vec![0; states + 1];
        for &t in &self.targets {
            starts[t as usize + 1] += 1;
        }
        for i in 0..states {
            starts[i + 1] += starts[i];
        }
        let mut free = starts.clone();
        self.sources = vec![0; self.targets.len()];
        for id in ids(states) {
            for &t in span(&self.ends, &self.targets, id) {
                self.sources[free[t as usize]] = id;
                free[t as usize] += 1;
            }
        }
        starts.remove(0);
        self.source_ends = starts;
    }

    /// Number of states.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The known successors of a state, one for each command that leads there.
    pub(crate) fn successors(&self, id: StateId) -> &[StateId] {
        span(&self.ends, &self.targets, id)
    }

    /// The commands that lead to the successors, in the same order.
    pub(crate) fn commands(&self, id: StateId) -> &[u32] {
        span(&self.ends, &self.commands, id)
    }

    /// The known predecessors of a state, one for each step.
    pub(crate) fn predecessors(&self, id: StateId) -> &[StateId] {
        span(&self.source_ends, &self.sources, id)
    }

    /// Whether a state certainly has no successor.
    pub(crate) fn is_deadlock(&self, id: StateId) -> bool {
        self.successors(id).is_empty() && !self.incomplete.contains(id)
    }
}

fn span<'a, T>(ends: &[usize], list: &'a [T], id: StateId) -> &'a [T] {
    let id = id as usize;
    let start = if id == 0 { 0 } else { ends[id - 1] };
    &list[start..ends[id]]
}
