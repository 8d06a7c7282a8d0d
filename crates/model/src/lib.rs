//! The question and the answer: systems, programs, properties, traces, certificates.
//!
//! A front-end makes a [`Module`]: one [`Model`] and its [`Property`]s. A [`Task`] is one model
//! with one property. An engine answers with a [`Verdict`] whose [`Certificate`] is about the
//! task it was given.

mod certificate;
mod clauses;
mod command;
mod copy;
mod ctl;
mod ctl_infinite;
mod ctl_keys;
mod ctl_normal;
mod ctl_proof;
mod diagram;
mod family;
mod model;
mod module;
mod parts;
mod property;
pub mod scheme;
mod trace;
mod unrolled;
mod verdict;

pub use certificate::{Certificate, Invariants};
pub use clauses::equations;
pub use clauses::horn::{self, HornClauses};
pub use clauses::{ClauseEdge, ClauseView, edge_of_clause, model_of_clauses, name_parameters};
pub use command::{Command, Update};
pub use copy::copied_certificate;
pub use ctl::Ctl;
pub use ctl_keys::PartKeys;
pub use ctl_normal::{NormalCtl, NormalPart, Paths};
pub use ctl_proof::{Cell, CellClaim, Choice, CtlProof, Image, Initial, Renaming, Successors};
pub use diagram::{Diagram, DiagramNode, DiagramProof};
pub use family::{Families, Family, Field};
pub use model::{Contracts, Edge, Location, LocationId, Model, Premise, Role};
pub use module::{Expectation, Expected, Module, StateSpace, Task};
pub use parts::Part;
pub use property::{Property, PropertyKind};
pub use trace::{State, Step, Trace};
pub use unrolled::{GraphChange, UnrolledProof, Unrolling};
pub use verdict::{ReasonCode, Unknown, Verdict};
