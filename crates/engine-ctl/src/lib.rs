//! CTL over unbounded numbers: cells of explicit control and zones.
//!
//! The reachable states are first computed forwards, as a set of nodes, each with one value of
//! every discrete variable and a zone of numbers. Nodes are cut into cells in which the state
//! formulas of the property have one value, and the steps between cells are computed with the
//! states from which they are possible. On this graph the property and its negation are labelled
//! bottom-up, so that either verdict is sound; if neither is known, cells are cut by their steps.
//! The labels are the evidence.
//!
//! A claim about all paths considers every step that some state of a cell can take, a claim about
//! some path only steps that every state can take. So correctness does not depend on the cells
//! being exact: numbers that are not read any more are forgotten, and an incomplete search leaves
//! open cells, from which there are no claims about all paths.
//!
//! | what | where |
//! |---|---|
//! | systems as guarded assignments | `sectile_domains::guarded` |
//! | dead numbers | `live` |
//! | forward search | `reach` |
//! | cells and steps | `cells` |
//! | processes that can be exchanged | `symmetry`, `representative` |
//! | labels | `label` |
//! | eventualities by numbers | `progress`, `rank`, `cuts` |
//! | evidence: claims, runs | `proof`, `words`, `lasso`, `unturn` |
//! | sets as formulas | `formulas` |
//! | steps for the report | `picture` |
//! | the engine [`Poly`], which works backwards | `poly` |
//! | the engine [`DecisionDiagrams`], for finite systems | `bdd` |
//! | the engine [`Plans`], for goals that can always be reached | `plans` |
//!
//! Papers: [YaMe], the source of the models and properties; its method is backward, with widening.

mod bdd;
mod cells;
mod cuts;
mod decide;
mod formulas;
mod label;
mod lasso;
mod live;
mod picture;
mod plans;
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
pub use plans::Plans;
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
        /// find at most this many sets of states
        nodes("nodes"): usize = 1_000_000,
        /// cut the sets of states into at most this many cells
        cells("cells"): usize = 500_000,
        /// how sets of numbers are represented; auto takes zones if they are enough
        domain("domain"): Sets = Sets::Chosen,
        /// treat states up to exchanges of processes; auto does so for three or more of them
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

/// When exchanges of processes are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Exchanges {
    /// If three or more can be exchanged.
    Many,
    /// If two can be exchanged.
    Some,
    /// Never.
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
        // Some domain must be able to express the system; with many cases, this is found out later.
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
