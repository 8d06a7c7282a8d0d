//! Reads the annotated terms of a file.

use super::temporal::Temporal;
use crate::messages::Report as _;
use crate::stop_at_errors;
use rustc_hash::{FxHashMap, FxHashSet};
use sectile_base::{Diagnostic, Diagnostics, Source, Span};
use sectile_model::Ctl;
use sectile_smtlib::{
    Command, CommandKind, Extension, Meaning, Scope, Sexp, Tree, Undeclared, annotations, declare,
    parse_extended, parse_sort, parse_term, read_script,
};
use sectile_terms::{Sort, Symbol, SymbolKind, Term, Terms};

/// An annotated formula.
#[derive(Clone, Debug)]
pub(super) struct Marked {
    /// The name of its definition.
    pub name: String,
    pub formula: Term,
    pub span: Span,
}

/// The contents of a file.
#[derive(Clone, Debug, Default)]
pub(super) struct Parts {
    pub variables: Vec<Symbol>,
    pub inputs: Vec<Symbol>,
    pub functions: Vec<Symbol>,
    pub init: Vec<Marked>,
    pub trans: Vec<Marked>,
    pub invariants: Vec<Marked>,
    pub live: Vec<Marked>,
    /// LTL formulas.
    pub ltl: Vec<(Marked, Ctl)>,
    /// Their state formulas.
    pub leaves: Vec<Marked>,
}

/// Reads the declarations, the definitions and their annotations.
pub(super) fn read(terms: &Terms, source: &Source) -> Result<Parts, Diagnostics> {
    let script = read_script(source.text())?;
    let mut wrong = Diagnostics::new();
    let mut reader = Reader {
        terms,
        tree: &script.tree,
        scope: Scope::new(Undeclared::Refused),
        pairs: pairs(&script.tree),
        temporal: Temporal::new(terms),
        is_linear: source.text().contains("ltl."),
        parts: Parts::default(),
    };
    for command in &script.commands {
        if let Err(diagnostic) = reader.command(command) {
            wrong.push(diagnostic);
        }
        if wrong.is_full() {
            break;
        }
    }
    for (next, (own, span)) in &reader.pairs.own {
        if !reader.scope.knows(own) || !reader.scope.knows(next) {
            let message = format!("`{own}` and `{next}` are not both declared");
            wrong.error("vmt-next", *span, message, "");
        }
    }
    stop_at_errors(&mut wrong)?;
    Ok(reader.parts)
}

/// The pairs of variables and next values.
#[derive(Default)]
struct Pairs<'s> {
    /// For each next value, the variable and the position of the annotation, in the order of the
    /// text.
    own: Vec<(&'s str, (&'s str, Span))>,
    next: FxHashMap<&'s str, &'s str>,
    state: FxHashSet<&'s str>,
}

/// All annotations `(! x :next y)` in a text.
fn pairs<'s>(tree: &Tree<'s>) -> Pairs<'s> {
    let mut pairs = Pairs::default();
    for e in marks(tree, tree.roots()) {
        let own = tree.list(e).and_then(|l| tree.symbol(*l.get(1)?));
        for (keyword, value) in annotations(tree, e) {
            let next = value.and_then(|v| tree.symbol(v));
            if let ("next", Some(own), Some(next)) = (keyword, own, next) {
                pairs.own.push((next, (own, tree.span(e))));
                pairs.next.insert(next, own);
                pairs.state.insert(own);
            }
        }
    }
    pairs
}

/// All annotations inside expressions, in the order of the text.
fn marks(tree: &Tree<'_>, roots: &[Sexp]) -> Vec<Sexp> {
    let mut found = Vec::new();
    let mut stack: Vec<Sexp> = roots.iter().rev().copied().collect();
    while let Some(e) = stack.pop() {
        let list = tree.list(e).unwrap_or(&[]);
        if list.first().and_then(|&h| tree.symbol(h)) == Some("!") {
            found.push(e);
        }
        stack.extend(list.iter().rev());
    }
    found
}

