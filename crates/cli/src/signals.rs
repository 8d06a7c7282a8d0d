//! Handles SIGINT and SIGTERM: a check ends in an orderly way, with the results so far.

use sectile_base::Budget;

/// Waits for signals in a thread of its own, and stops the computations on the budget when one
/// arrives.
///
/// A second signal ends the program at once, in case the first one has no effect.
#[cfg(target_os = "linux")]
pub fn stop_on_signals(budget: &Budget) {
    use crate::exit::Exit;
    use nix::sys::signal::{SigSet, Signal};

    let signals: SigSet = [Signal::SIGINT, Signal::SIGTERM].into_iter().collect();
    // Threads that start later inherit the mask, so that only the waiting thread receives the
    // signals.
    if signals.thread_block().is_err() {
        return;
    }
    let stopper = budget.stopper();
    let waiting = move || {
        for count in 0.. {
            if signals.wait().is_err() {
                return;
            }
            if count > 0 {
                std::process::exit(Exit::Unknown as i32);
            }
            stopper.stop();
        }
    };
    let thread = std::thread::Builder::new().name("signals".to_string());
    if thread.spawn(waiting).is_err() {
        // Without the thread, nobody would handle them.
        let _ = signals.thread_unblock();
    }
}

/// On other systems, signals end the program as usual.
#[cfg(not(target_os = "linux"))]
pub fn stop_on_signals(_: &Budget) {}
