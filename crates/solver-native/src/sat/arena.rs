//! The clause arena: all clauses in one flat vector, with a three-word header each.
//!
//! A clause that is dropped is only marked; its words are reclaimed when the solver compacts the
//! arena. Until then every stale reference still finds the marked clause, which is what lets
//! watch lists be cleaned lazily.

use super::lit::Lit;
use crate::proof_log::StepId;

/// The address of a clause in the arena.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ClauseRef(pub u32);

/// The role of a clause; determines when it may be deleted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ClauseKind {
    /// Part of an assertion or definition.
    Original,
    /// Derived; may be dropped whenever it is not a reason.
    Learnt,
    /// An explanation of the theory, kept only while it is a reason. Never watched.
    Temporary,
}

const HEADER: usize = 3;
const LEARNT: u32 = 1;
const DELETED: u32 = 2;
const MOVED: u32 = 4;
const TEMPORARY: u32 = 8;
const FLAG_BITS: u32 = 4;

/// Flat storage of clauses.
#[derive(Default)]
pub struct ClauseArena {
    data: Vec<u32>,
    wasted: usize,
}

impl ClauseArena {
    pub fn alloc(&mut self, lits: &[Lit], kind: ClauseKind, step: StepId) -> ClauseRef {
        let at = u32::try_from(self.data.len()).expect("clauses fit in 2^32 words");
        let flags = match kind {
            ClauseKind::Original => 0,
            ClauseKind::Learnt => LEARNT,
            ClauseKind::Temporary => TEMPORARY,
        };
        let len = u32::try_from(lits.len()).expect("a clause has fewer than 2^28 literals");
        self.data.push(len << FLAG_BITS | flags);
        self.data.push(0);
        self.data.push(step.0);
        self.data.extend(lits.iter().map(|l| l.0));
        ClauseRef(at)
    }

    #[inline]
    fn word(&self, c: ClauseRef) -> u32 {
        self.data[c.0 as usize]
    }

    #[inline]
    pub fn len(&self, c: ClauseRef) -> usize {
        (self.word(c) >> FLAG_BITS) as usize
    }

    #[inline]
    pub fn is_deleted(&self, c: ClauseRef) -> bool {
        self.word(c) & DELETED != 0
    }

    #[inline]
    pub fn is_learnt(&self, c: ClauseRef) -> bool {
        self.word(c) & LEARNT != 0
    }

    #[inline]
    pub fn lit(&self, c: ClauseRef, k: usize) -> Lit {
        Lit(self.data[c.0 as usize + HEADER + k])
    }

    /// The literals as raw codes, to be wrapped by [`Lit`].
    #[inline]
    pub fn codes(&self, c: ClauseRef) -> &[u32] {
        let start = c.0 as usize + HEADER;
        &self.data[start..start + self.len(c)]
    }

    /// The literals as raw codes, to be reordered in place.
    #[inline]
    pub fn codes_mut(&mut self, c: ClauseRef) -> &mut [u32] {
        let start = c.0 as usize + HEADER;
        let end = start + self.len(c);
        &mut self.data[start..end]
    }

    pub fn lits(&self, c: ClauseRef) -> impl Iterator<Item = Lit> + '_ {
        self.codes(c).iter().map(|&code| Lit(code))
    }

    /// The proof step that made the clause.
    #[inline]
    pub fn step(&self, c: ClauseRef) -> StepId {
        StepId(self.data[c.0 as usize + 1 + 1])
    }

    /// Replaces the proof step (steps are renumbered when the log is compacted).
    pub fn set_step(&mut self, c: ClauseRef, step: StepId) {
        self.data[c.0 as usize + 2] = step.0;
    }

    /// The free word of the header: the glue of a learnt clause, the last literal seen to satisfy
    /// an original one.
    #[inline]
    pub fn note(&self, c: ClauseRef) -> u32 {
        self.data[c.0 as usize + 1]
    }

    /// Sets the free word of the header.
    #[inline]
    pub fn set_note(&mut self, c: ClauseRef, note: u32) {
        self.data[c.0 as usize + 1] = note;
    }

    pub fn delete(&mut self, c: ClauseRef) {
        if !self.is_deleted(c) {
            self.data[c.0 as usize] |= DELETED;
            self.wasted += self.len(c) + HEADER;
        }
    }

    /// Whether compaction pays.
    pub fn should_compact(&self) -> bool {
        self.wasted > 4096 && self.wasted * 3 > self.data.len()
    }

    /// Words in use, including those of deleted clauses.
    #[cfg(test)]
    pub fn words(&self) -> usize {
        self.data.len()
    }

    /// Copies a live clause to `target` and leaves its new address behind.
    ///
    /// Returns `None` for a deleted clause.
    pub fn relocate(&mut self, c: ClauseRef, target: &mut ClauseArena) -> Option<ClauseRef> {
        let word = self.word(c);
        if word & DELETED != 0 {
            return None;
        }
        if word & MOVED != 0 {
            return Some(ClauseRef(self.note(c)));
        }
        let at =
            u32::try_from(target.data.len()).expect("the copy is not larger than the original");
        let start = c.0 as usize;
        let end = start + HEADER + self.len(c);
        target.data.extend_from_slice(&self.data[start..end]);
        self.data[start] |= MOVED;
        self.data[start + 1] = at;
        Some(ClauseRef(at))
    }

    /// An empty arena with room for the live clauses of this one.
    pub fn successor(&self) -> ClauseArena {
        ClauseArena {
            data: Vec::with_capacity(self.data.len() - self.wasted.min(self.data.len())),
            wasted: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sat::lit::Var;

    #[test]
    fn relocation_keeps_live_clauses_and_drops_deleted_ones() {
        let lits: Vec<Lit> = (0..4).map(|v| Var(v).positive()).collect();
        let mut arena = ClauseArena::default();
        let a = arena.alloc(&lits, ClauseKind::Original, StepId(1));
        let b = arena.alloc(&lits[1..], ClauseKind::Learnt, StepId(2));
        arena.delete(a);
        let mut next = arena.successor();
        assert_eq!(arena.relocate(a, &mut next), None);
        let moved = arena.relocate(b, &mut next).unwrap();
        assert_eq!(arena.relocate(b, &mut next), Some(moved));
        assert_eq!(next.lits(moved).collect::<Vec<_>>(), lits[1..]);
        assert_eq!(next.step(moved), StepId(2));
        assert!(next.is_learnt(moved));
    }
}
