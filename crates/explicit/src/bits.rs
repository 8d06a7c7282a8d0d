//! Sets of states as bit vectors.

use crate::table::{StateId, id_of};

/// A set of states, one bit each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bits {
    words: Vec<u64>,
    len: usize,
}

impl Bits {
    /// The empty set, for states below a number.
    pub(crate) fn empty(len: usize) -> Bits {
        Bits {
            words: vec![0; len.div_ceil(64)],
            len,
        }
    }

    /// The states that satisfy a condition.
    pub(crate) fn from_fn(len: usize, mut member: impl FnMut(StateId) -> bool) -> Bits {
        let mut bits = Bits::empty(len);
        for id in ids(len) {
            if member(id) {
                bits.insert(id);
            }
        }
        bits
    }

    /// Whether a state is in the set.
    #[inline]
    pub(crate) fn contains(&self, id: StateId) -> bool {
        self.words[id as usize / 64] >> (id % 64) & 1 == 1
    }

    /// Adds a state.
    #[inline]
    pub(crate) fn insert(&mut self, id: StateId) {
        self.words[id as usize / 64] |= 1 << (id % 64);
    }

    /// Removes a state.
    #[inline]
    pub(crate) fn remove(&mut self, id: StateId) {
        self.words[id as usize / 64] &= !(1 << (id % 64));
    }

    /// Extends the range of states up to a number.
    pub(crate) fn grow(&mut self, len: usize) {
        self.len = self.len.max(len);
        self.words.resize(self.len.div_ceil(64), 0);
    }

    /// Whether no state is in the set.
    pub(crate) fn is_empty(&self) -> bool {
        self.words.iter().all(|&w| w == 0)
    }

    /// The complement.
    pub(crate) fn complement(&self) -> Bits {
        let mut bits = Bits {
            words: self.words.iter().map(|w| !w).collect(),
            len: self.len,
        };
        // Unused bits stay clear, so that equal sets have equal representations.
        if let (Some(last), rest @ 1..) = (bits.words.last_mut(), self.len % 64) {
            *last &= (1 << rest) - 1;
        }
        bits
    }

    /// The intersection.
    pub(crate) fn intersection(&self, other: &Bits) -> Bits {
        self.combine(other, |a, b| a & b)
    }

    /// The union.
    pub(crate) fn union(&self, other: &Bits) -> Bits {
        self.combine(other, |a, b| a | b)
    }

    fn combine(&self, other: &Bits, with: impl Fn(u64, u64) -> u64) -> Bits {
        debug_assert_eq!(self.len, other.len);
        let words = self.words.iter().zip(&other.words);
        Bits {
            words: words.map(|(&a, &b)| with(a, b)).collect(),
            len: self.len,
        }
    }

    /// The states of the set, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = StateId> + '_ {
        ids(self.len).filter(|&id| self.contains(id))
    }
}

/// All states below a number.
pub(crate) fn ids(len: usize) -> std::ops::Range<StateId> {
    0..id_of(len)
}
