//! Constrained Horn clauses, documented in `docs/format/chc.md`.
//!
//! | step | where |
//! |---|---|
//! | commands of both dialects | `script.rs` |
//! | predicates and quantifiers inside terms | `placeholders.rs` |
//! | formulas to clauses | `clausify.rs` |
//! | arguments that are not needed | `reduce` |
//! | clauses with several predicates | `unfold.rs` |
//! | which argument becomes which variable | `slots.rs` |
//! | clauses to edges | `lower.rs`, `equations.rs` |
//!
//! Linear clauses become a program graph: predicates are locations and derivations are runs. Other
//! clauses become linear where that is possible, and edges that allow more where it is not. The
//! clauses stay with the graph, so that evidence can be told, and checked, about them.

mod clausify;
mod equations;
mod lower;
mod placeholders;
mod reduce;
mod script;
mod slots;
mod unfold;

use crate::elaborate::{Bounds, Entity, Family, NamedScope, Names};
use crate::syntax::Dialect;
use crate::{Frontend, ReadOptions, Reading};
use sectile_base::{Diagnostic, Diagnostics, Source, Span};
use sectile_model::horn::Clause;
use sectile_model::{ClauseModel, Expectation, Expected, HornClauses, Model, Module, Property};
use sectile_terms::{Sort, Symbol, Terms};

/// What the only property of a set of clauses is called.
pub const PROPERTY: &str = "satisfiable";

/// Horn clauses.
pub struct Chc;

/// Predicates and certificates about clauses are written like those about other models.
pub(crate) const DIALECT: Dialect = Dialect {
    reserved: &[],
    c_operators: true,
};

impl Frontend for Chc {
    fn name(&self) -> &'static str {
        "chc"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["smt2"]
    }

    fn read(
        &self,
        terms: &Terms,
        source: &Source,
        options: &ReadOptions,
    ) -> Result<Reading, Diagnostics> {
        let mut diagnostics = Diagnostics::new();
        no_parameters(options, "Horn clauses", &mut diagnostics);
        if diagnostics.has_errors() {
            return Err(diagnostics);
        }
        let script = script::read(terms, source)?;
        let expected = script.expected;
        let clauses = HornClauses {
            name: crate::imp::stem(source.name()),
            ..script.clauses
        };
        let mut reading = reading(terms, clauses, &script.sorts);
        let expectation = expected.map(|expected| Expectation {
            parameters: Vec::new(),
            property: PROPERTY.to_string(),
            expected: match expected {
                true => Expected::Holds,
                false => Expected::Violated(None),
            },
        });
        reading.module.expectations.extend(expectation);
        Ok(reading)
    }
}

/// What other languages than ours do not have.
pub(crate) fn no_parameters(options: &ReadOptions, what: &str, diagnostics: &mut Diagnostics) {
    for (name, value) in &options.parameters {
        let message = format!("`-D {name}={value}`: there is no parameter `{name}`");
        let diagnostic = Diagnostic::error("parameter", Span::default(), message);
        diagnostics.push(diagnostic.help(format!("{what} have no parameters")));
    }
}

/// Clauses as a graph with its only property.
fn reading(terms: &Terms, mut clauses: HornClauses, sorts: &[Vec<Sort>]) -> Reading {
    let mut reduced = reduce::reduce(terms, &clauses, sorts);
    let numbers = reduced.numbers(clauses.clauses.len());
    let last = reduced.reductions.last();
    let mut simple = last.map_or_else(|| clauses.clone(), |r| r.after.clone());
    let linearised = unfold::linearise(terms, &simple);
    let made = linearised.clauses.iter().map(|u| u.clause.clone());
    let made: Vec<Clause> = made.collect();
    let variables = slots::assign(terms, &mut simple, &made, &reduced.sorts);
    let mut lowered = lower::graph(terms, simple, linearised, variables, &numbers);
    if let Some(last) = reduced.reductions.last_mut() {
        last.after = lowered.origin.clauses;
        reduced.name_parameters(terms, &mut clauses, sorts);
        lowered.origin.clauses = clauses;
        lowered.origin.reductions = reduced.reductions;
    }
    let names = names(terms, &lowered.graph.variables);
    let exact = lowered.approximate.is_empty();
    let clauses = (!exact).then(|| clause_model(lowered.origin.reduced()));
    Reading {
        module: Module {
            clauses,
            ..module(lowered.graph, lowered.property)
        },
        scope: Box::new(NamedScope::new(names, DIALECT)),
        warnings: Diagnostics::new(),
        approximate: lowered.approximate,
        horn: Some(lowered.origin),
    }
}

/// The clauses with their queries, for engines that understand them.
fn clause_model(clauses: &HornClauses) -> ClauseModel {
    let all = clauses.clauses.iter().enumerate();
    let queries = all.filter(|(_, c)| c.head.is_none()).map(|(k, _)| k);
    ClauseModel {
        queries: vec![queries.collect()],
        clauses: clauses.clone(),
        ..ClauseModel::default()
    }
}

fn module(model: Model, property: Property) -> Module {
    Module {
        model,
        properties: vec![property],
        parameters: Vec::new(),
        expectations: Vec::new(),
        state_spaces: Vec::new(),
        clauses: None,
    }
}

/// The variables by their names.
pub(crate) fn names(terms: &Terms, symbols: &[Symbol]) -> Names {
    let mut names = Names::new();
    for &symbol in symbols {
        names.declare_element(terms, symbol, Bounds::default());
        let family = Entity::Family(Family::single(symbol));
        names.declare(terms.name(symbol), family);
    }
    names
}
