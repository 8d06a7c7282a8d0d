//! Results as JSON, which the package makes dataclasses of.

use sectile::{
    Certificate, Certification, Error, Invariants, Judged, Judgement, Outcome, PropertyOutcome,
    State, Trace, Warning,
};
use serde_json::{Value, json};

/// The result of a check.
pub fn of_check(outcome: &Result<Outcome, Error>) -> String {
    let answer = match outcome {
        Err(error) => of_error(error),
        Ok(outcome) => json!({
            "verdict": outcome.verdict().word(),
            "certificate": outcome.certificate().map(Certificate::as_str),
            "warnings": list(&outcome.warnings(), warning),
            "properties": list(outcome.properties(), property),
        }),
    };
    answer.to_string()
}

/// The result of checking a certificate.
pub fn of_certify(certification: &Result<Certification, Error>) -> String {
    let answer = match certification {
        Err(error) => of_error(error),
        Ok(certification) => json!({
            "accepted": certification.is_accepted(),
            "judgements": list(certification.judgements(), judgement),
            "differing": list(certification.differing(), |d| {
                json!({ "name": d.name, "certificate": d.certificate, "model": d.model })
            }),
        }),
    };
    answer.to_string()
}

fn of_error(error: &Error) -> Value {
    let kind = match error {
        Error::Input(_) => "input",
        Error::Request(_) => "request",
        _ => "internal",
    };
    json!({ "error": kind, "message": error.to_string() })
}

fn list<T>(items: &[T], one: impl Fn(&T) -> Value) -> Value {
    Value::Array(items.iter().map(one).collect())
}

fn property(property: &PropertyOutcome) -> Value {
    json!({
        "name": property.name(),
        "kind": property.kind(),
        "verdict": property.verdict().word(),
        "reason": property.reason(),
        "reached": property.reached(),
        "engine": property.engine(),
        "seconds": property.time().as_secs_f64(),
        "certified": property.is_certified(),
        "trace": property.trace().map(trace),
        "invariants": list(&property.invariants(), invariants),
        "certificate": property.certificate().map(Certificate::as_str),
        "statistics": property.statistics(),
        "warnings": list(property.warnings(), warning),
    })
}

fn invariants(invariants: &Invariants) -> Value {
    json!({ "location": invariants.location, "conjuncts": invariants.conjuncts })
}

fn warning(warning: &Warning) -> Value {
    json!({ "code": warning.code, "message": warning.message, "line": warning.line })
}

fn trace(trace: &Trace) -> Value {
    json!({
        "constants": pairs(trace.constants()),
        "states": list(trace.states(), state),
        "back_to": trace.back_to(),
        "conclusion": trace.conclusion(),
        "omitted": trace.omitted(),
    })
}

fn state(state: &State) -> Value {
    json!({
        "action": state.action(),
        "line": state.line(),
        "location": state.location(),
        "inputs": pairs(state.inputs()),
        "values": pairs(state.values()),
    })
}

/// Pairs, not objects: the order is that of the model.
fn pairs<'p>(pairs: impl Iterator<Item = (&'p str, &'p str)>) -> Value {
    pairs.map(|(name, value)| json!([name, value])).collect()
}

fn judgement(judgement: &Judgement) -> Value {
    let (judged, obligations, obligation, because) = match &judgement.judged {
        Judged::Accepted { obligations } => ("accepted", Some(*obligations), None, None),
        Judged::Refused {
            obligation,
            because,
        } => ("refused", None, Some(obligation), Some(because)),
        Judged::Undecided {
            obligation,
            because,
        } => ("undecided", None, Some(obligation), Some(because)),
        Judged::Failed { because } => ("failed", None, None, Some(because)),
        _ => ("failed", None, None, None),
    };
    json!({
        "property": judgement.property,
        "claim": judgement.claim.word(),
        "judged": judged,
        "obligations": obligations,
        "obligation": obligation,
        "because": because,
    })
}
