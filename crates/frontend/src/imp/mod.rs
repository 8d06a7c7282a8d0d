//! The while language, documented in `docs/format/imp.md`.
//!
//! | step | where | paper |
//! |---|---|---|
//! | text to statements | `parser.rs`, `ast.rs` | |
//! | names, types, parameters | `declare.rs` | |
//! | statements to terms | `resolve.rs`, `core.rs` | [Fr23, Def. 1] |
//! | statements to locations and edges | `lower.rs` | [Fr23, Def. 2] |
//! | graphs to text | `print.rs` | |
//!
//! The trace semantics of [Fr23, Def. 1] is implemented in the tests, to compare the runs of the
//! graphs with.

mod ast;
mod core;
mod declare;
pub(crate) mod lower;
mod parser;
mod print;
mod resolve;
pub(crate) mod text;
#[cfg(test)]
mod trace_semantics;

pub use print::{Detail, print_graph};

use self::ast::{Claim, ClaimKind, Program};
use self::declare::Declared;
use self::lower::ControlFlow;
use self::resolve::{Assertion, add_property};
use crate::elaborate::{Elaborated, Entity, closest};
use crate::syntax::{Expr, Name};
use crate::{Frontend, ReadOptions, Reading, stop_at_errors};
use sectile_base::{Diagnostic, Diagnostics, Source, Span};
use sectile_model::{Ctl, LocationId, Model, Property, PropertyKind};
use sectile_terms::{Term, Terms};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The while language.
pub struct Imp;

impl Frontend for Imp {
    fn name(&self) -> &'static str {
        "imp"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["imp"]
    }

    fn read(
        &self,
        terms: &Terms,
        source: &Source,
        options: &ReadOptions,
    ) -> Result<Reading, Diagnostics> {
        let (program, mut diagnostics, comments) = parser::parse(source);
        stop_at_errors(&mut diagnostics)?;
        let mut declared = declare::declare(terms, &program, options, diagnostics);
        stop_at_errors(&mut declared.diagnostics)?;
        let init = initial(&mut declared, &program.initial);
        let (body, assertions) = resolve::resolve(source, &mut declared, &program.body);
        let end = end_of(source, &program);
        if program.body.is_empty() {
            let help = "a program has at least one statement, such as `x := x + 1`";
            declared.error(Diagnostic::error("empty", end, "there is no program").help(help));
        }
        let correct = !declared.diagnostics.has_errors();
        let flow = correct.then(|| control_flow(&declared, &body, end));
        declare_labels(&mut declared, &program, flow.as_ref());
        let properties = properties(&mut declared, &program, &assertions, flow.as_ref());
        let Some(flow) = flow.filter(|_| !declared.diagnostics.has_errors()) else {
            return Err(declared.diagnostics);
        };
        let model = Model {
            name: stem(source.name()),
            variables: declared.variables,
            rigid: declared.rigid,
            init,
            restrict: declared.restrict,
            locations: flow.locations,
            entry: LocationId(0),
            edges: flow.edges,
            ..Model::default()
        };
        let (names, warnings) = (declared.names, declared.diagnostics);
        let mut reading = Reading::new(model, properties, names, parser::DIALECT, warnings);
        reading.module.parameters = declared.parameters;
        Ok(reading.with_headers(source, &comments))
    }
}

/// The name of a file without its folders and its ending.
pub(crate) fn stem(name: &str) -> String {
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    match file.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem.to_string(),
        _ => file.to_string(),
    }
}

/// The conjuncts of what holds initially.
fn initial(declared: &mut Declared<'_>, conditions: &[Expr]) -> Vec<Term> {
    let mut found = Vec::new();
    for condition in conditions {
        if let Ok(term) = declared.elaborator().formula(condition) {
            found.extend(declared.terms.conjuncts(term));
        }
    }
    found
}

/// The place of the program's end: a label there, or where the last statement ends.
fn end_of(source: &Source, program: &Program) -> Span {
    if let Some(label) = program.body.end_labels.first() {
        return label.span;
    }
    let behind = program.claims.first().map(|c| c.span.start as usize);
    let before = &source.text()[..behind.unwrap_or(source.text().len())];
    let end = before.trim_end().len();
    Span::new(end, end)
}

fn control_flow(declared: &Declared<'_>, body: &core::Block, end: Span) -> ControlFlow {
    let taken = |name: &str| {
        declared.names.entity(name).is_some() || !declared.names.variants(name).is_empty()
    };
    lower::lower(declared.terms, &declared.variables, body, end, &taken)
}

