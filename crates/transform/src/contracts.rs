//! Replaces recursive calls by contracts, for engines that follow runs.

use crate::pass::{Applied, BackTranslate, Exactness, Lost, Pass};
use sectile_model::{Certificate, Task};
use sectile_terms::Terms;

/// Takes the program with contracts instead of the one with premises.
///
/// Contracts may allow more than the calls do: a run through such a call proves nothing. The
/// evidence stays about the program with contracts, and says so.
#[derive(Clone, Copy, Debug, Default)]
pub struct ByContract;

impl Pass for ByContract {
    fn name(&self) -> &'static str {
        "by-contract"
    }

    fn made(&self, task: &Task<'_>) -> Result<Applied, String> {
        let missing = "the program has no calls that contracts stand for";
        let contracts = task.by_contract().ok_or(missing)?;
        let (model, property) = (contracts.model.clone(), contracts.property.clone());
        let applied = Applied::new(model, property, Modular);
        Ok(applied.within(Exactness::AllowsMore))
    }
}

struct Modular;

impl BackTranslate for Modular {
    fn certificate(&self, _: &Terms, certificate: &Certificate) -> Result<Certificate, Lost> {
        Ok(Certificate::Modular(Box::new(certificate.clone())))
    }
}
