//! The front-end for the while language, documented in `docs/format/imp.md`.
//!
//! | step | where | paper |
//! |---|---|---|
//! | text to statements | `parser.rs`, `ast.rs` | |
//! | names, types, parameters | `declare.rs` | |
//! | statements to locations and edges | `lower.rs` | [Fr23, Def. 2] |
//! | graphs to text | `print.rs` | |
//!
//! The trace semantics of [Fr23, Def. 1] is implemented in the tests, which compare it with the
//! runs of the graphs.

mod ast;
mod declare;
pub(crate) mod lower;
mod outline;
mod parser;
mod print;
pub(crate) mod text;
#[cfg(test)]
mod trace_semantics;

pub use print::{Detail, print_graph};

use self::ast::Program;
use self::declare::Declared;
use crate::elaborate::{Elaborated, Entity};
use crate::format::{Form, format};
use crate::linear::{add_monitors, declare_added, linear_properties};
use crate::messages::{Report as _, all, did_you_mean};
use crate::outline::Outline;
use crate::syntax::{ClaimKind, Expr, Name};
use crate::{Frontend, Info, ReadOptions, Reading, stop_at_errors};
use sectile_base::{Diagnostics, Source, Span};
use sectile_model::{Ctl, LocationId, Model, Property, PropertyKind};
use sectile_terms::{Term, Terms};
use std::collections::BTreeSet;

/// The front-end for the while language.
pub struct Imp;

impl Frontend for Imp {
    fn info(&self) -> Info {
        Info {
            name: "imp",
            ending: "imp",
            texts: "while programs",
            parameters: true,
            ..Info::default()
        }
    }

    fn read(
        &self,
        terms: &Terms,
        source: &Source,
        options: &ReadOptions,
    ) -> Result<Reading, Diagnostics> {
        let parser::Text {
            program,
            mut diagnostics,
            comments,
            ..
        } = parser::parse(source);
        stop_at_errors(&mut diagnostics)?;
        let mut declared = declare::declare(terms, &program, options, diagnostics);
        stop_at_errors(&mut declared.diagnostics)?;
        let mut init = Vec::new();
        for condition in &program.initial {
            if let Ok(term) = declared.elaborator().formula(condition) {
                init.extend(terms.conjuncts(term));
            }
        }
        let end = end_of(source, &program);
        if program.body.is_empty() {
            let help = "a program has at least one statement, such as `x := x + 1`";
            declared.error("empty", end, "there is no program", help);
        }
        let flow = lower::lower(&mut declared, source, &program.body, end);
        let named = flow.locations.iter().enumerate();
        let named = named.map(|(i, location)| (location.name.as_str(), LocationId(i)));
        let labels = flow.labels.iter().map(|(name, id)| (&**name, *id));
        for (name, id) in labels.chain(named) {
            declared.names.declare(name, Entity::Location(id));
        }
        let mut properties = properties(&mut declared, &program, flow.assertions);
        stop_at_errors(&mut declared.diagnostics)?;
        let mut model = Model {
            name: stem(source.name()),
            init,
            locations: flow.locations,
            edges: flow.edges,
            ..declared.model
        };
        let (mut names, mut warnings) = (declared.names, declared.diagnostics);
        let known = model.variables.len();
        let is_linear = |p: &Property| {
            let mut claims = program.claims.iter();
            claims.any(|c| matches!(c.kind, ClaimKind::Ltl(_)) && *c.name.text == *p.name)
        };
        let linear = properties.iter().enumerate();
        let linear = linear.filter(|(_, p)| is_linear(p)).map(|(k, _)| k);
        let linear: Vec<usize> = linear.collect();
        let open = linear_properties(terms, &mut properties, &linear);
        let picks = add_monitors(terms, &mut model, &mut properties, &open, &mut warnings);
        stop_at_errors(&mut warnings)?;
        declare_added(terms, &mut names, &model.variables[known..], &picks);
        let mut reading = Reading::new(model, properties, names, parser::DIALECT, warnings);
        reading.module.parameters = declared.parameters;
        Ok(reading.with_headers(source, &comments))
    }

