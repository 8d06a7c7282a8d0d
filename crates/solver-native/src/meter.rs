//! The budget of one check: deterministic steps, with a cheap poll of the outer budget.

use sectile_base::{Budget, Exhausted};

/// Steps between two polls of the outer budget.
const POLL_EVERY: u64 = 64;

/// Counts the work of one check.
///
/// One conflict, one pivot and a bundle of propagations are each about one step, so that a step
/// limit gives the same answer on every machine.
pub struct Meter<'b> {
    budget: &'b Budget,
    steps: u64,
    next_poll: u64,
    stopped: Option<Exhausted>,
}

impl<'b> Meter<'b> {
    pub fn new(budget: &'b Budget) -> Meter<'b> {
        Meter {
            budget,
            steps: 0,
            next_poll: POLL_EVERY,
            stopped: None,
        }
    }

    /// Records work; true means stop.
    #[inline]
    pub fn spend(&mut self, steps: u64) -> bool {
        self.steps += steps;
        if self.steps >= self.next_poll {
            self.poll();
        }
        self.stopped.is_some()
    }

    fn poll(&mut self) {
        while self.steps >= self.next_poll && self.stopped.is_none() {
            self.next_poll += POLL_EVERY;
            self.stopped = self.budget.poll_for(POLL_EVERY).err();
        }
    }

    /// Polls the outer budget now.
    pub fn look(&mut self) {
        if self.stopped.is_none() {
            self.stopped = self.budget.check().err();
        }
    }

    /// The reason to stop, if there is one.
    pub fn stopped(&self) -> Option<Exhausted> {
        self.stopped
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_limit_stops_deterministically() {
        let budget = Budget::unlimited().with_steps(2);
        let mut meter = Meter::new(&budget);
        let mut steps = 0;
        while !meter.spend(1) {
            steps += 1;
        }
        assert_eq!(steps, 3 * POLL_EVERY - 1);
        assert_eq!(meter.stopped(), Some(Exhausted::Steps));
    }
}
