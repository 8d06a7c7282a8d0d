//! JSON, as `schemas/check.schema.json` describes it.

use crate::{Certified, CheckReport, PropertyReport};
use serde_json::{Map, Value, json};

/// The version of the document's shape.
pub(crate) const VERSION: u32 = 1;

/// The report as one JSON document.
pub fn to_json(report: &CheckReport) -> String {
    let document = json!({
        "version": VERSION,
        "input": input_json(report),
        "warnings": report.warnings,
        "properties": report.properties.iter().map(property_json).collect::<Vec<_>>(),
    });
    format!("{document:#}")
}

/// What was read.
pub(crate) fn input_json(report: &CheckReport) -> Value {
    let pairs = report.parameters.iter().cloned();
    let parameters: Map<String, Value> = pairs.map(|(n, v)| (n, Value::String(v))).collect();
    json!({
        "file": report.file,
        "language": report.language,
        "parameters": parameters,
        "variables": report.variables,
        "steps": report.steps,
        "locations": report.locations,
        "loops": report.loops,
    })
}

/// The result for one property.
pub(crate) fn property_json(p: &PropertyReport) -> Value {
    let mut statistics: Map<String, Value> = p
        .statistics
        .iter()
        .map(|(name, value)| (name.clone(), json!(value)))
        .collect();
    statistics.insert("solver_seconds".to_string(), json!(p.solver_seconds));
    let mut entry = json!({
        "name": p.name,
        "kind": p.kind,
        "verdict": p.status.word(),
        "engine": p.engine,
        "seconds": p.seconds,
        "certified": p.certified == Certified::Yes,
        "statistics": statistics,
    });
    let mut add = |key: &str, value: Value| {
        if let Some(map) = entry.as_object_mut() {
            map.insert(key.to_string(), value);
        }
    };
    for (key, text) in [
        ("reason", &p.reason),
        ("reached", &p.reached),
        ("hint", &p.hint),
    ] {
        if !text.is_empty() {
            add(key, json!(text));
        }
    }
    if let Some(sizes) = &p.sizes {
        add("forall", json!(sizes));
    }
    if let Some(explanation) = &p.explanation {
        add("explanation", json!(explanation));
    }
    match &p.certified {
        Certified::No(why) => add("not_certified", json!(why)),
        Certified::Partly(how) => add("partly_certified", json!(how)),
        Certified::Yes | Certified::NotApplicable => {}
    }
    if !p.warnings.is_empty() {
        add("warnings", json!(p.warnings));
    }
    if let Some(evidence) = &p.evidence {
        add("evidence", json!(evidence));
    }
    entry
}