    fn format(&self, source: &Source) -> Option<Result<String, Diagnostics>> {
        let mut text = parser::parse(source);
        let form = Form {
            language: parser::DIALECT.into(),
            starts: text.starts,
            labels: true,
        };
        let sound = stop_at_errors(&mut text.diagnostics);
        Some(sound.map(|()| format(source, &form)))
    }

    fn outline(&self, source: &Source) -> Option<Outline> {
        Some(outline::outline(source))
    }
}

/// The name of a file without its folders and its extension.
pub(crate) fn stem(name: &str) -> String {
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    match file.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem.to_string(),
        _ => file.to_string(),
    }
}

/// The position of the program's end: a label there, or the end of the last statement.
fn end_of(source: &Source, program: &Program) -> Span {
    if let Some(label) = program.body.end_labels.first() {
        return label.span;
    }
    let behind = program.claims.first().map(|c| c.span.start as usize);
    let before = &source.text()[..behind.unwrap_or(source.text().len())];
    let end = before.trim_end().len();
    Span::new(end, end)
}

/// The assertions and the properties after the program, in the order of the text.
fn properties(
    declared: &mut Declared<'_>,
    program: &Program,
    assertions: Vec<Property>,
) -> Vec<Property> {
    let claims = program.claims.iter().filter_map(|claim| {
        let kind = match &claim.kind {
            ClaimKind::At(labels, formula) => at_locations(declared, labels, formula),
            kind => declared.elaborator().claim(kind),
        };
        Some(Property {
            name: claim.name.text.to_string(),
            kind: kind.ok()?,
            span: claim.span,
        })
    });
    let claims: Vec<Property> = claims.collect();
    let mut list: Vec<Property> = Vec::new();
    for property in assertions.into_iter().chain(claims) {
        if list.iter().any(|p| p.name == property.name) {
            let message = format!("there are two properties called `{}`", property.name);
            let help = "name them: `assert NAME: Q`, `always NAME: l => Q`";
            declared.error("duplicate", property.span, message, help);
        }
        list.push(property);
    }
    list
}

/// The property that a formula holds at all of the locations, of which there is at least one.
fn at_locations(
    declared: &mut Declared<'_>,
    labels: &[Name],
    formula: &Expr,
) -> Elaborated<PropertyKind> {
    let places = all(labels.iter().map(|l| location(declared, l)));
    let formula = declared.elaborator().formula(formula);
    let (places, formula): (BTreeSet<LocationId>, Term) = (places?, formula?);
    let mut rest = places.into_iter();
    let first = rest.next().unwrap_or(LocationId(0));
    if rest.len() == 0 {
        return Ok(PropertyKind::AtLocation(first, formula));
    }
    let join = |all: Ctl, l: LocationId| Ctl::Or(Box::new(all), Box::new(Ctl::At(l)));
    let somewhere = rest.fold(Ctl::At(first), join);
    let claim = Ctl::implies(somewhere, Ctl::State(formula));
    Ok(PropertyKind::Ctl(Ctl::Ag(Box::new(claim))))
}

/// The location of a label.
fn location(declared: &mut Declared<'_>, label: &Name) -> Elaborated<LocationId> {
    if let Some(Entity::Location(id)) = declared.names.entities.get(&*label.text) {
        return Ok(*id);
    }
    let labels = declared.names.entities.iter();
    let labels = labels.filter(|(_, e)| matches!(e, Entity::Location(_)));
    let otherwise = "labels are written `l: x := 1` in the program";
    let help = did_you_mean(&label.text, labels.map(|(n, _)| &**n), otherwise);
    let message = format!("there is no label `{}`", label.text);
    Err(declared.error("name", label.span, message, help))
}
