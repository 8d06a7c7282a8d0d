//! The main loop.

use super::lit::Lit;
use super::procedure::{DecisionProcedure, FinalCheck};
use super::propagate::Depth;
use super::solver::{Reason, Sat};
use crate::meter::Meter;

/// Clauses that are added in the time of one step of the search.
const CLAUSES_PER_STEP: u64 = 8;

/// Conflicts in the shortest restart interval.
const RESTART_UNIT: u64 = 64;

/// The answer of a check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The trail and the theory describe a model.
    Sat,
    /// No model; see [`Sat::core`].
    Unsat,
    /// The budget ran out or the theory gave up.
    Unknown,
}

/// The action after a fixpoint without conflict.
enum Next {
    Decide(Lit),
    /// A decision requested by the theory.
    Branch(Lit),
    /// The assumption already holds; it still gets its own level.
    Skip,
    Done(Outcome),
    Conflict(super::arena::ClauseRef),
}

impl<T: DecisionProcedure> Sat<T> {
    /// Decides the clauses under assumptions.
    ///
    /// The trail stays as it is afterwards, so that a model can be read and the next check can
    /// keep the levels of the assumptions it shares with this one.
    pub fn solve(&mut self, assumptions: &[Lit], meter: &mut Meter) -> Outcome {
        self.statistics.checks += 1;
        if !self.consistent {
            self.core.clear();
            return Outcome::Unsat;
        }
        meter.spend(std::mem::take(&mut self.unpaid) / CLAUSES_PER_STEP);
        self.adopt_assumptions(assumptions);
        let mut restarts = 0;
        let mut until_restart = RESTART_UNIT;
        let mut branches = self.statistics.branches;
        loop {
            let depth = if self.decision_level() < self.assumptions.len() {
                Depth::Shallow
            } else {
                Depth::Full
            };
            let next = match self.propagate(depth, meter) {
                Some(c) => Next::Conflict(c),
                None if meter.stopped().is_some() => return self.give_up(),
                None if until_restart == 0 => {
                    restarts += 1;
                    until_restart = RESTART_UNIT * luby(restarts);
                    let branched = self.statistics.branches - branches > RESTART_UNIT / 2;
                    branches = self.statistics.branches;
                    self.restart(branched);
                    continue;
                }
                None => self.next_step(meter),
            };
            match next {
                Next::Conflict(c) => {
                    until_restart = until_restart.saturating_sub(1);
                    meter.spend(1);
                    if !self.resolve_conflict(c) {
                        return Outcome::Unsat;
                    }
                    self.tidy();
                }
                Next::Branch(lit) => {
                    until_restart = until_restart.saturating_sub(1);
                    self.new_level();
                    self.enqueue(lit, Reason::None);
                }
                Next::Decide(lit) => {
                    self.new_level();
                    self.enqueue(lit, Reason::None);
                }
                Next::Skip => self.new_level(),
                Next::Done(Outcome::Unknown) => return self.give_up(),
                Next::Done(outcome) => return outcome,
            }
        }
    }

    /// Keeps the levels of the assumptions shared with the previous check.
    fn adopt_assumptions(&mut self, assumptions: &[Lit]) {
        let same = self.assumptions.iter().zip(assumptions);
        let shared = same.take_while(|(a, b)| a == b).count();
        self.backtrack(shared);
        self.assumptions.clear();
        self.assumptions.extend_from_slice(assumptions);
    }

    fn give_up(&mut self) -> Outcome {
        self.theory_dirty = true;
        Outcome::Unknown
    }

    fn next_step(&mut self, meter: &mut Meter) -> Next {
        if let Some(&assumption) = self.assumptions.get(self.decision_level()) {
            return match self.values[assumption.index()] {
                0 => Next::Decide(assumption),
                v if v > 0 => Next::Skip,
                _ => {
                    self.analyze_final(assumption);
                    Next::Done(Outcome::Unsat)
                }
            };
        }
        if let Some(lit) = self.next_decision() {
            self.statistics.decisions += 1;
            return Next::Decide(lit);
        }
        match self.theory.final_check(&mut self.exchange, meter) {
            FinalCheck::Consistent => Next::Done(Outcome::Sat),
            FinalCheck::Unknown => Next::Done(Outcome::Unknown),
            FinalCheck::Conflict => Next::Conflict(self.theory_conflict()),
            FinalCheck::Branch(lit) => {
                self.adopt_atoms();
                self.statistics.branches += 1;
                debug_assert_eq!(self.values[lit.index()], 0);
                Next::Branch(lit)
            }
        }
    }

    /// Restarts under the assumptions. If the time went into branches of the theory, the Boolean
    /// choices may be the cause: then they are made afresh.
    fn restart(&mut self, branched: bool) {
        self.statistics.restarts += 1;
        self.backtrack(self.assumptions.len());
        self.theory.restarted();
        self.purge_temporaries();
        if branched {
            self.phase.fill(0);
        }
    }

    /// Housekeeping after a conflict.
    fn tidy(&mut self) {
        if self.learnt_count > self.learnt_limit {
            self.reduce();
            self.learnt_limit += 150;
        }
        if self.arena.should_compact() {
            self.compact();
        }
        self.sweep_log();
    }
}

/// The sequence 1 1 2 1 1 2 4 ... of [LubySinclairZuckerman93], from index 1.
fn luby(mut i: u64) -> u64 {
    loop {
        let bits = 64 - i.leading_zeros();
        if i == (1 << bits) - 1 {
            return 1 << (bits - 1);
        }
        i -= (1 << (bits - 1)) - 1;
    }
}

#[cfg(test)]
mod tests {
    use super::luby;

    #[test]
    fn luby_begins_as_published() {
        let first: Vec<u64> = (1..=15).map(luby).collect();
        assert_eq!(first, [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]);
    }
}
