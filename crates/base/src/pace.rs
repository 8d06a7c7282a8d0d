//! Taking turns: computations that work in slices of counted work instead of seconds.
//!
//! A computation on a paced budget counts its work. When its allowance is used up it blocks until
//! it gets more. Its clock is the counted work, so decisions that depend on time are the same on
//! every machine and at every load.

use crate::Exhausted;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The duration of one unit of work on the clock of a paced computation, roughly the time that it
/// takes.
///
/// A poll is one unit, for example for a state of a search or a choice. A check of the time costs
/// [`LOOK`] units; this happens once for each query of the solver, in addition to its steps, and in
/// loops that do some work.
const UNIT: Duration = Duration::from_nanos(1500);

/// The units that a check of the time costs.
pub(crate) const LOOK: u64 = 8;

/// A duration on the clock of paced computations, in units of work.
pub fn units_of(time: Duration) -> u64 {
    u64::try_from(time.as_nanos() / UNIT.as_nanos()).unwrap_or(u64::MAX)
}

/// A number of units of work, as a duration on the clock of paced computations.
pub fn time_of(units: u64) -> Duration {
    let nanos = u64::try_from(UNIT.as_nanos()).unwrap_or(u64::MAX);
    Duration::from_nanos(units.saturating_mul(nanos))
}

/// A callback for when a computation starts to wait for its next turn.
type Notice = Box<dyn Fn() + Send + Sync>;

/// The work counter of one paced computation, and its waiting state.
pub(crate) struct Pace {
    used: AtomicU64,
    allowed: AtomicU64,
    /// Guards the waiting: the allowance is raised while it is locked.
    waiting: Mutex<()>,
    again: Condvar,
    notice: Notice,
    /// Without threads a computation does not wait: it ends with its allowance, or at this time on
    /// the wall clock.
    alone: Option<Alone>,
}

/// The limits of a computation that cannot wait.
#[derive(Debug)]
struct Alone {
    end: Option<Instant>,
    calls: AtomicU64,
}

/// Calls between readings of the wall clock.
const CLOCK_INTERVAL: u64 = 256;

impl std::fmt::Debug for Pace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pace")
            .field("used", &self.used)
            .field("allowed", &self.allowed)
            .finish_non_exhaustive()
    }
}

impl Pace {
    /// The time on the clock of this computation.
    pub(crate) fn now(&self) -> Duration {
        time_of(self.used.load(Ordering::Relaxed))
    }

    /// Counts units; waits for the next turn if the allowance is used up.
    pub(crate) fn spend(&self, units: u64, stopped: &AtomicU8) {
        let used = self.used.fetch_add(units, Ordering::Relaxed) + units;
        if let Some(alone) = &self.alone {
            return self.spend_alone(used, alone, stopped);
        }
        if used > self.allowed.load(Ordering::Relaxed) {
            self.wait(used, stopped);
        }
    }

    fn spend_alone(&self, used: u64, alone: &Alone, stopped: &AtomicU8) {
        let calls = alone.calls.fetch_add(1, Ordering::Relaxed);
        let due = calls.is_multiple_of(CLOCK_INTERVAL);
        let reason = if used > self.allowed.load(Ordering::Relaxed) {
            Exhausted::Steps
        } else if due && alone.end.is_some_and(|end| Instant::now() >= end) {
            Exhausted::Time
        } else {
            return;
        };
        stopped.store(reason.as_number(), Ordering::Release);
    }

