//! Which proofs a model is made of.
//!
//! The proof that decided the clauses is the first choice. Where it cannot be turned into formulas,
//! or only into large ones, other engines are asked for theirs.

use super::{HornAnswer, ModelFinder};
use sectile_certify::Claim;
use sectile_driver::check::{LONGEST_READABLE, smaller_proof};
use sectile_driver::{Attempt, PLAIN_PROVER, PROVERS, READABLE};
use sectile_driver::{CheckOptions, check};
use sectile_engine::{Settings, Silent};
use sectile_model::Certificate;
use sectile_model::horn::Interpretation;
use sectile_report::{PropertyReport, lists_values};
use std::time::Duration;

/// A model of more different terms is hard on whoever checks it: a smaller one is looked for.
const LARGE: usize = 2000;

/// Time that is not divided when a model is made of what is proved already.
const LEAST: Duration = Duration::from_secs(10);

impl ModelFinder<'_> {
    /// Finds a model, in one way or another.
    pub(super) fn find_model(
        &self,
        certificate: &Certificate,
        report: &PropertyReport,
        answer: &mut HornAnswer,
    ) {
        let smaller = self.smaller_proof(certificate);
        let certificate = smaller.as_ref().unwrap_or(certificate);
        // Induction over many steps is hard to turn into formulas: another proof may be easier.
        let hard = matches!(certificate, Certificate::Invariants(p) if !p.is_inductive());
        let brief = (LEAST / 2).max(self.elapsed / 2);
        let usual = self.time();
        let first = match hard {
            true => Some(usual.map_or(brief, |t| t.min(brief))),
            false => usual,
        };
        self.model(certificate, first, answer);
        for engines in PROVERS {
            if answer.no_model.is_some() {
                self.model_of_another_proof(engines, report, answer);
            }
        }
        let over = self.left().is_some_and(|left| left.is_zero());
        if hard && !over && answer.no_model.is_some() {
            self.model(certificate, self.time(), answer);
        }
        let is_list = |model: &Interpretation| lists_values(&self.loaded.terms, model);
        if self.size(answer).is_some_and(|size| size > LARGE) {
            let most = self.elapsed.max(LEAST / 2);
            self.smaller_model(&[PLAIN_PROVER], most, report, answer);
        } else if answer.model.as_ref().is_some_and(is_list) {
            self.smaller_model(READABLE, LONGEST_READABLE, report, answer);
        }
        self.plainer_model(answer);
    }

    /// A proof of less, which is read more easily, where it is found in a part of the time.
    fn smaller_proof(&self, certificate: &Certificate) -> Option<Certificate> {
        let backend = self.options.backend().ok()?;
        let budget = self.within(self.left().map(|left| left / 8));
        smaller_proof(&self.task()?, certificate, backend.as_ref(), &budget)
    }

    /// What is left of the time of the user, if it is limited.
    pub(super) fn left(&self) -> Option<Duration> {
        self.options.timeout.and_then(|_| self.rest.remaining())
    }

    /// Time for a model: half of what is left, or all of it where that is little. The other half is
    /// for another proof.
    fn time(&self) -> Option<Duration> {
        self.left().map(|left| (left / 2).max(LEAST))
    }

    /// Fills in the model from the proof of another engine, where one is found soon.
    fn model_of_another_proof(
        &self,
        engines: &[&str],
        report: &PropertyReport,
        answer: &mut HornAnswer,
    ) {
        let most = self.elapsed.saturating_mul(4).max(LEAST);
        let limit = self.left().map_or(most, |left| (left / 2).min(most));
        let engines = engines.iter().filter(|e| **e != report.engine);
        let engines = engines.map(ToString::to_string).collect();
        let settings = self.options.settings.clone();
        if let Some(other) = self.other_answer(engines, settings, limit)
            && (other.model.is_some() || other.failure.is_some())
        {
            *answer = HornAnswer {
                satisfiable: answer.satisfiable,
                ..other
            };
        }
    }

    /// Puts a smaller model in the place of the one that is there, if there soon is one.
    ///
    /// Interpolants of many paths make large formulas, and searches list states, where what the steps
    /// establish, put together, says the same in few words.
    fn smaller_model(
        &self,
        provers: &[Attempt],
        most: Duration,
        report: &PropertyReport,
        answer: &mut HornAnswer,
    ) {
        let limit = self.left().map_or(most, |left| (left / 2).min(most));
        let mut settings = self.options.settings.clone();
        let own = provers.iter().flat_map(|(_, own, _)| *own);
        own.for_each(|(name, value)| settings.set(*name, *value));
        let engines = provers.iter().filter(|(name, ..)| *name != report.engine);
        let engines = engines.map(|(name, ..)| (*name).to_string()).collect();
        let other = self.other_answer(engines, settings, limit);
        if let Some(other) = other
            && (other.failure.is_some() || self.is_smaller(&other, answer))
        {
            *answer = HornAnswer {
                satisfiable: answer.satisfiable,
                ..other
            };
        }
    }

    fn is_smaller(&self, other: &HornAnswer, than: &HornAnswer) -> bool {
        let sizes = self.size(other).zip(self.size(than));
        sizes.is_some_and(|(new, old)| new < old)
    }

    /// How many different terms a model has, if there is one.
    fn size(&self, answer: &HornAnswer) -> Option<usize> {
        let model = answer.model.as_ref()?;
        Some(self.loaded.terms.post_order(model).len())
    }

    /// What other engines say, where the engines are ours to choose.
    fn other_answer(
        &self,
        engines: Vec<String>,
        settings: Settings,
        limit: Duration,
    ) -> Option<HornAnswer> {
        let auto = self.options.engines.iter().all(|e| e == "auto");
        if !auto || limit.is_zero() || engines.is_empty() {
            return None;
        }
        let options = CheckOptions {
            engines,
            settings,
            ..self.options.within(Some(limit))
        };
        let checked = check(self.loaded, &options, &mut Silent).ok()?;
        let mut other = HornAnswer::default();
        match checked.certificates.first() {
            Some(Some((Claim::Holds, certificate))) => {
                self.model(certificate, self.time(), &mut other);
            }
            Some(Some((Claim::Violated, _))) => {
                other.failure = Some("two engines contradict each other".to_string());
            }
            _ => return None,
        }
        Some(other)
    }
}