/// Makes the labels known. Where the program has mistakes there are no locations, but properties
/// can still be looked at.
fn declare_labels(declared: &mut Declared<'_>, program: &Program, flow: Option<&ControlFlow>) {
    if let Some(flow) = flow {
        for (name, id) in &flow.labels {
            declared.names.declare(name, Entity::Location(*id));
        }
        for (i, location) in flow.locations.iter().enumerate() {
            let entity = Entity::Location(LocationId(i));
            declared.names.declare(&location.name, entity);
        }
        return;
    }
    let mut labels: BTreeSet<Arc<str>> = BTreeSet::new();
    let mut add = |list: &[Name]| labels.extend(list.iter().map(|n| n.text.clone()));
    program.body.for_each_statement(&mut |s| {
        add(&s.labels);
        s.blocks().iter().for_each(|b| add(&b.end_labels));
    });
    add(&program.body.end_labels);
    for label in labels {
        let nowhere = Entity::Location(LocationId(0));
        declared.names.declare(&label, nowhere);
    }
}

/// The assertions and what is claimed behind the program, in the order of the text.
fn properties(
    declared: &mut Declared<'_>,
    program: &Program,
    assertions: &[Assertion],
    flow: Option<&ControlFlow>,
) -> Vec<Property> {
    let mut list = Vec::new();
    for (i, assertion) in assertions.iter().enumerate() {
        let location = flow.map_or(LocationId(0), |f| f.assertions[i]);
        let property = Property {
            name: assertion.name.clone(),
            kind: PropertyKind::AtLocation(location, assertion.formula),
            span: assertion.span,
        };
        add_property(declared, &mut list, property);
    }
    for claim in &program.claims {
        if let Ok(kind) = claim_kind(declared, claim) {
            let property = Property {
                name: claim.name.text.to_string(),
                kind,
                span: claim.span,
            };
            add_property(declared, &mut list, property);
        }
    }
    list
}

fn claim_kind(declared: &mut Declared<'_>, claim: &Claim) -> Elaborated<PropertyKind> {
    match &claim.kind {
        ClaimKind::At(labels, formula) => {
            let places: Vec<_> = labels.iter().map(|l| location(declared, l)).collect();
            let formula = declared.elaborator().formula(formula);
            let places: Elaborated<BTreeSet<LocationId>> = places.into_iter().collect();
            Ok(at_locations(places?, formula?))
        }
        ClaimKind::Invariant(formula) => {
            let formula = declared.elaborator().formula(formula)?;
            Ok(PropertyKind::Invariant(formula))
        }
        ClaimKind::Error(formula) => {
            let formula = declared.elaborator().formula(formula)?;
            Ok(PropertyKind::Error(formula))
        }
        ClaimKind::Ctl(formula) => Ok(PropertyKind::Ctl(declared.elaborator().ctl(formula)?)),
    }
}

/// The formula holds at all of the locations, of which there is at least one.
fn at_locations(places: BTreeSet<LocationId>, formula: Term) -> PropertyKind {
    let mut rest = places.into_iter();
    let first = rest.next().unwrap_or(LocationId(0));
    if rest.len() == 0 {
        return PropertyKind::AtLocation(first, formula);
    }
    let join = |all: Ctl, l: LocationId| Ctl::Or(Box::new(all), Box::new(Ctl::At(l)));
    let somewhere = rest.fold(Ctl::At(first), join);
    let claim = Ctl::implies(somewhere, Ctl::State(formula));
    PropertyKind::Ctl(Ctl::Ag(Box::new(claim)))
}

/// The location that a label names.
fn location(declared: &mut Declared<'_>, label: &Name) -> Elaborated<LocationId> {
    if let Some(Entity::Location(id)) = declared.names.entity(&label.text) {
        return Ok(*id);
    }
    let labels = declared.names.entities();
    let labels = labels.filter(|(_, e)| matches!(e, Entity::Location(_)));
    let help = match closest(&label.text, labels.map(|(n, _)| &**n)) {
        Some(close) => format!("did you mean `{close}`?"),
        None => "labels are written `l: x := 1` in the program".to_string(),
    };
    let message = format!("there is no label `{}`", label.text);
    Err(declared.error(Diagnostic::error("name", label.span, message).help(help)))
}
