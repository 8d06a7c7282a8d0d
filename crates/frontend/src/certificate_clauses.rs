//! Evidence about clauses in certificates: `predicate NAME` with its meaning, `instance CLAUSE`
//! with the values of its variables.

use sectile_model::horn::{Derivation, HornClauses};
use sectile_model::{ClauseEvidence, Module};
use sectile_terms::{NativePrinter, Terms, display_value};
use std::fmt::Write as _;

/// Writes evidence about the clauses of a module.
pub(crate) fn print(terms: &Terms, module: &Module, evidence: &ClauseEvidence, out: &mut String) {
    let Some(model) = &module.clauses else { return };
    let clauses = &model.clauses;
    match evidence {
        ClauseEvidence::Meanings(list) => {
            let printer = NativePrinter::new(terms);
            for (predicate, &meaning) in clauses.predicates.iter().zip(list) {
                // Writing to a String cannot fail, here and below.
                let _ = writeln!(out, "predicate {}", predicate.name);
                let _ = writeln!(out, "  {}", printer.print(meaning));
            }
        }
        ClauseEvidence::Derivation(derivation) => print_derivation(terms, clauses, derivation, out),
    }
}

fn print_derivation(
    terms: &Terms,
    clauses: &HornClauses,
    derivation: &Derivation,
    out: &mut String,
) {
    for instance in &derivation.instances {
        let premises = instance.premises.iter().map(|p| (p + 1).to_string());
        let premises: Vec<String> = premises.collect();
        let _ = match premises.is_empty() {
            true => writeln!(out, "instance {}", instance.clause + 1),
            false => writeln!(
                out,
                "instance {} from {}",
                instance.clause + 1,
                premises.join(", ")
            ),
        };
        let Some(clause) = clauses.clauses.get(instance.clause) else {
            continue;
        };
        for (name, value) in clause.names.iter().zip(&instance.values) {
            let _ = writeln!(out, "  {name} = {}", display_value(terms, value));
        }
    }
}
