//! Derivations from Horn clauses in words.

use crate::calls::rests_on;
use sectile_base::Source;
use sectile_model::{Model, State, Trace};
use sectile_terms::{Stage, Symbol, Terms, display_value, evaluate};
use std::fmt::Write as _;

/// A derivation, one clause a line: what follows, by which clause, from which earlier lines, and
/// the values of the variables of the clause. The last line derives `false`.
pub fn derivation_text(terms: &Terms, source: &Source, model: &Model, trace: &Trace) -> String {
    let mut out = String::new();
    let digits = trace.steps.len().to_string().len();
    for (k, step) in trace.steps.iter().enumerate() {
        let (Some(edge), Some(after)) = (model.edges.get(step.command), trace.states.get(k + 1))
        else {
            continue;
        };
        let derived = match k + 1 == trace.steps.len() {
            true => "false".to_string(),
            false => state_text(terms, model, after),
        };
        let (name, span) = (&edge.command.name, edge.command.span);
        let line = source.position(span.start).line;
        // Writing to a String cannot fail.
        let _ = write!(
            out,
            "  {:>digits$}  {derived} by {name} (line {line})",
            k + 1
        );
        let states = rests_on(trace, k);
        let premises = states.iter().filter(|s| **s > 0).map(ToString::to_string);
        let premises: Vec<String> = premises.collect();
        if !premises.is_empty() {
            let _ = write!(out, " from {}", premises.join(", "));
        }
        let before = trace.states.get(states[0]);
        let valuation = |symbol: Symbol, stage: Stage| {
            let find = |list: &[Symbol]| list.iter().position(|s| *s == symbol);
            if let Some(at) = find(&model.variables) {
                let state = match stage {
                    Stage::Next => Some(after),
                    _ => before,
                };
                return state?.values.get(at).cloned();
            }
            step.inputs.get(find(&edge.command.inputs)?).cloned()
        };
        let values = edge.legend.iter().filter_map(|(name, value)| {
            let value = evaluate(terms, *value, &valuation).ok()?;
            Some(format!("{name} = {}", display_value(terms, &value)))
        });
        let values: Vec<String> = values.collect();
        if !values.is_empty() {
            let _ = write!(out, " with {}", values.join(", "));
        }
        out.push('\n');
    }
    out
}

/// A predicate with its arguments.
fn state_text(terms: &Terms, model: &Model, state: &State) -> String {
    let name = model.location_name(state.location);
    let own = model.variables_at(state.location).iter();
    let values = own.filter_map(|v| {
        let at = model.variables.iter().position(|s| s == v)?;
        Some(display_value(terms, state.values.get(at)?))
    });
    let values: Vec<String> = values.collect();
    match values.is_empty() {
        true => name.to_string(),
        false => format!("{name}({})", values.join(", ")),
    }
}
