//! The set of states found so far.

use hashbrown::HashTable;
use rustc_hash::FxHasher;
use std::hash::Hasher;

/// A state, by the order in which it was found.
pub(crate) type StateId = u32;

/// The number of the state at a position in that order.
pub(crate) fn id_of(index: usize) -> StateId {
    StateId::try_from(index).expect("states are numbered by 32 bits")
}

/// Rows of fixed length without duplicates, numbered in the order of insertion.
#[derive(Clone, Debug)]
pub(crate) struct StateTable {
    width: usize,
    rows: Vec<u64>,
    ids: HashTable<StateId>,
}

impl StateTable {
    /// An empty table for rows of this length, which is at least one.
    pub(crate) fn new(width: usize) -> StateTable {
        StateTable {
            width,
            rows: Vec::new(),
            ids: HashTable::new(),
        }
    }

    /// Number of states.
    pub(crate) fn len(&self) -> usize {
        self.ids.len()
    }

    /// The row of a state.
    #[inline]
    pub(crate) fn row(&self, id: StateId) -> &[u64] {
        row_at(&self.rows, self.width, id)
    }

    /// The number of a state, if it is in the table.
    pub(crate) fn find(&self, row: &[u64]) -> Option<StateId> {
        let same = |&id: &StateId| self.row(id) == row;
        self.ids.find(hash(row), same).copied()
    }

    /// The number of a state, and whether it is new.
    pub(crate) fn insert(&mut self, row: &[u64]) -> (StateId, bool) {
        if let Some(found) = self.find(row) {
            return (found, false);
        }
        let id = id_of(self.len());
        self.rows.extend_from_slice(row);
        let (rows, width) = (&self.rows, self.width);
        let rehash = |&id: &StateId| hash(row_at(rows, width, id));
        self.ids.insert_unique(hash(row), id, rehash);
        (id, true)
    }
}

#[inline]
fn row_at(rows: &[u64], width: usize, id: StateId) -> &[u64] {
    let start = id as usize * width;
    &rows[start..start + width]
}

#[inline]
fn hash(row: &[u64]) -> u64 {
    let mut hasher = FxHasher::default();
    for &word in row {
        hasher.write_u64(word);
    }
    hasher.finish()
}
