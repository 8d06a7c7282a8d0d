//! Benchmark suites.
//!
//! A suite (TOML, `docs/format/bench.md`) names tasks and contenders: engines of ours and other
//! programs. Every run is a process of its own under limits of CPU time and memory, started by a
//! small supervisor process that measures it. Runs are written down as they end, so that nothing
//! is lost; tables and plots are functions of these records.
//!
//! | file | what |
//! |---|---|
//! | [`suite`] | the suite as it is written, with messages about mistakes |
//! | [`plan`] | the tasks that a suite means: parameters, files, expectations |
//! | [`execute`] | one process under limits, and its supervisor |
//! | [`session`] | all runs in their order, written down, resumed |
//! | [`elsewhere`] | the same runs as lines of work |
//! | [`summary`] | verdicts judged, repeats united, totals |
//! | [`table`], [`plot`] | what people look at |
//! | [`work`] | lines of work that many processes share, here or on a cluster |
//! | [`generate`] | random programs to run on |
//!
//! The crate knows no model and no engine: who uses it says what a model file contains
//! ([`plan::Models`]).

pub mod answer;
pub mod command;
pub mod elsewhere;
pub mod execute;
pub mod generate;
pub mod machine;
pub mod outputs;
pub mod pattern;
pub mod plan;
pub mod plot;
pub mod record;
pub mod run;
pub mod session;
pub mod suite;
pub mod summary;
pub mod table;
pub mod work;

/// The two answers that decide a task.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The property holds.
    Holds,
    /// The property is violated.
    Violated,
}

impl Verdict {
    /// The word in suites, records and tables.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::Violated => "violated",
        }
    }

    /// The verdict that a word names.
    pub fn of_word(word: &str) -> Option<Verdict> {
        [Verdict::Holds, Verdict::Violated]
            .into_iter()
            .find(|v| v.word() == word)
    }
}
