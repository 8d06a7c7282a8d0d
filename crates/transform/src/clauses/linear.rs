//! Models without premises, for those who follow runs.

use crate::pass::{Applied, BackTranslate, Exactness, Lost, Pass, unexpected};
use sectile_model::{Certificate, Task};
use sectile_terms::Terms;
use std::collections::BTreeSet;

/// Forgets the premises of edges: the states they rest on may be any.
///
/// The new model allows more: invariants of it are invariants of the old one, but a run along an
/// edge that had premises shows nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Linear;

impl Pass for Linear {
    fn name(&self) -> &'static str {
        "linear"
    }

    fn made(&self, task: &Task<'_>) -> Result<Applied, String> {
        let mut model = task.model.clone();
        let mut loose = BTreeSet::new();
        for (i, edge) in model.edges.iter_mut().enumerate() {
            if !edge.premises.is_empty() {
                edge.premises.clear();
                edge.loose = true;
                loose.insert(i);
            }
        }
        let exactness = match loose.is_empty() {
            true => Exactness::Exact,
            false => Exactness::AllowsMore,
        };
        let back = WithPremises { loose };
        Ok(Applied::new(model, task.property.clone(), back).within(exactness))
    }
}

struct WithPremises {
    loose: BTreeSet<usize>,
}

impl BackTranslate for WithPremises {
    fn certificate(&self, _: &Terms, certificate: &Certificate) -> Result<Certificate, Lost> {
        match certificate {
            Certificate::Invariants(_) | Certificate::Unrolled(_) => Ok(certificate.clone()),
            Certificate::Trace(trace) => {
                let mut steps = trace.steps.iter();
                match steps.any(|s| self.loose.contains(&s.command)) {
                    false => Ok(certificate.clone()),
                    true => Err(Lost(
                        "the run takes a step whose premises may not be derivable".into(),
                    )),
                }
            }
            other => Err(unexpected(other)),
        }
    }
}
