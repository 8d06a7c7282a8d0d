//! The commands of both dialects: `declare-fun` and `assert`, `declare-rel` and `rule`.

use super::clausify;
use super::placeholders::{Book, Declared, unsupported};
use crate::stop_at_errors;
use sectile_base::{Diagnostic, Diagnostics, Source, Span};
use sectile_model::horn::Predicate;
use sectile_model::{Expected, HornClauses};
use sectile_smtlib::{
    Command, CommandKind, Meaning, Scope, Sexp, Tree, Undeclared, declare, parse_extended,
    parse_sort, read_script,
};
use sectile_terms::{Sort, SymbolKind, Term, Terms};

/// A script that was read. The predicates have no parameters yet.
pub(super) struct Read {
    pub clauses: HornClauses,
    /// The sorts of the arguments of each predicate.
    pub sorts: Vec<Vec<Sort>>,
    /// Whether the file says that the clauses are satisfiable.
    pub expected: Option<Expected>,
}

/// Reads all clauses. All mistakes are reported.
pub(super) fn read(terms: &Terms, source: &Source) -> Result<Read, Diagnostics> {
    let script = read_script(source.text())?;
    let mut reader = Reader {
        terms,
        tree: &script.tree,
        scope: Scope::new(Undeclared::Refused),
        book: Book::new(terms),
        clauses: HornClauses::default(),
        expected: None,
        asked: false,
    };
    let mut wrong = Diagnostics::new();
    let commands = script.commands.iter();
    for command in commands.take_while(|c| c.kind != CommandKind::Exit) {
        if let Err(diagnostic) = reader.command(command) {
            wrong.push(diagnostic);
        }
        if wrong.is_full() {
            break;
        }
    }
    stop_at_errors(&mut wrong)?;
    let mut clauses = reader.clauses;
    let mut sorts = Vec::new();
    for declared in reader.book.predicates {
        sorts.push(declared.sorts);
        clauses.predicates.push(Predicate {
            name: declared.name,
            parameters: Vec::new(),
            span: declared.span,
        });
    }
    Ok(Read {
        clauses,
        sorts,
        expected: reader.expected,
    })
}

const ONLY_PREDICATES: &str =
    "only predicates are unknown in Horn clauses; variables are bound by `forall` or `declare-var`";

/// The clauses would hold for some function, not for all of them.
const NO_FUNCTIONS: &str = "the clauses would be satisfiable if some function made them true, and only predicates are looked for; \
                            for any function, pass an array along as an argument";

struct Reader<'r, 's> {
    terms: &'r Terms,
    tree: &'r Tree<'s>,
    scope: Scope,
    book: Book<'r>,
    clauses: HornClauses,
    expected: Option<Expected>,
    asked: bool,
}

impl Reader<'_, '_> {
    fn command(&mut self, command: &Command<'_>) -> Result<(), Diagnostic> {
        let span = command.span;
        match &command.kind {
            CommandKind::SetLogic(name) => logic(name, span),
            CommandKind::SetInfo("status", Some(value)) => {
                self.expected = match self.tree.symbol(*value) {
                    Some("sat") => Some(Expected::Holds),
                    Some("unsat") => Some(Expected::Violated(None)),
                    _ => None,
                };
                Ok(())
            }
            CommandKind::SetOption(..)
            | CommandKind::SetInfo(..)
            | CommandKind::GetModel
            | CommandKind::GetProof
            | CommandKind::GetInfo(_)
            | CommandKind::GetUnsatCore
            | CommandKind::Echo(_) => Ok(()),
            CommandKind::CheckSat => {
                self.asked = true;
                Ok(())
            }
            CommandKind::DeclareFun {
                name,
                arguments,
                result,
            } => {
                let sort = parse_sort(self.terms, self.tree, *result, &self.scope)?;
                if sort != Sort::Bool {
                    let message = format!("`{name}` is no predicate");
                    let help = match arguments.is_empty() {
                        true => ONLY_PREDICATES,
                        false => NO_FUNCTIONS,
                    };
                    let error = self.tree.error("chc-unsupported", *result, message);
                    return Err(error.help(help));
                }
                self.predicate(name, arguments, span)
            }
            CommandKind::DeclareRel(name, arguments) => self.predicate(name, arguments, span),
            CommandKind::DeclareVar(name, sort) => self.variable(name, *sort, span),
            CommandKind::DefineFun { .. }
            | CommandKind::DeclareSort(..)
            | CommandKind::DefineSort(..) => {
                let (terms, tree, input) = (self.terms, self.tree, SymbolKind::Input);
                declare(terms, tree, &command.kind, span, input, &mut self.scope).map(|_| ())
            }
            CommandKind::Assert(e) | CommandKind::Rule(e) => self.clause(*e, span),
            CommandKind::Query(e) => self.query(*e, span),
            _ => {
                let message = "this command has no meaning for Horn clauses";
                Err(Diagnostic::error("chc-command", span, message))
            }
        }
    }

