//! The supervisor where we know only the wall clock.

use super::{Ended, Job, Measured};
use std::fs::File;
use std::io;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Runs a job and measures the wall-clock time.
pub fn supervise(job: &Job) -> Measured {
    let started = Instant::now();
    let ended = match start(job) {
        Ok(child) => wait(child, job, started),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ended::NotFound,
        Err(e) => Ended::NotStarted(e.to_string()),
    };
    Measured {
        ended,
        cpu: None,
        wall: started.elapsed().as_secs_f64(),
        memory: None,
    }
}

fn start(job: &Job) -> io::Result<Child> {
    let (program, arguments) = job
        .words
        .split_first()
        .ok_or_else(|| io::Error::other("the command is empty"))?;
    let open = |file: io::Result<File>| file.map_err(|e| io::Error::other(e.to_string()));
    Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(open(File::create(&job.output))?)
        .stderr(open(File::create(&job.errors))?)
        .spawn()
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
