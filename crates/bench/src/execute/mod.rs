//! One process under limits.
//!
//! [`run`] starts a supervisor, a process of its own that calls [`supervise`]: it starts the
//! command, watches CPU time and memory of all processes that come of it, ends them at a limit,
//! and reports what was used. Being small and fresh, it makes the peak of memory that the system
//! reports the command's own. It holds the other end of a pipe: when we are gone, for whatever
//! reason, it ends the command.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(target_os = "linux"))]
mod portable;
#[cfg(target_os = "linux")]
mod tree;

#[cfg(target_os = "linux")]
pub use linux::supervise;
#[cfg(not(target_os = "linux"))]
pub use portable::supervise;

use crate::suite::Limits;
use serde_json::{Value, json};
use std::io::{self, Read as _};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Whether CPU time and memory are measured and limited here, not only the wall clock.
pub const MEASURES: bool = cfg!(target_os = "linux");

/// A command to run.
#[derive(Clone, Debug)]
pub struct Job {
    /// The program and its arguments.
    pub words: Vec<String>,
    /// What it may use.
    pub limits: Limits,
    /// Where its standard output goes.
    pub output: PathBuf,
    /// Where its standard error goes.
    pub errors: PathBuf,
}

impl Job {
    /// The CPU time after which it is ended: so much beyond the limit that nobody is ended who is
    /// within it, since the system shows times in coarse steps.
    #[cfg(target_os = "linux")]
    fn hard_cpu(&self) -> Duration {
        self.limits.cpu + Duration::from_millis(50)
    }
}

/// How a process ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// With this code.
    Exit(i32),
    /// By this signal, not ours.
    Signal(i32),
    /// By us: too much CPU time.
    Cpu,
    /// By us: too long.
    Wall,
    /// By us: too much memory.
    Memory,
    /// It could not be started: there is no such program.
    NotFound,
    /// It could not be started for another reason.
    NotStarted(String),
    /// By us, because nobody waits for it any more.
    Cancelled,
}

/// What a process used.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// How it ended.
    pub ended: Ended,
    /// CPU time in seconds, with all the processes it started.
    pub cpu: Option<f64>,
    /// Wall-clock time in seconds.
    pub wall: f64,
    /// Peak of resident memory in bytes.
    pub memory: Option<u64>,
}

impl Measured {
    /// As a line for the one who waits.
    pub fn to_json(&self) -> String {
        let (ended, value) = match &self.ended {
            Ended::Exit(code) => ("exit", json!(code)),
            Ended::Signal(number) => ("signal", json!(number)),
            Ended::Cpu => ("cpu", Value::Null),
            Ended::Wall => ("wall", Value::Null),
            Ended::Memory => ("memory", Value::Null),
            Ended::NotFound => ("not-found", Value::Null),
            Ended::NotStarted(why) => ("not-started", json!(why)),
            Ended::Cancelled => ("cancelled", Value::Null),
        };
        let line = json!({
            "ended": ended, "value": value, "cpu": self.cpu, "wall": self.wall, "memory": self.memory,
        });
        line.to_string()
    }

    /// From such a line.
    pub fn of_json(text: &str) -> Option<Measured> {
        let line: Value = serde_json::from_str(text).ok()?;
        let number = || i32::try_from(line["value"].as_i64()?).ok();
        let ended = match line["ended"].as_str()? {
            "exit" => Ended::Exit(number()?),
            "signal" => Ended::Signal(number()?),
            "cpu" => Ended::Cpu,
            "wall" => Ended::Wall,
            "memory" => Ended::Memory,
            "not-found" => Ended::NotFound,
            "not-started" => Ended::NotStarted(line["value"].as_str()?.to_string()),
            "cancelled" => Ended::Cancelled,
            _ => return None,
        };
        Some(Measured {
            ended,
            cpu: line["cpu"].as_f64(),
            wall: line["wall"].as_f64()?,
            memory: line["memory"].as_u64(),
        })
    }
}

/// The arguments with which a supervisor is started for a job; [`job_of`] reads them.
fn arguments(job: &Job) -> Vec<String> {
    let text = |path: &PathBuf| path.to_string_lossy().into_owned();
    let mut list = vec![
        job.limits.cpu.as_millis().to_string(),
        job.limits.wall().as_millis().to_string(),
        job.limits.memory.to_string(),
        text(&job.output),
        text(&job.errors),
    ];
    list.extend(job.words.iter().cloned());
    list
}

/// The job that a supervisor was started for.
pub fn job_of(arguments: &[String]) -> Option<Job> {
    let [cpu, wall, memory, output, errors, words @ ..] = arguments else {
        return None;
    };
    let time = |text: &String| Some(Duration::from_millis(text.parse().ok()?));
    Some(Job {
        words: (!words.is_empty()).then(|| words.to_vec())?,
        limits: Limits {
            cpu: time(cpu)?,
            memory: memory.parse().ok()?,
            wall: Some(time(wall)?),
        },
        output: output.into(),
        errors: errors.into(),
    })
}

/// Runs a job under a supervisor: a command that calls [`supervise`] with the arguments behind it.
pub fn run(supervisor: &[String], job: &Job) -> io::Result<Measured> {
    let (program, first) = supervisor
        .split_first()
        .ok_or_else(|| io::Error::other("there is no supervisor"))?;
    let mut command = Command::new(program);
    command
        .args(first)
        .args(arguments(job))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    // Not in our group: an interrupt from the terminal must reach us alone. The supervisor sees
    // that we are gone and cleans up.
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
    Measured::of_json(&text)
        .ok_or_else(|| io::Error::other(format!("the supervisor ended with {status}")))
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
            assert_eq!(Measured::of_json(&measured.to_json()), Some(measured));
        }
        assert_eq!(Measured::of_json("{}"), None);
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
        let back = job_of(&arguments(&job)).unwrap();
        assert_eq!(back.words, job.words);
        assert_eq!(back.limits, job.limits);
        assert!(job_of(&["1".to_string()]).is_none());
    }
}
