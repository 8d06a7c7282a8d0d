//! Explicit-state search and simulation: the oracle.

mod bits;
mod code;
mod codec;
mod compiled;
mod domain;
mod error;
mod evidence;
mod explore;
mod formula;
mod graph;
mod interval;
mod label;
mod layout;
mod literal;
mod machine;
mod monitor;
mod options;
mod plan;
mod planner;
mod replay;
mod search;
mod simulate;
mod solve;
mod space;
mod table;
mod values;
mod word;

pub use domain::Domain;
pub use error::{Context, ExploreError};
pub use explore::{Answer, Deadlocks, Exploration, PropertyResult, explore};
pub use options::{Extent, Limit, Options, Stop};
pub use simulate::{Choice, Choices, Run, RunEnd, SimulationOptions, Simulator, simulate};
