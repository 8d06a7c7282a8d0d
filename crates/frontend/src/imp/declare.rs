//! Declares the names of a program: parameters, variables, constants.

use super::ast::{Program, StatementKind};
use crate::elaborate::{
    Bounds, Elaborated, Elaborator, Entity, Expansion, Family, Names, enumeration,
};
use crate::messages::{Report, Reported};
use crate::syntax::{Expr, ExprKind, Name, TypeItem};
use crate::{ReadOptions, parameters};
use sectile_base::{Diagnostic, Diagnostics, Int, Span};
use sectile_model::Model;
use sectile_terms::{Sort, SymbolKind, Terms};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The declarations of a program, with errors found so far.
pub struct Declared<'t> {
    pub terms: &'t Terms,
    pub names: Names,
    pub diagnostics: Diagnostics,
    /// The amount of expansion so far.
    pub expansion: Expansion,
    pub parameters: Vec<(String, Int)>,
    /// The assigned variables, the others as constants, and their ranges.
    pub model: Model,
    /// The declared names, including those with an erroneous declaration.
    places: BTreeSet<Arc<str>>,
}

/// Declares all names of a program.
///
/// Variables need no declaration: a name in a statement is an integer variable. Names that occur
/// only in assertions and properties are not declared, because they are most likely typing errors.
pub fn declare<'t>(
    terms: &'t Terms,
    program: &Program,
    options: &ReadOptions,
    diagnostics: Diagnostics,
) -> Declared<'t> {
    let mut declared = Declared {
        terms,
        names: Names::default(),
        diagnostics,
        expansion: Expansion::default(),
        parameters: Vec::new(),
        model: Model::default(),
        places: BTreeSet::new(),
    };
    declared.parameters(program, options);
    let assigned = assigned(program);
    for (name, of) in &program.variables {
        if declared.claim(name).is_ok()
            && let Ok((sort, bounds)) = declared.sort_of(name, of)
        {
            declared.variable(name, sort, bounds, &assigned);
        }
    }
    for name in mentioned(program) {
        if !declared.is_taken(&name.text) && declared.places.insert(name.text.clone()) {
            declared.variable(name, Sort::Int, Bounds::default(), &assigned);
        }
    }
    declared.labels(program);
    declared
}

impl Report for Declared<'_> {
    fn report(&mut self, diagnostic: Diagnostic) -> Reported {
        self.diagnostics.report(diagnostic)
    }
}

