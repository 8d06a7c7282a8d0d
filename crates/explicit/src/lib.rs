//! Explicit-state search, CTL on the explored graph, and simulation; also the oracle in tests.
//!
//! A model is compiled once: its constraints become plans that find all initial states and all
//! successors of a state by testing, by solving equations and, as a last resort, by trying values.
//! The search visits packed states breadth first, so that the first violation is a shortest one,
//! and its [`Extent`] tells whether it was complete. Numbers are exact: machine integers if they
//! suffice, larger numbers and fractions otherwise.
//!
//! The results of a bounded search are still sound: violations are real, and CTL is decided with
//! two sets of states for every formula, those where it holds whatever was omitted, and those where
//! it may hold.
//!
//! | what | where |
//! |---|---|
//! | values as machine words, packed states | `word`, `arrays`, `codec`, `table` |
//! | programs of terms, and their execution | `code`, `machine` |
//! | constraints, plans, backtracking over values | `literal`, `planner`, `solve`, `interval`, `values` |
//! | initial states and successors of a model | `compiled` |
//! | breadth-first search, safety | `search`, `monitor` |
//! | CTL: formulas, labels, witnesses | `formula`, `label`, `evidence` |
//! | certificates: cells with one state each | `claims`, `cells` |
//! | runs with their inputs | `replay`, `simulate` |
//! | the entry points | [`explore`], [`simulate`], [`Simulator`] |
//! | two thin engines: the search, and random runs | [`Explicit`], [`Walk`] |

mod arrays;
mod bits;
mod cells;
mod claims;
mod code;
mod codec;
mod compiled;
mod domain;
mod engine;
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
mod orbits;
mod plan;
mod planner;
mod replay;
mod search;
mod simulate;
mod solve;
mod space;
mod table;
mod values;
mod walk;
mod word;

pub use domain::Domain;
pub use engine::Explicit;
pub use error::{Context, ExploreError};
pub use explore::{Answer, Deadlocks, Exploration, PropertyResult, explore};
pub use options::{Extent, Limit, Options, Stop};
pub use simulate::{Choice, Choices, Run, RunEnd, SimulationOptions, Simulator, simulate};
pub use walk::Walk;
