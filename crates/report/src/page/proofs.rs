//! What has to be shown so that invariants prove a property, in words.

use crate::page::model::lines;
use sectile_base::Source;
use sectile_model::{Certificate, Model, Task};
use serde_json::{Value, json};

/// More obligations are counted, not listed.
const MOST: usize = 2_000;

/// The obligations of a proof by invariants: initiation, one for each step, the property.
pub(crate) fn obligations(
    task: &Task<'_>,
    source: &Source,
    certificate: &Certificate,
) -> Option<Value> {
    let Certificate::Invariants(proof) = certificate else {
        return None;
    };
    let model = task.model;
    let at = |l: sectile_model::LocationId| match model.is_system() {
        true => Value::Null,
        false => json!(model.location_name(l)),
    };
    let partial = proof.at.iter().any(Option::is_none);
    let steps = model.edges.iter().take(MOST).map(|e| {
        json!({
            "from": at(e.from),
            "step": e.command.name,
            "to": at(e.to),
            "line": lines(source, e.command.span).map(|l| l[0]),
            "premises": premises(model, e),
        })
    });
    Some(json!({
        "depth": proof.depth,
        "entry": at(model.entry),
        "property": task.property.name,
        "partial": partial,
        "count": model.edges.len() + 2,
        "steps": steps.collect::<Vec<_>>(),
    }))
}

fn premises(model: &Model, edge: &sectile_model::Edge) -> Vec<String> {
    let premises = edge.premises.iter();
    let names = premises.map(|p| model.location_name(p.location).to_string());
    names.collect()
}
