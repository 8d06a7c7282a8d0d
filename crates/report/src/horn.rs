//! Derivations from Horn clauses in words.

use sectile_base::Source;
use sectile_model::HornClauses;
use sectile_model::horn::{Application, Derivation, Instance};
use sectile_terms::{Terms, display_value};
use std::fmt::Write as _;

/// A derivation, one instance of a clause a line: what follows, by which clause, from which
/// earlier lines, and the values of the variables of the clause.
pub fn derivation_text(
    terms: &Terms,
    source: &Source,
    clauses: &HornClauses,
    derivation: &Derivation,
) -> String {
    let mut out = String::new();
    let digits = derivation.instances.len().to_string().len();
    for (k, instance) in derivation.instances.iter().enumerate() {
        let Some(clause) = clauses.clauses.get(instance.clause) else {
            continue;
        };
        let head = match &clause.head {
            Some(head) => application(terms, clauses, instance, head),
            None => "false".to_string(),
        };
        let line = source.position(clause.span.start).line;
        // Writing to a String cannot fail.
        let _ = write!(
            out,
            "  {:>digits$}  {head} by clause {} (line {line})",
            k + 1,
            instance.clause + 1
        );
        let premises = instance.premises.iter().map(|p| (p + 1).to_string());
        let premises: Vec<String> = premises.collect();
        if !premises.is_empty() {
            let _ = write!(out, " from {}", premises.join(", "));
        }
        let values = clause.names.iter().zip(&instance.values);
        let values = values.map(|(n, v)| format!("{n} = {}", display_value(terms, v)));
        let values: Vec<String> = values.collect();
        if !values.is_empty() {
            let _ = write!(out, " with {}", values.join(", "));
        }
        out.push('\n');
    }
    out
}

fn application(
    terms: &Terms,
    clauses: &HornClauses,
    instance: &Instance,
    application: &Application,
) -> String {
    let name = &clauses.predicates[application.predicate].name;
    let values = instance.arguments(terms, clauses, application);
    let values = values.unwrap_or_default();
    let values: Vec<String> = values.iter().map(|v| display_value(terms, v)).collect();
    match values.is_empty() {
        true => name.clone(),
        false => format!("{name}({})", values.join(", ")),
    }
}
