//! Answers about Horn clauses, from answers about their graph.
//!
//! What an engine proves about the graph of the clauses is told about the clauses themselves, and
//! checked there, before anything is printed.

mod complete;
mod forward;
mod proofs;
mod unfolded;

use crate::check::{CheckOptions, Checked};
use crate::load::Loaded;
use crate::registry;
use sectile_base::Budget;
use sectile_certify::horn::{check_derivation, check_interpretation};
use sectile_certify::{Claim, Outcome};
use sectile_model::horn::{Derivation, Interpretation};
use sectile_model::{Certificate, ClauseEvidence, HornGraph, Model};
use sectile_report::Status;
use sectile_solver::Backend;
use std::time::Duration;

/// What is known about clauses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HornAnswer {
    /// Whether they are satisfiable, if that is known.
    pub satisfiable: Option<bool>,
    /// What makes them true, if that was asked for and found.
    pub model: Option<Interpretation>,
    /// How `false` follows from them.
    pub derivation: Option<Derivation>,
    /// Evidence that did not pass its check: a bug of ours.
    pub failure: Option<String>,
    /// Why there is no model although one was asked for.
    pub no_model: Option<String>,
}

/// The clauses of a file and their graph.
fn clauses(loaded: &Loaded) -> Option<(&HornGraph, &Model)> {
    let horn = loaded.reading.horn.as_ref();
    horn.map(|horn| (horn, &loaded.reading.module.model))
}

/// What a check says about the clauses of a file; `None` for files without clauses.
///
/// A model is made only where one is asked for: it may take another while.
pub fn answer(
    loaded: &Loaded,
    checked: &Checked,
    options: &CheckOptions,
    model: bool,
) -> Option<HornAnswer> {
    let (horn, graph) = clauses(loaded)?;
    let mut answer = HornAnswer::default();
    let report = checked.report.properties.first()?;
    let evidence = checked.certificates.first()?.as_ref();
    let Some((claim, certificate)) = evidence.filter(|_| report.status != Status::Unknown) else {
        return Some(answer);
    };
    let elapsed = Duration::try_from_secs_f64(report.seconds).unwrap_or_default();
    let teller = Teller {
        loaded,
        horn,
        graph,
        options,
        elapsed,
        rest: limited(options.timeout.map(|t| t.saturating_sub(elapsed))),
    };
    match (claim, certificate) {
        (Claim::Holds, _) => {
            answer.satisfiable = Some(true);
            if model {
                teller.find_model(certificate, report, &mut answer);
            }
        }
        (Claim::Violated, Certificate::Clauses(evidence)) => match &**evidence {
            ClauseEvidence::Derivation(d) => teller.replayed(Some(d.clone()), &mut answer),
            ClauseEvidence::Meanings(_) => {}
        },
        (Claim::Violated, _) => teller.derivation(certificate, &mut answer),
    }
    if answer.failure.is_some() {
        answer.satisfiable = None;
    }
    Some(answer)
}

struct Teller<'t> {
    loaded: &'t Loaded,
    horn: &'t HornGraph,
    graph: &'t Model,
    options: &'t CheckOptions,
    /// How long the verdict took.
    elapsed: Duration,
    /// Knows what is left of the time.
    rest: Budget,
}

/// A budget of so much time.
fn limited(time: Option<Duration>) -> Budget {
    let budget = Budget::unlimited();
    time.map_or(budget.clone(), |t| budget.with_time(t))
}