    fn predicate(&mut self, name: &str, sorts: &[Sexp], span: Span) -> Result<(), Diagnostic> {
        let sorts = sorts
            .iter()
            .map(|&e| self.sort(e))
            .collect::<Result<_, _>>()?;
        self.refuse_known(name, span)?;
        self.book.declare(Declared {
            name: name.to_string(),
            sorts,
            span,
        });
        Ok(())
    }

    fn sort(&self, e: Sexp) -> Result<Sort, Diagnostic> {
        let sort = parse_sort(self.terms, self.tree, e, &self.scope)?;
        match unsupported(self.terms, sort) {
            Some(why) => Err(self.tree.error("chc-unsupported", e, why)),
            None => Ok(sort),
        }
    }

    fn refuse_known(&self, name: &str, span: Span) -> Result<(), Diagnostic> {
        if self.scope.knows(name) || self.book.position(name).is_some() {
            let message = format!("`{name}` is declared already");
            return Err(Diagnostic::error("smt-name", span, message));
        }
        Ok(())
    }

    fn variable(&mut self, name: &str, e: Sexp, span: Span) -> Result<(), Diagnostic> {
        let sort = self.sort(e)?;
        self.refuse_known(name, span)?;
        let symbol = self.book.declared_variable(name, sort);
        self.scope
            .define(name, Meaning::Term(self.terms.var(symbol)));
        Ok(())
    }

    fn formula(&mut self, e: Sexp) -> Result<Term, Diagnostic> {
        self.book.next_clause();
        let book = Some(&mut self.book as _);
        let term = parse_extended(self.terms, self.tree, e, &mut self.scope, book)?;
        match self.terms.sort(term) {
            Sort::Bool => Ok(term),
            _ => Err(self.tree.error("smt-sort", e, "this must be of sort Bool")),
        }
    }

    fn clause(&mut self, e: Sexp, span: Span) -> Result<(), Diagnostic> {
        if self.asked {
            let message = "this clause comes after `check-sat`";
            return Err(Diagnostic::error("chc-command", span, message)
                .help("one set of clauses is checked for each file"));
        }
        let formula = self.formula(e)?;
        self.add(formula, span)
    }

    /// `(query P)` says that `P` must not be derivable, with whatever arguments.
    fn query(&mut self, e: Sexp, span: Span) -> Result<(), Diagnostic> {
        let bare = self.tree.symbol(e);
        let bare = bare.and_then(|name| self.book.position(name));
        let formula = match bare {
            Some(p) => {
                self.book.next_clause();
                let sorts = self.book.predicates[p].sorts.clone();
                let fresh = sorts.iter().enumerate();
                let arguments = fresh.map(|(k, &sort)| {
                    let symbol = self.book.variable(&format!("x{k}"), sort);
                    self.terms.var(symbol)
                });
                let arguments = arguments.collect();
                self.book.application(p, arguments, span)
            }
            None => self.formula(e)?,
        };
        self.add(self.terms.not(formula), span)
    }

    fn add(&mut self, formula: Term, span: Span) -> Result<(), Diagnostic> {
        let clauses = clausify::clauses(&self.book, formula, span)?;
        self.clauses.clauses.extend(clauses);
        Ok(())
    }
}

fn logic(name: &str, span: Span) -> Result<(), Diagnostic> {
    match name {
        "HORN" | "ALL" => Ok(()),
        _ => {
            let message = format!("this is a script of logic {name}, not of Horn clauses");
            Err(Diagnostic::error("chc-logic", span, message)
                .help("`sectile smt FILE` decides SMT-LIB scripts"))
        }
    }
}
