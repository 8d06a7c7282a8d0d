//! Derivations as trees: what follows from what, for Horn clauses and programs with calls.

use crate::calls::rests_on;
use crate::page::model::lines;
use sectile_base::Source;
use sectile_model::{Certificate, Task, Trace};
use sectile_terms::display_value;
use serde_json::{Value, json};

/// Of longer derivations only the end is shown.
const MOST: usize = 2_000;

/// The steps with the steps they rest on, if the certificate is a derivation and no run.
pub(crate) fn derivation_json(
    task: &Task<'_>,
    source: &Source,
    certificate: &Certificate,
) -> Option<Value> {
    let Certificate::Trace(trace) = certificate else {
        return None;
    };
    let is_tree = trace.steps.iter().any(|s| !s.rests_on.is_empty());
    if !is_tree && !task.model.is_clauses() {
        return None;
    }
    let count = trace.steps.len();
    let first = count.saturating_sub(MOST);
    let steps = (first..count).map(|k| step(task, source, trace, k));
    Some(json!({ "first": first, "steps": steps.collect::<Vec<_>>() }))
}

/// Step `k` leads to state `k + 1`.
fn step(task: &Task<'_>, source: &Source, trace: &Trace, k: usize) -> Value {
    let model = task.model;
    let edge = model.edges.get(trace.steps[k].command);
    let from = rests_on(trace, k)
        .into_iter()
        .filter_map(|s| s.checked_sub(1));
    let fact = match trace.states.get(k + 1) {
        Some(state) if k + 1 < trace.steps.len() => {
            let own = model.variables_at(state.location).iter();
            let values = own.filter_map(|v| {
                let at = model.variables.iter().position(|s| s == v)?;
                Some(display_value(task.terms, state.values.get(at)?))
            });
            let values: Vec<String> = values.collect();
            format!(
                "{}({})",
                model.location_name(state.location),
                values.join(", ")
            )
        }
        _ => "false".to_string(),
    };
    json!({
        "fact": fact,
        "by": edge.map(|e| e.command.name.as_str()),
        "line": edge.and_then(|e| lines(source, e.command.span)).map(|l| l[0]),
        "from": from.collect::<Vec<_>>(),
    })
}
