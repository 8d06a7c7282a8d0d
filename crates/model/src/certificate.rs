//! Evidence for verdicts.

use crate::ctl_proof::CtlProof;
use crate::diagram::DiagramProof;
use crate::trace::Trace;
use crate::unrolled::UnrolledProof;
use sectile_terms::{Term, Terms};

/// What makes a verdict believable without believing who found it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Certificate {
    /// Invariants that imply the property.
    Invariants(Invariants),
    /// Invariants of a model whose loops are unrolled as far as they matter.
    Unrolled(Box<UnrolledProof>),
    /// Sets of states with claims about the parts of a CTL formula.
    Ctl(Box<CtlProof>),
    /// Decision diagrams of the states in which the parts of a property hold.
    Diagrams(Box<DiagramProof>),
    /// Evidence about the program in which recursive calls are understood by contracts.
    Modular(Box<Certificate>),
    /// A run that violates the property, or a derivation where edges have premises.
    Trace(Trace),
}

/// What holds at the locations.
///
/// Where every location has a formula and the depth is 1, they are inductive together. Locations
/// may go without one as long as every cycle passes through one that has one: whoever checks it
/// follows the paths between. Loop heads are enough, and what holds there is what a reader wants to
/// know.
///
/// With a greater depth, no run of fewer than `depth` steps leaves the formulas, and no run through
/// `depth` states that satisfy them leaves them in the next one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invariants {
    /// For each location its formula, if it has one.
    pub at: Vec<Option<Term>>,
    /// How many steps back the induction looks; at least 1.
    pub depth: u32,
    /// Whether the induction looks at runs without repeated states only: a shortest violation
    /// visits no state twice.
    pub simple_paths: bool,
}

impl Invariants {
    /// Whether they are inductive in the usual sense: one step back, on all runs.
    pub fn is_inductive(&self) -> bool {
        self.depth == 1 && !self.simple_paths
    }

    /// The same kind of proof with other formulas.
    pub fn with(&self, at: Vec<Option<Term>>) -> Certificate {
        Certificate::Invariants(Invariants { at, ..*self })
    }

    /// One proof of what several proofs show, if they have formulas at the same locations.
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

    /// Inductive invariants of some locations, so many that every cycle passes through one.
    pub fn cut_points(at: Vec<Option<Term>>) -> Certificate {
        Certificate::Invariants(Invariants {
            at,
            depth: 1,
            simple_paths: false,
        })
    }
}
