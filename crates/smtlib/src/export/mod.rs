//! Writing models for other tools: Horn clauses, VMT-LIB, C and DOT.
//!
//! | function | language | answer of its readers |
//! |---|---|---|
//! | [`to_chc`] | constrained Horn clauses, SMT-LIB logic `HORN` | `sat` if the property holds |
//! | [`to_vmt`] | VMT-LIB | one answer for every invariant property |
//! | [`to_c`] | C | whether `reach_error` is called |
//! | [`to_dot`] | Graphviz | a picture |
//! | [`to_clauses`], [`to_model`] | Horn clauses as they were read, and their models | |
//! | [`to_proof`] | the derivation of `false` from Horn clauses, as z3 writes it | |
//!
//! Only safety is exported to the first three: invariants, errors, locations, and CTL formulas
//! `AG p` where `p` has no temporal operator. Values of enumerations are integers with conditions
//! on their ranges.

mod c;
mod chc;
mod dot;
mod horn;
mod hyper;
mod shape;
mod signature;
mod vmt;

pub use c::to_c;
pub use chc::to_chc;
pub use dot::to_dot;
pub use horn::{to_clauses, to_model};
pub use hyper::to_proof;
pub use shape::Shape;
pub use signature::{Access, Argument, Signature};
pub use vmt::{Vmt, to_vmt};

use crate::naming;
use crate::print::{print_sort, print_variable, range};
use crate::vocabulary::{NotPortable, check_portable};
use sectile_model::{LocationId, Model, Property, PropertyKind};
use sectile_terms::{Stage, Symbol, Term, Terms};
use std::collections::BTreeSet;

/// The reason why a model cannot be exported.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExportError {
    /// The property with this name is not about reachable states only.
    #[error(
        "the property `{0}` cannot be exported: of CTL only AG p is, with p without temporal operators"
    )]
    NotSafety(String),
    /// The property with this name is about locations that the model does not have.
    #[error("the property `{0}` is about a location that the model does not have")]
    NoSuchLocation(String),
    /// A formula mentions a variable that is not allowed there.
    #[error("{place} mentions `{variable}`, which is not declared there")]
    Foreign {
        /// The variable, as SMT-LIB writes it.
        variable: String,
        /// Its position.
        place: String,
    },
    /// Something cannot be expressed in SMT-LIB.
    #[error(transparent)]
    NotPortable(#[from] NotPortable),
}

/// A variable of an exported formula.
pub(crate) type Variable = (Symbol, Stage);

/// Refuses formulas with other variables than the given ones.
pub(crate) fn check_vocabulary(
    terms: &Terms,
    formula: Term,
    allowed: &[Variable],
    place: &str,
) -> Result<(), ExportError> {
    let allowed: BTreeSet<Variable> = allowed.iter().copied().collect();
    for t in terms.post_order(&[formula]) {
        check_portable(terms, t)?;
    }
    let variables = terms.free_vars(formula);
    let foreign = |v: &&Variable| !allowed.contains(*v) && !terms.is_function(v.0);
    match variables.iter().find(foreign) {
        None => Ok(()),
        Some(&(symbol, stage)) => Err(ExportError::Foreign {
            variable: print_variable(terms, symbol, stage),
            place: place.to_string(),
        }),
    }
}

/// The symbols at a stage; rigid ones stay the same.
pub(crate) fn at(terms: &Terms, symbols: &[Symbol], stage: Stage) -> Vec<Variable> {
    let place = |&s: &Symbol| match *terms.node(terms.var_at(s, stage)) {
        sectile_terms::Node::Var(symbol, stage) => (symbol, stage),
        _ => unreachable!("variables are variables"),
    };
    symbols.iter().map(place).collect()
}

/// The conditions that variables of enumerations have one of their values.
pub(crate) fn ranges(terms: &Terms, variables: &[Variable]) -> Vec<String> {
    let range_of = |&(symbol, stage): &Variable| range(terms, symbol, stage);
    variables.iter().filter_map(range_of).collect()
}

/// The text of a variable.
pub(crate) fn name(terms: &Terms, variable: Variable) -> String {
    print_variable(terms, variable.0, variable.1)
}

/// The text of the sort of a variable.
pub(crate) fn sort(terms: &Terms, variable: Variable) -> String {
    print_sort(terms, terms.symbol_sort(variable.0))
}

/// A text without characters that end a comment.
pub(crate) fn comment(text: &str) -> String {
    let printable = |c: char| if c.is_control() { ' ' } else { c };
    text.chars().map(printable).collect()
}

/// Names for predicates and definitions that differ from all variables.
pub(crate) struct Names {
    used: BTreeSet<String>,
}

impl Names {
    /// The given names, as SMT-LIB writes them, are in use.
    pub(crate) fn new(used: impl IntoIterator<Item = String>) -> Names {
        Names {
            used: used.into_iter().collect(),
        }
    }

    /// A unique name similar to the wish.
    pub(crate) fn claim(&mut self, wish: &str) -> String {
        let mut name = naming::encode(wish, Stage::Now);
        let mut k = 2;
        while !self.used.insert(name.clone()) {
            name = naming::encode(&format!("{wish}_{k}"), Stage::Now);
            k += 1;
        }
        name
    }
}

/// The states in which a property is violated: formulas at locations.
pub(crate) type BadStates = Vec<(LocationId, Term)>;

/// The bad states of a property of a model.
pub(crate) fn bad_states(
    terms: &Terms,
    model: &Model,
    property: &Property,
) -> Result<BadStates, ExportError> {
    let mentioned = match &property.kind {
        PropertyKind::Invariant(_) | PropertyKind::Error(_) | PropertyKind::Ctl(_) => &[][..],
        PropertyKind::Unreachable(list) => list,
        PropertyKind::AtLocation(location, _) => std::slice::from_ref(location),
    };
    if mentioned.iter().any(|l| l.0 >= model.locations.len()) {
        return Err(ExportError::NoSuchLocation(property.name.clone()));
    }
    let mut bad = Vec::new();
    for location in (0..model.locations.len()).map(LocationId) {
        let safe = property.kind.safe_at(terms, location);
        let safe = safe.ok_or_else(|| ExportError::NotSafety(property.name.clone()))?;
        let formula = terms.not(safe);
        if terms.as_bool(formula) != Some(false) {
            bad.push((location, formula));
        }
    }
    Ok(bad)
}
