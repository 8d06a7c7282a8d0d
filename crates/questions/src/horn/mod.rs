//! Models of Horn clauses, from proofs about them.
//!
//! An accepted proof need not give a meaning for every predicate: some are unfolded in it, and
//! k-induction refers to several steps. The missing meanings are completed here, and the whole
//! model is checked again.

mod plain;
mod proofs;

use sectile_base::Budget;
use sectile_certify::{Claim, Outcome};
use sectile_driver::Loaded;
use sectile_driver::check::check_certificate;
use sectile_driver::{CheckOptions, Checked};
use sectile_model::horn::Interpretation;
use sectile_model::{Certificate, ClauseView, HornClauses, PropertyKind, Task};
use sectile_report::Status;
use sectile_solver::Backend;
use sectile_terms::Term;
use sectile_transform::{Detail, Filling};
use std::time::Duration;

/// The answer about clauses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HornAnswer {
    /// Whether they are satisfiable, if that is known.
    pub satisfiable: Option<bool>,
    /// A satisfying interpretation, if requested and found.
    pub model: Option<Interpretation>,
    /// Evidence that failed its check: a bug in Sectile.
    pub failure: Option<String>,
    /// The reason why a requested model is missing.
    pub no_model: Option<String>,
}

/// The clauses of a file.
pub fn clauses(loaded: &Loaded) -> Option<HornClauses> {
    loaded
        .frontend
        .info()
        .satisfiability
        .then(|| view(loaded).clauses)
}

fn view(loaded: &Loaded) -> ClauseView {
    let module = &loaded.reading.module;
    let errors = module.properties.first().map(|p| &p.kind);
    let errors = match errors {
        Some(PropertyKind::Unreachable(list)) => list.as_slice(),
        _ => &[],
    };
    ClauseView::with_free_constants(&loaded.terms, &module.model, errors)
}

/// The result of a check for the clauses of a file; `None` for files without clauses.
///
/// A model is only made on request: it may take additional time.
pub fn answer(
    loaded: &Loaded,
    checked: &Checked,
    options: &CheckOptions,
    model: bool,
) -> Option<HornAnswer> {
    if !loaded.frontend.info().satisfiability {
        return None;
    }
    let mut answer = HornAnswer::default();
    let report = checked.report.properties.first()?;
    let evidence = checked.certificates.first()?.as_ref();
    let Some((claim, certificate)) = evidence.filter(|_| report.status != Status::Unknown) else {
        return Some(answer);
    };
    answer.satisfiable = Some(*claim == Claim::Holds);
    if model && *claim == Claim::Holds {
        let elapsed = Duration::try_from_secs_f64(report.seconds).unwrap_or_default();
        let finder = ModelFinder {
            loaded,
            view: view(loaded),
            options,
            elapsed,
            rest: left(options, elapsed),
        };
        finder.find_model(certificate, report, &mut answer);
    }
    if answer.failure.is_some() {
        answer.satisfiable = None;
    }
    Some(answer)
}

struct ModelFinder<'t> {
    loaded: &'t Loaded,
    view: ClauseView,
    options: &'t CheckOptions,
    /// The time that the verdict took.
    elapsed: Duration,
    /// The remaining time.
    rest: Budget,
}

/// The remaining limits after a check that took this long.
fn left(options: &CheckOptions, elapsed: Duration) -> Budget {
    let mut budget = options.budget.clone();
    if let Some(bytes) = options.memory {
        budget = budget.with_memory(bytes);
    }
    if let Some(time) = options.timeout {
        budget = budget.with_time(time.saturating_sub(elapsed));
    }
    budget
}

impl ModelFinder<'_> {
    /// The task about the clauses.
    fn task(&self) -> Option<Task<'_>> {
        let module = &self.loaded.reading.module;
        Some(Task {
            terms: &self.loaded.terms,
            model: &module.model,
            property: module.properties.first()?,
        })
    }

    /// A budget of this much time, within the remaining time.
    fn within(&self, time: Option<Duration>) -> Budget {
        let budget = self.rest.clone();
        time.map_or(budget.clone(), |t| budget.with_time(t))
    }

    /// Adds the model, or the reason why there is none.
    fn model(&self, certificate: &Certificate, time: Option<Duration>, answer: &mut HornAnswer) {
        answer.no_model = None;
        let backend = self.options.backend();
        let found = backend.map_err(|e| e.to_string()).and_then(|backend| {
            // Models with less detail are easier to read, for people and for programs.
            let mut all = Detail::ALL.into_iter();
            let mut model =
                |detail| self.checked_model(certificate, detail, time, backend.as_ref());
            let first = all.next().map_or(Err(String::new()), &mut model);
            all.fold(first, |found, detail| found.or_else(|_| model(detail)))
        });
        match found {
            Ok(Ok(model)) => answer.model = Some(model),
            Ok(Err(failure)) => answer.failure = Some(failure),
            Err(why) => answer.no_model = Some(why),
        }
    }

    /// The interpretation, a failed check, or the reason why none was found.
    fn checked_model(
        &self,
        certificate: &Certificate,
        detail: Detail,
        time: Option<Duration>,
        backend: &dyn Backend,
    ) -> Result<Result<Interpretation, String>, String> {
        let terms = &self.loaded.terms;
        let budget = self.within(time);
        // Half of the time is for methods with an alternative.
        let half = self.within(time.map(|t| t / 2));
        let model = &self.loaded.reading.module.model;
        let Certificate::Invariants(proof) = certificate else {
            return Err("the evidence has no invariants".to_string());
        };
        let filling = Filling {
            terms,
            model,
            view: &self.view,
            backend,
            detail,
        };
        let (interpretation, exact) = filling.interpretation(proof, &half, &budget)?;
        let interpretation = plain::inward(terms, &interpretation);
        let task = self.task().ok_or("there is no question")?;
        let all: Vec<Option<Term>> = interpretation.iter().copied().map(Some).collect();
        let whole = self.view.invariants(terms, &all);
        match check_certificate(&task, Claim::Holds, &whole, backend, &budget)? {
            Outcome::Accepted { .. } => Ok(Ok(interpretation)),
            Outcome::Undecided(obligation, _) => {
                Err(format!("{obligation} of the model could not be checked"))
            }
            Outcome::Refused(refusal) => {
                let why = format!("{}: {}", refusal.obligation, refusal.because);
                match exact {
                    true => Ok(Err(format!("the model failed its check ({why})"))),
                    false => Err(format!("the result is not a model ({why})")),
                }
            }
        }
    }
}
