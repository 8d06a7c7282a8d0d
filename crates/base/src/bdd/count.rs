//! Sizes of sets and of their diagrams.

use super::manager::{Bdd, Manager};
use rustc_hash::{FxHashMap, FxHashSet};

impl Manager {
    /// The nodes of a set, in an order in which parents come before children.
    fn nodes_of(&self, f: Bdd) -> Vec<Bdd> {
        let mut seen = FxHashSet::default();
        let mut stack = vec![f];
        let mut found = Vec::new();
        while let Some(b) = stack.pop() {
            if b.is_constant() || !seen.insert(b) {
                continue;
            }
            found.push(b);
            let node = self.node(b);
            stack.extend([node.low, node.high]);
        }
        found.sort_by_key(|&b| self.node(b).level);
        found
    }

    /// The number of nodes of a set, without the constants.
    pub fn size(&self, f: Bdd) -> usize {
        self.nodes_of(f).len()
    }

    /// The number of vectors over the given levels (in ascending order) in the set.
    pub fn count(&self, f: Bdd, levels: &[u32]) -> f64 {
        let position: FxHashMap<u32, i32> = levels.iter().copied().zip(0..).collect();
        let end = i32::try_from(levels.len()).unwrap_or(i32::MAX);
        let place = |b: Bdd| match b.is_constant() {
            true => end,
            false => position.get(&self.node(b).level).copied().unwrap_or(end),
        };
        let mut counts: FxHashMap<Bdd, f64> = FxHashMap::default();
        counts.insert(Bdd::FALSE, 0.0);
        counts.insert(Bdd::TRUE, 1.0);
        let mut nodes = self.nodes_of(f);
        nodes.reverse();
        for b in nodes {
            let node = self.node(b);
            let of = |child: Bdd| {
                // Levels that the set skips are free.
                2f64.powi(place(child) - place(b) - 1) * counts[&child]
            };
            let sum = of(node.low) + of(node.high);
            counts.insert(b, sum);
        }
        2f64.powi(place(f)) * counts[&f]
    }
}
