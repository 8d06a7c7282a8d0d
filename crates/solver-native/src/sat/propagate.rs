//! Boolean and theory propagation.

use super::arena::{ClauseKind, ClauseRef};
use super::lit::Lit;
use super::procedure::{Conflict, DecisionProcedure};
use super::solver::{Reason, Sat, Watch};
use crate::meter::Meter;
use crate::proof_log::StepId;

/// How far to propagate.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Depth {
    /// Report literals to the theory without letting it work. Used between assumptions.
    Shallow,
    /// Let the theory check and propagate.
    Full,
}

impl<T: DecisionProcedure> Sat<T> {
    /// Propagates to a fixpoint. Returns a clause that is false, if there is one.
    pub(super) fn propagate(&mut self, depth: Depth, meter: &mut Meter) -> Option<ClauseRef> {
        loop {
            if let Some(c) = self.propagate_boolean(meter) {
                return Some(c);
            }
            if let Err(c) = self.tell_theory() {
                return Some(c);
            }
            if self.boolean_head < self.trail.len() {
                continue;
            }
            if depth == Depth::Shallow || !self.theory_dirty {
                return None;
            }
            self.theory_dirty = false;
            if let Err(Conflict) = self.theory.propagate(&mut self.exchange, meter) {
                return Some(self.theory_conflict());
            }
            if let Err(c) = self.take_propagated() {
                return Some(c);
            }
            if self.boolean_head == self.trail.len() {
                return None;
            }
        }
    }

    /// Passes new atoms on the trail to the theory.
    fn tell_theory(&mut self) -> Result<(), ClauseRef> {
        while self.theory_head < self.trail.len() {
            let lit = self.trail[self.theory_head];
            self.theory_head += 1;
            if self.is_atom[lit.var().index()] {
                self.theory_dirty = true;
                if let Err(Conflict) = self.theory.assert_literal(lit, &mut self.exchange) {
                    return Err(self.theory_conflict());
                }
            }
        }
        self.take_propagated()
    }

    fn take_propagated(&mut self) -> Result<(), ClauseRef> {
        let mut list = std::mem::take(&mut self.exchange.propagated);
        let mut result = Ok(());
        for &(lit, token) in &list {
            if self.is_true(lit) {
                continue;
            }
            if self.is_false(lit) {
                self.theory.explain(lit, token, &mut self.exchange);
                result = Err(self.theory_conflict());
                break;
            }
            self.statistics.theory_propagations += 1;
            self.enqueue(lit, Reason::Theory(token));
        }
        list.clear();
        self.exchange.propagated = list;
        result
    }

    /// Turns the theory's clause into a temporary clause.
    pub(super) fn theory_clause(&mut self) -> ClauseRef {
        let step = match (&mut self.log, self.exchange.origin.take()) {
            (Some(log), Some(origin)) => log.leaf(&self.exchange.clause, origin),
            _ => StepId::NONE,
        };
        let c = self
            .arena
            .alloc(&self.exchange.clause, ClauseKind::Temporary, step);
        self.temporaries.push(c);
        c
    }

    pub(super) fn theory_conflict(&mut self) -> ClauseRef {
        self.statistics.theory_conflicts += 1;
        debug_assert!(self.exchange.clause.iter().all(|&l| self.is_false(l)));
        self.exchange.propagated.clear();
        self.theory_clause()
    }

    /// The clause that implied a literal; asks the theory for it if necessary.
    pub(super) fn reason_clause(&mut self, lit: Lit) -> ClauseRef {
        match self.reason[lit.var().index()] {
            Reason::Clause(c) => c,
            Reason::Theory(token) => {
                self.theory.explain(lit, token, &mut self.exchange);
                let c = self.theory_clause();
                self.reason[lit.var().index()] = Reason::Clause(c);
                c
            }
            Reason::None => unreachable!("decisions and facts have no reason clause"),
        }
    }

    /// Unit propagation of the clauses.
    fn propagate_boolean(&mut self, meter: &mut Meter) -> Option<ClauseRef> {
        let begin = self.boolean_head;
        let mut conflict = None;
        while conflict.is_none() && self.boolean_head < self.trail.len() {
            let lit = self.trail[self.boolean_head];
            self.boolean_head += 1;
            if !self.guarded[lit.index()].is_empty() {
                self.activate_guarded(lit);
            }
            conflict = self.visit_watches(lit);
        }
        let done = (self.boolean_head - begin) as u64;
        self.statistics.propagations += done;
        meter.spend(done.div_ceil(16));
        conflict
    }

    /// Restores the watch invariant of the clauses that watch the negation of `lit`.
    fn visit_watches(&mut self, lit: Lit) -> Option<ClauseRef> {
        let mut list = std::mem::take(&mut self.watches[lit.index()]);
        let falsified = !lit;
        let (mut read, mut write) = (0, 0);
        let mut conflict = None;
        while read < list.len() {
            let watch = list[read];
            read += 1;
            if self.values[watch.blocker.index()] > 0 {
                list[write] = watch;
                write += 1;
                continue;
            }
            let c = watch.clause;
            if self.arena.is_deleted(c) {
                continue;
            }
            let (first, moved) = self.rewatch(c, falsified);
            if moved {
                continue;
            }
            list[write] = Watch {
                clause: c,
                blocker: first,
            };
            write += 1;
            match self.values[first.index()] {
                0 => self.enqueue(first, Reason::Clause(c)),
                v if v < 0 => {
                    conflict = Some(c);
                    break;
                }
                _ => {}
            }
        }
        list.copy_within(read.., write);
        let kept = write + list.len() - read;
        list.truncate(kept);
        debug_assert!(self.watches[lit.index()].is_empty());
        self.watches[lit.index()] = list;
        conflict
    }

    /// Searches for another literal to watch instead of `falsified`. Returns the other watched
    /// literal, and whether the watch moved.
    #[inline]
    fn rewatch(&mut self, c: ClauseRef, falsified: Lit) -> (Lit, bool) {
        let values = &self.values;
        let codes = self.arena.codes_mut(c);
        if codes[0] == falsified.0 {
            codes.swap(0, 1);
        }
        let first = Lit(codes[0]);
        if values[first.index()] > 0 {
            return (first, false);
        }
        for k in 2..codes.len() {
            if values[codes[k] as usize] >= 0 {
                codes.swap(1, k);
                let new = Lit(codes[1]);
                self.watches[(!new).index()].push(Watch {
                    clause: c,
                    blocker: first,
                });
                return (first, true);
            }
        }
        (first, false)
    }
}
