//! The interface of passes and of their results.

use sectile_model::{Certificate, Model, Property, ReasonCode, Task, Unknown, Verdict};
use sectile_terms::Terms;
use std::fmt;
use std::sync::Arc;

/// The relation between the new model and the old one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exactness {
    /// Both verdicts about the new model are verdicts about the old one.
    Exact,
    /// The new model allows more: proofs come back, violations may be spurious.
    AllowsMore,
}

/// A transformation of the model with its back-translation.
pub trait Pass {
    /// The name of the pass in reports.
    fn name(&self) -> &'static str;

    /// The new task, or the reason why the pass does not apply: one sentence without a full stop.
    fn made(&self, task: &Task<'_>) -> Result<Applied, String>;

    /// The new task, or the name of the pass that does not apply, with the reason.
    fn apply(&self, task: &Task<'_>) -> Result<Applied, String> {
        let named = |reason| format!("{} does not apply: {reason}", self.name());
        self.made(task).map_err(named)
    }
}

/// The result of a pass.
#[derive(Clone)]
pub struct Applied {
    /// The new model.
    pub model: Model,
    /// The property of the new model that corresponds to the old one.
    pub property: Property,
    /// The relation to the old model.
    pub exactness: Exactness,
    /// The way back.
    pub back: Arc<dyn BackTranslate>,
}

impl Applied {
    /// A model with its property and the back-translation. Verdicts of both kinds are translated.
    pub fn new(model: Model, property: Property, back: impl BackTranslate + 'static) -> Applied {
        Applied {
            model,
            property,
            exactness: Exactness::Exact,
            back: Arc::new(back),
        }
    }

    /// The same with at most this exactness.
    pub fn within(mut self, exactness: Exactness) -> Applied {
        self.exactness = self.exactness.max(exactness);
        self
    }

    /// The unchanged task.
    pub fn unchanged(task: &Task<'_>) -> Applied {
        Applied::new(task.model.clone(), task.property.clone(), Unchanged)
    }

    /// Applies one more pass to the new task.
    pub fn then(self, terms: &Terms, pass: &dyn Pass) -> Result<Applied, String> {
        let next = pass.apply(&self.task(terms))?;
        let back = OneByOne {
            first: self.back,
            second: (pass.name(), next.back),
        };
        let made = Applied::new(next.model, next.property, back);
        Ok(made.within(self.exactness.max(next.exactness)))
    }

    /// The new task.
    pub fn task<'m>(&'m self, terms: &'m Terms) -> Task<'m> {
        Task::new(terms, &self.model, &self.property)
    }

    /// The error locations, for tasks that name them.
    pub fn errors(&self) -> Result<Vec<usize>, String> {
        let errors = self.property.errors()?;
        Ok(errors.iter().map(|e| e.0).collect())
    }

    /// The verdict about the original task, with evidence about that task. It becomes unknown if
    /// the evidence has no way back, or if a run takes a loose edge of the new task.
    pub fn verdict(&self, terms: &Terms, verdict: Verdict) -> Verdict {
        let told = |c: &Certificate| self.back.certificate(terms, c);
        let allows = match self.exactness {
            Exactness::Exact => "",
            Exactness::AllowsMore => " in a model that allows more",
        };
        let lost = |what: &str, lost: Lost| {
            let reached = format!("{what} was found{allows}, but {}", lost.0);
            Verdict::Unknown(Unknown::new(ReasonCode::Incomplete, reached))
        };
        match verdict {
            Verdict::Violated(Certificate::Trace(t)) if self.model.takes_loose_edge(&t) => {
                let why = "it takes a step that allows more than the input does: a call that is understood by a contract, a condition on all values, a result that is not linear, a step whose premises may not be derivable, or a clause that another function may satisfy";
                lost("a run to a violation", Lost(why.to_string()))
            }
            Verdict::Holds(c) => told(&c).map_or_else(|l| lost("a proof", l), Verdict::Holds),
            Verdict::Violated(c) => {
                told(&c).map_or_else(|l| lost("a violation", l), Verdict::Violated)
            }
            unknown @ Verdict::Unknown(_) => unknown,
        }
    }
}

/// Translates evidence for the new task into evidence for the given one. It is shared by engines in
/// several threads.
pub trait BackTranslate: Send + Sync {
    /// The certificate, about the original task.
    ///
    /// A valid certificate becomes a valid one. An invalid one becomes anything: the result has to
    /// be checked.
    fn certificate(&self, terms: &Terms, certificate: &Certificate) -> Result<Certificate, Lost>;
}

/// A certificate could not be translated back, with the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lost(pub String);

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the certificate was lost: {}", self.0)
    }
}

impl std::error::Error for Lost {}

/// The way back of a pass that changes nothing.
pub(crate) struct Unchanged;

impl BackTranslate for Unchanged {
    fn certificate(&self, _: &Terms, certificate: &Certificate) -> Result<Certificate, Lost> {
        Ok(certificate.clone())
    }
}

/// The way back of two passes.
struct OneByOne {
    first: Arc<dyn BackTranslate>,
    second: (&'static str, Arc<dyn BackTranslate>),
}

impl BackTranslate for OneByOne {
    fn certificate(&self, terms: &Terms, certificate: &Certificate) -> Result<Certificate, Lost> {
        let (name, way) = &self.second;
        let between = way.certificate(terms, certificate);
        let between = between.map_err(|lost| Lost(format!("by {name}: {}", lost.0)))?;
        self.first.certificate(terms, &between)
    }
}

/// The error for evidence of an unexpected kind.
pub(crate) fn unexpected(certificate: &Certificate) -> Lost {
    let kind = match certificate {
        Certificate::Invariants(i) if !i.is_inductive() => "a k-inductive invariant",
        Certificate::Invariants(_) => "invariants of locations",
        Certificate::Unrolled(_) => "invariants of a graph with unrolled loops",
        Certificate::Ctl(_) => "cells of states",
        Certificate::Diagrams(_) => "decision diagrams of states",
        Certificate::Modular(_) => "evidence about contracts",
        Certificate::Trace(_) => "a trace",
    };
    Lost(format!("{kind} cannot be translated to the original model"))
}