/// A step of the traversal of an expression.
enum Visit {
    Inside(Sexp),
    /// The bindings of a `let`, whose values have been visited.
    Bound(Sexp),
    /// The end of a `let`.
    End,
}

struct Reader<'r, 's> {
    terms: &'r Terms,
    tree: &'r Tree<'s>,
    scope: Scope,
    pairs: Pairs<'s>,
    temporal: Temporal<'r>,
    /// Whether temporal operators may occur: then terms are read twice.
    is_linear: bool,
    parts: Parts,
}

impl Reader<'_, '_> {
    /// A term that may contain temporal operators.
    fn term(&mut self, e: Sexp) -> Result<Term, Diagnostic> {
        let temporal = Some(&mut self.temporal as &mut dyn Extension);
        parse_extended(self.terms, self.tree, e, &mut self.scope, temporal)
    }

    fn command(&mut self, command: &Command<'_>) -> Result<(), Diagnostic> {
        match &command.kind {
            CommandKind::SetLogic(_)
            | CommandKind::SetOption(..)
            | CommandKind::SetInfo(..)
            | CommandKind::CheckSat
            | CommandKind::Exit => Ok(()),
            CommandKind::DeclareFun {
                name,
                arguments,
                result,
            } => {
                if !arguments.is_empty() {
                    let (terms, span, kind) = (self.terms, command.span, SymbolKind::Rigid);
                    let function =
                        declare(terms, self.tree, &command.kind, span, kind, &mut self.scope)?;
                    self.parts.functions.extend(function);
                    return Ok(());
                }
                self.declared(name, *result, command.span)
            }
            CommandKind::DefineFun {
                name,
                parameters,
                body,
                ..
            } => {
                self.marked_inside(name, *body)?;
                let is_plain = parameters.is_empty() && !self.scope.knows(name);
                if self.is_linear && is_plain {
                    let term = self.term(*body)?;
                    if self.temporal.is_inside(term) {
                        self.scope.define(name, Meaning::Term(term));
                        return Ok(());
                    }
                }
                let (terms, span) = (self.terms, command.span);
                let kind = SymbolKind::Input;
                declare(terms, self.tree, &command.kind, span, kind, &mut self.scope)?;
                Ok(())
            }
            CommandKind::Assert(e) => {
                let term = parse_term(self.terms, self.tree, *e, &mut self.scope)?;
                match self.terms.as_bool(term) {
                    Some(true) => Ok(()),
                    _ => Err(self
                        .tree
                        .error("vmt-command", *e, "only `true` is asserted in VMT")),
                }
            }
            _ => {
                let message = "this command has no meaning in VMT";
                Err(Diagnostic::error("vmt-command", command.span, message))
            }
        }
    }

    fn declared(&mut self, name: &str, sort: Sexp, span: Span) -> Result<(), Diagnostic> {
        let sort = parse_sort(self.terms, self.tree, sort, &self.scope)?;
        if self.scope.knows(name) {
            let message = format!("`{name}` is declared already");
            return Err(Diagnostic::error("smt-name", span, message));
        }
        let term = if let Some(own) = self.pairs.next.get(name).copied() {
            let symbol = self.state(own, sort, span)?;
            self.terms.next(symbol)
        } else if self.pairs.state.contains(name) {
            let symbol = self.state(name, sort, span)?;
            self.parts.variables.push(symbol);
            self.terms.var(symbol)
        } else {
            let symbol = self.terms.fresh(name, sort, SymbolKind::Input);
            self.parts.inputs.push(symbol);
            self.terms.var(symbol)
        };
        self.scope.define(name, Meaning::Term(term));
        Ok(())
    }

