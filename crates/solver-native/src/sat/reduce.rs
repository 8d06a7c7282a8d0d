//! Forgetting: clause reduction, compaction of the arena and of the proof log.

use super::arena::ClauseRef;
use super::procedure::DecisionProcedure;
use super::solver::{Reason, Sat};
use crate::proof_log::StepId;

/// Maximum glue of learnt clauses that are kept for ever.
const KEEP_GLUE: u32 = 2;

impl<T: DecisionProcedure> Sat<T> {
    fn is_reason(&self, c: ClauseRef) -> bool {
        self.arena.lits(c).any(|l| {
            self.values[l.index()] > 0 && self.reason[l.var().index()] == Reason::Clause(c)
        })
    }

    /// Deletes the worse half of the learnt clauses: high glue first, then old ones.
    pub(super) fn reduce(&mut self) {
        let mut candidates = Vec::new();
        for scope in &self.scopes {
            for &c in &scope.learnts {
                if self.arena.note(c) > KEEP_GLUE && self.arena.len(c) > 2 && !self.is_reason(c) {
                    candidates.push((std::cmp::Reverse(self.arena.note(c)), c));
                }
            }
        }
        candidates.sort_unstable();
        for &(_, c) in &candidates[..candidates.len() / 2] {
            self.arena.delete(c);
            self.statistics.deleted += 1;
        }
        let arena = &self.arena;
        let mut count = 0;
        for scope in &mut self.scopes {
            scope.learnts.retain(|&c| !arena.is_deleted(c));
            count += scope.learnts.len();
        }
        self.learnt_count = count;
        self.purge_temporaries();
    }

    /// Deletes explanations that are no longer the reason of a literal.
    pub(super) fn purge_temporaries(&mut self) {
        let mut kept = 0;
        for i in 0..self.temporaries.len() {
            let c = self.temporaries[i];
            if self.is_reason(c) {
                self.temporaries[kept] = c;
                kept += 1;
            } else {
                self.arena.delete(c);
            }
        }
        self.temporaries.truncate(kept);
    }

    /// Copies the live clauses to a new arena.
    pub(super) fn compact(&mut self) {
        let mut old = std::mem::take(&mut self.arena);
        let mut new = old.successor();
        let mut relocate = |list: &mut Vec<ClauseRef>| {
            list.retain_mut(|c| match old.relocate(*c, &mut new) {
                Some(moved) => {
                    *c = moved;
                    true
                }
                None => false,
            });
        };
        for scope in &mut self.scopes {
            relocate(&mut scope.originals);
            relocate(&mut scope.learnts);
        }
        relocate(&mut self.temporaries);
        relocate(&mut self.activated);
        self.guarded.iter_mut().for_each(&mut relocate);
        self.obligations.iter_mut().for_each(&mut relocate);
        for list in &mut self.watches {
            list.retain_mut(|w| match old.relocate(w.clause, &mut new) {
                Some(moved) => {
                    w.clause = moved;
                    true
                }
                None => false,
            });
        }
        for lit in &self.trail {
            let reason = &mut self.reason[lit.var().index()];
            if let Reason::Clause(c) = *reason {
                let moved = old.relocate(c, &mut new);
                *reason = Reason::Clause(moved.expect("a reason is not deleted"));
            }
        }
        self.arena = new;
    }

    /// Compacts the proof log when most of it is dead.
    pub(super) fn sweep_log(&mut self) {
        if !self.log.as_ref().is_some_and(|log| log.should_sweep()) {
            return;
        }
        let lists = self
            .scopes
            .iter()
            .flat_map(|s| s.originals.iter().chain(&s.learnts));
        let clauses: Vec<ClauseRef> = lists.chain(&self.temporaries).copied().collect();
        let mut roots: Vec<StepId> = clauses.iter().map(|&c| self.arena.step(c)).collect();
        roots.extend(&self.unit_step);
        roots.push(self.final_step);
        let Some(log) = &mut self.log else { return };
        let renamed = log.sweep(&roots);
        let rename = |step: StepId| match step {
            StepId::NONE => StepId::NONE,
            step => renamed[step.0 as usize],
        };
        for c in clauses {
            self.arena.set_step(c, rename(self.arena.step(c)));
        }
        for step in &mut self.unit_step {
            *step = rename(*step);
        }
        self.final_step = rename(self.final_step);
    }
}
