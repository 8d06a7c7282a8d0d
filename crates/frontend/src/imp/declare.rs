//! What the names of a program are: parameters, variables, constants.

use super::ast::{Program, StatementKind, Type};
use crate::elaborate::{
    Bounds, Elaborated, Elaborator, Entity, Expansion, Family, Names, enumeration,
};
use crate::syntax::{Expr, ExprKind, Name, Reported};
use crate::{ReadOptions, parameters};
use sectile_base::{Diagnostic, Diagnostics, Int, Span};
use sectile_terms::{Sort, Symbol, SymbolKind, Term, Terms};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What is known about a program, and what is wrong with it.
pub struct Declared<'t> {
    pub terms: &'t Terms,
    pub names: Names,
    pub diagnostics: Diagnostics,
    /// How much was expanded so far.
    pub expansion: Expansion,
    pub parameters: Vec<(String, Int)>,
    /// Variables that some statement assigns.
    pub variables: Vec<Symbol>,
    /// The others.
    pub rigid: Vec<Symbol>,
    /// The ranges of variables.
    pub restrict: Vec<Term>,
    places: BTreeMap<Arc<str>, Span>,
}

/// Declares everything that a program mentions.
///
/// Variables need no declaration: a name in a statement is an integer variable. Names that occur
/// in assertions and properties only are not declared, they are most likely slips.
pub fn declare<'t>(
    terms: &'t Terms,
    program: &Program,
    options: &ReadOptions,
    diagnostics: Diagnostics,
) -> Declared<'t> {
    let mut declared = Declared {
        terms,
        names: Names::new(),
        diagnostics,
        expansion: Expansion::new(),
        parameters: Vec::new(),
        variables: Vec::new(),
        rigid: Vec::new(),
        restrict: Vec::new(),
        places: BTreeMap::new(),
    };
    declared.parameters(program, options);
    let assigned = assigned(program);
    for variable in &program.variables {
        if declared.claim(&variable.name).is_ok()
            && let Ok((sort, bounds)) = declared.sort_of(&variable.name, &variable.kind)
        {
            declared.variable(&variable.name, sort, bounds, &assigned);
        }
    }
    for name in mentioned(program) {
        if declared.names.entity(&name.text).is_none()
            && declared.names.variants(&name.text).is_empty()
            && !declared.places.contains_key(&name.text)
        {
            declared.places.insert(name.text.clone(), name.span);
            declared.variable(name, Sort::Int, Bounds::default(), &assigned);
        }
    }
    declared.labels(program);
    declared
}

