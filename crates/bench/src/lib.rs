//! Benchmark suites.
//!
//! A suite (TOML, `docs/format/bench.md`) names tasks and contenders: engines of Sectile and other
//! programs. Every run is a separate process under limits of CPU time and memory, started by a
//! small supervisor process that measures it. Runs are recorded as they end, so that nothing is
//! lost; tables and plots are functions of these records.
//!
//! | file | what |
//! |---|---|
//! | [`suite`] | suites as written, with messages about mistakes |
//! | [`plan`] | the tasks of a suite: parameters, files, expectations |
//! | [`execute`] | one process under limits, and its supervisor |
//! | [`session`] | all runs in order, recorded and resumed |
//! | [`elsewhere`] | the same runs as lines of work |
//! | [`summary`] | judged verdicts, combined repeats, totals |
//! | [`table`], [`plot`] | output for people |
//! | [`work`] | lines of work that many processes share, here or on a cluster |
//! | [`generate`] | random programs to run on |
//!
//! The crate knows no model and no engine: its caller describes the contents of model files
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