    fn wait(&self, used: u64, stopped: &AtomicU8) {
        let mut guard = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let over =
            || used > self.allowed.load(Ordering::Relaxed) && stopped.load(Ordering::Relaxed) == 0;
        // A turn shorter than the work already used ends at once, with another notice.
        let mut told = None;
        while over() {
            let allowed = self.allowed.load(Ordering::Relaxed);
            if told.replace(allowed) != Some(allowed) {
                (self.notice)();
            }
            guard = self
                .again
                .wait(guard)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Wakes the computation up, so that it notices its cancellation.
    pub(crate) fn wake(&self) {
        let _guard = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        self.again.notify_all();
    }
}

/// Gives a paced computation its turns.
#[derive(Clone, Debug)]
pub struct Turns(pub(crate) Arc<Pace>);

impl Turns {
    /// Turns of a computation without an allowance. It calls `notice` whenever it has used up its
    /// allowance and waits, but not after a cancellation.
    pub fn new(notice: impl Fn() + Send + Sync + 'static) -> Turns {
        Turns::made(Box::new(notice), None)
    }

    /// Turns of a computation without threads: it does not wait when its allowance is used up, or
    /// when `end` is reached, but ends.
    pub fn alone(end: Option<Instant>) -> Turns {
        let calls = AtomicU64::new(0);
        Turns::made(Box::new(|| ()), Some(Alone { end, calls }))
    }

    fn made(notice: Notice, alone: Option<Alone>) -> Turns {
        Turns(Arc::new(Pace {
            used: AtomicU64::new(0),
            allowed: AtomicU64::new(0),
            waiting: Mutex::new(()),
            again: Condvar::new(),
            notice,
            alone,
        }))
    }

    /// Whether more was used than was allowed.
    pub fn is_used_up(&self) -> bool {
        self.used() > self.0.allowed.load(Ordering::Relaxed)
    }

    /// Allows this many units more than before.
    pub fn grant(&self, units: u64) {
        let pace = &self.0;
        let _guard = pace.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let allowed = pace.allowed.load(Ordering::Relaxed).saturating_add(units);
        pace.allowed.store(allowed, Ordering::Relaxed);
        pace.again.notify_all();
    }

    /// Units used so far.
    pub fn used(&self) -> u64 {
        self.0.used.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Budget;
    use std::sync::mpsc::channel;

    #[test]
    fn a_computation_waits_after_exactly_its_allowance() {
        let (paused, pauses) = channel();
        let turns = Turns::new(move || paused.send(()).expect("the test listens"));
        turns.grant(10);
        let budget = Budget::paced(&turns);
        let stopper = budget.stopper();
        let (done, steps) = channel();
        let worker = std::thread::spawn(move || {
            let mut count = 0_u64;
            while budget.poll().is_ok() {
                count += 1;
                done.send(count).expect("the test listens");
            }
            budget.poll()
        });
        pauses.recv().expect("it pauses");
        assert_eq!(steps.try_iter().last(), Some(10));
        turns.grant(5);
        pauses.recv().expect("it pauses again");
        assert_eq!(steps.try_iter().last(), Some(15));
        stopper.stop_for(Exhausted::Memory);
        let end = worker.join().expect("no panic");
        assert_eq!(end, Err(Exhausted::Memory));
        assert!(pauses.try_recv().is_err(), "no notice after the end");
    }

    #[test]
    fn without_threads_a_computation_ends_with_its_allowance() {
        let turns = Turns::alone(None);
        turns.grant(10);
        let budget = Budget::paced(&turns);
        let polls = (0..100).take_while(|_| budget.poll().is_ok()).count();
        assert_eq!((polls, turns.is_used_up()), (10, true));
        assert_eq!(budget.poll(), Err(Exhausted::Steps));
        let late = Turns::alone(Some(Instant::now()));
        late.grant(u64::MAX);
        let budget = Budget::paced(&late);
        let polls = (0..10_000).take_while(|_| budget.poll().is_ok()).count();
        assert!(polls <= 256, "{polls}");
        assert_eq!(
            (budget.poll(), late.is_used_up()),
            (Err(Exhausted::Time), false)
        );
    }

    #[test]
    fn the_clock_is_the_counted_work() {
        let turns = Turns::new(|| ());
        turns.grant(u64::MAX);
        let budget = Budget::paced(&turns).with_time(UNIT * 100);
        let polls = (0..1000).take_while(|_| budget.poll().is_ok()).count();
        assert!((64..=128).contains(&polls), "{polls}");
        assert_eq!(budget.check(), Err(Exhausted::Time));
    }
}
