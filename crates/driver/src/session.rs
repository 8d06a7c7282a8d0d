//! One engine on one property: lowering, the run, back-translation and the check.

use crate::check::{check_certificate, smaller_proof};
use crate::lower::{self, Lowered, needs_cells};
use crate::registry;
use crate::worker::Job;
use sectile_base::Budget;
use sectile_base::pace::units_of;
use sectile_certify::{Claim, Outcome};
use sectile_engine::{Engine, EngineError, Event, Observer, Run, Settings};
use sectile_model::{Certificate, ReasonCode, Task, Unknown, Verdict};
use sectile_report::{Certified, PropertyReport, Status, describe};
use sectile_solver::{CountedBackend, Undecided};
use sectile_transform::{Applied, decide_on_cells, run_engine_on, violated_exactly};
use std::time::Duration;

/// The extra turn of an engine that has decided clauses, on the clock of counted work, so that its
/// evidence is checked at once. The check may take longer than the rest, and meanwhile other
/// engines would find the same answer and check it, too.
const CHECK: Duration = Duration::from_secs(2);

/// Work on one property.
pub(crate) struct Session<'s> {
    pub job: &'s Job,
    pub backend: &'s CountedBackend<'s>,
}

/// The result of a session.
pub(crate) struct Decided {
    pub report: PropertyReport,
    /// The claim and its evidence, in the store of the session.
    pub certificate: Option<(Claim, Certificate)>,
    /// A bug in Sectile.
    pub failure: Option<String>,
    /// The reason for an unknown verdict.
    pub unknown: Option<Unknown>,
    /// The engine's claim, whether or not it could be checked.
    pub said: Option<Claim>,
}

