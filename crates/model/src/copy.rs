//! Copying certificates to other stores of terms.

use crate::certificate::Certificate;
use crate::ctl_proof::CtlProof;
use crate::diagram::DiagramProof;
use crate::unrolled::UnrolledProof;
use sectile_terms::{Copier, Different, Term, Terms};

/// A certificate in another store in which the same text was read.
pub fn copied_certificate(
    from: &Terms,
    to: &Terms,
    certificate: &Certificate,
) -> Result<Certificate, Different> {
    let mut copier = Copier::new(from, to);
    let mut all = |list: &[Option<Term>]| -> Result<Vec<Option<Term>>, Different> {
        let list = list.iter();
        list.map(|t| t.map(|t| copier.term(t)).transpose())
            .collect()
    };
    Ok(match certificate {
        Certificate::Invariants(proof) => proof.with(all(&proof.at)?),
        Certificate::Unrolled(proof) => Certificate::Unrolled(Box::new(UnrolledProof {
            changes: proof.changes.clone(),
            invariants: all(&proof.invariants)?,
        })),
        Certificate::Ctl(proof) => Certificate::Ctl(Box::new(copied_proof(&mut copier, proof)?)),
        Certificate::Diagrams(proof) => {
            Certificate::Diagrams(Box::new(copied_diagrams(&mut copier, proof)?))
        }
        Certificate::Modular(inner) => {
            Certificate::Modular(Box::new(copied_certificate(from, to, inner)?))
        }
        // Values are the same in every store in which the same text was read.
        Certificate::Trace(trace) => Certificate::Trace(trace.clone()),
    })
}

fn copied_proof(copier: &mut Copier<'_>, proof: &CtlProof) -> Result<CtlProof, Different> {
    let mut proof = proof.clone();
    for cell in &mut proof.cells {
        cell.formula = copier.term(cell.formula)?;
        for (symbol, value) in cell.choices.iter_mut().flat_map(|c| &mut c.values) {
            (*symbol, *value) = (copier.symbol(*symbol)?, copier.term(*value)?);
        }
    }
    let claims = proof.claims.iter_mut().flatten();
    for measure in claims.flat_map(|c| &mut c.measures) {
        *measure = copier.term(*measure)?;
    }
    for (from, to) in proof.renamings.iter_mut().flat_map(|r| &mut r.pairs) {
        (*from, *to) = (copier.symbol(*from)?, copier.symbol(*to)?);
    }
    Ok(proof)
}

fn copied_diagrams(
    copier: &mut Copier<'_>,
    proof: &DiagramProof,
) -> Result<DiagramProof, Different> {
    let mut proof = proof.clone();
    for node in &mut proof.diagram.nodes {
        node.variable = copier.symbol(node.variable)?;
    }
    Ok(proof)
}
