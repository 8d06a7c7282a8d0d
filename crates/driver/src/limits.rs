//! When a check must end, watched from outside the engines.

use sectile_base::Exhausted;
use sectile_base::budget::resident_memory;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Tells a check from another thread, such as one that waits for signals, that it must end.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Asks the check to end with what it has.
    pub fn raise(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it must end.
    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The limits of one check.
pub(crate) struct Watch {
    started: Instant,
    deadline: Option<Instant>,
    memory: Option<u64>,
    interrupt: Interrupt,
}

impl Watch {
    /// Begins to watch.
    pub(crate) fn new(
        timeout: Option<Duration>,
        memory: Option<u64>,
        interrupt: Interrupt,
    ) -> Watch {
        let started = Instant::now();
        Watch {
            started,
            deadline: timeout.and_then(|t| started.checked_add(t)),
            memory,
            interrupt,
        }
    }

    /// Whether a limit is met now.
    pub(crate) fn look(&self) -> Result<(), Exhausted> {
        if self.interrupt.is_raised() {
            return Err(Exhausted::Cancelled);
        }
        if self.deadline.is_some_and(|d| Instant::now() >= d) {
            return Err(Exhausted::Time);
        }
        let over = |limit: u64| resident_memory().is_some_and(|bytes| bytes > limit);
        if self.memory.is_some_and(over) {
            return Err(Exhausted::Memory);
        }
        Ok(())
    }

    /// Time since the beginning.
    pub(crate) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Time left, if there is a limit.
    pub(crate) fn remaining(&self) -> Option<Duration> {
        let left = |d: Instant| d.saturating_duration_since(Instant::now());
        self.deadline.map(left)
    }

    /// How long to wait before the next look, if nothing happens.
    pub(crate) fn patience(&self, most: Duration) -> Duration {
        self.remaining().map_or(most, |left| left.min(most))
    }
}
