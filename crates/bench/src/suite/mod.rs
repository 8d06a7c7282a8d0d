//! Benchmark suites as they are written.
//!
//! Every part keeps its position in the text, because some mistakes (a missing file, an unknown
//! property) are found only when the tasks are planned.

mod contender;
mod entry;
mod fields;
mod read;

pub use fields::Located;
pub use read::{BadSuite, read};

use crate::Verdict;
use crate::answer::Answers;
use crate::command::Template;
use sectile_base::{Source, Span};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// A suite.
#[derive(Clone, Debug)]
pub struct Suite {
    /// The source text, for later messages.
    pub source: Source,
    /// The title of the table.
    pub title: String,
    /// A paragraph below the title.
    pub note: String,
    /// The limits of every run.
    pub limits: Limits,
    /// The number of repetitions.
    pub repeat: u32,
    /// The columns for reference values, in order.
    pub reference: Vec<String>,
    /// The statistics shown as columns, in order.
    pub columns: Vec<String>,
    /// The values that are plotted over all tasks.
    pub plots: Vec<String>,
    /// The tasks.
    pub entries: Vec<Entry>,
    /// The contenders that run them.
    pub contenders: Vec<Contender>,
}

/// The limits of a run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Limits {
    /// CPU time of the process and its descendants.
    pub cpu: Duration,
    /// Resident memory of the process and its descendants, in bytes.
    pub memory: u64,
    /// Wall-clock time, if it is given.
    pub wall: Option<Duration>,
}

impl Limits {
    /// The wall-clock limit, which also ends runs that sleep or wait for a busy machine: by default
    /// one and a half times the CPU time, plus time to start.
    pub fn wall(&self) -> Duration {
        let usual = self.cpu.mul_f64(1.5) + Duration::from_secs(1);
        self.wall.unwrap_or(usual).max(self.cpu)
    }
}

/// One `[[task]]`: it describes a task for every file, parameter value and property.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its position.
    pub span: Span,
    /// The model file, relative to the suite; may contain `*` and `?`.
    pub file: Located,
    /// The pattern of the names; `{n}`, `{stem}` and `{property}` are replaced.
    pub name: Option<String>,
    /// The family: tasks of one family form one curve.
    pub family: Option<String>,
    /// Parameters with their values.
    pub parameters: Vec<(String, Vec<String>)>,
    /// The properties to check.
    pub properties: Properties,
    /// The expected verdicts.
    pub expect: Expect,
    /// Selects the files whose line in the table of verdicts has one of these words in each of these
    /// columns.
    pub rows: Vec<(Located, Vec<String>)>,
    /// Reference values: for each column, one for every task.
    pub reference: Vec<(Located, Vec<String>)>,
    /// The contenders that run these tasks; all if not given.
    pub contenders: Option<Vec<Located>>,
}

/// The properties of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Properties {
    /// One task for each safety property of the file.
    Each,
    /// One task for all safety properties of the file together.
    Whole,
    /// One task for each of these.
    Named(Vec<Located>),
}

/// The source of expected verdicts.
#[derive(Clone, Debug)]
pub enum Expect {
    /// From the header comments of the model.
    Header,
    /// The same verdict for all.
    Always(Verdict, Span),
    /// From a table with a line for every file.
    Table(VerdictTable),
    /// From words in the file: the first one for `holds`, the second for `violated`.
    Words(String, String),
}

/// A table of verdicts: columns separated by tabs, with a header line.
#[derive(Clone, Debug)]
pub struct VerdictTable {
    /// The file, relative to the suite.
    pub file: Located,
    /// The column with file names.
    pub key: Located,
    /// The column with verdicts.
    pub verdict: Located,
    /// The word for `holds`.
    pub holds: String,
    /// The word for `violated`.
    pub violated: String,
}

/// A contender that runs the tasks.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Contender {
    /// Its name.
    pub name: String,
    /// The program.
    pub program: Program,
    /// A command whose first line of output is its version.
    pub version: Option<Template>,
}

/// The program of a contender.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Program {
    /// One of our engines, with further options of `sectile check`.
    Engine {
        /// The engine.
        engine: String,
        /// Options.
        options: Vec<String>,
    },
    /// Another program.
    Command {
        /// Its command line.
        template: Template,
        /// How to recognise its answers.
        answers: Answers,
    },
}

/// The statistics that are shown by default.
pub const COLUMNS: [&str; 5] = [
    "iterations",
    "splits",
    "nodes_max",
    "predicates",
    "solver_calls",
];
