//! What is written down of a run: one line of JSON in `runs.jsonl`.

use crate::Verdict;
use serde_json::{Map, Value, json};

/// How a run came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// With a verdict.
    Decided(Verdict),
    /// The contender does not know.
    Unknown,
    /// The time was up.
    Timeout,
    /// The memory was used up.
    Memory,
    /// Our front-end or engine does not take the input.
    Refused,
    /// Our exporter does not take the input.
    NoExport,
    /// The program is not installed.
    NotFound,
    /// It ended with a message that is no answer.
    Error,
    /// It was ended by a signal.
    Crash,
    /// One of ours failed its own check, or has a bug.
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

    /// The outcome that a word names.
    pub fn of_word(word: &str) -> Option<Outcome> {
        Outcome::ALL.into_iter().find(|o| o.word() == word)
    }

    /// The verdict, if there is one.
    pub fn verdict(self) -> Option<Verdict> {
        match self {
            Outcome::Decided(verdict) => Some(verdict),
            _ => None,
        }
    }
}

/// One run.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// The task's name.
    pub task: String,
    /// The contender's name.
    pub contender: String,
    /// Which repetition, from 0.
    pub repeat: u32,
    /// How it came out.
    pub outcome: Outcome,
    /// More about that: a reason, the first line of a message.
    pub detail: String,
    /// Whether the evidence was checked; nothing for other programs.
    pub certified: Option<bool>,
    /// CPU time in seconds, where it is measured.
    pub cpu: Option<f64>,
    /// Wall-clock time in seconds.
    pub wall: f64,
    /// Peak of resident memory in bytes, where it is measured.
    pub memory: Option<u64>,
    /// Counters of our engines.
    pub statistics: Vec<(String, f64)>,
    /// The command line, to repeat it.
    pub command: String,
    /// The limit of CPU time in seconds.
    pub cpu_limit: f64,
    /// The limit of memory in bytes.
    pub memory_limit: u64,
    /// Which build of ours made it.
    pub build: String,
}

impl Record {
    /// CPU time, or wall-clock time where only that is known.
    pub fn seconds(&self) -> f64 {
        self.cpu.unwrap_or(self.wall)
    }

    /// A counter.
    pub fn statistic(&self, name: &str) -> Option<f64> {
        let mut list = self.statistics.iter();
        list.find(|(n, _)| n == name).map(|(_, v)| *v)
    }

    /// Whether both are the same run: of the same command under the same limits.
    pub fn same_run(&self, other: &Record) -> bool {
        let key = |r: &Record| (r.task.clone(), r.contender.clone(), r.repeat);
        key(self) == key(other)
            && self.command == other.command
            && self.cpu_limit == other.cpu_limit
            && self.memory_limit == other.memory_limit
    }

    /// The line in `runs.jsonl`, without its end.
    pub fn to_line(&self) -> String {
        let statistics: Map<String, Value> = self
            .statistics
            .iter()
            .map(|(name, value)| (name.clone(), json!(value)))
            .collect();
        let line = json!({
            "task": self.task,
            "contender": self.contender,
            "repeat": self.repeat,
            "outcome": self.outcome.word(),
            "detail": self.detail,
            "certified": self.certified,
            "cpu": self.cpu,
            "wall": self.wall,
            "memory": self.memory,
            "statistics": statistics,
            "command": self.command,
            "cpu_limit": self.cpu_limit,
            "memory_limit": self.memory_limit,
            "build": self.build,
        });
        line.to_string()
    }

    /// A record from its line; nothing if the line was cut off or is no record.
    pub fn of_line(line: &str) -> Option<Record> {
        let value: Value = serde_json::from_str(line).ok()?;
        let text = |key: &str| Some(value[key].as_str()?.to_string());
        let statistics = value["statistics"].as_object()?;
        let statistics = statistics
            .iter()
            .filter_map(|(name, v)| Some((name.clone(), v.as_f64()?)));
        Some(Record {
            task: text("task")?,
            contender: text("contender")?,
            repeat: u32::try_from(value["repeat"].as_u64()?).ok()?,
            outcome: Outcome::of_word(value["outcome"].as_str()?)?,
            detail: text("detail")?,
            certified: value["certified"].as_bool(),
            cpu: value["cpu"].as_f64(),
            wall: value["wall"].as_f64()?,
            memory: value["memory"].as_u64(),
            statistics: statistics.collect(),
            command: text("command")?,
            cpu_limit: value["cpu_limit"].as_f64()?,
            memory_limit: value["memory_limit"].as_u64()?,
            build: text("build")?,
        })
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
            statistics: Vec::new(),
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
            record.statistics = vec![("iterations".to_string(), 12.0)];
            let line = record.to_line();
            assert!(!line.contains('\n'));
            assert_eq!(Record::of_line(&line), Some(record));
            assert_eq!(Record::of_line(&line[..line.len() / 2]), None);
        }
    }
}
