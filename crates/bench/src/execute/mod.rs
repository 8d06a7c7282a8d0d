//! Runs a process under limits.
//!
//! [`run`] starts a supervisor, a separate process that calls [`supervised`]: it starts the
//! command, watches CPU time and memory of all its descendants, ends them at a limit, and reports
//! what they used. Because the supervisor is small and new, the peak of memory that the system
//! reports is that of the command. It holds the other end of a pipe: when our process ends, for
//! whatever reason, it ends the command.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(target_os = "linux"))]
mod portable;
#[cfg(target_os = "linux")]
mod tree;

#[cfg(target_os = "linux")]
use linux::supervise;
#[cfg(not(target_os = "linux"))]
use portable::supervise;

use crate::suite::Limits;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, Read as _};
use std::path::PathBuf;
use std::process::{Command, Stdio};
#[cfg(any(test, target_os = "linux"))]
use std::time::Duration;

/// Whether CPU time and memory are measured and limited on this system, not only the wall clock.
pub const MEASURES: bool = cfg!(target_os = "linux");

/// A command to run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// The program and its arguments.
    pub words: Vec<String>,
    /// Its limits.
    pub limits: Limits,
    /// The file for its standard output.
    pub output: PathBuf,
    /// The file for its standard error.
    pub errors: PathBuf,
}

impl Job {
    /// The CPU time after which it is ended: slightly beyond the limit, because the system reports
    /// times in coarse steps and no run within the limit must be ended.
    #[cfg(target_os = "linux")]
    fn hard_cpu(&self) -> Duration {
        self.limits.cpu + Duration::from_millis(50)
    }

    /// The command, without input, with its outputs redirected to their files.
    fn command(&self) -> io::Result<Command> {
        let words = self.words.split_first();
        let (program, arguments) = words.ok_or_else(|| io::Error::other("the command is empty"))?;
        // An output file that cannot be created must not be reported as a missing program.
        let open = |path| File::create(path).map_err(|e| io::Error::other(e.to_string()));
        let mut command = Command::new(program);
        command
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(open(&self.output)?)
            .stderr(open(&self.errors)?);
        Ok(command)
    }
}

/// How a process ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ended {
    /// It exited with this code.
    Exit(i32),
    /// A signal ended it that was not ours.
    Signal(i32),
    /// We ended it: too much CPU time.
    Cpu,
    /// We ended it: too much wall-clock time.
    Wall,
    /// We ended it: too much memory.
    Memory,
    /// It could not be started: the program does not exist.
    NotFound,
    /// It could not be started for another reason.
    NotStarted(String),
    /// We ended it, because its result is no longer needed.
    Cancelled,
}

impl Ended {
    fn not_started(error: &io::Error) -> Ended {
        match error.kind() {
            io::ErrorKind::NotFound => Ended::NotFound,
            _ => Ended::NotStarted(error.to_string()),
        }
    }
}

/// The resources used by a process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// How it ended.
    pub ended: Ended,
    /// CPU time in seconds, including all descendants.
    pub cpu: Option<f64>,
    /// Wall-clock time in seconds.
    pub wall: f64,
    /// Peak of resident memory in bytes.
    pub memory: Option<u64>,
}

/// The work of a supervisor: runs the job that [`run`] passed to it, and returns the output that
/// [`run`] expects.
pub fn supervised(job: &str) -> serde_json::Result<String> {
    serde_json::to_string(&supervise(&serde_json::from_str(job)?))
}

/// Runs a job under a supervisor: a command that calls [`supervised`] with its last argument.
pub fn run(supervisor: &[String], job: &Job) -> io::Result<Measured> {
    let (program, first) = supervisor
        .split_first()
        .ok_or_else(|| io::Error::other("there is no supervisor"))?;
    let mut command = Command::new(program);
    command
        .args(first)
        .arg(serde_json::to_string(job)?)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    // Not in our process group: an interrupt from the terminal must reach only us. The supervisor
    // notices when we end, and cleans up.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn()?;
    let stdin = child.stdin.take();
    let mut text = String::new();
    if let Some(mut out) = child.stdout.take() {
        out.read_to_string(&mut text)?;
    }
    let status = child.wait()?;
    drop(stdin);
    serde_json::from_str(&text)
        .map_err(|_| io::Error::other(format!("the supervisor ended with {status}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measurements_survive_the_pipe() {
        for ended in [
            Ended::Exit(10),
            Ended::Signal(11),
            Ended::Cpu,
            Ended::Wall,
            Ended::Memory,
            Ended::NotFound,
            Ended::NotStarted("it is a folder".to_string()),
            Ended::Cancelled,
        ] {
            let measured = Measured {
                ended,
                cpu: Some(1.25),
                wall: 2.5,
                memory: Some(1 << 33),
            };
            let text = serde_json::to_string(&measured).unwrap();
            assert_eq!(serde_json::from_str::<Measured>(&text).unwrap(), measured);
        }
        assert!(serde_json::from_str::<Measured>("{}").is_err());
    }

    #[test]
    fn jobs_survive_the_command_line() {
        let job = Job {
            words: vec!["z3".to_string(), "--".to_string(), "a b".to_string()],
            limits: Limits {
                cpu: Duration::from_millis(1500),
                memory: 1 << 32,
                wall: Some(Duration::from_secs(7)),
            },
            output: "out".into(),
            errors: "err".into(),
        };
        let text = serde_json::to_string(&job).unwrap();
        assert_eq!(serde_json::from_str::<Job>(&text).unwrap(), job);
        assert!(supervised("1").is_err());
    }
}
