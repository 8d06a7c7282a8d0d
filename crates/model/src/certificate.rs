//! Evidence for verdicts.

use crate::trace::Trace;
use sectile_terms::Term;

/// What makes a verdict believable without believing who found it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Certificate {
    /// An inductive invariant of a system that implies the property.
    Invariant(Term),
    /// An inductive invariant for every location of a graph, in the order of the locations.
    LocationInvariants(Vec<Term>),
    /// A run that violates the property.
    Trace(Trace),
}
