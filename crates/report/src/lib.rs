//! Results for people and for programs.
//!
//! Evidence is first put into words ([`Evidence`]), in the names of the input; text and JSON are
//! two renderings of the same words. Nothing here decides anything.
//!
//! | what | where |
//! |---|---|
//! | results as text and as one JSON document | [`to_text`], [`to_json`] |
//! | events as JSON lines | [`event_line`], [`first_line`], [`last_line`] |
//! | pictures of abstractions for Graphviz | [`picture_dot`] |
//! | sizes of abstractions after every step | [`Growth`] |
//! | what goes on right now | [`LiveStatus`] |
//! | what an engine did and why, as prose | [`Narrator`] |
//! | everything as one HTML page | [`page()`], [`Recorder`] |
//! | why a verdict is not known, and what to try | [`Explanation`], [`diverging_family`], [`Request`] |
//! | what should be heard of beside the verdicts | [`Warning`] |
//! | verdicts about every number of processes | [`Sizes`], [`EveryWords`] |
//! | invariants as clauses for people, without what is not needed | [`readable`], [`minimised`] |

mod calls;
mod cell_run;
mod clauses;
mod dot;
mod events;
mod every;
mod evidence;
mod explain;
mod family;
mod growth;
mod hint;
mod horn;
mod json;
mod minimise;
mod narrate;
mod page;
mod ranking;
mod sarif;
mod status;
mod text;
mod warning;

pub use clauses::readable;
pub use dot::{DOT_HEADER, picture_dot};
pub use events::{event_line, first_line, last_line};
pub use every::{CounterWords, EveryWords, Sizes, WaitingWords};
pub use evidence::{
    CellWords, Evidence, LocationWords, LoopWords, Omitted, StepWords, TraceWords, describe,
    run_words,
};
pub use explain::{Candidate, EngineWords, Explanation, Findings, explain};
pub use family::{Family, diverging_family};
pub use growth::{Growth, GrowthRow};
pub use hint::{GivenOption, Request, every_size_command, shell_word};
pub use horn::derivation_text;
pub use json::to_json;
pub use minimise::{lists_values, minimised};
pub use narrate::Narrator;
pub use page::{PageEvidence, PageInput, Recorder, page};
pub use sarif::to_sarif;
pub use status::{LiveStatus, event_text};
pub use text::{TextOptions, property_text, to_text, trace_text};
pub use warning::Warning;

use sectile_model::Property;
use std::collections::BTreeMap;

/// What was asked and answered in one `check`.
#[derive(Clone, Debug)]
pub struct CheckReport {
    /// The file, as the user named it.
    pub file: String,
    /// Which front-end read it.
    pub language: &'static str,
    /// Parameters and their values.
    pub parameters: Vec<(String, String)>,
    /// Number of variables that change.
    pub variables: usize,
    /// Number of commands or edges.
    pub steps: usize,
    /// Number of locations, for programs.
    pub locations: Option<usize>,
    /// Number of loop heads, for programs.
    pub loops: Option<usize>,
    /// What the model probably does not mean; warnings about one property are there.
    pub warnings: Vec<Warning>,
    /// One entry for every property that was checked.
    pub properties: Vec<PropertyReport>,
}

/// The three verdicts, without their evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The property holds.
    Holds,
    /// The property is violated.
    Violated,
    /// It could not be found out.
    Unknown,
}

impl Status {
    /// The word that users see.
    pub fn word(self) -> &'static str {
        match self {
            Status::Holds => "holds",
            Status::Violated => "violated",
            Status::Unknown => "unknown",
        }
    }
}

/// Whether the evidence was checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Certified {
    /// It passed the independent checker.
    Yes,
    /// It passed the checker, but something else is trusted besides; the text says what was
    /// checked.
    Partly(String),
    /// It was not checked; the text says why.
    No(String),
    /// There is nothing to check.
    NotApplicable,
}

/// The result for one property.
#[derive(Clone, Debug)]
pub struct PropertyReport {
    /// Its name.
    pub name: String,
    /// `invariant`, `unreachable` or `ctl`.
    pub kind: &'static str,
    /// The verdict.
    pub status: Status,
    /// The sizes of a family that the verdict is about, where it is not about the one instance.
    pub sizes: Option<Sizes>,
    /// For `unknown`: the reason in a few words.
    pub reason: String,
    /// For `unknown`: what was found out, in sentences.
    pub reached: String,
    /// The next command to try: for `unknown`, and for `holds` where more may be proved.
    pub hint: String,
    /// For `unknown`: what was found out, for programs and in more detail.
    pub explanation: Option<Explanation>,
    /// The engine that answered.
    pub engine: String,
    /// What should be heard of besides the verdict.
    pub warnings: Vec<Warning>,
    /// Wall-clock time.
    pub seconds: f64,
    /// Whether the evidence was checked.
    pub certified: Certified,
    /// The evidence in words.
    pub evidence: Option<Evidence>,
    /// Counters of the engine and the solver.
    pub statistics: BTreeMap<String, u64>,
    /// Time spent in the solver.
    pub solver_seconds: f64,
}

impl PropertyReport {
    /// A report that says nothing but the verdict.
    pub fn new(property: &Property, engine: &str, status: Status) -> PropertyReport {
        PropertyReport {
            name: property.name.clone(),
            kind: property.kind.label(),
            status,
            sizes: None,
            reason: String::new(),
            reached: String::new(),
            hint: String::new(),
            explanation: None,
            engine: engine.to_string(),
            warnings: Vec::new(),
            seconds: 0.0,
            certified: Certified::NotApplicable,
            evidence: None,
            statistics: BTreeMap::new(),
            solver_seconds: 0.0,
        }
    }
}
