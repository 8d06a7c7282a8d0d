//! Obligations: which clauses need a decision, and the choice of the next one.
//!
//! An obligation is an original clause whose guard is true. It is met when one of its literals is
//! true; a variable is worth deciding only if it occurs in an unmet obligation. When all are met,
//! the remaining variables can take any value: every clause whose guard is not true is satisfied by
//! a false guard, and learnt clauses and lemmas follow from the others.

use super::arena::ClauseRef;
use super::lit::{Lit, Var};
use super::procedure::DecisionProcedure;
use super::solver::{Guard, Sat};

impl<T: DecisionProcedure> Sat<T> {
    /// Registers an original clause (at level 0).
    pub(super) fn register_obligation(&mut self, c: ClauseRef, guard: Guard) {
        self.arena.set_note(c, self.arena.lit(c, 0).0);
        match guard {
            Guard::Never => {}
            Guard::Always => self.activate(c),
            // Two literals: the guard's truth propagates the other one at once.
            Guard::When(_) if self.arena.len(c) == 2 => {}
            Guard::When(lit) if self.is_true(lit) => self.activate(c),
            Guard::When(lit) => self.guarded[lit.index()].push(c),
        }
    }

    /// The guard `lit` became true.
    #[inline]
    pub(super) fn activate_guarded(&mut self, lit: Lit) {
        for i in 0..self.guarded[lit.index()].len() {
            let c = self.guarded[lit.index()][i];
            self.activate(c);
        }
    }

    fn activate(&mut self, c: ClauseRef) {
        self.activated.push(c);
        for k in 0..self.arena.len(c) {
            let lit = self.arena.lit(c, k);
            self.obligations[lit.var().index()].push(c);
            if self.values[lit.index()] == 0 {
                self.order.insert(lit.var());
            }
        }
    }

    /// Withdraws the obligations beyond the first `keep`, last one first: each variable's list is
    /// a stack as well.
    pub(super) fn deactivate(&mut self, keep: usize) {
        while self.activated.len() > keep {
            let c = self
                .activated
                .pop()
                .expect("the stack is longer than `keep`");
            for &code in self.arena.codes(c) {
                let popped = self.obligations[Lit(code).var().index()].pop();
                debug_assert_eq!(popped, Some(c));
            }
        }
    }

    /// Reinserts variables that were skipped beyond the first `keep`.
    pub(super) fn reconsider(&mut self, keep: usize) {
        for v in self.skipped.drain(keep..) {
            self.order.insert(v);
        }
    }

    /// The next decision; none when every obligation is met.
    pub(super) fn next_decision(&mut self) -> Option<Lit> {
        while let Some(v) = self.order.pop() {
            if self.values[v.positive().index()] != 0 {
                continue;
            }
            if self.obligations[v.index()].is_empty() {
                continue;
            }
            if let Some((wanted, c)) = self.unmet_literal(v) {
                return Some(self.choose_phase(wanted, c));
            }
            self.skipped.push(v);
        }
        None
    }

    /// A literal of `v` in an obligation that is not met.
    fn unmet_literal(&mut self, v: Var) -> Option<(Lit, ClauseRef)> {
        for i in 0..self.obligations[v.index()].len() {
            let c = self.obligations[v.index()][i];
            let known = Lit(self.arena.note(c));
            if self.values[known.index()] > 0 {
                continue;
            }
            let mut own = None;
            let mut met = None;
            for lit in self.arena.lits(c) {
                if self.is_true(lit) {
                    met = Some(lit);
                    break;
                }
                if lit.var() == v {
                    own = Some(lit);
                }
            }
            match met {
                Some(lit) => self.arena.set_note(c, lit.0),
                None => return own.map(|lit| (lit, c)),
            }
        }
        None
    }

    /// Chooses the sign of `wanted`, which would meet the obligation `c`: the last one, or, the
    /// first time, the one that meets the obligation. If the theory's candidate model meets it by
    /// another literal that is as new, that one is chosen: nothing has to change for it.
    fn choose_phase(&mut self, wanted: Lit, c: ClauseRef) -> Lit {
        let v = wanted.var();
        let phase = self.phase[v.index()];
        if phase != 0 {
            return v.literal(phase > 0);
        }
        if self.theory_value(wanted) == Some(false) {
            let other = self.arena.lits(c).find(|&lit| {
                self.values[lit.index()] == 0
                    && self.phase[lit.var().index()] == 0
                    && self.theory_value(lit) == Some(true)
            });
            if let Some(lit) = other {
                self.order.insert(v);
                return lit;
            }
        }
        wanted
    }

    /// Whether a literal holds in the theory's candidate model.
    fn theory_value(&self, lit: Lit) -> Option<bool> {
        if self.is_atom[lit.var().index()] {
            let value = self.theory.suggested_value(lit.var())?;
            Some(value == lit.is_positive())
        } else {
            None
        }
    }
}
