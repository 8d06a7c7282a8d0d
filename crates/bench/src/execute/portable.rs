//! The supervisor for systems on which only the wall clock can be measured.

use super::{Ended, Job, Measured};
use std::process::Child;
use std::time::{Duration, Instant};

/// Runs a job and measures the wall-clock time.
pub fn supervise(job: &Job) -> Measured {
    let started = Instant::now();
    let ended = match job.command().and_then(|mut c| c.spawn()) {
        Ok(child) => wait(child, job, started),
        Err(e) => Ended::not_started(&e),
    };
    Measured {
        ended,
        cpu: None,
        wall: started.elapsed().as_secs_f64(),
        memory: None,
    }
}

fn wait(mut child: Child, job: &Job, started: Instant) -> Ended {
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return status.code().map_or(Ended::Signal(0), Ended::Exit),
            Ok(None) if started.elapsed() > job.limits.cpu => {
                let _ = child.kill();
                let _ = child.wait();
                return Ended::Wall;
            }
            Ok(None) => std::thread::sleep(Duration::from_millis(5)),
            Err(e) => return Ended::NotStarted(e.to_string()),
        }
    }
}
