//! Certificates: evidence for verdicts.

use crate::ctl_proof::CtlProof;
use crate::diagram::DiagramProof;
use crate::trace::Trace;
use crate::unrolled::UnrolledProof;
use sectile_terms::{Term, Terms};

/// Evidence for a verdict that can be checked without trusting its producer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Certificate {
    /// Invariants that imply the property.
    Invariants(Invariants),
    /// Invariants of a model in which some loops are unrolled.
    Unrolled(Box<UnrolledProof>),
    /// Sets of states with claims about the parts of a CTL formula.
    Ctl(Box<CtlProof>),
    /// Decision diagrams of the states in which the parts of a property hold.
    Diagrams(Box<DiagramProof>),
    /// Evidence about the program in which recursive calls are replaced by contracts.
    Modular(Box<Certificate>),
    /// A run that violates the property, or a derivation where edges have premises.
    Trace(Trace),
}

/// Invariants of locations.
///
/// If every location has a formula and the depth is 1, they are inductive together. Locations may
/// go without one as long as every cycle passes through one that has one: the checker then follows
/// the paths between them. Loop heads are enough, and their invariants are what a reader wants to
/// know.
///
/// With a greater depth, the first `depth` states of every run satisfy the formulas, and so does
/// every state directly after `depth` consecutive states that satisfy them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invariants {
    /// For each location its formula, if it has one.
    pub at: Vec<Option<Term>>,
    /// The depth of the induction; at least 1.
    pub depth: u32,
    /// Whether the induction considers only runs without repeated states: a shortest violation
    /// visits no state twice.
    pub simple_paths: bool,
}

impl Invariants {
    /// Whether they are inductive in the usual sense: depth one, on all runs.
    pub fn is_inductive(&self) -> bool {
        self.depth == 1 && !self.simple_paths
    }

    /// The same kind of proof with other formulas.
    pub fn with(&self, at: Vec<Option<Term>>) -> Certificate {
        Certificate::Invariants(Invariants { at, ..*self })
    }

    /// The conjunction of several proofs, if they have formulas at the same locations.
    ///
    /// A formula that is K-inductive is an invariant, and K-inductive for every larger depth; so the
    /// conjunction has the largest depth of all.
    pub fn conjoined(terms: &Terms, list: &[&Invariants]) -> Option<Invariants> {
        let (first, others) = list.split_first()?;
        let mut all = (*first).clone();
        for other in others {
            (all.at.len() == other.at.len()).then_some(())?;
            for (formula, more) in all.at.iter_mut().zip(&other.at) {
                *formula = match (*formula, *more) {
                    (Some(p), Some(q)) => Some(terms.and([p, q])),
                    (None, None) => None,
                    _ => return None,
                };
            }
            all.depth = all.depth.max(other.depth);
            all.simple_paths |= other.simple_paths;
        }
        (all.is_inductive() || all.at_all().is_some()).then_some(all)
    }

    /// The formulas, if every location has one.
    pub fn at_all(&self) -> Option<Vec<Term>> {
        self.at.iter().copied().collect()
    }
}

impl Certificate {
    /// Inductive invariants of all locations.
    pub fn invariants(list: Vec<Term>) -> Certificate {
        Certificate::cut_points(list.into_iter().map(Some).collect())
    }

    /// An inductive invariant of a system.
    pub fn invariant(formula: Term) -> Certificate {
        Certificate::invariants(vec![formula])
    }

    /// Inductive invariants of enough locations to cut every cycle.
    pub fn cut_points(at: Vec<Option<Term>>) -> Certificate {
        Certificate::Invariants(Invariants {
            at,
            depth: 1,
            simple_paths: false,
        })
    }
}
