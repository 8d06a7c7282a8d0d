//! Runs one contender on one task.

mod external;
mod ours;

use crate::command::{Template, line};
use crate::execute::{self, Ended, Job, Measured};
use crate::plan::Task;
use crate::record::{Outcome, Record};
use crate::suite::{Contender, Limits, Program};
use indexmap::IndexMap;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

/// Runs contenders on tasks.
#[derive(Clone, Debug)]
pub struct Runner {
    /// Our own program.
    pub program: String,
    /// The command that supervises a job; the job is appended as its last argument.
    pub supervisor: Vec<String>,
    /// The folder for exported tasks.
    pub folder: PathBuf,
    /// The folder for outputs until they are read; nobody else may use it.
    pub scratch: PathBuf,
    /// The folder to which commands with a slash are relative.
    pub commands: PathBuf,
    /// The limits of every run.
    pub limits: Limits,
    /// The build of our program.
    pub build: String,
}

/// The outcome of a run, before it becomes a record.
#[derive(Default)]
struct Reading {
    outcome: Outcome,
    detail: String,
    certified: Option<bool>,
    statistics: IndexMap<String, f64>,
}

impl Reading {
    fn plain(outcome: Outcome, detail: impl Into<String>) -> Reading {
        Reading {
            outcome,
            detail: detail.into(),
            ..Reading::default()
        }
    }
}

/// A process that ended, with its outputs.
struct Finished {
    measured: Measured,
    output: String,
    errors: String,
}

impl Runner {
    /// The record of a run, with everything but the result: enough to find out whether the run
    /// exists already.
    pub fn blank(&self, task: &Task, contender: &Contender, repeat: u32) -> Record {
        let words = match &contender.program {
            Program::Engine { engine, options } => ours::words("sectile", task, engine, options),
            Program::Command { template, .. } => self.shown(template, task),
        };
        Record {
            task: task.name.clone(),
            contender: contender.name.clone(),
            repeat,
            outcome: Outcome::Unknown,
            detail: String::new(),
            certified: None,
            cpu: None,
            wall: 0.0,
            memory: None,
            statistics: IndexMap::new(),
            command: line(&words),
            cpu_limit: self.limits.cpu.as_secs_f64(),
            memory_limit: self.limits.memory,
            build: self.build.clone(),
        }
    }

    /// Runs a contender on a task.
    pub fn run(&self, task: &Task, contender: &Contender, repeat: u32) -> io::Result<Record> {
        let (measured, reading) = match &contender.program {
            Program::Engine { engine, options } => self.engine(task, engine, options)?,
            Program::Command { template, answers } => self.command(task, template, answers)?,
        };
        Ok(Record {
            outcome: reading.outcome,
            detail: reading.detail,
            certified: reading.certified,
            cpu: measured.cpu,
            wall: measured.wall,
            memory: measured.memory,
            statistics: reading.statistics,
            ..self.blank(task, contender, repeat)
        })
    }

    /// The first line of a program's output about its version.
    pub fn version(&self, template: &Template) -> String {
        let words = self.located(template.words().to_vec());
        match self.execute(words) {
            Ok(finished) if finished.measured.ended == Ended::NotFound => "not found".to_string(),
            Ok(finished) => first_line(&format!("{}\n{}", finished.output, finished.errors)),
            Err(_) => String::new(),
        }
    }

    /// Runs a command under the limits and reads its outputs.
    fn execute(&self, words: Vec<String>) -> io::Result<Finished> {
        let job = Job {
            words,
            limits: self.limits,
            output: self.scratch.join("last.out"),
            errors: self.scratch.join("last.err"),
        };
        let measured = execute::run(&self.supervisor, &job)?;
        let finished = Finished {
            measured,
            output: text(&job.output),
            errors: text(&job.errors),
        };
        for scratch in [&job.output, &job.errors] {
            // They have been read; if the program could not be started, they may not exist.
            let _ = std::fs::remove_file(scratch);
        }
        Ok(finished)
    }

    /// The outcome of a process that did not end by itself, or not in time.
    fn cut_off(&self, measured: &Measured, errors: &str) -> Option<Reading> {
        let late = measured.cpu.unwrap_or(measured.wall) > self.limits.cpu.as_secs_f64();
        Some(match &measured.ended {
            Ended::Cpu => Reading::plain(Outcome::Timeout, "CPU time"),
            Ended::Wall => Reading::plain(Outcome::Timeout, "wall clock"),
            Ended::Memory => Reading::plain(Outcome::Memory, ""),
            Ended::NotFound => Reading::plain(Outcome::NotFound, ""),
            Ended::NotStarted(why) => Reading::plain(Outcome::Error, why.clone()),
            Ended::Cancelled => Reading::plain(Outcome::Error, "cancelled"),
            Ended::Exit(_) | Ended::Signal(_) if late => {
                Reading::plain(Outcome::Timeout, "CPU time")
            }
            Ended::Signal(_) | Ended::Exit(_) if out_of_memory(measured, errors) => {
                Reading::plain(Outcome::Memory, first_line(errors))
            }
            Ended::Signal(number) => Reading::plain(Outcome::Crash, format!("signal {number}")),
            Ended::Exit(_) => return None,
        })
    }
}

/// Whether a program failed because the system refused memory: a large allocation fails before any
/// of it is in use.
fn out_of_memory(measured: &Measured, errors: &str) -> bool {
    let words = [
        "memory allocation of",
        "out of memory",
        "OutOfMemory",
        "MemoryError",
        "bad_alloc",
        "Cannot allocate memory",
    ];
    measured.ended != Ended::Exit(0) && words.iter().any(|w| errors.contains(w))
}

/// The number of bytes of an output that are read.
const LONGEST: u64 = 1 << 26;

fn text(file: &Path) -> String {
    let mut bytes = Vec::new();
    if let Ok(file) = std::fs::File::open(file) {
        // An output that cannot be read counts as empty.
        let _ = file.take(LONGEST).read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The first line that is not blank, cut off if it is long.
fn first_line(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|l| !l.is_empty());
    line.unwrap_or("").chars().take(160).collect()
}
