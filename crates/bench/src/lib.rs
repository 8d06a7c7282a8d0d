//! Runs benchmark suites.
//!
//! A suite (TOML, `docs/format/bench.md`) names tasks and contenders: our engines and other
//! programs. Every run is a process of its own under limits of CPU time and memory, started by a
//! small supervisor process that measures it. Runs are recorded as they end, so that nothing is
//! lost; tables and plots are functions of these records.
//!
//! | file | what |
//! |---|---|
//! | [`suite`] | the suite as it is written, with error messages |
//! | [`plan`] | the tasks of a suite: parameters, files, expectations |
//! | [`execute`] | one process under limits, and its supervisor |
//! | [`session`] | all runs in order, recorded and resumable |
//! | [`elsewhere`] | the same runs as lines of work |
//! | [`summary`] | verdicts judged, repetitions combined, totals |
//! | [`table`], [`plot`] | output for users |
//! | [`work`] | lines of work shared by many processes, on this machine or on a cluster |
//! | [`generate`] | random programs to run on |
//!
//! The crate does not depend on models or engines: the caller describes the contents of a model
//! file ([`plan::Models`]).

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

/// The two verdicts that decide a task.
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

    /// The verdict of a word.
    pub fn of_word(word: &str) -> Option<Verdict> {
        [Verdict::Holds, Verdict::Violated]
            .into_iter()
            .find(|v| v.word() == word)
    }
}
