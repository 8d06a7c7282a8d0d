//! Back-translation of evidence about cells to arrays.

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
        let told = |list: &[Option<Term>]| {
            let told = list.iter().map(|t| t.map(|t| self.term(terms, t)));
            told.collect()
        };
        Ok(match certificate {
            Certificate::Unrolled(proof) => Certificate::Unrolled(Box::new(UnrolledProof {
                changes: proof.changes.clone(),
                invariants: told(&proof.invariants),
            })),
            // States with different arrays may have equal cells, so a run without repeated states
            // may repeat cells.
            Certificate::Invariants(proof) if proof.simple_paths => {
                let reason = "the proof is about runs that do not repeat the values of the cells";
                return Err(Lost(reason.into()));
            }
            Certificate::Invariants(proof) => proof.with(told(&proof.at)),
            Certificate::Trace(_) => {
                let reason = "the values of cells do not determine the rest of the arrays";
                return Err(Lost(reason.into()));
            }
            other => return Err(unexpected(other)),
        })
    }
}
