//! Conflict analysis: first unique implication point, minimisation, cores, and proof chains.

use super::arena::{ClauseKind, ClauseRef};
use super::lit::{Lit, Var};
use super::procedure::DecisionProcedure;
use super::solver::{Reason, Sat};
use crate::proof_log::StepId;

impl<T: DecisionProcedure> Sat<T> {
    /// Learns from a false clause and backjumps. False means: there is no model at all.
    pub(super) fn resolve_conflict(&mut self, conflict: ClauseRef) -> bool {
        self.statistics.conflicts += 1;
        let top = self
            .arena
            .lits(conflict)
            .map(|l| self.level[l.var().index()]);
        let top = top.max().unwrap_or(0) as usize;
        // The theory may report a conflict at a higher level than its own.
        self.backtrack_keeping(top, conflict);
        if top == 0 {
            let step = self.derive_if_logged(conflict, &[]);
            self.contradiction(step);
            return false;
        }
        let back = self.analyze(conflict);
        let learnt = std::mem::take(&mut self.learnt);
        let step = self.derive_if_logged(conflict, &learnt);
        let glue = self.glue(&learnt);
        self.backtrack(back);
        self.learn(&learnt, glue, step);
        self.learnt = learnt;
        self.order.decay(0.95);
        true
    }

    /// Backtracks to `top` without freeing the temporary clause under analysis.
    fn backtrack_keeping(&mut self, top: usize, conflict: ClauseRef) {
        if top > 0 {
            return self.backtrack(top);
        }
        self.temporaries.retain(|&c| c != conflict);
        self.backtrack(0);
    }

    fn learn(&mut self, lits: &[Lit], glue: u32, step: StepId) {
        if let [unit] = lits {
            return self.add_fact(*unit, step);
        }
        let c = self.arena.alloc(lits, ClauseKind::Learnt, step);
        self.arena.set_note(c, glue);
        self.attach(c);
        let scope = self.scope_of_clause(lits);
        self.scopes[scope].learnts.push(c);
        self.learnt_count += 1;
        self.enqueue(lits[0], Reason::Clause(c));
    }

    /// Computes the clause of the first unique implication point into `learnt`, asserting literal
    /// first and a literal of the level to jump back to second; returns that level.
    fn analyze(&mut self, conflict: ClauseRef) -> usize {
        let level = self.decision_level() as u32;
        self.learnt.clear();
        self.learnt.push(Lit(0));
        let mut open = 0;
        let mut index = self.trail.len();
        let mut clause = conflict;
        let mut resolved: Option<Lit> = None;
        let uip = loop {
            self.refresh_glue(clause);
            for k in 0..self.arena.len(clause) {
                let lit = self.arena.lit(clause, k);
                let v = lit.var();
                if resolved == Some(lit) || self.seen[v.index()] || self.level[v.index()] == 0 {
                    continue;
                }
                self.seen[v.index()] = true;
                self.to_clear.push(v);
                self.order.bump(v);
                if self.level[v.index()] == level {
                    open += 1;
                } else {
                    self.learnt.push(lit);
                }
            }
            let lit = loop {
                index -= 1;
                let lit = self.trail[index];
                if self.seen[lit.var().index()] {
                    break lit;
                }
            };
            open -= 1;
            if open == 0 {
                break lit;
            }
            clause = self.reason_clause(lit);
            resolved = Some(lit);
        };
        self.learnt[0] = !uip;
        self.minimise();
        for v in self.to_clear.drain(..) {
            self.seen[v.index()] = false;
        }
        self.second_watch()
    }

    /// Moves a literal of the highest level but the first to position 1; returns its level.
    fn second_watch(&mut self) -> usize {
        let mut best = 0;
        for k in 1..self.learnt.len() {
            let level = self.level[self.learnt[k].var().index()];
            if best == 0 || level > self.level[self.learnt[best].var().index()] {
                best = k;
            }
        }
        if best == 0 {
            return 0;
        }
        self.learnt.swap(1, best);
        self.level[self.learnt[1].var().index()] as usize
    }

    /// Drops literals implied by the negation of the others.
    fn minimise(&mut self) {
        let mut levels = 0u32;
        for lit in &self.learnt[1..] {
            levels |= 1 << (self.level[lit.var().index()] & 31);
        }
        let mut kept = 1;
        for k in 1..self.learnt.len() {
            let lit = self.learnt[k];
            if self.reason[lit.var().index()] == Reason::None || !self.is_redundant(!lit, levels) {
                self.learnt[kept] = lit;
                kept += 1;
            }
        }
        self.learnt.truncate(kept);
    }

