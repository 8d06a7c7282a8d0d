//! Chooses the proofs from which a model is made.
//!
//! The proof that decided the clauses is tried first. If it cannot be turned into formulas, or only
//! into large ones, other engines are asked for proofs.

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

/// Size of a model above which a smaller one is searched: large models are hard to check.
const LARGE: usize = 2000;

/// Minimum time for making a model from a proof.
const LEAST: Duration = Duration::from_secs(10);

impl ModelFinder<'_> {
    /// Finds a model from the given proof or from proofs of other engines.
    pub(super) fn find_model(
        &self,
        certificate: &Certificate,
        report: &PropertyReport,
        answer: &mut HornAnswer,
    ) {
        let smaller = self.smaller_proof(certificate);
        let certificate = smaller.as_ref().unwrap_or(certificate);
        // k-induction is hard to turn into formulas; another proof may be easier.
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

    /// A proof of a weaker invariant, which is easier to read, if one is found in a fraction of the
    /// time.
    fn smaller_proof(&self, certificate: &Certificate) -> Option<Certificate> {
        let backend = self.options.backend().ok()?;
        let budget = self.within(self.left().map(|left| left / 8));
        smaller_proof(&self.task()?, certificate, backend.as_ref(), &budget)
    }

    /// The remaining time, if the user gave a limit.
    pub(super) fn left(&self) -> Option<Duration> {
        self.options.timeout.and_then(|_| self.rest.remaining())
    }

    /// Time for a model: half of the remaining time, or all of it if it is short. The other half is
    /// for another proof.
    fn time(&self) -> Option<Duration> {
        self.left().map(|left| (left / 2).max(LEAST))
    }

    /// Sets the model from the proof of another engine, if one is found quickly.
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

    /// Replaces the model by a smaller one, if one is found quickly.
    ///
    /// Interpolants of many paths make large formulas, and explicit searches list states. Combining
    /// the effects of steps often gives a much shorter model.
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

    /// The number of different terms of a model, if there is one.
    fn size(&self, answer: &HornAnswer) -> Option<usize> {
        let model = answer.model.as_ref()?;
        Some(self.loaded.terms.post_order(model).len())
    }

    /// The result of other engines, if the user did not choose the engines.
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
