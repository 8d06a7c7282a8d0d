//! Dropping premises, for engines that follow single runs.

use crate::pass::{Applied, BackTranslate, Exactness, Lost, Pass, unexpected};
use sectile_model::{Certificate, Task};
use sectile_terms::Terms;

/// Drops the premises of edges: the states that they rest on become arbitrary.
///
/// The result is an over-approximation: its invariants are invariants of the original model, but a
/// run along an edge that had premises proves nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Linear;

impl Pass for Linear {
    fn name(&self) -> &'static str {
        "linear"
    }

    fn made(&self, task: &Task<'_>) -> Result<Applied, String> {
        let mut model = task.model.clone();
        let mut exactness = Exactness::Exact;
        for edge in model.edges.iter_mut().filter(|e| !e.premises.is_empty()) {
            edge.premises.clear();
            edge.loose = true;
            exactness = Exactness::AllowsMore;
        }
        let made = Applied::new(model, task.property.clone(), WithPremises);
        Ok(made.within(exactness))
    }
}

struct WithPremises;

impl BackTranslate for WithPremises {
    fn certificate(&self, _: &Terms, certificate: &Certificate) -> Result<Certificate, Lost> {
        match certificate {
            Certificate::Invariants(_) | Certificate::Unrolled(_) | Certificate::Trace(_) => {
                Ok(certificate.clone())
            }
            other => Err(unexpected(other)),
        }
    }
}