impl Session<'_> {
    /// Runs an engine and checks its verdict; an error is a bug of the engine.
    pub(crate) fn decide(
        &self,
        engine: &dyn Engine,
        settings: &Settings,
        budget: &Budget,
        observer: &mut dyn Observer,
    ) -> Result<Decided, String> {
        let name = engine.info().name;
        Ok(match self.run(engine, settings, budget.clone(), observer) {
            Ok(Verdict::Unknown(unknown)) => self.unknown(name, unknown),
            Ok(Verdict::Holds(c)) => self.certified(name, Claim::Holds, c, budget),
            Ok(Verdict::Violated(c)) => self.certified(name, Claim::Violated, c, budget),
            Err(error @ EngineError::Bug(_)) => return Err(error.to_string()),
            Err(error) => {
                let unknown = Unknown::new(ReasonCode::Incomplete, error.to_string());
                self.unknown(name, unknown)
            }
        })
    }

    /// Runs the engine.
    fn run(
        &self,
        engine: &dyn Engine,
        settings: &Settings,
        budget: Budget,
        observer: &mut dyn Observer,
    ) -> Result<Verdict, EngineError> {
        observer.event(&Event::Started {
            engine: engine.info().name,
            property: self.job.task().property.name.clone(),
        });
        let (options, task) = (&self.job.options, self.job.task());
        // Formulas of other engines are added to the given ones.
        let board = self.job.board.as_ref();
        let news = board.map(|b| b.news(task.terms)).unwrap_or_default();
        let lemmas = [&options.lemmas[..], &news].concat();
        let mut run = Run {
            backend: self.backend,
            budget,
            seed: options.seed,
            settings,
            predicates: &options.predicates,
            lemmas: &lemmas,
            board,
            observer,
        };
        let mut verdict = {
            let (reduced, graph) = (self.job.reduced.clone(), self.job.graph.clone());
            run_on(&task, reduced, graph, engine, &mut run)?
        };
        if matches!(&verdict, Verdict::Unknown(u) if u.code == ReasonCode::Incomplete)
            && let Some(violated) = violated_exactly(&task, &mut run, &mut |task, run| {
                run_on(task, lower::reduced(task), None, engine, run)
            })?
        {
            verdict = violated;
        }
        let unable = task.model.contracts.is_some() && !engine.info().accepts.premises;
        Ok(match verdict {
            Verdict::Unknown(u)
                if unable && u.code == ReasonCode::Incomplete && u.hint.is_empty() =>
            {
                let mut able = registry::engines().into_iter();
                let able = able.find(|e| e.info().accepts.premises);
                let able = able.map_or("auto", |e| e.info().name);
                Verdict::Unknown(u.hint(format!("--engine {able}")))
            }
            verdict => verdict,
        })
    }

    /// Checks the certificate, and reports what may be reported.
    fn certified(
        &self,
        engine: &str,
        claim: Claim,
        certificate: Certificate,
        budget: &Budget,
    ) -> Decided {
        if !self.job.options.certify {
            let no = Certified::No("--no-certify".to_string());
            return self.verdict(engine, claim, certificate, no);
        }
        if let Some(turns) = &self.job.turns
            && self.job.task().model.is_clauses()
        {
            turns.grant(units_of(CHECK));
        }
        let problem = match self.check(claim, &certificate, budget) {
            Ok(Outcome::Accepted { .. }) => {
                let certificate = self.smaller(claim, certificate, budget);
                return self.verdict(engine, claim, certificate, Certified::Yes);
            }
            Ok(Outcome::Undecided(obligation, Undecided::Exhausted(limit))) => {
                let reached = format!(
                    "{engine} found that the property {}, but {obligation} of its evidence could not be checked within the limits",
                    status(claim).word()
                );
                let unknown = Unknown::new(ReasonCode::Exhausted(limit), reached);
                let mut decided = self.unknown(engine, unknown);
                decided.said = Some(claim);
                return decided;
            }
            Ok(Outcome::Undecided(obligation, why)) => format!("{obligation}: {why:?}"),
            Ok(Outcome::Refused(refusal)) => {
                format!("{}: {}", refusal.obligation, refusal.because)
            }
            Err(error) => error,
        };
        self.failed(engine, claim, certificate, &problem)
    }

    /// Handles a verdict whose check failed.
    fn failed(
        &self,
        engine: &str,
        claim: Claim,
        certificate: Certificate,
        problem: &str,
    ) -> Decided {
        let failure = format!(
            "{engine} said that {} {}, and its evidence failed the check ({problem})",
            self.job.task().property.name,
            status(claim).word()
        );
        let unknown = Unknown::new(ReasonCode::SelfCheck, failure.clone());
        let mut decided = self.unknown(engine, unknown);
        decided.failure = Some(failure);
        decided.certificate = Some((claim, certificate));
        decided.said = Some(claim);
        decided
    }

    fn verdict(
        &self,
        engine: &str,
        claim: Claim,
        certificate: Certificate,
        certified: Certified,
    ) -> Decided {
        let task = self.job.task();
        let mut report = PropertyReport::new(task.property, engine, status(claim));
        report.evidence = Some(describe(&task, &self.job.source, &certificate));
        report.certified = certified;
        Decided {
            report,
            certificate: Some((claim, certificate)),
            failure: None,
            unknown: None,
            said: Some(claim),
        }
    }

    fn check(
        &self,
        claim: Claim,
        certificate: &Certificate,
        budget: &Budget,
    ) -> Result<Outcome, String> {
        check_certificate(&self.job.task(), claim, certificate, self.backend, budget)
    }

    /// The certificate with fewer conditions, if requested and accepted by the check as well.
    fn smaller(&self, claim: Claim, certificate: Certificate, budget: &Budget) -> Certificate {
        let wanted = self.job.options.minimise && claim == Claim::Holds;
        let task = self.job.task();
        let smaller = wanted.then(|| smaller_proof(&task, &certificate, self.backend, budget));
        smaller.flatten().unwrap_or(certificate)
    }

    fn unknown(&self, engine: &str, unknown: Unknown) -> Decided {
        Decided {
            report: PropertyReport::new(self.job.task().property, engine, Status::Unknown),
            certificate: None,
            failure: None,
            unknown: Some(unknown),
            said: None,
        }
    }
}

fn status(claim: Claim) -> Status {
    match claim {
        Claim::Holds => Status::Holds,
        Claim::Violated => Status::Violated,
    }
}

/// Runs an engine on a task through the passes it needs; the evidence is about the given task. The
/// graph of blocks belongs to the reduced task.
fn run_on(
    task: &Task<'_>,
    reduced: Option<Applied>,
    graph: Option<Applied>,
    engine: &dyn Engine,
    run: &mut Run<'_>,
) -> Result<Verdict, EngineError> {
    let accepts = engine.info().accepts;
    let lowered = Lowered::new(*task, reduced, &accepts);
    let (predicates, lemmas) = (lowered.told(run.predicates), lowered.told(run.lemmas));
    let mut own = Run {
        budget: run.budget.clone(),
        predicates: &predicates,
        lemmas: &lemmas,
        observer: &mut *run.observer,
        ..*run
    };
    let task = lowered.task();
    let verdict = if needs_cells(&task, &accepts) {
        let mut decide = |task: &Task<'_>, run: &mut Run<'_>| {
            run_on(task, lower::reduced(task), None, engine, run)
        };
        decide_on_cells(&task, accepts.guesses, &mut own, &mut decide)?
    } else {
        let graph = graph.filter(|_| lowered.is_reduced_only());
        run_engine_on(engine, &task, graph, &mut own)?
    };
    Ok(lowered.verdict(verdict))
}
