//! Explicit-state search, CTL on the graph it finds, and simulation: the oracle.
//!
//! A model is compiled once: its constraints become plans that find all initial states and all
//! successors of a state by testing, by solving equations and, where nothing else is left, by
//! trying values. The search visits packed states breadth first, so that the first violation is a
//! shortest one, and says in its [`Extent`] whether it saw everything. Numbers are exact: machine
//! integers where they suffice, and whatever is needed where they do not.
//!
//! What a bounded search says is still sound: violations are real, and CTL is decided by two sets
//! of states for every formula, those where it holds whatever was left out, and those where it
//! may hold.
//!
//! | what | where |
//! |---|---|
//! | values as machine words, packed states | `word`, `arrays`, `codec`, `table` |
//! | terms as programs, and running them | `code`, `machine` |
//! | constraints, plans, backtracking over values | `literal`, `planner`, `solve`, `interval`, `values` |
//! | initial states and successors of a model | `compiled` |
//! | breadth-first search, safety | `search`, `monitor` |
//! | CTL: formulas, labels, witnesses | `formula`, `label`, `evidence` |
//! | cells with one state each as evidence | `claims`, `cells` |
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
