//! What a pass is and what it leaves behind.

use sectile_model::{
    Certificate, LocationId, Model, Property, PropertyKind, ReasonCode, Unknown, Verdict,
};
use sectile_terms::Terms;
use std::fmt;

/// A change of model that carries its way back.
pub trait Pass {
    /// What reports call the pass.
    fn name(&self) -> &'static str;

    /// Whether the new model has the same runs as the old one.
    fn exactness(&self) -> Exactness {
        Exactness::Exact
    }

    /// The new task. If the pass is exact it has the same verdict as the given one.
    fn apply(
        &self,
        terms: &Terms,
        model: &Model,
        property: &Property,
    ) -> Result<Applied, NotApplicable>;
}

/// How the runs of the new model compare with those of the old one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exactness {
    /// They are the same, up to the way back.
    Exact,
    /// There are more: proofs come back, and violations may be spurious.
    AllowsMore,
    /// There are fewer: violations come back, and proofs say nothing.
    AllowsLess,
}

/// What a pass made.
pub struct Applied {
    /// The new model.
    pub model: Model,
    /// The property of the new model that says what the old one says of the old model.
    pub property: Property,
    /// The way back.
    pub back: Box<dyn BackTranslate>,
}

impl Applied {
    /// The verdict about the original task, with evidence about that task. A verdict whose
    /// evidence has no way back is none.
    pub fn verdict(&self, terms: &Terms, verdict: Verdict) -> Verdict {
        let told = |c: &Certificate| self.back.certificate(terms, c);
        let lost = |what: &str, lost: Lost| {
            let reached = format!("{what} was found, but {}", lost.0);
            Verdict::Unknown(Unknown::new(ReasonCode::Incomplete, reached))
        };
        match verdict {
            Verdict::Holds(c) => told(&c).map_or_else(|l| lost("a proof", l), Verdict::Holds),
            Verdict::Violated(c) => {
                told(&c).map_or_else(|l| lost("a violation", l), Verdict::Violated)
            }
            unknown @ Verdict::Unknown(_) => unknown,
        }
    }

    /// The new graph with the locations that must not be reached, for tasks that name them.
    pub fn error_graph(&self) -> Result<(&Model, Vec<usize>), NotApplicable> {
        let (graph, errors) = graph_with_errors("error-graph", &self.model, &self.property)?;
        Ok((graph, errors.iter().map(|e| e.0).collect()))
    }
}

/// The graph and its error locations, for passes that take nothing else.
pub fn graph_with_errors<'m>(
    pass: &'static str,
    model: &'m Model,
    property: &'m Property,
) -> Result<(&'m Model, &'m [LocationId]), NotApplicable> {
    let PropertyKind::Unreachable(errors) = &property.kind else {
        let reason = "the property does not name locations that must not be reached";
        return Err(NotApplicable::new(pass, reason));
    };
    Ok((model, errors))
}

/// Translates evidence for the task a pass made into evidence for the task it was given.
pub trait BackTranslate {
    /// The certificate, about the original task.
    ///
    /// A valid certificate becomes a valid one. One that is not valid becomes anything: whoever
    /// needs to believe the result checks it.
    fn certificate(&self, terms: &Terms, certificate: &Certificate) -> Result<Certificate, Lost>;
}

/// A pass does not fit a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotApplicable {
    /// The pass.
    pub pass: &'static str,
    /// Why not, in one sentence without a full stop.
    pub reason: String,
}

impl NotApplicable {
    /// A refusal by a pass.
    pub fn new(pass: &'static str, reason: impl Into<String>) -> NotApplicable {
        NotApplicable {
            pass,
            reason: reason.into(),
        }
    }
}

impl fmt::Display for NotApplicable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} does not apply: {}", self.pass, self.reason)
    }
}

impl std::error::Error for NotApplicable {}

/// A certificate could not be translated back; the text says why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lost(pub String);

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the certificate was lost: {}", self.0)
    }
}

impl std::error::Error for Lost {}

/// The way back of a pass that changed nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unchanged;

impl BackTranslate for Unchanged {
    fn certificate(&self, _: &Terms, certificate: &Certificate) -> Result<Certificate, Lost> {
        Ok(certificate.clone())
    }
}

/// What is lost when evidence of the wrong kind comes back.
pub(crate) fn unexpected(certificate: &Certificate) -> Lost {
    let kind = match certificate {
        Certificate::Invariants(i) if !i.is_inductive() => "a k-inductive invariant",
        Certificate::Invariants(_) => "invariants of locations",
        Certificate::Unrolled(_) => "invariants of a graph with unrolled loops",
        Certificate::Ctl(_) => "cells of states",
        Certificate::Modular(_) => "evidence about contracts",
        Certificate::Trace(_) => "a trace",
    };
    Lost(format!("{kind} cannot be told about the original model"))
}
