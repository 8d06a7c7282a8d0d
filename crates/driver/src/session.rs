//! One engine on one property: through the passes it needs, back, and past the checker.

use crate::arrays::{Surroundings, run_on_cells};
use crate::check::{check_certificate, check_clauses, clause_task, leaves_the_program};
use crate::load::Loaded;
use crate::minimise::minimised;
use sectile_base::Budget;
use sectile_certify::{Claim, Outcome};
use sectile_engine::{Engine, EngineError, Event, Observer, Run, Settings};
use sectile_model::{Certificate, ClauseTask, ReasonCode, Task, Unknown, Verdict};
use sectile_report::{Certified, PropertyReport, Status, describe, describe_clauses};
use sectile_solver::{CountedBackend, Undecided};
use sectile_terms::Term;
use sectile_transform::{Pass as _, PcEncoding, Pipeline, has_arrays};

/// What is done with a verdict before it is reported.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Care {
    /// The evidence is checked.
    pub certify: bool,
    /// Invariants are made smaller.
    pub minimise: bool,
}

/// Work on one property.
pub(crate) struct Session<'s> {
    pub loaded: &'s Loaded,
    pub backend: &'s CountedBackend<'s>,
    pub task: Task<'s>,
    pub seed: u64,
    pub predicates: &'s [Term],
    pub lemmas: &'s [Term],
    pub care: Care,
}

/// What came out.
pub(crate) struct Decided {
    pub report: PropertyReport,
    /// The claim and its evidence, in the store of the session.
    pub certificate: Option<(Claim, Certificate)>,
    /// A bug of ours that was noticed.
    pub failure: Option<String>,
    /// Why there is no verdict, if there is none.
    pub unknown: Option<Unknown>,
    /// What the engine said, whether that could be checked or not.
    pub said: Option<Claim>,
}

