//! A map from terms, cheap for the few terms of a small formula.

use crate::node::Term;
use rustc_hash::FxHashMap;

/// Number of keys up to which linear search is faster than hashing.
const SEARCHED: usize = 24;

/// A map from terms to values.
///
/// Most formulas that are evaluated or rewritten are small: for those, nothing is hashed and no
/// table is allocated.
pub(crate) struct TermMap<V> {
    /// The first few keys, with their values at the same positions. Empty once there are more.
    keys: Vec<Term>,
    values: Vec<V>,
    /// All keys and values, once there are more than a few.
    table: FxHashMap<Term, V>,
}

impl<V> Default for TermMap<V> {
    fn default() -> TermMap<V> {
        TermMap {
            keys: Vec::new(),
            values: Vec::new(),
            table: FxHashMap::default(),
        }
    }
}

impl<V> TermMap<V> {
    /// The value of a key.
    pub(crate) fn get(&self, key: Term) -> Option<&V> {
        if self.table.is_empty() {
            let position = self.keys.iter().position(|&k| k == key);
            position.map(|i| &self.values[i])
        } else {
            self.table.get(&key)
        }
    }

    /// Whether a key has a value.
    pub(crate) fn contains(&self, key: Term) -> bool {
        self.get(key).is_some()
    }

    /// Gives a value to a key that has none yet.
    pub(crate) fn insert(&mut self, key: Term, value: V) {
        debug_assert!(!self.contains(key));
        if !self.table.is_empty() {
            self.table.insert(key, value);
            return;
        }
        self.keys.push(key);
        self.values.push(value);
        if self.keys.len() == SEARCHED {
            let values = self.values.drain(..);
            self.table.extend(self.keys.drain(..).zip(values));
        }
    }
}

impl<V> std::ops::Index<Term> for TermMap<V> {
    type Output = V;

    fn index(&self, key: Term) -> &V {
        self.get(key)
            .expect("arguments are visited before the terms that use them")
    }
}
