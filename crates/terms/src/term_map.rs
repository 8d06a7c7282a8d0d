//! A map from terms, cheap for the few terms of a small formula.

use crate::node::Term;
use rustc_hash::FxHashMap;

/// Up to this many keys are searched one after the other, which is faster than hashing them.
const SEARCHED: usize = 24;

/// A map from terms to values that keeps the order of insertion.
///
/// Most formulas that are evaluated or rewritten are small: for those, nothing is hashed and no
/// table is allocated.
pub(crate) struct TermMap<V> {
    keys: Vec<Term>,
    values: Vec<V>,
    /// Where each key is; empty as long as there are few keys.
    positions: FxHashMap<Term, u32>,
}

impl<V> Default for TermMap<V> {
    fn default() -> TermMap<V> {
        TermMap {
            keys: Vec::new(),
            values: Vec::new(),
            positions: FxHashMap::default(),
        }
    }
}

impl<V> TermMap<V> {
    /// The value of a key.
    pub(crate) fn get(&self, key: Term) -> Option<&V> {
        self.position(key).map(|i| &self.values[i])
    }

    /// Whether a key has a value.
    pub(crate) fn contains(&self, key: Term) -> bool {
        self.position(key).is_some()
    }

    /// Gives a value to a key that has none yet.
    pub(crate) fn insert(&mut self, key: Term, value: V) {
        debug_assert!(!self.contains(key));
        self.keys.push(key);
        self.values.push(value);
        let len = self.keys.len();
        if len == SEARCHED {
            let numbered = self.keys.iter().copied().zip(0..);
            self.positions.extend(numbered);
        } else if len > SEARCHED {
            let last = u32::try_from(len - 1).expect("there are fewer than 2^32 terms");
            self.positions.insert(key, last);
        }
    }

    fn position(&self, key: Term) -> Option<usize> {
        if self.keys.len() < SEARCHED {
            return self.keys.iter().position(|&k| k == key);
        }
        self.positions.get(&key).map(|&i| i as usize)
    }
}

impl<V> std::ops::Index<Term> for TermMap<V> {
    type Output = V;

    fn index(&self, key: Term) -> &V {
        self.get(key)
            .expect("arguments are visited before the terms that use them")
    }
}
