//! The report for code scanning: the Static Analysis Results Interchange Format (SARIF) 2.1.0.
//!
//! Properties are rules. A violated one is an error with its run as a code flow, one that holds a result
//! of kind `pass`, and one without a verdict is open for a person.

use crate::evidence::{Evidence, StepWords, TraceWords};
use crate::{CheckReport, PropertyReport, Status, Warning};
use serde_json::{Value, json};

/// The report as one document; `line` gives the line on which a property stands.
pub fn to_sarif(report: &CheckReport, line: &dyn Fn(&str) -> Option<usize>) -> String {
    let place = |line: Option<usize>| physical(&report.file, line);
    let rules = report.properties.iter().map(|p| {
        json!({
            "id": p.name,
            "shortDescription": { "text": format!("{} {}", p.kind, p.name) },
        })
    });
    let properties = report.properties.iter();
    let verdicts = properties.map(|p| result(p, &place(line(&p.name)), &report.file));
    let odd = report.properties.iter().flat_map(|p| &p.warnings);
    let odd = report.warnings.iter().chain(odd);
    let warnings = odd.map(|w| warning(w, &place(w.line)));
    let document = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "Sectile",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules.collect::<Vec<_>>(),
            } },
            "results": verdicts.chain(warnings).collect::<Vec<_>>(),
        }],
    });
    format!("{document:#}")
}

fn physical(file: &str, line: Option<usize>) -> Value {
    json!({ "physicalLocation": {
        "artifactLocation": { "uri": file },
        "region": { "startLine": line.unwrap_or(1) },
    } })
}

fn result(property: &PropertyReport, place: &Value, file: &str) -> Value {
    let name = &property.name;
    let sizes = property.sizes.as_ref();
    let sizes = sizes.map_or_else(String::new, |s| s.words(property.status));
    let (kind, level, text) = match property.status {
        Status::Holds => ("pass", "none", format!("{name} holds{sizes}")),
        Status::Violated => {
            let why = run(property).map(|trace| trace.conclusion.as_str());
            let why = why.filter(|c| !c.is_empty());
            let text = match why {
                Some(why) if sizes.is_empty() => why.to_string(),
                Some(why) => format!("{name} is violated{sizes}: {why}"),
                None => format!("{name} is violated{sizes}"),
            };
            ("fail", "error", text)
        }
        Status::Unknown => {
            let text = format!(
                "{name} is unknown ({}): {}",
                property.reason, property.reached
            );
            ("review", "none", text)
        }
    };
    let mut result = json!({
        "ruleId": name,
        "kind": kind,
        "level": level,
        "message": { "text": text },
        "locations": [place],
    });
    if let Some(trace) = run(property) {
        let steps = trace.steps.iter().map(|s| step(s, file));
        result["codeFlows"] = json!([{ "threadFlows": [{
            "locations": steps.collect::<Vec<_>>(),
        }] }]);
    }
    result
}

fn run(property: &PropertyReport) -> Option<&TraceWords> {
    match property.evidence.as_ref()? {
        Evidence::Trace(trace) => Some(trace),
        _ => None,
    }
}

fn step(step: &StepWords, file: &str) -> Value {
    let changes = step.changes.iter().map(|(n, v)| format!("{n} = {v}"));
    let changes: Vec<String> = changes.collect();
    let text = match changes.is_empty() {
        true => step.label.clone(),
        false => format!("{}: {}", step.label, changes.join(", ")),
    };
    let mut location = physical(file, step.line);
    location["message"] = json!({ "text": text });
    json!({ "location": location })
}

fn warning(warning: &Warning, place: &Value) -> Value {
    json!({
        "ruleId": warning.code,
        "level": "warning",
        "message": { "text": warning.message },
        "locations": [place],
    })
}
