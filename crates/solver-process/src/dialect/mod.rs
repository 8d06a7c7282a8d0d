//! What distinguishes one solver program from another, as data.
//!
//! A new solver is a new file here and a line in [`dialects`]. The options are enumerations that
//! the code matches without wildcards, so that a new way of doing something is noticed everywhere.

mod custom;
mod cvc5;
mod z3;

pub use custom::{CommandError, custom};

/// How the logic is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogicChoice {
    /// Always this one.
    Always(&'static str),
    /// The smallest one that has what the formulas need; the process starts anew for a larger one.
    Fitted,
}

/// How the memory of the process is limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryLimit {
    /// An argument of the program, followed by a number of mebibytes. The process is watched too.
    Argument(&'static str),
    /// The process is watched, and killed when it uses more.
    Watched,
}

/// How a query is given a time limit, besides being killed after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeLimit {
    /// An option that is set between queries, in milliseconds; the second text means no limit.
    Option(&'static str, &'static str),
    /// Not at all.
    KilledOnly,
}

/// How the assumptions of a refutation are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cores {
    /// `(get-unsat-assumptions)` gives them.
    UnsatAssumptions,
    /// It may; where it does not, all assumptions are taken.
    Attempted,
}

/// A solver program and how to talk to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// The name users choose it by.
    pub name: String,
    /// The program.
    pub program: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Where to get it, for the message that it is missing.
    pub install: Option<&'static str>,
    /// Commands at the start, before the logic is set.
    pub preamble: &'static [&'static str],
    /// The logic.
    pub logic: LogicChoice,
    /// The memory limit.
    pub memory: MemoryLimit,
    /// The time limit.
    pub time: TimeLimit,
    /// Cores.
    pub cores: Cores,
}

/// The solver programs known by name.
pub fn dialects() -> Vec<Dialect> {
    vec![z3::dialect(), cvc5::dialect()]
}

/// The dialect with this name.
pub fn dialect(name: &str) -> Option<Dialect> {
    dialects().into_iter().find(|d| d.name == name)
}

/// Options that every solver is given.
const COMMON: &[&str] = &[
    "(set-option :print-success false)",
    "(set-option :produce-models true)",
    "(set-option :produce-unsat-assumptions true)",
];

impl Dialect {
    /// What a user is told when the program is not there.
    pub fn missing(&self) -> String {
        let program = &self.program;
        match self.install {
            Some(package) => format!(
                "{program} was not found; install it (for example {package}) or choose --solver native"
            ),
            None => format!("{program} was not found; check the command or choose --solver native"),
        }
    }
}
