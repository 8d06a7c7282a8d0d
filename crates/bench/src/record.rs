//! The record of a run: one line of JSON in `runs.jsonl`.

use crate::Verdict;
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

/// The outcome of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "&str", try_from = "&str")]
pub enum Outcome {
    /// A verdict.
    Decided(Verdict),
    /// The contender answered that it does not know.
    #[default]
    Unknown,
    /// The time limit was reached.
    Timeout,
    /// The memory limit was reached.
    Memory,
    /// Our front-end or engine does not support the input.
    Refused,
    /// Our exporter does not support the input.
    NoExport,
    /// The program is not installed.
    NotFound,
    /// The program ended with a message that is not an answer.
    Error,
    /// A signal ended it.
    Crash,
    /// Our program failed its own check, or has a bug.
    Failed,
}

impl Outcome {
    /// All outcomes.
    pub const ALL: [Outcome; 11] = [
        Outcome::Decided(Verdict::Holds),
        Outcome::Decided(Verdict::Violated),
        Outcome::Unknown,
        Outcome::Timeout,
        Outcome::Memory,
        Outcome::Refused,
        Outcome::NoExport,
        Outcome::NotFound,
        Outcome::Error,
        Outcome::Crash,
        Outcome::Failed,
    ];

    /// The word in records and tables.
    pub fn word(self) -> &'static str {
        match self {
            Outcome::Decided(verdict) => verdict.word(),
            Outcome::Unknown => "unknown",
            Outcome::Timeout => "timeout",
            Outcome::Memory => "memory",
            Outcome::Refused => "refused",
            Outcome::NoExport => "no export",
            Outcome::NotFound => "not found",
            Outcome::Error => "error",
            Outcome::Crash => "crash",
            Outcome::Failed => "failed check",
        }
    }

    /// The verdict, if there is one.
    pub fn verdict(self) -> Option<Verdict> {
        match self {
            Outcome::Decided(verdict) => Some(verdict),
            _ => None,
        }
    }
}

impl From<Outcome> for &str {
    fn from(outcome: Outcome) -> &'static str {
        outcome.word()
    }
}

impl TryFrom<&str> for Outcome {
    type Error = String;

    fn try_from(word: &str) -> Result<Outcome, String> {
        let found = Outcome::ALL.into_iter().find(|o| o.word() == word);
        found.ok_or_else(|| format!("`{word}` is no outcome"))
    }
}

/// One run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The task's name.
    pub task: String,
    /// The contender's name.
    pub contender: String,
    /// The repetition, from 0.
    pub repeat: u32,
    /// The outcome.
    pub outcome: Outcome,
    /// Details of the outcome: a reason, the first line of a message.
    pub detail: String,
    /// Whether the evidence was checked; `None` for other programs.
    pub certified: Option<bool>,
    /// CPU time in seconds, if it was measured.
    pub cpu: Option<f64>,
    /// Wall-clock time in seconds.
    pub wall: f64,
    /// Peak of resident memory in bytes, if it was measured.
    pub memory: Option<u64>,
    /// Counters of our engines.
    pub statistics: IndexMap<String, f64>,
    /// The command line, for repeating the run.
    pub command: String,
    /// The CPU time limit in seconds.
    pub cpu_limit: f64,
    /// The memory limit in bytes.
    pub memory_limit: u64,
    /// The build of our program that made the run.
    pub build: String,
}

impl Record {
    /// The CPU time, or the wall-clock time if that is all there is.
    pub fn seconds(&self) -> f64 {
        self.cpu.unwrap_or(self.wall)
    }

    /// Whether both records are of the same run: the same command under the same limits.
    pub fn same_run(&self, other: &Record) -> bool {
        let names = |r: &Record| [&r.task, &r.contender, &r.command].map(String::clone);
        let limits = |r: &Record| (r.repeat, r.cpu_limit, r.memory_limit);
        names(self) == names(other) && limits(self) == limits(other)
    }

    /// Reads a record from a line of `runs.jsonl`; `None` if the line is incomplete or invalid.
    pub fn of_line(line: &str) -> Option<Record> {
        serde_json::from_str(line).ok()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A record for tests.
    pub(crate) fn example(task: &str, contender: &str, outcome: Outcome, cpu: f64) -> Record {
        Record {
            task: task.to_string(),
            contender: contender.to_string(),
            repeat: 0,
            outcome,
            detail: String::new(),
            certified: None,
            cpu: Some(cpu),
            wall: cpu,
            memory: Some(12_000_000),
            statistics: IndexMap::new(),
            command: format!("{contender} {task}"),
            cpu_limit: 60.0,
            memory_limit: 1 << 32,
            build: "b".to_string(),
        }
    }

    #[test]
    fn records_survive_the_file() {
        for outcome in Outcome::ALL {
            let mut record = example("a \"b\"\n", "z3", outcome, 1.5);
            record.certified = Some(true);
            record.statistics = [("iterations".to_string(), 12.0)].into();
            let line = serde_json::to_string(&record).unwrap();
            assert!(!line.contains('\n'));
            assert_eq!(Record::of_line(&line), Some(record));
            assert_eq!(Record::of_line(&line[..line.len() / 2]), None);
        }
    }
}