impl<'t> Declared<'t> {
    /// An elaborator with the names known so far.
    pub fn elaborator(&mut self) -> Elaborator<'_> {
        Elaborator::new(
            self.terms,
            &self.names,
            &mut self.diagnostics,
            &mut self.expansion,
        )
    }

    /// Adds an error.
    pub fn error(&mut self, diagnostic: Diagnostic) -> Reported {
        self.diagnostics.push(diagnostic);
        Reported
    }

    /// Takes a name that must be declared once.
    fn claim(&mut self, name: &Name) -> Elaborated<()> {
        if self.places.contains_key(&name.text) {
            let message = format!("`{}` is declared twice", name.text);
            return Err(self.error(Diagnostic::error("duplicate", name.span, message)));
        }
        self.places.insert(name.text.clone(), name.span);
        Ok(())
    }

    /// The values of the parameters, in the order of the text: those of the user, or the
    /// defaults, which may mention earlier parameters.
    fn parameters(&mut self, program: &Program, options: &ReadOptions) {
        let known: Vec<&str> = program.parameters.iter().map(|p| &*p.name.text).collect();
        let given = parameters::given(&known, options, &mut self.diagnostics);
        for parameter in &program.parameters {
            let name = &parameter.name;
            let what = "the value of a parameter";
            let default = self.elaborator().constant(&parameter.value, what);
            let (Ok(()), Ok(default)) = (self.claim(name), default) else {
                continue;
            };
            let value = given.get(&*name.text).cloned().unwrap_or(default);
            self.names
                .declare(&name.text, Entity::Parameter(value.clone()));
            self.parameters.push((name.text.to_string(), value));
        }
    }

    fn sort_of(&mut self, name: &Name, kind: &Type) -> Elaborated<(Sort, Bounds)> {
        let free = Bounds::default();
        Ok(match kind {
            Type::Bool => (Sort::Bool, free),
            Type::Int => (Sort::Int, free),
            Type::Real => (Sort::Real, free),
            Type::Nat => {
                let low = Some(Int::ZERO);
                (Sort::Int, Bounds { low, high: None })
            }
            Type::Range(ends) => {
                let what = "the bound of a range";
                let low = self.elaborator().constant(&ends.0, what);
                let high = self.elaborator().constant(&ends.1, what);
                let (low, high) = (low?, high?);
                if low > high {
                    let message = format!("the range {low}..{high} is empty");
                    let span = ends.0.span.to(ends.1.span);
                    return Err(self.error(Diagnostic::error("range", span, message)));
                }
                let (low, high) = (Some(low), Some(high));
                (Sort::Int, Bounds { low, high })
            }
            Type::Enumeration(values) => (self.enumeration(name, values)?, free),
        })
    }

    fn enumeration(&mut self, name: &Name, values: &[Name]) -> Elaborated<Sort> {
        let mut texts: Vec<String> = Vec::new();
        for value in values {
            if texts.iter().any(|t| **t == *value.text) {
                let message = format!("the value `{}` is listed twice", value.text);
                return Err(self.error(Diagnostic::error("duplicate", value.span, message)));
            }
            texts.push(value.text.to_string());
        }
        let id = enumeration(self.terms, &name.text, &texts);
        self.names.declare_variants(self.terms, id);
        Ok(Sort::Enum(id))
    }

    /// Declares a variable, or a constant where nothing assigns it.
    fn variable(&mut self, name: &Name, sort: Sort, bounds: Bounds, assigned: &BTreeSet<Arc<str>>) {
        let changes = assigned.contains(&name.text);
        let kind = match changes {
            true => SymbolKind::State,
            false => SymbolKind::Rigid,
        };
        let Ok(symbol) = self.terms.declare(&name.text, sort, kind) else {
            let message = format!("the name `{}` is used by another model", name.text);
            self.error(Diagnostic::error("name", name.span, message));
            return;
        };
        match changes {
            true => self.variables.push(symbol),
            false => self.rigid.push(symbol),
        }
        let conditions = bounds.conditions(self.terms, self.terms.var(symbol));
        self.restrict.extend(conditions);
        self.names.declare_element(self.terms, symbol, bounds);
        let family = Family::single(symbol);
        self.names.declare(&name.text, Entity::Family(family));
    }

    /// What a name is, in the words of a message.
    fn meaning(&self, name: &str) -> Option<&'static str> {
        match self.names.entity(name) {
            Some(Entity::Parameter(_)) => Some("a parameter"),
            Some(_) => Some("a variable"),
            None if self.names.variants(name).is_empty() => None,
            None => Some("a value of a type"),
        }
    }

    /// Labels must be different from each other and from all other names.
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
                let message = format!("the label `{text}` stands at two places");
                let diagnostic = Diagnostic::error("duplicate", name.span, message);
                self.error(diagnostic.help("every location needs its own label"));
            } else if let Some(what) = self.meaning(text) {
                let message = format!("`{text}` is both a label and {what}");
                let diagnostic = Diagnostic::error("duplicate", name.span, message);
                self.error(diagnostic.help("choose another name for the label"));
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
        StatementKind::Assign(name, _) | StatementKind::Havoc(name) => {
            found.push(name);
            s.expressions()
                .into_iter()
                .for_each(|e| names_in(e, &mut found));
        }
        StatementKind::Assert(..) => {}
        _ => s
            .expressions()
            .into_iter()
            .for_each(|e| names_in(e, &mut found)),
    });
    found
}

/// The free names of an expression, without those of calls: there is nothing to call.
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