    fn state(&self, name: &str, sort: Sort, span: Span) -> Result<Symbol, Diagnostic> {
        let symbol = self.terms.declare(name, sort, SymbolKind::State);
        symbol.map_err(|_| {
            let message = format!("`{name}` and its next value have different sorts");
            Diagnostic::error("vmt-next", span, message)
        })
    }

    /// Records the annotations inside an expression, with names bound by `let` in scope.
    fn marked_inside(&mut self, name: &str, body: Sexp) -> Result<(), Diagnostic> {
        let depth = self.scope.depth();
        let mut open = vec![Visit::Inside(body)];
        let mut done = Ok(());
        while let (Some(next), true) = (open.pop(), done.is_ok()) {
            done = match next {
                Visit::Inside(e) => self.entered(name, e, &mut open),
                Visit::Bound(bindings) => self.bound(bindings),
                Visit::End => {
                    self.scope.pop();
                    Ok(())
                }
            };
        }
        while self.scope.depth() > depth {
            self.scope.pop();
        }
        done
    }

    /// Visits an expression: its parts come next.
    fn entered(&mut self, name: &str, e: Sexp, open: &mut Vec<Visit>) -> Result<(), Diagnostic> {
        let list = self.tree.list(e).unwrap_or(&[]);
        match (list.first().and_then(|&h| self.tree.symbol(h)), list) {
            (Some("let"), &[_, bindings, body]) => {
                open.extend([Visit::End, Visit::Inside(body), Visit::Bound(bindings)]);
                open.push(Visit::Inside(bindings));
            }
            (head, _) => {
                if head == Some("!") {
                    self.marked(name, e)?;
                }
                open.extend(list.iter().rev().map(|&part| Visit::Inside(part)));
            }
        }
        Ok(())
    }

    /// Opens a scope with bound names.
    fn bound(&mut self, bindings: Sexp) -> Result<(), Diagnostic> {
        let pairs = self.tree.list(bindings).unwrap_or(&[]).iter();
        let mut meanings = Vec::new();
        for &[name, value] in pairs.filter_map(|&b| self.tree.list(b)?.first_chunk::<2>()) {
            let term = self.term(value)?;
            meanings.extend(self.tree.symbol(name).map(|name| (name, term)));
        }
        self.scope.push();
        for (name, term) in meanings {
            self.scope.define(name, Meaning::Term(term));
        }
        Ok(())
    }

    fn marked(&mut self, name: &str, e: Sexp) -> Result<(), Diagnostic> {
        let Some(&inner) = self.tree.list(e).and_then(|l| l.get(1)) else {
            return Ok(());
        };
        for (keyword, _) in annotations(self.tree, e) {
            let is_linear = keyword == "ltl-property";
            let known = ["init", "trans", "invar-property", "live-property"];
            if !is_linear && !known.contains(&keyword) {
                continue;
            }
            let formula = self.term(inner)?;
            if self.terms.sort(formula) != Sort::Bool {
                let message = "this must be of sort Bool";
                return Err(self.tree.error("smt-sort", inner, message));
            }
            if !is_linear && self.temporal.is_inside(formula) {
                let message = "temporal operators stand in an `:ltl-property`";
                return Err(self.tree.error("vmt-state", inner, message));
            }
            let marked = Marked {
                name: name.to_string(),
                formula,
                span: self.tree.span(e),
            };
            match keyword {
                "init" => self.parts.init.push(marked),
                "trans" => self.parts.trans.push(marked),
                "invar-property" => self.parts.invariants.push(marked),
                "live-property" => self.parts.live.push(marked),
                _ => {
                    let mut leaves = Vec::new();
                    let read = self.temporal.formula(formula, &mut leaves);
                    let read = read.map_err(|m| self.tree.error("vmt-unsupported", inner, m))?;
                    let leaf = |formula: Term| Marked {
                        formula,
                        ..marked.clone()
                    };
                    self.parts.leaves.extend(leaves.into_iter().map(leaf));
                    self.parts.ltl.push((marked, read));
                }
            }
        }
        Ok(())
    }
}
