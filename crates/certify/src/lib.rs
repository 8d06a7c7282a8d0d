//! The independent checker: decides whether evidence proves a verdict about a model.
//!
//! It sees terms, models, certificates and a solver, and no producer of certificates. Invariants
//! are checked by their three obligations with the solver; runs are replayed by evaluation alone,
//! and so are the steps of cells that are single states.
//!
//! | certificate | obligations |
//! |---|---|
//! | invariants of all locations | initiation at the entry, consecution of every edge, property |
//! | invariants of some locations | every cycle has one; the same along all paths between them |
//! | invariants that mention bound symbols | the same for all their values, with instances as premises, see `instances` |
//! | invariants with a depth | base cases, induction step, property |
//! | invariants of a model with unrolled loops | every change keeps the runs into errors, see `unrolled` |
//! | cells with claims about a CTL formula | initiation, the rule of every claim, see `ctl` |
//! | decision diagrams of the parts of a property | initiation, the rule of every part, see `diagrams` |
//! | run, derivation | start, every step with its premises, end |
//!
//! Evidence about the parts of a property is checked part by part; [`compose`] checks that the
//! parts imply the whole property.
//!
//! A proof for every number of processes is checked by [`every`].

mod checker;
mod ctl;
mod ctl_bounds;
mod ctl_renamings;
mod cut_points;
mod diagrams;
pub mod every;
pub mod finite;
mod instances;
mod invariant;
mod kinduction;
mod lean;
mod measures;
mod parts;
mod plan;
mod replay;
mod states;
mod steps;
mod trees;
mod unrolled;
mod values;
mod violation;

pub use parts::compose;

use checker::{Checked, Checker, Stop};
use sectile_base::Budget;
use sectile_model::{Certificate, Task};
use sectile_solver::{Solver, SolverError, Undecided};

/// The claim that a certificate supports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// The property holds.
    Holds,
    /// The property is violated.
    Violated,
}

/// A proof obligation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Obligation {
    /// Every initial state satisfies the invariant.
    Initiation,
    /// The named step leads from the invariant into the invariant.
    Consecution(String),
    /// The invariant holds after this many steps.
    Base(u32),
    /// Enough consecutive states of the invariant are followed by another one.
    InductionStep,
    /// The invariant implies the property (at the named location).
    Property(Option<String>),
    /// A part of a CTL formula (counted in its normal form) holds in a cell.
    Claim {
        /// The part.
        part: usize,
        /// The cell.
        cell: usize,
    },
    /// A part of a formula (counted in its normal form) holds in the set of states claimed for it.
    Set(usize),
    /// A command leads from a cell only to the cells listed for it.
    CellStep {
        /// The cell.
        cell: usize,
        /// The command.
        command: String,
    },
    /// An obligation about waiting processes, in words.
    Waiting(String),
    /// The run starts in an initial state.
    Start,
    /// The numbered step (from 1) of the run is a step of the model.
    Step(usize),
    /// The run violates the property.
    End,
    /// The certificate has the right structure for the claim, the model and the property.
    Shape,
}

impl std::fmt::Display for Obligation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Obligation::Initiation => f.write_str("initiation"),
            Obligation::Consecution(name) => write!(f, "consecution of {name}"),
            Obligation::Base(k) => write!(f, "base case {k}"),
            Obligation::InductionStep => f.write_str("induction step"),
            Obligation::Property(None) => f.write_str("property"),
            Obligation::Property(Some(at)) => write!(f, "property at {at}"),
            Obligation::Claim { part, cell } => write!(f, "part {part} in cell {cell}"),
            Obligation::Set(part) => write!(f, "set of part {part}"),
            Obligation::CellStep { cell, command } => {
                write!(f, "steps of {command} from cell {cell}")
            }
            Obligation::Waiting(what) => f.write_str(what),
            Obligation::Start => f.write_str("start of the run"),
            Obligation::Step(k) => write!(f, "step {k} of the run"),
            Obligation::End => f.write_str("end of the run"),
            Obligation::Shape => f.write_str("shape"),
        }
    }
}

/// The first obligation that fails, with the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The obligation.
    pub obligation: Obligation,
    /// The reason in a sentence: a counterexample, or what is missing.
    pub because: String,
}

/// The result of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All obligations hold.
    Accepted {
        /// Number of obligations.
        obligations: usize,
    },
    /// One fails.
    Refused(Refusal),
    /// One could not be decided.
    Undecided(Obligation, Undecided),
}

/// Checks a certificate against a task. `solver` must be fresh.
pub fn check(
    task: &Task<'_>,
    claim: Claim,
    certificate: &Certificate,
    solver: &mut dyn Solver,
    budget: &Budget,
) -> Result<Outcome, SolverError> {
    let mut checker = Checker::new(task.terms, solver, budget);
    let shown = shown(task, claim, certificate, &mut checker);
    concluded(shown, &checker)
}

/// The outcome of a stopped checker.
fn concluded(shown: Checked, checker: &Checker<'_>) -> Result<Outcome, SolverError> {
    match shown {
        Ok(()) => Ok(Outcome::Accepted {
            obligations: checker.shown,
        }),
        Err(Stop::Refused(refusal)) => Ok(Outcome::Refused(refusal)),
        Err(Stop::Undecided(obligation, why)) => Ok(Outcome::Undecided(obligation, why)),
        Err(Stop::Failed(error)) => Err(error),
    }
}

fn shown(
    task: &Task<'_>,
    claim: Claim,
    certificate: &Certificate,
    checker: &mut Checker<'_>,
) -> Checked {
    let refused = |because: &str| Err(Stop::shape(because));
    match (claim, certificate) {
        (Claim::Holds, Certificate::Invariants(proof)) if !proof.is_inductive() => {
            kinduction::check(task, proof, checker)
        }
        (Claim::Holds, Certificate::Invariants(proof)) => {
            match proof.at_all().is_some() || !task.model.is_linear() {
                true => invariant::check(task, &proof.at, checker),
                false => cut_points::check(task, &proof.at, checker),
            }
        }
        (Claim::Holds, Certificate::Unrolled(proof)) => unrolled::check(task, proof, checker),
        (claim, Certificate::Ctl(proof)) => ctl::check(task, claim, proof, checker),
        (claim, Certificate::Diagrams(proof)) => diagrams::check(task, claim, proof, checker),
        (_, Certificate::Modular(inner)) => match task.by_contract() {
            Some(contracts) => shown(&contracts, claim, inner, checker),
            None => refused("evidence about contracts, and the model has none"),
        },
        (Claim::Violated, Certificate::Trace(trace)) => violation::check(task, trace, checker),
        (Claim::Holds, Certificate::Trace(_)) => {
            refused("a run does not show that a property holds")
        }
        (Claim::Violated, _) => refused("an invariant does not show that a property is violated"),
    }
}
