//! Limits of a computation: wall clock, counted steps, memory, and cancellation from outside.

use crate::pace::{LOOK, Pace, Turns};
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Why a computation had to stop before it was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exhausted {
    /// The wall clock passed the deadline.
    Time,
    /// The deterministic number of steps was used up.
    Steps,
    /// The process uses more memory than it may.
    Memory,
    /// Another part of the program asked to stop.
    Cancelled,
}

impl Exhausted {
    /// The reason code that users see.
    pub fn code(self) -> &'static str {
        match self {
            Exhausted::Time => "timeout",
            Exhausted::Steps => "step limit",
            Exhausted::Memory => "memory limit",
            Exhausted::Cancelled => "cancelled",
        }
    }

    /// The reason as it is stored in `Shared::stopped`: its position, counted from 1.
    pub(crate) fn as_number(self) -> u8 {
        self as u8 + 1
    }

    /// All reasons in the order of their numbers.
    const ALL: [Exhausted; 4] = [
        Exhausted::Time,
        Exhausted::Steps,
        Exhausted::Memory,
        Exhausted::Cancelled,
    ];
}

/// Minimum time between two measurements of memory: one costs as much as many queries of an engine.
const MEMORY_INTERVAL: Duration = Duration::from_millis(10);

/// State shared by all budgets of one run: the reason to stop, the clock, and the time of the last
/// memory measurement.
#[derive(Debug)]
struct Shared {
    /// The reason as a number; 0 while the run may continue.
    stopped: AtomicU8,
    made: Instant,
    measured: AtomicU64,
    pace: Option<Arc<Pace>>,
}

impl Shared {
    fn new(pace: Option<Arc<Pace>>) -> Shared {
        Shared {
            stopped: AtomicU8::new(0),
            made: Instant::now(),
            measured: AtomicU64::new(0),
            pace,
        }
    }

    /// The time since the first budget of the run was made.
    fn now(&self) -> Duration {
        match &self.pace {
            Some(pace) => pace.now(),
            None => self.made.elapsed(),
        }
    }

    /// Counts units of a paced run; fails if the run was stopped.
    fn turn(&self, units: u64) -> Result<(), Exhausted> {
        if let Some(pace) = &self.pace {
            pace.spend(units, &self.stopped);
        }
        match self.stopped.load(Ordering::Acquire) {
            0 => Ok(()),
            reason => Err(Exhausted::ALL[usize::from(reason) - 1]),
        }
    }

    /// Whether the memory should be measured again; if so, the next interval begins.
    fn memory_is_due(&self) -> bool {
        let now = u64::try_from(self.made.elapsed().as_millis()).unwrap_or(u64::MAX);
        let last = self.measured.load(Ordering::Relaxed);
        let due = now.saturating_sub(last) >= MEMORY_INTERVAL.as_millis() as u64;
        if due {
            self.measured.store(now, Ordering::Relaxed);
        }
        due
    }
}

/// A handle that stops all computations on the same budget.
#[derive(Clone, Debug)]
pub struct Stopper(Arc<Shared>);

impl Stopper {
    /// Asks all computations to stop; they notice at their next poll.
    pub fn stop(&self) {
        self.stop_for(Exhausted::Cancelled);
    }

    /// Asks to stop for a given reason.
    pub fn stop_for(&self, reason: Exhausted) {
        self.0.stopped.store(reason.as_number(), Ordering::Release);
        if let Some(pace) = &self.0.pace {
            pace.wake();
        }
    }
}

/// The resources that a computation may still use.
///
/// Cloning gives a budget with the same deadline, memory limit and stop flag, but its own steps.
/// Polling is cheap: the clock is read at every 64th poll, the memory every 10 milliseconds.
///
/// All times are on the clock of the run: the wall clock, or the counted work of a paced run.
#[derive(Clone, Debug)]
pub struct Budget {
    started: Duration,
    deadline: Option<Duration>,
    plan: Option<Duration>,
    steps: Option<u64>,
    memory: Option<u64>,
    used: Cell<u64>,
    shared: Arc<Shared>,
}

impl Default for Budget {
    fn default() -> Budget {
        Budget::unlimited()
    }
}

impl Budget {
    /// No limit but the stop flag.
    pub fn unlimited() -> Budget {
        Budget::on(Shared::new(None))
    }

    /// No limit but the stop flag, for a computation that waits for its turns.
    pub fn paced(turns: &Turns) -> Budget {
        Budget::on(Shared::new(Some(Arc::clone(&turns.0))))
    }

