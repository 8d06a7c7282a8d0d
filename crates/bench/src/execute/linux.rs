//! The supervisor on Linux, which runs and measures a command.

use super::tree::{Usage, descendants, usage};
use super::{Ended, Job, Measured};
use nix::errno::Errno;
use nix::sys::prctl::{set_child_subreaper, set_thp_disable};
use nix::sys::resource::{Resource, UsageWho, getrusage, setrlimit};
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, waitpid};
use nix::unistd::Pid;
use std::io::{self, Read as _};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, ExitStatus};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// Maximum size of a file that a command writes.
const LARGEST_FILE: u64 = 1 << 28;

/// Minimum limit of address space: allocators reserve a gibibyte at once, ours among them.
const LEAST_SPACE: u64 = 4 << 30;

/// Intervals between measurements of the processes: short at first, longer later.
const SHORT: Duration = Duration::from_millis(10);
const LONG: Duration = Duration::from_millis(100);

/// Runs a job and measures it. Call this once, in a process of its own: all its descendants are
/// counted, and those that remain at the end are killed.
pub fn supervise(job: &Job) -> Measured {
    let started = Instant::now();
    // Orphaned descendants of the command become our children, so that none escapes.
    let _ = set_child_subreaper(true);
    // Ours does without huge pages, and the command would inherit that.
    let _ = set_thp_disable(false);
    limit(job);
    let failed = |ended: Ended| Measured {
        ended,
        cpu: None,
        wall: started.elapsed().as_secs_f64(),
        memory: None,
    };
    let child = match job.command().and_then(|mut c| c.process_group(0).spawn()) {
        Ok(child) => child,
        Err(e) => return failed(Ended::not_started(&e)),
    };
    let messages = watch(child);
    let (ended, peak) = wait(job, &messages, started);
    let wall = started.elapsed().as_secs_f64();
    finish_off();
    let used = getrusage(UsageWho::RUSAGE_CHILDREN).ok();
    let cpu = used.map(|u| {
        let time = u.user_time() + u.system_time();
        time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6
    });
    let largest = used.and_then(|u| u64::try_from(u.max_rss()).ok());
    Measured {
        ended,
        cpu,
        wall,
        memory: Some(peak.max(largest.unwrap_or(0) * 1024)),
    }
}

/// Limits of the system, inherited by the command. They are coarse and only back up our own
/// measurements: CPU time is in whole seconds for every process, counted by sampled ticks (on a
/// busy machine these may be some percent too many), and address space is limited instead of
/// memory.
fn limit(job: &Job) {
    let seconds = job.hard_cpu().mul_f64(1.25).as_secs() + 2;
    let space = job.limits.memory.saturating_mul(4).max(LEAST_SPACE);
    for (resource, value) in [
        (Resource::RLIMIT_CPU, seconds),
        (Resource::RLIMIT_AS, space),
        (Resource::RLIMIT_FSIZE, LARGEST_FILE),
        (Resource::RLIMIT_CORE, 0),
    ] {
        // Keep a lower limit that is set already.
        let _ = setrlimit(resource, value, value);
    }
}

/// Messages to the supervisor.
enum Message {
    /// The command ended.
    Ended(io::Result<ExitStatus>),
    /// The process that waits for the result is gone.
    Alone,
}

/// Starts two threads that wait: one for the command, one for the end of our standard input.
fn watch(mut child: Child) -> Receiver<Message> {
    let (sender, receiver) = mpsc::channel();
    let ended = sender.clone();
    std::thread::spawn(move || {
        // Sending fails only when the supervisor itself ends.
        let _ = ended.send(Message::Ended(child.wait()));
    });
    std::thread::spawn(move || {
        let mut buffer = [0; 16];
        while matches!(io::stdin().read(&mut buffer), Ok(n) if n > 0) {}
        let _ = sender.send(Message::Alone);
    });
    receiver
}

/// Waits for the end, or enforces it at a limit. Also returns the highest total memory that was
/// seen.
fn wait(job: &Job, messages: &Receiver<Message>, started: Instant) -> (Ended, u64) {
    let mut peak = 0;
    let mut reason: Option<Ended> = None;
    loop {
        let quick = started.elapsed() < Duration::from_secs(1);
        match messages.recv_timeout(if quick { SHORT } else { LONG }) {
            Ok(Message::Ended(status)) => return (reason.unwrap_or(ended(status)), peak),
            Ok(Message::Alone) | Err(RecvTimeoutError::Disconnected) => {
                reason.get_or_insert(Ended::Cancelled);
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        let processes = descendants(own_id());
        let now = usage(&processes);
        peak = peak.max(now.memory);
        reason = reason.or_else(|| excess(job, now, started.elapsed()));
        if reason.is_some() {
            kill_all(&processes);
        }
    }
}

/// The limit that is exceeded, if any.
fn excess(job: &Job, now: Usage, elapsed: Duration) -> Option<Ended> {
    if now.memory > job.limits.memory {
        Some(Ended::Memory)
    } else if now.cpu > job.hard_cpu() {
        Some(Ended::Cpu)
    } else if elapsed > job.limits.wall() {
        Some(Ended::Wall)
    } else {
        None
    }
}

fn ended(status: io::Result<ExitStatus>) -> Ended {
    match status {
        Ok(status) => match (status.code(), status.signal()) {
            (Some(code), _) => Ended::Exit(code),
            (None, Some(signal)) if signal == Signal::SIGXCPU as i32 => Ended::Cpu,
            (None, signal) => Ended::Signal(signal.unwrap_or(0)),
        },
        Err(e) => Ended::NotStarted(e.to_string()),
    }
}

fn own_id() -> i32 {
    i32::try_from(std::process::id()).unwrap_or(0)
}

fn kill_all(processes: &[i32]) {
    for &pid in processes {
        // A process that has ended needs no signal.
        let _ = kill(Pid::from_raw(pid), Signal::SIGKILL);
    }
}

/// Kills the remaining descendants of the command and reaps them, so that their time is counted.
fn finish_off() {
    let deadline = Instant::now() + Duration::from_secs(2);
    loop {
        kill_all(&descendants(own_id()));
        match waitpid(Pid::from_raw(-1), Some(WaitPidFlag::WNOHANG)) {
            Err(Errno::EINTR) => {}
            Err(_) => return,
            Ok(nix::sys::wait::WaitStatus::StillAlive) => {
                if Instant::now() > deadline {
                    return;
                }
                std::thread::sleep(Duration::from_millis(1));
            }
            Ok(_) => {}
        }
    }
}