impl Teller<'_> {
    /// Fills in the model, or why there is none.
    fn model(&self, certificate: &Certificate, time: Option<Duration>, answer: &mut HornAnswer) {
        answer.no_model = None;
        let options = self.options;
        let backend =
            registry::chosen_backend(&options.solver, options.interpolation, options.memory);
        let found = backend
            .map_err(|e| e.to_string())
            .and_then(|backend| self.checked_model(certificate, time, backend.as_ref()));
        match found {
            Ok(Ok(model)) => answer.model = Some(model),
            Ok(Err(failure)) => answer.failure = Some(failure),
            Err(why) => answer.no_model = Some(why),
        }
    }

    /// The interpretation, a failed check, or why it could not be found.
    fn checked_model(
        &self,
        certificate: &Certificate,
        time: Option<Duration>,
        backend: &dyn Backend,
    ) -> Result<Result<Interpretation, String>, String> {
        let terms = &self.loaded.terms;
        let budget = limited(time);
        // The first half of the time is for what may be done in another way.
        let half = limited(time.map(|t| t / 2));
        let (interpretation, exact) = self.interpretation(certificate, backend, &half, &budget)?;
        let horn = self.horn;
        let solver = backend.certifying_solver(terms);
        let mut solver = solver.map_err(|e| e.to_string())?;
        let clauses = &horn.clauses;
        let solver = solver.as_mut();
        let outcome = check_interpretation(terms, clauses, &interpretation, solver, &budget);
        match outcome.map_err(|e| e.to_string())? {
            Outcome::Accepted { .. } => Ok(Ok(interpretation)),
            Outcome::Undecided(obligation, _) => {
                Err(format!("{obligation} of the model could not be checked"))
            }
            Outcome::Refused(refusal) => {
                let why = format!("{}: {}", refusal.obligation, refusal.because);
                match exact {
                    true => Ok(Err(format!("the model failed its check ({why})"))),
                    false => Err(format!("what was found is no model ({why})")),
                }
            }
        }
    }

    /// The interpretation, and whether it must pass its check.
    fn interpretation(
        &self,
        certificate: &Certificate,
        backend: &dyn Backend,
        half: &Budget,
        budget: &Budget,
    ) -> Result<(Interpretation, bool), String> {
        if let Certificate::Clauses(evidence) = certificate {
            return match &**evidence {
                ClauseEvidence::Meanings(list) => {
                    Ok((self.horn.told(&self.loaded.terms, list.clone()), true))
                }
                ClauseEvidence::Derivation(_) => Err("a derivation is no model".to_string()),
            };
        }
        let terms = &self.loaded.terms;
        let horn = self.horn;
        let complete = complete::invariants(terms, self.graph, certificate, backend, budget)?;
        let mut exact = complete.exact;
        let mut interpretation = horn.interpretation(terms, self.graph, &complete.invariants);
        let mut known = interpretation.clone();
        let (clauses, gone) = (horn.reduced(), &horn.unfolded);
        if unfolded::meanings(terms, clauses, gone, &mut known, backend, half).is_ok() {
            return Ok((horn.told(terms, known), exact));
        }
        for &p in &horn.unfolded {
            let known = &interpretation;
            let strongest = complete::strongest(terms, clauses, p, known, backend, budget)?;
            interpretation[p] = strongest.formula;
            exact &= strongest.exact;
        }
        Ok((horn.told(terms, interpretation), exact))
    }

    fn derivation(&self, certificate: &Certificate, answer: &mut HornAnswer) {
        let terms = &self.loaded.terms;
        let told = match certificate {
            Certificate::Trace(trace) => self.horn.derivation(terms, self.graph, trace),
            _ => None,
        };
        self.replayed(told, answer);
    }

    /// Replays a derivation from the reduced clauses on the clauses as they were read.
    fn replayed(&self, derivation: Option<Derivation>, answer: &mut HornAnswer) {
        let terms = &self.loaded.terms;
        let told = derivation.and_then(|d| self.horn.derived(terms, d));
        let Some(derivation) = told else {
            answer.failure = Some("a run could not be told as a derivation".to_string());
            return;
        };
        let derivation = derivation.shared(terms, &self.horn.clauses);
        match check_derivation(terms, &self.horn.clauses, &derivation) {
            Outcome::Accepted { .. } => {
                answer.satisfiable = Some(false);
                answer.derivation = Some(derivation);
            }
            Outcome::Refused(refusal) => {
                let why = format!("{}: {}", refusal.obligation, refusal.because);
                answer.failure = Some(format!("the derivation failed its check ({why})"));
            }
            Outcome::Undecided(..) => {
                answer.failure = Some("the derivation could not be replayed".to_string());
            }
        }
    }
}
