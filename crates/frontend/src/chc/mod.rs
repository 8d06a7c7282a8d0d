//! Constrained Horn clauses, documented in `docs/format/chc.md`.
//!
//! | step | where |
//! |---|---|
//! | commands of both dialects | `script.rs` |
//! | types, and the leaves of their values | `types.rs` |
//! | predicates and quantifiers inside terms | `placeholders.rs` |
//! | values of data types inside terms | `values.rs`, `bits.rs` |
//! | operations beyond linear arithmetic | `opaque.rs` |
//! | those with few values, by cases | `cases.rs`, `constants.rs`, `bounds.rs` |
//! | facts about the others | `facts.rs` |
//! | formulas to clauses | `clausify.rs` |
//!
//! Clauses are edges between their predicates, which are locations ([`model_of_clauses`]): one edge
//! for each clause, with premises where a clause has several predicates in its body.

mod bits;
mod bounds;
mod cases;
mod clausify;
mod constants;
mod facts;
mod opaque;
mod placeholders;
mod script;
mod types;
mod values;

pub(crate) use opaque::facts_of_result;

use crate::elaborate::{Bounds, Entity, Family, Names};
use crate::syntax::Dialect;
use crate::{Frontend, Info, ReadOptions, Reading};
use sectile_base::{Diagnostics, Source, Span};
use sectile_model::{
    Expectation, HornClauses, LocationId, Property, PropertyKind, model_of_clauses, name_parameters,
};
use sectile_terms::{Symbol, Terms};

/// The name of the only property of a set of clauses.
pub const PROPERTY: &str = "satisfiable";

/// Horn clauses.
pub struct Chc;

/// Predicates and certificates about clauses are written like those about other models.
pub(crate) const DIALECT: Dialect = Dialect {
    reserved: &[],
    claims: &[],
    c_operators: true,
};

impl Frontend for Chc {
    fn info(&self) -> Info {
        Info {
            name: "chc",
            ending: "smt2",
            texts: "Horn clauses",
            satisfiability: true,
            ..Info::default()
        }
    }

    fn read(
        &self,
        terms: &Terms,
        source: &Source,
        _options: &ReadOptions,
    ) -> Result<Reading, Diagnostics> {
        let script = script::read(terms, source)?;
        let clauses = HornClauses {
            name: crate::imp::stem(source.name()),
            ..script.clauses.clone()
        };
        let mut reading = reading(terms, clauses, &script);
        let expectation = script.expected.map(|expected| Expectation {
            parameters: Vec::new(),
            property: PROPERTY.to_string(),
            expected,
        });
        reading.module.expectations.extend(expectation);
        reading.signatures = script.signatures;
        Ok(reading)
    }
}

/// Clauses as a model with its only property.
fn reading(terms: &Terms, mut clauses: HornClauses, script: &script::Read) -> Reading {
    name_parameters(terms, &mut clauses, &script.sorts);
    let name = |k: usize| format!("clause {}", script.origins[k].number + 1);
    let (mut model, _) = model_of_clauses(terms, &clauses, &clauses.clauses, &name);
    for (edge, origin) in model.edges.iter_mut().zip(&script.origins) {
        edge.loose = origin.loose;
    }
    model.rigid.clone_from(&script.functions);
    let error = LocationId(model.locations.len() - 1);
    let property = Property {
        name: PROPERTY.to_string(),
        kind: PropertyKind::Unreachable(vec![error]),
        span: Span::default(),
    };
    let symbols = [&model.variables[..], &model.rigid].concat();
    let names = names(terms, &symbols);
    Reading::new(model, vec![property], names, DIALECT, Diagnostics::new())
}

/// The variables by their names.
pub(crate) fn names(terms: &Terms, symbols: &[Symbol]) -> Names {
    let mut names = Names::default();
    for &symbol in symbols {
        names.declare_element(terms, symbol, Bounds::default());
        let entity = match terms.is_function(symbol) {
            true => Entity::Function(symbol),
            false => Entity::Family(Family::single(symbol)),
        };
        names.declare(terms.name(symbol), entity);
    }
    names
}
