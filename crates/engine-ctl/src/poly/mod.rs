//! CTL over unbounded numbers, backwards: fixpoints of unions of polyhedra with widening.
//!
//! Every part of the property and of its negation, in normal form, gets a set of states that
//! contains all those where it holds. Least fixpoints are widened, greatest ones may be left
//! early: both only make the sets larger. No initial state in the set of the negation means that
//! the property holds; an initial state outside the set of the property means that it does not.
//! Otherwise the sets are too large to tell.
//!
//! This is what paper 003 compares with. Going forwards first, as the engine `ctl` does, is nearly
//! always faster.
//!
//! | what | where |
//! |---|---|
//! | what fixpoints ask of sets of states | `algebra` |
//! | unions of sets, control by control; states before a step | `region`, `growing`, `explicit` |
//! | the same as pairs of diagrams and sets | `pairs`, `pairs_growing`, `diagrams` |
//! | fixpoints | `fixpoint` |
//! | sets as formulas | `formulas` |
//! | verdicts and their evidence | `decide` |
//!
//! Papers: [YaMe], where this is called POLY; [CoHa78] widening.

mod algebra;
mod decide;
mod diagrams;
mod explicit;
mod fixpoint;
mod formulas;
mod growing;
mod pairs;
mod pairs_growing;
mod region;

use crate::CtlZones;
use crate::sets::{DOMAIN, Sets};
use sectile_engine::{Accepts, BadOption, Engine, EngineError, Info, OptionSpec, Run, Settings};
use sectile_model::{Task, Verdict};

const DELAY: OptionSpec = OptionSpec {
    name: "poly-delay",
    help: "so many sets of states with the same control are kept apart before they are widened",
    default: "5",
};

const ROUNDS: OptionSpec = OptionSpec {
    name: "poly-rounds",
    help: "leave greatest fixpoints after so many rounds",
    default: "60",
};

const SETS: OptionSpec = OptionSpec {
    name: "sets",
    help: "states with the same values of discrete variables one by one (explicit), or decision diagrams over these variables with sets of numbers (bdd)",
    default: "explicit",
};

/// Backward fixpoints with widening.
#[derive(Clone, Copy, Debug, Default)]
pub struct Poly;

impl Engine for Poly {
    fn info(&self) -> Info {
        Info {
            name: "poly",
            summary: "backward fixpoints of unions of polyhedra, with widening",
            papers: &["YaMe", "CoHa78"],
            accepts: Accepts {
                ctl: true,
                ..Accepts::SYSTEMS
            },
            uses_predicates: false,
            options: &[DELAY, ROUNDS, DOMAIN, SETS],
        }
    }

    fn check_options(&self, settings: &Settings) -> Result<(), BadOption> {
        limits(settings).map(|_| ())
    }

    fn accepts(&self, task: &Task<'_>) -> Result<(), String> {
        decide::accepts(task)?;
        CtlZones.accepts(task)
    }

    fn run(&self, task: &Task<'_>, run: &mut Run<'_>) -> Result<Verdict, EngineError> {
        let limits = limits(run.settings).map_err(|e| EngineError::Bug(e.to_string()))?;
        decide::decide(task, run, limits)
    }
}

/// How discrete variables are represented.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Representation {
    /// Their values one by one.
    Explicit,
    /// Sets of values as decision diagrams.
    Diagrams,
}

/// How fixpoints end.
#[derive(Clone, Copy, Debug)]
struct Limits {
    delay: usize,
    rounds: usize,
    domain: Sets,
    sets: Representation,
}

fn limits(settings: &Settings) -> Result<Limits, BadOption> {
    let number = |spec: &OptionSpec, default: u64| {
        let value = settings.number(spec.name, default)?;
        Ok(usize::try_from(value).unwrap_or(usize::MAX))
    };
    Ok(Limits {
        delay: number(&DELAY, 5)?,
        rounds: number(&ROUNDS, 60)?,
        domain: Sets::read(settings)?,
        sets: match settings.choice(SETS.name, &["explicit", "bdd"])? {
            Some("bdd") => Representation::Diagrams,
            _ => Representation::Explicit,
        },
    })
}