impl Declared<'_> {
    /// An elaborator with the names known so far.
    pub fn elaborator(&mut self) -> Elaborator<'_> {
        let (diagnostics, expansion) = (&mut self.diagnostics, &mut self.expansion);
        Elaborator::new(self.terms, &self.names, diagnostics, expansion)
    }

    /// Whether a name has a meaning.
    pub fn is_taken(&self, name: &str) -> bool {
        self.names.entities.contains_key(name) || !self.names.variants(name).is_empty()
    }

    /// Records a declaration; a second one of the same name is an error.
    fn claim(&mut self, name: &Name) -> Elaborated<()> {
        if self.places.insert(name.text.clone()) {
            return Ok(());
        }
        let message = format!("`{}` is declared twice", name.text);
        Err(self.error("duplicate", name.span, message, ""))
    }

    /// Computes the values of the parameters, in the order of the text: those of the user, or the
    /// defaults, which may mention earlier parameters.
    fn parameters(&mut self, program: &Program, options: &ReadOptions) {
        let known: Vec<&str> = program.parameters.iter().map(|p| &*p.0.text).collect();
        let given = parameters::given(&known, options, &mut self.diagnostics);
        for (name, value) in &program.parameters {
            let what = "the value of a parameter";
            let default = self.elaborator().constant(value, what);
            let (Ok(()), Ok(default)) = (self.claim(name), default) else {
                continue;
            };
            let value = given.get(&*name.text).cloned().unwrap_or(default);
            self.names
                .declare(&name.text, Entity::Parameter(value.clone()));
            self.parameters.push((name.text.to_string(), value));
        }
    }

    fn sort_of(&mut self, name: &Name, of: &TypeItem) -> Elaborated<(Sort, Bounds)> {
        let free = Bounds::default();
        Ok(match of {
            TypeItem::Bool => (Sort::Bool, free),
            TypeItem::Int => (Sort::Int, free),
            TypeItem::Real => (Sort::Real, free),
            TypeItem::Nat => (Sort::Int, Bounds::natural()),
            TypeItem::Range(low, high) => (Sort::Int, self.elaborator().bounds_of_type(low, high)?),
            TypeItem::Values(values) => (self.enumeration(name, values)?, free),
            TypeItem::Named(_) | TypeItem::Array(..) | TypeItem::Record(..) => {
                unreachable!("the parser refuses these")
            }
        })
    }

    fn enumeration(&mut self, name: &Name, values: &[Name]) -> Elaborated<Sort> {
        let mut texts: Vec<String> = Vec::new();
        for value in values {
            if texts.iter().any(|t| **t == *value.text) {
                let message = format!("the value `{}` is listed twice", value.text);
                return Err(self.error("duplicate", value.span, message, ""));
            }
            texts.push(value.text.to_string());
        }
        let id = enumeration(self.terms, &name.text, &texts);
        self.names.declare_variants(self.terms, id);
        Ok(Sort::Enum(id))
    }

    /// Declares a variable, or a constant if nothing assigns it.
    fn variable(&mut self, name: &Name, sort: Sort, bounds: Bounds, assigned: &BTreeSet<Arc<str>>) {
        let (kind, list) = match assigned.contains(&name.text) {
            true => (SymbolKind::State, &mut self.model.variables),
            false => (SymbolKind::Rigid, &mut self.model.rigid),
        };
        let Ok(symbol) = self.terms.declare(&name.text, sort, kind) else {
            let message = format!("the name `{}` is used by another model", name.text);
            self.error("name", name.span, message, "");
            return;
        };
        list.push(symbol);
        let conditions = bounds.conditions(self.terms, self.terms.var(symbol));
        self.model.restrict.extend(conditions);
        self.names.declare_element(self.terms, symbol, bounds);
        let family = Family::single(symbol);
        self.names.declare(&name.text, Entity::Family(family));
    }

    /// The meaning of a name, for messages.
    fn meaning(&self, name: &str) -> Option<&'static str> {
        match self.names.entities.get(name) {
            Some(Entity::Parameter(_)) => Some("a parameter"),
            Some(_) => Some("a variable"),
            None if self.names.variants(name).is_empty() => None,
            None => Some("a value of a type"),
        }
    }

    /// Declares the labels, which must differ from each other and from all other names.
    fn labels(&mut self, program: &Program) {
        let mut found: Vec<&Name> = Vec::new();
        let body = &program.body;
        body.for_each_statement(&mut |s| {
            found.extend(&s.labels);
            found.extend(s.blocks().into_iter().flat_map(|b| &b.end_labels));
        });
        found.extend(&body.end_labels);
        found.sort_by_key(|n| n.span);
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        for name in found {
            let text: &str = &name.text;
            if !seen.insert(text) {
                let message = format!("the label `{text}` is used twice");
                let help = "every location needs its own label";
                self.error("duplicate", name.span, message, help);
            } else if let Some(what) = self.meaning(text) {
                let message = format!("`{text}` is both a label and {what}");
                let help = "choose another name for the label";
                self.error("duplicate", name.span, message, help);
            }
        }
    }
}

/// The names that are assigned somewhere.
fn assigned(program: &Program) -> BTreeSet<Arc<str>> {
    let mut found = BTreeSet::new();
    program.body.for_each_statement(&mut |s| match &s.kind {
        StatementKind::Assign(name, _) | StatementKind::Havoc(name) => {
            found.insert(name.text.clone());
        }
        _ => {}
    });
    found
}

/// The names in statements other than assertions, in the order of the text.
fn mentioned(program: &Program) -> Vec<&Name> {
    let mut found = Vec::new();
    program.body.for_each_statement(&mut |s| match &s.kind {
        StatementKind::Assert(..) => {}
        kind => {
            if let StatementKind::Assign(name, _) | StatementKind::Havoc(name) = kind {
                found.push(name);
            }
            s.expressions()
                .into_iter()
                .for_each(|e| names_in(e, &mut found));
        }
    });
    found
}

/// The free names of an expression, except for function names: programs have no functions.
fn names_in<'e>(expr: &'e Expr, found: &mut Vec<&'e Name>) {
    let mut calls: BTreeSet<Span> = BTreeSet::new();
    calls_in(expr, &mut calls);
    let free = expr.free_names().into_iter();
    found.extend(free.filter(|n| !calls.contains(&n.span)));
}

fn calls_in(expr: &Expr, found: &mut BTreeSet<Span>) {
    if let ExprKind::Call(call) = &expr.kind {
        found.insert(call.name.span);
    }
    expr.for_each_part(&mut |part| calls_in(part, found));
}
