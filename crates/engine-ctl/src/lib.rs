//! CTL over unbounded numbers: cells of explicit control and zones.
//!
//! Forwards first: the reachable states are found exactly, as a set of nodes, each with one value
//! of every discrete variable and a zone of numbers. Nodes are cut into cells in which the state
//! formulas of the property have one value, and the steps between cells are found with the states
//! from which they are possible. On this graph the property and its negation are labelled from
//! below, so that either verdict is sound; where neither is known, cells are cut by their steps.
//! The labels are the evidence.
//!
//! What is claimed of all paths uses every step that some state of a cell can take, what is
//! claimed of some path only steps that every state can take. So nothing depends on the cells
//! being exact: numbers that are not read any more are forgotten, and a search that did not end
//! leaves open cells, from which nothing is claimed of all paths.
//!
//! | what | where |
//! |---|---|
//! | systems as guarded assignments | `sectile_domains::guarded` |
//! | dead numbers | `live` |
//! | forward search | `reach` |
//! | cells and steps | `cells` |
//! | processes that can be exchanged | `symmetry`, `representative` |
//! | labels | `label` |
//! | what numbers lead to | `progress`, `rank`, `cuts` |
//! | evidence: claims, runs | `proof`, `words`, `lasso`, `unturn` |
//! | sets as formulas | `formulas` |
//! | steps for the report | `picture` |
//! | the engine [`Poly`], which goes backwards | `poly` |
//! | the engine [`DecisionDiagrams`], for finite systems | `bdd` |
//!
//! Papers: [YaMe], whose models and properties these are; it goes backwards, with widening.

mod bdd;
mod cells;
mod cuts;
mod decide;
mod formulas;
mod label;
mod lasso;
mod live;
mod picture;
mod poly;
mod progress;
mod proof;
mod rank;
mod reach;
mod representative;
mod symmetry;
mod unturn;
mod words;

pub use bdd::DecisionDiagrams;
pub use poly::Poly;

use sectile_base::Budget;
use sectile_domains::guarded::program::Program;
use sectile_domains::poly as domains;
use sectile_domains::zone::Zone;
use sectile_engine::{Accepts, Engine, EngineError, Info, Options, Run, choices, options};
use sectile_model::{NormalCtl, Task, Verdict};

options! {
    /// The options of `ctl`.
    #[derive(Copy)]
    struct Limits {
        /// find no more than this many sets of states
        nodes("nodes"): usize = 1_000_000,
        /// do not cut the sets of states into more than this many cells
        cells("cells"): usize = 500_000,
        /// sets of numbers; auto takes zones where they are enough
        domain("domain"): Sets = Sets::Chosen,
        /// look at states up to exchanges of processes; auto does for three or more of them
        exchanges("symmetry"): Exchanges = Exchanges::Many,
    }
}

/// How sets of numbers are represented.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sets {
    /// Zones if they can express the model, polyhedra otherwise.
    Chosen,
    /// Zones.
    Zones,
    /// Polyhedra.
    Polyhedra,
}

choices!(Sets {
    Chosen = "auto",
    Zones = "zones",
    Polyhedra = "polyhedra",
});

/// Where exchanges of processes are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Exchanges {
    /// Where three or more can be exchanged.
    Many,
    /// Where two can be exchanged.
    Some,
    /// Nowhere.
    Nowhere,
}

choices!(Exchanges {
    Many = "auto",
    Some = "on" | "true",
    Nowhere = "off" | "false",
});

/// Steps of telling cases apart before a system is taken unseen.
const MOST_STEPS_TO_ACCEPT: u64 = 1_000;

/// CTL by cells of explicit control and zones.
#[derive(Clone, Copy, Debug, Default)]
pub struct CtlZones;

impl Engine for CtlZones {
    fn info(&self) -> Info {
        Info {
            name: "ctl",
            summary: "exact forward search with zones; CTL on the cells it finds",
            papers: &["YaMe"],
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
        let system = task.system()?;
        if NormalCtl::of_property(task.terms, &task.property.kind, true).is_none() {
            return Err("it takes invariants, errors and CTL without locations".to_string());
        }
        // Some domain must be able to express the system; with many cases, that is seen later.
        let budget = Budget::unlimited().with_steps(MOST_STEPS_TO_ACCEPT);
        Program::<Zone>::new(task, system, &budget)
            .map(|_| ())
            .or_else(|_| Program::<domains::Poly>::new(task, system, &budget).map(|_| ()))
            .or_else(|why| budget.poll().map_or(Ok(()), |()| Err(why)))
    }

    fn run(&self, task: &Task<'_>, run: &mut Run<'_>) -> Result<Verdict, EngineError> {
        decide::decide(task, run, Limits::read(run.settings)?)
    }
}
