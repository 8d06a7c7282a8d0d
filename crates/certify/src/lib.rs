//! The independent checker: does this evidence prove this verdict about this model?
//!
//! It sees terms, models, certificates and a solver, and nothing that could have made the
//! certificate. Invariants are checked by their three obligations with the solver; runs are
//! replayed by evaluation alone.
//!
//! | certificate | obligations |
//! |---|---|
//! | invariants of all locations | initiation at the entry, consecution of every edge, property |
//! | invariants of some locations | every cycle has one; the same along all paths between them |
//! | invariants with a depth | base cases, induction step, property |
//! | invariants of a model with unrolled loops | every change keeps the runs into errors, see `unrolled` |
//! | cells with claims about a CTL formula | initiation, the rule of every claim, see `ctl` |
//! | run, derivation | start, every step with its premises, end |

mod ctl;
mod ctl_bounds;
mod ctl_renamings;
mod cut_points;
mod invariant;
mod kinduction;
mod replay;
mod steps;
mod trees;
mod unrolled;
mod violation;

use sectile_base::Budget;
use sectile_model::{Certificate, Task};
use sectile_solver::{Solver, SolverError, Undecided};

/// What the certificate is said to prove.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// The property holds.
    Holds,
    /// The property is violated.
    Violated,
}

/// One thing that has to be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Obligation {
    /// Every initial state satisfies the invariant.
    Initiation,
    /// The named step leads from the invariant into the invariant.
    Consecution(String),
    /// The invariant holds after so many steps.
    Base(u32),
    /// Enough states of the invariant in a row are followed by one of it.
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
    /// A command leads from a cell to the cells it names.
    CellStep {
        /// The cell.
        cell: usize,
        /// The command.
        command: String,
    },
    /// The run starts in an initial state.
    Start,
    /// The numbered step (from 1) of the run is a step of the model.
    Step(usize),
    /// The run violates the property.
    End,
    /// The certificate has the right shape for the claim, the model and the property.
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
            Obligation::CellStep { cell, command } => {
                write!(f, "steps of {command} from cell {cell}")
            }
            Obligation::Start => f.write_str("start of the run"),
            Obligation::Step(k) => write!(f, "step {k} of the run"),
            Obligation::End => f.write_str("end of the run"),
            Obligation::Shape => f.write_str("shape"),
        }
    }
}

/// The first obligation that does not hold, and how that is seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The obligation.
    pub obligation: Obligation,
    /// A sentence that shows it: a counterexample, or what is missing.
    pub because: String,
}

impl Refusal {
    /// The evidence does not have the right shape.
    fn shape(because: &str) -> Refusal {
        Refusal {
            obligation: Obligation::Shape,
            because: because.to_string(),
        }
    }
}

/// The result of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All obligations hold; how many there were.
    Accepted {
        /// Number of obligations.
        obligations: usize,
    },
    /// One does not hold.
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
    match (claim, certificate) {
        (Claim::Holds, Certificate::Invariants(invariants)) => {
            let linear = task.model.is_linear();
            match (invariants.at_all(), invariants.is_inductive()) {
                (Some(all), true) => invariant::check(task, &all, solver, budget),
                (Some(all), false) => kinduction::check(task, invariants, &all, solver, budget),
                (None, true) if !linear => trees::check(task, &invariants.at, solver, budget),
                (None, true) => cut_points::check(task, &invariants.at, solver, budget),
                (None, false) => Ok(refused(
                    "induction over several steps needs an invariant for every location",
                )),
            }
        }
        (Claim::Holds, Certificate::Unrolled(proof)) => {
            unrolled::check(task, proof, solver, budget)
        }
        (claim, Certificate::Ctl(proof)) => ctl::check(task, claim, proof, solver, budget),
        (_, Certificate::Modular(_)) => {
            Ok(refused("evidence about contracts is about another model"))
        }
        (Claim::Violated, Certificate::Trace(trace)) => {
            violation::check(task, trace, solver, budget)
        }
        (Claim::Holds, Certificate::Trace(_)) => {
            Ok(refused("a run does not show that a property holds"))
        }
        (Claim::Violated, _) => Ok(refused(
            "an invariant does not show that a property is violated",
        )),
    }
}

fn refused(because: &str) -> Outcome {
    Outcome::Refused(Refusal::shape(because))
}
