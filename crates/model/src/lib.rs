//! What is checked and what is answered: systems, programs, properties, traces, certificates.
//!
//! A front-end makes a [`Module`]: one [`Model`] and its [`Property`]s. A [`Task`] is one model
//! with one property. An engine answers with a [`Verdict`] whose [`Certificate`] is about the
//! task it was given.

mod certificate;
mod clause_model;
mod command;
mod ctl;
mod ctl_infinite;
mod ctl_keys;
mod ctl_normal;
mod ctl_proof;
mod graph;
pub mod horn;
mod horn_graph;
mod horn_reduction;
mod module;
mod property;
mod system;
mod trace;
mod unrolled;
mod verdict;

pub use certificate::Certificate;
pub use clause_model::{
    ClauseEvidence, ClauseModel, ClausePlace, ClauseStep, ClauseTask, StepKind,
};
pub use command::{Command, Update};
pub use ctl::Ctl;
pub use ctl_keys::PartKeys;
pub use ctl_normal::{NormalCtl, NormalPart, Paths};
pub use ctl_proof::{Cell, CellClaim, Choice, CtlProof, Image, Initial, Renaming, Successors};
pub use graph::{Edge, Location, LocationId, ProgramGraph};
pub use horn::HornClauses;
pub use horn_graph::{ClauseOrigin, EdgeOrigin, HornGraph, Premise};
pub use horn_reduction::{Argument, ReducedClause, Reduction, Standing};
pub use module::{Expectation, Expected, Model, Module, StateSpace, Task};
pub use property::{Property, PropertyKind};
pub use system::TransitionSystem;
pub use trace::{State, Step, Trace};
pub use unrolled::{GraphChange, UnrolledProof, Unrolling};
pub use verdict::{ReasonCode, Unknown, Verdict};
