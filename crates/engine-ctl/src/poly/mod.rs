//! CTL over unbounded numbers, backwards: fixpoints of unions of polyhedra with widening.
//!
//! Every part of the property and of its negation, in normal form, gets a set of states that
//! contains all states where it holds. Least fixpoints are widened, the iteration of greatest ones
//! may be stopped early: both only enlarge the sets. If no initial state is in the set of the
//! negation, the property holds; if an initial state is outside the set of the property, it does
//! not. Otherwise the sets are too large to decide.
//!
//! This is the method that [YaMe] compares with. Searching forwards first, as the engine `ctl`
//! does, is nearly always faster.
//!
//! | what | where |
//! |---|---|
//! | the interface of sets of states for fixpoints | `algebra` |
//! | unions of sets, control by control; states before a step | `region`, `explicit` |
//! | the same as pairs of diagrams and sets | `pairs`, `pairs_growing`, `diagrams` |
//! | fixpoints | `fixpoint` |
//! | sizes of the parts of the system | `sizes` |
//! | verdicts and their evidence | `decide` |
//!
//! Papers: [YaMe], where this is called POLY; [CoHa78] widening.

mod algebra;
mod decide;
mod diagrams;
mod explicit;
mod fixpoint;
mod pairs;
mod pairs_growing;
mod region;
mod sizes;

use crate::{CtlZones, Sets};
use sectile_engine::{Accepts, Engine, EngineError, Info, Options, Run, choices, options};
use sectile_model::{Task, Verdict};

options! {
    /// The options of `poly`.
    #[derive(Copy)]
    struct Limits {
        /// keep up to this many sets of states with the same control apart before widening; a first
        /// search widens after 20 and may take 200000 steps
        delay("poly-delay"): usize = 100,
        /// stop the iteration of greatest fixpoints after this many rounds
        rounds("poly-rounds"): usize = 60,
        /// how sets of numbers are represented; auto takes zones if they are enough
        domain("domain"): Sets = Sets::Chosen,
        /// one entry for each value of the discrete variables (explicit), or decision diagrams over
        /// these variables with sets of numbers (bdd)
        sets("sets"): Representation = Representation::Explicit,
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

choices!(Representation {
    Explicit = "explicit",
    Diagrams = "bdd",
});

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
                remainders: false,
                ..Accepts::SYSTEMS
            },
            options: Limits::OPTIONS.to_vec(),
            ..Info::default()
        }
    }

    fn accepts(&self, task: &Task<'_>) -> Result<(), String> {
        CtlZones.accepts(task)
    }

    fn run(&self, task: &Task<'_>, run: &mut Run<'_>) -> Result<Verdict, EngineError> {
        decide::decide(task, run, Limits::read(run.settings)?)
    }
}