    /// Whether the reasons of a true literal lead only to literals already marked.
    ///
    /// An explicit stack of (variable, next literal of its reason) replaces the recursion. Marks
    /// made on the way stay if the literal is redundant, and are taken back if it is not.
    fn is_redundant(&mut self, lit: Lit, levels: u32) -> bool {
        let marked = self.to_clear.len();
        self.stack.clear();
        self.stack.push((lit.var(), 0));
        while let Some((v, k)) = self.stack.pop() {
            let own = v.literal(self.values[v.positive().index()] > 0);
            let c = self.reason_clause(own);
            let mut k = k as usize;
            let len = self.arena.len(c);
            while k < len {
                let w = self.arena.lit(c, k).var();
                k += 1;
                if w == v || self.seen[w.index()] || self.level[w.index()] == 0 {
                    continue;
                }
                let level_bit = 1u32 << (self.level[w.index()] & 31);
                if self.reason[w.index()] == Reason::None || levels & level_bit == 0 {
                    for u in self.to_clear.drain(marked..) {
                        self.seen[u.index()] = false;
                    }
                    return false;
                }
                self.seen[w.index()] = true;
                self.to_clear.push(w);
                self.stack.push((v, k as u32));
                self.stack.push((w, 0));
                break;
            }
        }
        true
    }

    /// The number of different levels among literals: the glue of [AudemardSimon09].
    fn glue(&mut self, lits: &[Lit]) -> u32 {
        self.begin_glue();
        let mut glue = 0;
        for &lit in lits {
            glue += self.is_new_level(lit);
        }
        glue
    }

    fn begin_glue(&mut self) {
        self.stamp += 1;
        if self.level_stamp.len() <= self.decision_level() {
            self.level_stamp.resize(self.decision_level() + 1, 0);
        }
    }

    /// 1 for the first literal of its level seen, else 0.
    #[inline]
    fn is_new_level(&mut self, lit: Lit) -> u32 {
        let stamp = &mut self.level_stamp[self.level[lit.var().index()] as usize];
        u32::from(std::mem::replace(stamp, self.stamp) != self.stamp)
    }

    fn refresh_glue(&mut self, c: ClauseRef) {
        if !self.arena.is_learnt(c) || self.arena.note(c) <= 2 {
            return;
        }
        self.begin_glue();
        let mut glue = 0;
        for k in 0..self.arena.len(c) {
            let lit = self.arena.lit(c, k);
            glue += self.is_new_level(lit);
        }
        if glue < self.arena.note(c) {
            self.arena.set_note(c, glue);
        }
    }

    /// The assumptions that make `assumption` false, and itself, become the core.
    pub(super) fn analyze_final(&mut self, assumption: Lit) {
        self.core.clear();
        self.core.push(assumption);
        self.final_step = StepId::NONE;
        let v = assumption.var();
        if self.level[v.index()] == 0 {
            self.final_step = self.unit_step[v.index()];
            return;
        }
        if self.reason[v.index()] == Reason::None {
            // Both signs were assumed.
            self.core.push(!assumption);
            return;
        }
        let first = self.reason_clause(!assumption);
        self.seen[v.index()] = true;
        self.to_clear.push(v);
        for i in (self.level_start[0]..self.trail.len()).rev() {
            let lit = self.trail[i];
            if !self.seen[lit.var().index()] {
                continue;
            }
            if self.reason[lit.var().index()] == Reason::None {
                self.core.push(lit);
                continue;
            }
            let c = self.reason_clause(lit);
            for k in 0..self.arena.len(c) {
                let w = self.arena.lit(c, k).var();
                if !self.seen[w.index()] && self.level[w.index()] > 0 {
                    self.seen[w.index()] = true;
                    self.to_clear.push(w);
                }
            }
        }
        for u in self.to_clear.drain(..) {
            self.seen[u.index()] = false;
        }
        let kept: Vec<Lit> = if self.log.is_some() {
            self.core.clone()
        } else {
            Vec::new()
        };
        self.final_step = self.derive_if_logged(first, &kept);
    }

    fn derive_if_logged(&mut self, start: ClauseRef, target: &[Lit]) -> StepId {
        if self.log.is_some() {
            self.derive(start, target)
        } else {
            StepId::NONE
        }
    }

    /// Logs the chain from `start` to the clause over the variables of `target`: every other
    /// literal is resolved with its reason, latest on the trail first.
    pub(super) fn derive(&mut self, start: ClauseRef, target: &[Lit]) -> StepId {
        debug_assert!(self.chain_heap.is_empty() && self.chain_clear.is_empty());
        for lit in target {
            self.chain_seen[lit.var().index()] = true;
            self.chain_clear.push(lit.var());
        }
        self.chain.clear();
        self.chain_enter(start);
        while let Some(position) = self.chain_heap.pop() {
            let lit = self.trail[position as usize];
            if self.level[lit.var().index()] == 0 {
                let unit = self.unit_step[lit.var().index()];
                debug_assert_ne!(unit, StepId::NONE);
                self.chain.push(unit);
                continue;
            }
            let c = self.reason_clause(lit);
            self.chain_enter(c);
        }
        for v in self.chain_clear.drain(..) {
            self.chain_seen[v.index()] = false;
        }
        let chain = &self.chain;
        self.log
            .as_mut()
            .map_or(StepId::NONE, |log| log.chain(chain))
    }

    fn chain_enter(&mut self, c: ClauseRef) {
        self.chain.push(self.arena.step(c));
        for k in 0..self.arena.len(c) {
            let v: Var = self.arena.lit(c, k).var();
            if !self.chain_seen[v.index()] {
                self.chain_seen[v.index()] = true;
                self.chain_clear.push(v);
                self.chain_heap.push(self.trail_position[v.index()]);
            }
        }
    }
}
