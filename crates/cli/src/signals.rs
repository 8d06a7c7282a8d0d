//! SIGINT and SIGTERM end a check with what it has found out, not in the middle of nothing.

use sectile_base::Budget;

/// Waits for signals in a thread of its own, and ends what runs on the budget when one comes.
///
/// A second one ends the program where it stands: whatever keeps it from ending is our fault.
#[cfg(target_os = "linux")]
pub fn stop_on_signals(budget: &Budget) {
    use crate::exit::Exit;
    use nix::sys::signal::{SigSet, Signal};

    let signals: SigSet = [Signal::SIGINT, Signal::SIGTERM].into_iter().collect();
    // Threads that start later inherit this, so that the signals wait for the one who waits.
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
        // Nobody would hear them.
        let _ = signals.thread_unblock();
    }
}

/// Elsewhere, signals end the program as usual.
#[cfg(not(target_os = "linux"))]
pub fn stop_on_signals(_: &Budget) {}
