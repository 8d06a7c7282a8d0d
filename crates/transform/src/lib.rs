//! Passes: transformations of a task with back-translation of evidence.
//!
//! A [`Pass`] turns a model and a property into others and returns, with them, a [`BackTranslate`]:
//! evidence for the new task becomes evidence for the old one. A [`Pipeline`] applies passes one
//! after the other and translates back through all of them.
//!
//! | pass | from | to | how |
//! |---|---|---|---|
//! | [`PcEncoding`] | graph | system | the location becomes the value of a variable |
//! | [`ControlSplit`] | system | graph | values of finite variables become locations |
//! | [`RecoverControl`] | graph | graph | values of Booleans that encode a program counter become locations |
//! | [`ErrorLocation`] | graph | graph | a violation becomes a location that must not be reached |
//! | [`LargeBlocks`] | graph | graph | loop-free pieces become single edges |
//! | [`ExitBounds`] | graph | graph | loops that are left after few rounds or never are unrolled |
//! | [`Clauses`] | Horn clauses | the same | arguments and predicates that are not needed are removed |
//! | [`ByContract`] | Horn clauses of a program | graph | recursive calls are replaced by contracts |
//! | [`Linear`] | Horn clauses | graph | premises are dropped |
//! | [`Cells`] | any | the same | some elements of arrays become variables, and the arrays are removed |
//! | [`Counters`] | families of processes | system | the processes in each local state are counted |
//! | [`ExactSteps`] | any | the same | steps that allow more than the input does are removed |
//! | [`Deadlock`] | any | the same | "every state has a next one" becomes a condition on states |
//! | [`Quotients`] | system | system | quotients by constants are chosen by steps |
//! | [`Residues`] | system | system | remainders by constants become Booleans |
//! | [`ErrorGraph`] | any | graph | the passes above that give blocks and error locations |
//!
//! Locations, edges and extended transition systems are those of [ErHoPoSc11, Sect. 3] and
//! [BeGrLa, Sect. 5.3].
//!
//! [`with_runs`] prepares a model for display: its runs, in the words of the file where possible.

mod cells;
mod clauses;
mod contracts;
mod control_split;
mod counters;
mod ctl;
mod deadlock;
mod error_graph;
mod error_location;
mod exact_steps;
mod exit_bounds;
mod lbe;
mod naming;
mod pass;
mod pc_encoding;
mod pipeline;
mod quotients;
mod recover_control;
mod residues;
mod runs;

pub use cells::{
    Cell, CellModel, Cells, Decide, Place, decide_on_cells, has_arrays, has_functions,
};
pub use clauses::{Clauses, Detail, Filling, Linear};
pub use contracts::ByContract;
pub use control_split::{Control, ControlSplit};
pub use counters::{CountedState, Counters};
pub use deadlock::Deadlock;
pub use error_graph::{ErrorGraph, run_engine, run_engine_on};
pub use error_location::ErrorLocation;
pub use exact_steps::{ExactSteps, violated_exactly};
pub use exit_bounds::{ExitBounds, Proofs};
pub use lbe::LargeBlocks;
pub use pass::{Applied, BackTranslate, Exactness, Lost, Pass};
pub use pc_encoding::PcEncoding;
pub use pipeline::Pipeline;
pub use quotients::Quotients;
pub use recover_control::RecoverControl;
pub use residues::Residues;
pub use runs::with_runs;
