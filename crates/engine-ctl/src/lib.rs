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
//! | evidence: claims, runs | `proof`, `words`, `lasso`, `unturn` |
//! | the choice of a domain | `sets` |
//! | the engine [`Poly`], which goes backwards | `poly` |
//!
//! Papers: [YaMe], whose models and properties these are; it goes backwards, with widening.

mod cells;
mod decide;
mod label;
mod lasso;
mod live;
mod poly;
mod proof;
mod reach;
mod representative;
mod sets;
mod symmetry;
mod unturn;
mod words;

pub use poly::Poly;

use crate::sets::{DOMAIN, Sets};
use sectile_engine::{Accepts, BadOption, Engine, EngineError, Info, OptionSpec, Run, Settings};
use sectile_model::{NormalCtl, Task, Verdict};

const NODES: OptionSpec = OptionSpec {
    name: "nodes",
    help: "find no more than this many sets of states",
    default: "1000000",
};

const CELLS: OptionSpec = OptionSpec {
    name: "cells",
    help: "do not cut the sets of states into more than this many cells",
    default: "500000",
};

const SYMMETRY: OptionSpec = OptionSpec {
    name: "symmetry",
    help: "look at states up to exchanges of processes: on, off, or auto, for three or more of them",
    default: "auto",
};

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
                ..Accepts::SYSTEMS
            },
            uses_predicates: false,
            options: &[NODES, CELLS, DOMAIN, SYMMETRY],
        }
    }

    fn check_options(&self, settings: &Settings) -> Result<(), BadOption> {
        limits(settings).map(|_| ())
    }

    fn accepts(&self, task: &Task<'_>) -> Result<(), String> {
        let system = task.system()?;
        if NormalCtl::of_property(task.terms, &task.property.kind, true).is_none() {
            return Err("it takes invariants, errors and CTL without locations".to_string());
        }
        decide::accepts(task, system)
    }

    fn run(&self, task: &Task<'_>, run: &mut Run<'_>) -> Result<Verdict, EngineError> {
        let limits = limits(run.settings).map_err(|e| EngineError::Bug(e.to_string()))?;
        decide::decide(task, run, limits)
    }
}

/// How many nodes and cells there may be, and what they consist of.
#[derive(Clone, Copy, Debug)]
struct Limits {
    nodes: usize,
    cells: usize,
    domain: Sets,
    /// Exchanges of processes are used where at least so many can be exchanged.
    exchangeable: Option<usize>,
}

/// What the option of symmetry may be.
const SWITCH: [&str; 5] = ["auto", "on", "off", "true", "false"];

fn limits(settings: &Settings) -> Result<Limits, BadOption> {
    let number = |spec: &OptionSpec, default: u64| {
        let value = settings.number(spec.name, default)?;
        Ok(usize::try_from(value).unwrap_or(usize::MAX))
    };
    Ok(Limits {
        nodes: number(&NODES, 1_000_000)?,
        cells: number(&CELLS, 500_000)?,
        domain: Sets::read(settings)?,
        exchangeable: match settings.choice(SYMMETRY.name, &SWITCH)? {
            Some("off" | "false") => None,
            Some("on" | "true") => Some(2),
            _ => Some(3),
        },
    })
}