    fn on(shared: Shared) -> Budget {
        Budget {
            started: shared.now(),
            deadline: None,
            plan: None,
            steps: None,
            memory: None,
            used: Cell::new(0),
            shared: Arc::new(shared),
        }
    }

    /// The same with a deadline `limit` from now, if that is earlier than the present one.
    pub fn with_time(mut self, limit: Duration) -> Budget {
        let end = self.shared.now().saturating_add(limit);
        self.deadline = Some(self.deadline.map_or(end, |old| old.min(end)));
        self
    }

    /// The same for a computation that will probably be stopped from outside after this time. This
    /// is not a limit, but [`Budget::remaining`] reports it to computations that divide their time.
    pub fn planned(mut self, time: Duration) -> Budget {
        self.plan = Some(self.shared.now().saturating_add(time));
        self
    }

    /// The same, with the time counted from now.
    pub fn restarted(mut self) -> Budget {
        self.started = self.shared.now();
        self
    }

    /// The same with at most this many polls.
    pub fn with_steps(mut self, steps: u64) -> Budget {
        self.steps = Some(steps);
        self.used.set(0);
        self
    }

    /// The same with at most this many bytes of resident memory for the whole process.
    pub fn with_memory(mut self, bytes: u64) -> Budget {
        self.memory = Some(bytes);
        self
    }

    /// A handle with which another thread can stop this run.
    pub fn stopper(&self) -> Stopper {
        Stopper(Arc::clone(&self.shared))
    }

    /// Time since the budget was made.
    pub fn elapsed(&self) -> Duration {
        self.shared.now().saturating_sub(self.started)
    }

    /// Time left until the deadline, or until the planned end.
    pub fn remaining(&self) -> Option<Duration> {
        let ends = [self.deadline, self.plan];
        let end = ends.into_iter().flatten().min()?;
        Some(end.saturating_sub(self.shared.now()))
    }

    /// Counts one step; fails if the computation must stop.
    pub fn poll(&self) -> Result<(), Exhausted> {
        let used = self.used.get() + 1;
        self.used.set(used);
        self.shared.turn(1)?;
        if self.steps.is_some_and(|s| used > s) {
            return Err(Exhausted::Steps);
        }
        if used % 64 == 1 {
            self.limits()
        } else {
            Ok(())
        }
    }

    /// Counts one step that amounts to this many units of work; fails if the computation must stop.
    pub fn poll_for(&self, units: u64) -> Result<(), Exhausted> {
        self.shared.turn(units)?;
        self.limits()?;
        self.poll()
    }

    /// Reads the clock (and from time to time the memory) without counting a step.
    pub fn check(&self) -> Result<(), Exhausted> {
        self.check_for(LOOK)
    }

    /// The same after this many units of work during which the clock could not be read.
    pub fn check_for(&self, units: u64) -> Result<(), Exhausted> {
        self.shared.turn(units)?;
        self.limits()
    }

    fn limits(&self) -> Result<(), Exhausted> {
        if self.deadline.is_some_and(|d| self.shared.now() >= d) {
            return Err(Exhausted::Time);
        }
        if self.memory.is_some() && self.shared.memory_is_due() {
            self.check_memory()?;
        }
        Ok(())
    }

    /// Measures the resident memory and compares it with the limit.
    pub fn check_memory(&self) -> Result<(), Exhausted> {
        let Some(limit) = self.memory else {
            return Ok(());
        };
        match resident_memory() {
            Some(bytes) if bytes > limit => Err(Exhausted::Memory),
            _ => Ok(()),
        }
    }
}

/// Resident memory of this process in bytes, if the system reports it.
pub fn resident_memory() -> Option<u64> {
    let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = statm.split_whitespace().nth(1)?.parse().ok()?;
    // The kernel counts pages; 4 KiB is the page size of every platform we support.
    Some(pages * 4096)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_run_out_after_exactly_that_many() {
        let budget = Budget::unlimited().with_steps(3);
        assert!((0..3).all(|_| budget.poll().is_ok()));
        assert_eq!(budget.poll(), Err(Exhausted::Steps));
    }

    #[test]
    fn a_stopper_stops_clones_too() {
        let budget = Budget::unlimited();
        let clone = budget.clone();
        budget.stopper().stop();
        assert_eq!(clone.poll(), Err(Exhausted::Cancelled));
    }

    #[test]
    fn the_deadline_is_seen() {
        let budget = Budget::unlimited().with_time(Duration::ZERO);
        assert_eq!(budget.poll(), Err(Exhausted::Time));
    }

    #[test]
    fn the_memory_limit_is_seen() {
        let budget = Budget::unlimited().with_memory(1);
        assert_eq!(budget.check_memory(), Err(Exhausted::Memory));
    }
}
