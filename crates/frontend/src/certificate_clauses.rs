//! Evidence about clauses in certificates: `predicate NAME` with its meaning, `instance CLAUSE`
//! with the values of its variables.

use sectile_base::{Diagnostics, Span};
use sectile_model::horn::{Derivation, HornClauses, Instance};
use sectile_model::{ClauseEvidence, Module};
use sectile_terms::{NativePrinter, Symbol, Term, Terms, Value, display_value};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Reads the values that stand below a directive.
type ReadValues<'v> = dyn Fn(&[Symbol]) -> Result<Vec<Value>, Diagnostics> + 'v;

/// Evidence about clauses of which not all directives were read yet.
#[derive(Default)]
pub(crate) struct ClauseDraft {
    meanings: BTreeMap<usize, Term>,
    instances: Vec<Instance>,
}

fn error(span: Span, message: impl Into<String>) -> Diagnostics {
    crate::certificate::error(span, message).into()
}

fn clauses_of(module: &Module, span: Span) -> Result<&HornClauses, Diagnostics> {
    let clauses = module.clauses.as_ref().map(|model| &model.clauses);
    clauses.ok_or_else(|| error(span, "the model is no clauses, and has no recursion"))
}

impl ClauseDraft {
    /// `predicate NAME`, with its meaning.
    pub(crate) fn predicate(
        &mut self,
        module: &Module,
        name: &str,
        span: Span,
        meaning: Term,
    ) -> Result<(), Diagnostics> {
        let predicates = &clauses_of(module, span)?.predicates;
        let Some(position) = predicates.iter().position(|p| p.name == name) else {
            return Err(error(span, format!("there is no predicate `{name}`")));
        };
        self.meanings.insert(position, meaning);
        Ok(())
    }

    /// `instance CLAUSE` or `instance CLAUSE from LINE, LINE`, with the values of its variables.
    pub(crate) fn instance(
        &mut self,
        module: &Module,
        rest: &str,
        span: Span,
        values: &ReadValues<'_>,
    ) -> Result<(), Diagnostics> {
        let (number, premises) = match rest.split_once(" from ") {
            Some((number, premises)) => (number, premises.split(',').collect()),
            None => (rest, Vec::new()),
        };
        // Clauses and instances are counted from 1.
        let counted = |text: &str| text.trim().parse::<usize>().ok()?.checked_sub(1);
        let premises: Option<Vec<usize>> = premises.into_iter().map(counted).collect();
        let (Some(clause), Some(premises)) = (counted(number), premises) else {
            return Err(error(span, "expected `instance CLAUSE from K, K`"));
        };
        let Some(known) = clauses_of(module, span)?.clauses.get(clause) else {
            return Err(error(span, "there is no such clause"));
        };
        self.instances.push(Instance {
            clause,
            values: values(&known.variables)?,
            premises,
        });
        Ok(())
    }

    /// The evidence, if there is any. Predicates that are not named are true.
    pub(crate) fn finish(self, terms: &Terms, module: &Module) -> Option<ClauseEvidence> {
        if !self.instances.is_empty() {
            let instances = self.instances;
            return Some(ClauseEvidence::Derivation(Derivation { instances }));
        }
        let count = module.clauses.as_ref()?.clauses.predicates.len();
        let meaning = |p: usize| self.meanings.get(&p).copied().unwrap_or(terms.tt());
        let named = !self.meanings.is_empty();
        named.then(|| ClauseEvidence::Meanings((0..count).map(meaning).collect()))
    }
}

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
        for (&symbol, value) in clause.variables.iter().zip(&instance.values) {
            let name = terms.name(symbol);
            let _ = writeln!(out, "  {name} = {}", display_value(terms, value));
        }
    }
}
