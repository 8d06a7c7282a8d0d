//! Evidence about cells, told about arrays.

use super::Cell;
use crate::pass::{BackTranslate, Lost, unexpected};
use sectile_model::{Certificate, UnrolledProof};
use sectile_terms::{Substitution, Term, Terms};

/// The way back: the variable of a cell is the element of the array.
pub(super) struct Elements {
    meanings: Substitution,
}

impl Elements {
    pub fn new(terms: &Terms, cells: &[Cell]) -> Elements {
        let pairs = cells.iter().map(|c| (terms.var(c.symbol), c.meaning));
        Elements {
            meanings: pairs.collect(),
        }
    }

    fn term(&self, terms: &Terms, t: Term) -> Term {
        terms.substitute(t, &self.meanings)
    }
}

impl BackTranslate for Elements {
    fn certificate(&self, terms: &Terms, certificate: &Certificate) -> Result<Certificate, Lost> {
        let list = |list: &[Term]| list.iter().map(|&t| self.term(terms, t)).collect();
        let some = |list: &[Option<Term>]| {
            let told = list.iter().map(|t| t.map(|t| self.term(terms, t)));
            told.collect()
        };
        Ok(match certificate {
            Certificate::Invariant(t) => Certificate::Invariant(self.term(terms, *t)),
            Certificate::LocationInvariants(l) => Certificate::LocationInvariants(list(l)),
            Certificate::CutPoints(l) => Certificate::CutPoints(some(l)),
            Certificate::Unrolled(proof) => Certificate::Unrolled(Box::new(UnrolledProof {
                changes: proof.changes.clone(),
                invariants: some(&proof.invariants),
            })),
            // States that differ in their arrays may have equal cells: a run that visits no state
            // twice may visit the same cells twice.
            Certificate::KInduction {
                simple_paths: true, ..
            } => {
                let reason = "the proof is about runs that do not repeat the values of the cells";
                return Err(Lost(reason.into()));
            }
            Certificate::KInduction {
                invariants, depth, ..
            } => Certificate::KInduction {
                invariants: list(invariants),
                depth: *depth,
                simple_paths: false,
            },
            Certificate::Trace(_) => {
                let reason = "the values of cells do not tell the rest of the arrays";
                return Err(Lost(reason.into()));
            }
            other => return Err(unexpected(other)),
        })
    }
}
