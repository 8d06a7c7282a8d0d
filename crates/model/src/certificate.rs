//! Evidence for verdicts.

use crate::clause_model::ClauseEvidence;
use crate::ctl_proof::CtlProof;
use crate::trace::Trace;
use crate::unrolled::UnrolledProof;
use sectile_terms::Term;

/// What makes a verdict believable without believing who found it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Certificate {
    /// An inductive invariant of a system that implies the property.
    Invariant(Term),
    /// An inductive invariant for every location of a graph, in the order of the locations.
    LocationInvariants(Vec<Term>),
    /// An invariant for some locations of a graph, so many that every cycle passes through one.
    ///
    /// Between two such locations nothing is claimed: whoever checks it follows the paths without
    /// cycles. Loop heads are enough, and what holds there is what a reader wants to know.
    CutPoints(Vec<Option<Term>>),
    /// A `depth`-inductive invariant that implies the property.
    ///
    /// No run of fewer than `depth` steps leaves the invariant, and no run through `depth`
    /// states of the invariant leaves it in the next one. With `simple_paths`, runs that visit a
    /// state twice need not be considered: a shortest violation visits none twice.
    KInduction {
        /// The formula of a system, or one for every location of a graph.
        invariants: Vec<Term>,
        /// How many steps back are looked at; at least 1.
        depth: u32,
        /// Whether only runs without repeated states are looked at.
        simple_paths: bool,
    },
    /// Invariants of a graph whose loops are unrolled as far as they matter.
    Unrolled(Box<UnrolledProof>),
    /// Sets of states with claims about the parts of a CTL formula.
    Ctl(Box<CtlProof>),
    /// Evidence about the clauses that say what the model means exactly.
    Clauses(Box<ClauseEvidence>),
    /// A run that violates the property.
    Trace(Trace),
}