impl Session<'_> {
    /// Runs an engine and has its verdict checked.
    pub(crate) fn decide(
        &self,
        engine: &dyn Engine,
        settings: &Settings,
        budget: &Budget,
        observer: &mut dyn Observer,
    ) -> Decided {
        let name = engine.info().name;
        match self.run(engine, settings, budget.clone(), observer) {
            Ok(Verdict::Unknown(unknown)) => self.unknown(name, unknown),
            Ok(Verdict::Holds(c)) => self.certified(name, Claim::Holds, c, budget),
            Ok(Verdict::Violated(c)) => self.certified(name, Claim::Violated, c, budget),
            Err(error) => {
                let unknown = Unknown::new(ReasonCode::Incomplete, error.to_string());
                self.unknown(name, unknown)
            }
        }
    }

    /// Runs the engine, through the passes it needs, and translates its certificate back.
    fn run(
        &self,
        engine: &dyn Engine,
        settings: &Settings,
        budget: Budget,
        observer: &mut dyn Observer,
    ) -> Result<Verdict, EngineError> {
        observer.event(&Event::Started {
            engine: engine.info().name,
            property: self.task.property.name.clone(),
        });
        if has_arrays(self.task.terms, self.task.model) && !engine.takes_arrays() {
            let with = Surroundings {
                settings,
                budget,
                observer,
            };
            return run_on_cells(self, engine, with);
        }
        let mut run = Run {
            backend: self.backend,
            budget,
            seed: self.seed,
            settings,
            predicates: self.predicates,
            lemmas: self.lemmas,
            observer,
        };
        if let (Some(clauses), Some(engine)) = (self.clauses(), engine.clauses()) {
            return engine.run_clauses(&clauses, &mut run);
        }
        plain_run(&self.task, engine, &mut run)
    }

    /// What the model means exactly, where it is clauses that say so.
    fn clauses(&self) -> Option<ClauseTask<'_>> {
        clause_task(self.loaded, self.task.property)
    }

    /// Has the certificate checked, and reports what may be reported.
    fn certified(
        &self,
        engine: &str,
        claim: Claim,
        certificate: Certificate,
        budget: &Budget,
    ) -> Decided {
        if leaves_the_program(self.loaded, &certificate) {
            let reached = format!(
                "{engine} found a run to a violation, but it takes a step that may allow more than the input does: a call that is understood by a contract, or a clause with several predicates in its body"
            );
            let mut unknown = Unknown::new(ReasonCode::Incomplete, reached);
            // It sees clauses, but not arrays in them.
            if !has_arrays(self.task.terms, self.task.model) {
                unknown = unknown.hint("the engine `horn` follows such calls");
            }
            return self.unknown(engine, unknown);
        }
        if !self.care.certify {
            let no = Certified::No("--no-certify".to_string());
            return self.verdict(engine, claim, certificate, no);
        }
        let outcome = match (&certificate, self.clauses()) {
            (Certificate::Clauses(evidence), Some(task)) => {
                check_clauses(&task, claim, evidence, self.backend, budget)
            }
            _ => check_certificate(&self.task, claim, &certificate, self.backend, budget),
        };
        let problem = match outcome {
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

    /// The verdict did not pass its own check.
    fn failed(
        &self,
        engine: &str,
        claim: Claim,
        certificate: Certificate,
        problem: &str,
    ) -> Decided {
        let failure = format!(
            "{engine} said that {} {}, and its evidence failed the check ({problem})",
            self.task.property.name,
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
        let mut report = blank_report(&self.task, engine, status(claim));
        let source = &self.loaded.source;
        let clauses = self.loaded.reading.module.clauses.as_ref();
        report.evidence = Some(match (&certificate, clauses) {
            (Certificate::Clauses(evidence), Some(model)) => {
                describe_clauses(self.task.terms, source, model, evidence)
            }
            _ => describe(&self.task, source, &certificate),
        });
        report.certified = certified;
        Decided {
            report,
            certificate: Some((claim, certificate)),
            failure: None,
            unknown: None,
            said: Some(claim),
        }
    }

    /// The certificate with fewer conditions, if that was asked for and passes the check as well.
    fn smaller(&self, claim: Claim, certificate: Certificate, budget: &Budget) -> Certificate {
        let wanted = self.care.minimise && claim == Claim::Holds;
        let found = wanted.then(|| minimised(&self.task, &certificate, self.backend, budget));
        let Some(smaller) = found.flatten() else {
            return certificate;
        };
        match check_certificate(&self.task, claim, &smaller, self.backend, budget) {
            Ok(Outcome::Accepted { .. }) => smaller,
            _ => certificate,
        }
    }

    fn unknown(&self, engine: &str, unknown: Unknown) -> Decided {
        Decided {
            report: blank_report(&self.task, engine, Status::Unknown),
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

/// A report that says nothing but the verdict.
pub(crate) fn blank_report(task: &Task<'_>, engine: &str, status: Status) -> PropertyReport {
    PropertyReport {
        name: task.property.name.clone(),
        kind: task.property.kind.label(),
        status,
        reason: String::new(),
        reached: String::new(),
        hint: String::new(),
        explanation: None,
        engine: engine.to_string(),
        seconds: 0.0,
        certified: Certified::NotApplicable,
        evidence: None,
        statistics: Default::default(),
        solver_seconds: 0.0,
    }
}

/// Runs an engine on a task, with the location as a variable if it takes systems only.
pub(crate) fn plain_run(
    task: &Task<'_>,
    engine: &dyn Engine,
    run: &mut Run<'_>,
) -> Result<Verdict, EngineError> {
    if task.model.is_system() || engine.info().accepts.graphs {
        return match engine.accepts(task) {
            Ok(()) => engine.run(task, run),
            Err(why) => Ok(refused(&why)),
        };
    }
    let passes = Pipeline::new().then(PcEncoding);
    let applied = match passes.apply(task.terms, task.model, task.property) {
        Ok(applied) => applied,
        Err(why) => return Ok(refused(&why.to_string())),
    };
    let encoded = Task {
        terms: task.terms,
        model: &applied.model,
        property: &applied.property,
    };
    if let Err(why) = engine.accepts(&encoded) {
        return Ok(refused(&why));
    }
    let verdict = engine.run(&encoded, run)?;
    let verdict = applied.verdict(task.terms, verdict);
    verdict.map_err(|lost| EngineError::Bug(format!("evidence was lost: {}", lost.0)))
}

/// An engine does not take a task.
pub(crate) fn refused(why: &str) -> Verdict {
    Verdict::Unknown(Unknown::new(ReasonCode::Unsupported, why))
}
