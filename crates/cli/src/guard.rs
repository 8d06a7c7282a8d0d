//! Ends the program at its limits where no other code checks them, for example while a file is
//! read.

use crate::args::LimitArgs;
use crate::exit::Exit;
use crate::output;
use sectile_base::{Budget, Exhausted};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Interval between checks of the limits. Memory grows by at most a few dozen megabytes in between.
const INTERVAL: Duration = Duration::from_millis(5);

/// Address space that the program may reserve beyond its limit: threads reserve much more than they
/// use.
#[cfg(unix)]
const RESERVED: u64 = 8 << 30;

/// Ends the program when a limit is reached, as long as it lives.
pub struct Guard {
    /// The limits to watch; `None` once the guard has been dropped.
    watched: Arc<Mutex<Option<Budget>>>,
}

impl Guard {
    /// Watches a budget. At a limit, `last_words` writes the final output and returns the exit code.
    pub fn new(budget: Budget, last_words: impl Fn(Exhausted) -> Exit + Send + 'static) -> Guard {
        let watched = Arc::new(Mutex::new(Some(budget)));
        let guard = Guard {
            watched: Arc::clone(&watched),
        };
        let watch = move || {
            loop {
                std::thread::sleep(INTERVAL);
                // Holding the lock makes other writers wait until it is clear who may write.
                let watched = watched.lock().unwrap_or_else(PoisonError::into_inner);
                let Some(budget) = watched.as_ref() else {
                    return;
                };
                if let Err(limit) = budget.check() {
                    let exit = last_words(limit);
                    let lost = output::is_lost().then_some(Exit::Internal);
                    std::process::exit(lost.unwrap_or(exit) as i32);
                }
            }
        };
        // Without the thread there is no guard, which is harmless.
        let thread = std::thread::Builder::new().name("guard".to_string());
        let _ = thread.spawn(watch);
        guard
    }

    /// A guard for a command that checks its limits itself; it gets a grace period to end by
    /// itself.
    pub fn of_command(limits: &LimitArgs) -> Guard {
        limit_address_space(limits.memory);
        Guard::new(with_grace_period(limits), |limit| {
            output::diagnostic(&format!(
                "unknown ({}): the command was ended",
                limit.code()
            ));
            Exit::Unknown
        })
    }
}

/// The limits with a grace period in which the command may end by itself.
fn with_grace_period(limits: &LimitArgs) -> Budget {
    let budget = Budget::unlimited().with_memory(limits.memory + limits.memory / 8);
    match limits.timeout {
        Some(time) => budget.with_time(time + Duration::from_millis(500)),
        None => budget,
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        let mut watched = self.watched.lock().unwrap_or_else(PoisonError::into_inner);
        *watched = None;
    }
}

/// The last resort: the system refuses memory far beyond the limit.
#[cfg(unix)]
pub fn limit_address_space(memory: u64) {
    use nix::sys::resource::{Resource, getrlimit, setrlimit};
    let most = memory.saturating_mul(2).saturating_add(RESERVED);
    if let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_AS) {
        // Keep an existing limit that is tighter.
        let _ = setrlimit(Resource::RLIMIT_AS, most.min(soft), hard);
    }
}

/// On other systems there is no such limit.
#[cfg(not(unix))]
pub fn limit_address_space(_: u64) {}
