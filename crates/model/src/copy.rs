//! Certificates in other stores of terms.

use crate::certificate::{Certificate, Invariants};
use crate::ctl_proof::{Cell, Choice, CtlProof, Renaming};
use crate::unrolled::UnrolledProof;
use sectile_terms::{Copier, Different, Term, Terms};

/// A certificate in another store in which the same text was read.
pub fn copied_certificate(
    from: &Terms,
    to: &Terms,
    certificate: &Certificate,
) -> Result<Certificate, Different> {
    let mut copier = Copier::new(from, to);
    let mut term = |t: Term| copier.term(t);
    Ok(match certificate {
        Certificate::Invariants(proof) => {
            let at = proof.at.iter().map(|t| t.map(&mut term).transpose());
            Certificate::Invariants(Invariants {
                at: at.collect::<Result<_, _>>()?,
                ..proof.clone()
            })
        }
        Certificate::Unrolled(proof) => {
            let list = proof.invariants.iter();
            let list: Result<_, _> = list.map(|t| t.map(&mut term).transpose()).collect();
            Certificate::Unrolled(Box::new(UnrolledProof {
                changes: proof.changes.clone(),
                invariants: list?,
            }))
        }
        Certificate::Ctl(proof) => Certificate::Ctl(Box::new(copied_proof(&mut copier, proof)?)),
        Certificate::Modular(inner) => {
            Certificate::Modular(Box::new(copied_certificate(from, to, inner)?))
        }
        // Values are the same in every store in which the same text was read.
        Certificate::Trace(trace) => Certificate::Trace(trace.clone()),
    })
}

fn copied_proof(copier: &mut Copier<'_>, proof: &CtlProof) -> Result<CtlProof, Different> {
    let mut cells = Vec::with_capacity(proof.cells.len());
    for cell in &proof.cells {
        let mut choices = Vec::with_capacity(cell.choices.len());
        for choice in &cell.choices {
            let mut values = Vec::with_capacity(choice.values.len());
            for (symbol, value) in &choice.values {
                values.push((copier.symbol(*symbol)?, copier.term(*value)?));
            }
            choices.push(Choice {
                command: choice.command,
                values,
                target: choice.target,
            });
        }
        cells.push(Cell {
            location: cell.location,
            formula: copier.term(cell.formula)?,
            successors: cell.successors.clone(),
            choices,
        });
    }
    let mut renamings = Vec::with_capacity(proof.renamings.len());
    for renaming in &proof.renamings {
        let pairs = renaming.pairs.iter();
        let pairs = pairs.map(|(a, b)| Ok((copier.symbol(*a)?, copier.symbol(*b)?)));
        let pairs = pairs.collect::<Result<_, _>>()?;
        renamings.push(Renaming { pairs });
    }
    Ok(CtlProof {
        cells,
        renamings,
        images: proof.images.clone(),
        claims: proof.claims.clone(),
        initial: proof.initial.clone(),
    })
}
