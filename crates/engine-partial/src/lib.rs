//! Partial predicate abstraction: some variables become predicates, all others stay unchanged.
//!
//! The variables that occur in given predicates are eliminated from a system, and Boolean variables
//! stand for the predicates. The result is again a system, and any engine decides it, for "all
//! paths" properties only, because these carry over. Its evidence becomes evidence about the
//! original system by substituting the predicates, and is checked there. A counterexample is
//! followed with concrete steps; if that is impossible, interpolants give the missing predicates.
//!
//! The predicates come from the user, from counterexamples in a breadth-first search, or from a
//! heuristic that selects among the conditions in the model, based on pairs of steps or on a
//! smaller instance.
//!
//! | what | where |
//! |---|---|
//! | the abstraction: states, commands, systems, properties | `alpha`, `parts`, `system`, `property` |
//! | evidence for the concrete system | `proof`, `witness` |
//! | counterexamples | `path`, `picture` |
//! | one abstraction, and refinement | `decide`, `cegaar` |
//! | candidate conditions | `candidates` |
//! | heuristics | `imprecision`, `compatibility`, `choose` |
//!
//! The engine below is passed in: engine crates do not know each other.
//!
//! Papers: [YaMe].

mod alpha;
mod candidates;
mod cegaar;
mod choose;
mod compatibility;
mod decide;
mod imprecision;
mod parts;
mod path;
mod picture;
mod proof;
mod property;
mod queries;
mod select;
mod system;
mod witness;

pub use alpha::{Abstraction, Predicate, scope};
pub use candidates::{candidates, property_predicates};
pub use choose::{Choice, Choices, Ties, choose_compatible, choose_precise};
pub use compatibility::{Aim, Compatibility, compatibility, with_property};
pub use decide::{Outcome, Question};
pub use imprecision::{Imprecision, KnownScores, imprecision, imprecision_about, pair_imprecision};
pub use property::is_universal;
pub use queries::Queries;
pub use select::{Heuristic, Memory, SelectError, SelectOptions, Selection, reusable, select};
pub use system::Abstracted;

use cegaar::Cegaar;
use indexmap::IndexSet;
use sectile_engine::{
    Accepts, BadOption, Engine, EngineError, Info, OptionSpec, OptionValue, Options, Run, Settings,
    choices, options,
};
use sectile_model::{Model, NormalCtl, ReasonCode, Task, Unknown, Verdict};
use sectile_terms::Term;

options! {
    /// The additional options of `partial`, besides those of the engines below, which it passes on.
    struct Config {
        /// the engine that decides the abstract system, with at most 50000 nodes for each set of
        /// predicates, and with poly-delay 5, 30 and 100 in turn
        over("over"): Below = Below::Ctl,
        /// single conditions of interpolants that are imprecise, as the heuristic says, are tried
        /// like others (try), after all others (last), or not at all (drop)
        imprecise("imprecise"): Imprecise = Imprecise::Try,
    }
}

/// The engines that may decide the abstract system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Below {
    /// Cells and zones.
    Ctl,
    /// Backward fixpoints.
    Poly,
}

choices!(Below {
    Ctl = "ctl",
    Poly = "poly",
});

/// The treatment of imprecise refinement predicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Imprecise {
    /// They are tried like others.
    Try,
    /// After all others.
    Last,
    /// Not at all.
    Drop,
}

choices!(Imprecise {
    Try = "try",
    Last = "last",
    Drop = "drop",
});

/// Partial predicate abstraction over one of some engines.
pub struct Partial {
    below: Vec<Box<dyn Engine>>,
}

impl Partial {
    /// The engines that may decide the abstract system.
    pub fn new(below: Vec<Box<dyn Engine>>) -> Partial {
        Partial { below }
    }

    /// The engine below according to the options.
    pub fn below(&self, settings: &Settings) -> Result<&dyn Engine, BadOption> {
        let name = Config::read(settings)?.over.text();
        let found = self.below.iter().find(|e| e.info().name == name);
        found.map(AsRef::as_ref).ok_or_else(|| BadOption {
            name: "over".to_string(),
            problem: format!("the engine `{name}` is missing"),
        })
    }

    /// Its own options, and those of the engines below. Evidence up to exchanges of processes does
    /// not carry over, so there is no option for symmetry.
    fn options(&self) -> Vec<OptionSpec> {
        let mut options = Config::OPTIONS.to_vec();
        for option in self.below.iter().flat_map(|e| e.info().options) {
            if option.name != "symmetry" && options.iter().all(|o| o.name != option.name) {
                options.push(option);
            }
        }
        options
    }
}

/// The system of a task, if partial abstractions of it can be made; or the reason why not.
pub fn subject<'m>(task: &Task<'m>) -> Result<&'m Model, String> {
    let system = task.system()?;
    let kind = &task.property.kind;
    if NormalCtl::of_property(task.terms, kind, true).is_none() {
        return Err("it takes invariants, errors and CTL without locations".to_string());
    }
    if !is_universal(task.terms, kind) {
        return Err(
            "it takes formulas about all paths only: others do not carry over from abstractions"
                .to_string(),
        );
    }
    Ok(system)
}

impl Engine for Partial {
    fn info(&self) -> Info {
        Info {
            name: "partial",
            summary: "predicates for some variables, refined by counterexamples; another engine for the rest",
            papers: &["YaMe"],
            accepts: Accepts {
                ctl: true,
                ..Accepts::SYSTEMS
            },
            uses_predicates: true,
            options: self.options(),
            ..Info::default()
        }
    }

    fn check_options(&self, settings: &Settings) -> Result<(), BadOption> {
        self.below(settings)?.check_options(settings)
    }

    fn accepts(&self, task: &Task<'_>) -> Result<(), String> {
        subject(task).map(|_| ())
    }

    fn run(&self, task: &Task<'_>, run: &mut Run<'_>) -> Result<Verdict, EngineError> {
        let below = self.below(run.settings)?;
        let system = subject(task).map_err(EngineError::Bug)?;
        let settings = run.settings;
        let question = Question {
            task,
            system,
            below,
            settings,
        };
        if run.predicates.is_empty() {
            let imprecise = Config::read(settings)?.imprecise;
            return Cegaar::new(question, imprecise).run(run);
        }
        let predicates = run.predicates;
        match question.decide(predicates, run) {
            Ok(Outcome::Decided(verdict)) => Ok(verdict),
            Ok(Outcome::Spurious(cuts)) => Ok(Verdict::Unknown(spurious(task, &cuts))),
            Ok(Outcome::Approximate(unknown)) => Ok(Verdict::Unknown(unknown)),
            Ok(Outcome::Open(unknown)) => {
                let violated = question.violated_concretely(run)?;
                Ok(violated.unwrap_or(Verdict::Unknown(unknown)))
            }
            Err(stop) => Ok(Verdict::Unknown(decide::stopped(stop)?)),
        }
    }
}

fn spurious(task: &Task<'_>, cuts: &[Term]) -> Unknown {
    let missing: IndexSet<Term> = cuts
        .iter()
        .flat_map(|&cut| candidates::predicates_in(task.terms, &[cut]))
        .collect();
    let reached = format!(
        "the abstract system has a counterexample without a concrete run; what excludes it: {}",
        decide::words(task.terms, missing.iter().copied())
    );
    Unknown::new(ReasonCode::Incomplete, reached).hint("--select compatibility")
}
