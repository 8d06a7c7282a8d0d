//! Constrained Horn clauses, documented in `docs/format/chc.md`.
//!
//! | step | where |
//! |---|---|
//! | commands of both dialects | `script.rs` |
//! | predicates and quantifiers inside terms | `placeholders.rs` |
//! | formulas to clauses | `clausify.rs` |
//! | which argument becomes which variable | `slots.rs` |
//! | clauses to edges | `lower.rs`, `equations.rs` |
//!
//! Linear clauses become a program graph: predicates are locations and derivations are runs. The
//! clauses stay with it, so that evidence can be told, and checked, about them. Other clauses stay
//! clauses.

mod clausify;
mod equations;
mod lower;
mod placeholders;
mod script;
mod slots;

use crate::elaborate::{Bounds, Entity, Family, NamedScope, Names};
use crate::syntax::Dialect;
use crate::{Frontend, ReadOptions, Reading};
use sectile_base::{Diagnostic, Diagnostics, Source, Span};
use sectile_model::{Expectation, Expected, HornClauses, Model, Module, Property};
use sectile_terms::{Sort, Symbol, Terms};
use std::collections::BTreeSet;

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
        let mut reading = match clauses.first_nonlinear() {
            None => linear(terms, clauses, &script.sorts),
            Some(first) => return Err(nonlinear(&clauses, first)),
        };
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

fn nonlinear(clauses: &HornClauses, first: usize) -> Diagnostics {
    let span = clauses.clauses[first].span;
    let message = "this clause has several predicates in its body";
    let diagnostic = Diagnostic::error("chc-nonlinear", span, message);
    diagnostic.help("only linear clauses are supported").into()
}

/// Linear clauses as a graph with its only property.
fn linear(terms: &Terms, mut clauses: HornClauses, sorts: &[Vec<Sort>]) -> Reading {
    let variables = slots::assign(terms, &mut clauses, sorts);
    let lowered = lower::graph(terms, clauses, variables);
    let names = names(terms, &lowered.graph.variables);
    Reading {
        module: module(Model::Graph(lowered.graph), lowered.property),
        scope: Box::new(NamedScope::new(names, DIALECT)),
        warnings: Diagnostics::new(),
        approximate: BTreeSet::new(),
        horn: Some(lowered.origin),
    }
}

fn module(model: Model, property: Property) -> Module {
    Module {
        model,
        properties: vec![property],
        parameters: Vec::new(),
        expectations: Vec::new(),
        state_spaces: Vec::new(),
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
