//! Limits: wall clock, deterministic steps, memory, and a flag that stops from outside.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
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
    /// Somebody else asked to stop.
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
}

/// Reading the memory in use costs as much as many queries of an engine: so often at most.
const MEMORY_INTERVAL: Duration = Duration::from_millis(10);

/// What all budgets of one run share: the flag, and when the memory in use was last measured.
#[derive(Debug)]
struct Shared {
    cancelled: AtomicBool,
    made: Instant,
    measured: AtomicU64,
}

impl Shared {
    fn new() -> Shared {
        Shared {
            cancelled: AtomicBool::new(false),
            made: Instant::now(),
            measured: AtomicU64::new(0),
        }
    }

    /// Whether it is time to measure again; the next interval begins if so.
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

/// A handle that stops every computation which runs on the same budget.
#[derive(Clone, Debug)]
pub struct Stopper(Arc<Shared>);

impl Stopper {
    /// Asks to stop; the computations see it at their next poll.
    pub fn stop(&self) {
        self.0.cancelled.store(true, Ordering::Relaxed);
    }
}

/// How much a computation may still use.
///
/// Cloning gives a budget with the same deadline, memory limit and stop flag, but its own steps.
/// Polling is cheap: the clock is read at every 64th poll, the memory every 10 milliseconds.
#[derive(Clone, Debug)]
pub struct Budget {
    started: Instant,
    deadline: Option<Instant>,
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
        Budget {
            started: Instant::now(),
            deadline: None,
            steps: None,
            memory: None,
            used: Cell::new(0),
            shared: Arc::new(Shared::new()),
        }
    }

    /// The same, ending `limit` from now if that is earlier than its present end.
    pub fn with_time(mut self, limit: Duration) -> Budget {
        let end = Instant::now().checked_add(limit);
        self.deadline = match (self.deadline, end) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
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
        self.started.elapsed()
    }

    /// Time left, if there is a deadline.
    pub fn remaining(&self) -> Option<Duration> {
        self.deadline
            .map(|d| d.saturating_duration_since(Instant::now()))
    }

    /// Counts one step and tells whether the computation must stop.
    pub fn poll(&self) -> Result<(), Exhausted> {
        let used = self.used.get() + 1;
        self.used.set(used);
        if self.shared.cancelled.load(Ordering::Relaxed) {
            return Err(Exhausted::Cancelled);
        }
        if self.steps.is_some_and(|s| used > s) {
            return Err(Exhausted::Steps);
        }
        if used % 64 == 1 { self.check() } else { Ok(()) }
    }

    /// Reads the clock (and now and then the memory) without counting a step.
    pub fn check(&self) -> Result<(), Exhausted> {
        if self.shared.cancelled.load(Ordering::Relaxed) {
            return Err(Exhausted::Cancelled);
        }
        if self.deadline.is_some_and(|d| Instant::now() >= d) {
            return Err(Exhausted::Time);
        }
        if self.memory.is_some() && self.shared.memory_is_due() {
            self.check_memory()?;
        }
        Ok(())
    }

    /// Measures the resident memory now and compares it with the limit.
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

/// Bytes of memory this process has resident, where the system tells.
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
