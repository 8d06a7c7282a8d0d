//! A growing list whose members never move.

use elsa::FrozenVec;
use std::cell::{Cell, OnceCell};

/// Members per block: large enough to make allocation negligible, small enough to keep a store with
/// a handful of terms cheap.
const BLOCK: usize = 256;

/// A list that grows through a shared reference. Members never move, so references to them stay
/// valid while the list grows.
pub(crate) struct Blocks<T> {
    blocks: FrozenVec<Box<[OnceCell<T>]>>,
    len: Cell<usize>,
}

impl<T> Blocks<T> {
    /// An empty list.
    pub(crate) fn new() -> Blocks<T> {
        Blocks {
            blocks: FrozenVec::new(),
            len: Cell::new(0),
        }
    }

    /// Number of members.
    pub(crate) fn len(&self) -> usize {
        self.len.get()
    }

    /// Adds a member at the end.
    pub(crate) fn push(&self, value: T) {
        let index = self.len.get();
        if index.is_multiple_of(BLOCK) {
            self.blocks
                .push((0..BLOCK).map(|_| OnceCell::new()).collect());
        }
        let fresh = self.blocks[index / BLOCK][index % BLOCK].set(value).is_ok();
        debug_assert!(fresh);
        self.len.set(index + 1);
    }

    /// The member at a position, which must be less than the length.
    #[inline]
    pub(crate) fn at(&self, index: usize) -> &T {
        self.blocks[index / BLOCK][index % BLOCK]
            .get()
            .expect("positions come from earlier insertions")
    }
}
