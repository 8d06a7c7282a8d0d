//! Reads the commands of both dialects: `declare-fun` and `assert`, `declare-rel` and `rule`.

use super::cases::Origin;
use super::opaque::Open;
use super::placeholders::{Book, Declared};
use super::types::TypeId;
use super::{cases, clausify};
use crate::stop_at_errors;
use sectile_base::{Diagnostic, Diagnostics, Source, Span};
use sectile_model::horn::{Clause, Predicate};
use sectile_model::{Expected, HornClauses};
use sectile_smtlib::export::Signature;
use sectile_smtlib::{
    Command, CommandKind, Meaning, Scope, Sexp, Tree, Undeclared, declare, parse_extended,
    read_script,
};
use sectile_terms::{Sort, Symbol, SymbolKind, Term, Terms};

/// The contents of a script. The predicates do not have parameters yet.
pub(super) struct Read {
    pub clauses: HornClauses,
    /// The sorts of the arguments of each predicate.
    pub sorts: Vec<Vec<Sort>>,
    /// The arguments of each predicate in the file, if some are of data types.
    pub signatures: Vec<Signature>,
    /// The functions and constants that the file declares.
    pub functions: Vec<Symbol>,
    /// The origin of each clause.
    pub origins: Vec<Origin>,
    /// Whether the file states that the clauses are satisfiable.
    pub expected: Option<Expected>,
}

/// Reads all clauses. All errors are reported.
pub(super) fn read(terms: &Terms, source: &Source) -> Result<Read, Diagnostics> {
    let script = read_script(source.text())?;
    let mut reader = Reader {
        terms,
        tree: &script.tree,
        scope: Scope::new(Undeclared::Refused),
        book: Book::new(terms),
        clauses: HornClauses::default(),
        open: Vec::new(),
        functions: Vec::new(),
        expected: None,
        asked: false,
    };
    reader
        .book
        .types
        .declare_all(&script.tree, &script.commands)?;
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
    let mut origins = cases::split(&reader.book, &mut clauses.clauses, reader.open);
    for (clause, origin) in clauses.clauses.iter_mut().zip(&mut origins) {
        origin.loose |= leave_free(clause, &reader.functions);
    }
    let mut sorts = Vec::new();
    let signatures = signatures(&reader.book);
    for declared in reader.book.predicates {
        let leaves = declared
            .types
            .iter()
            .flat_map(|&id| reader.book.types.leaves(id));
        sorts.push(leaves.map(|l| l.sort).collect());
        clauses.predicates.push(Predicate {
            name: declared.name,
            parameters: Vec::new(),
            span: declared.span,
        });
    }
    Ok(Read {
        clauses,
        sorts,
        signatures,
        functions: reader.functions,
        origins,
        expected: reader.expected,
    })
}

/// Removes functions of the file from the variables of a clause. Returns whether it uses one.
///
/// Such a clause counts as an over-approximation. The clauses of the file must be true for some
/// interpretation of the functions, but the model allows every interpretation: a proof for all
/// interpretations is valid for some, but a derivation for one need not exist for another.
fn leave_free(clause: &mut Clause, functions: &[Symbol]) -> bool {
    let named = clause.variables.iter().zip(&clause.names);
    let own = named.filter(|(v, _)| !functions.contains(v));
    let (variables, names): (Vec<Symbol>, Vec<String>) = own.map(|(v, n)| (*v, n.clone())).unzip();
    let uses = variables.len() < clause.variables.len();
    (clause.variables, clause.names) = (variables, names);
    uses
}

/// The arguments of all predicates in the file; empty if all are of plain sorts.
fn signatures(book: &Book<'_>) -> Vec<Signature> {
    let types = &book.types;
    let mut all = book.predicates.iter().flat_map(|p| &p.types);
    if all.all(|&id| types.sort(id).is_some()) {
        return Vec::new();
    }
    let signature = |p: &Declared| Signature {
        arguments: p.types.iter().map(|&id| types.argument(id)).collect(),
    };
    book.predicates.iter().map(signature).collect()
}

struct Reader<'r, 's> {
    terms: &'r Terms,
    tree: &'r Tree<'s>,
    scope: Scope,
    book: Book<'r>,
    clauses: HornClauses,
    /// For each clause, its opaque operations.
    open: Vec<Open>,
    /// The declared functions and constants.
    functions: Vec<Symbol>,
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
            // Data types were declared before everything else.
            CommandKind::DeclareDatatypes(_)
            | CommandKind::SetOption(..)
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
                let id = self.type_at(*result)?;
                match self.book.types.sort(id) {
                    Some(Sort::Bool) => self.predicate(name, arguments, span),
                    _ => self.function(command, name, &[&arguments[..], &[*result]].concat()),
                }
            }
            CommandKind::DeclareRel(name, arguments) => self.predicate(name, arguments, span),
            CommandKind::DeclareVar(name, sort) => self.variable(name, *sort, span),
            CommandKind::DefineFun { .. }
            | CommandKind::DeclareSort(..)
            | CommandKind::DefineSort(..) => {
                let (terms, tree, input) = (self.terms, self.tree, SymbolKind::Input);
                declare(terms, tree, &command.kind, span, input, &mut self.scope)?;
                if let CommandKind::DeclareSort(name, _) | CommandKind::DefineSort(name, _) =
                    &command.kind
                    && let Some(sort) = self.scope.sort(name)
                {
                    self.book.types.declare_sort(name, sort);
                }
                Ok(())
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
        let types = sorts
            .iter()
            .map(|&e| self.type_at(e))
            .collect::<Result<_, _>>()?;
        self.refuse_known(name, span)?;
        self.book.declare(Declared {
            name: name.to_string(),
            types,
            span,
        });
        Ok(())
    }

    /// A function with arguments and a result of these sorts, or a constant: rigid in the model.
    fn function(
        &mut self,
        command: &Command<'_>,
        name: &str,
        sorts: &[Sexp],
    ) -> Result<(), Diagnostic> {
        for &e in sorts {
            let id = self.type_at(e)?;
            if self.book.types.sort(id).is_none() {
                let message = "functions and constants of data types are not supported";
                return Err(self.tree.error("chc-unsupported", e, message));
            }
        }
        let span = command.span;
        self.refuse_known(name, span)?;
        let (terms, tree, rigid) = (self.terms, self.tree, SymbolKind::Rigid);
        let symbol = declare(terms, tree, &command.kind, span, rigid, &mut self.scope)?;
        self.functions.extend(symbol);
        Ok(())
    }

    fn type_at(&mut self, e: Sexp) -> Result<TypeId, Diagnostic> {
        self.book.types.parse(self.tree, e)
    }

    fn refuse_known(&self, name: &str, span: Span) -> Result<(), Diagnostic> {
        if self.scope.knows(name) || self.book.position(name).is_some() {
            let message = format!("`{name}` is declared already");
            return Err(Diagnostic::error("smt-name", span, message));
        }
        Ok(())
    }

    fn variable(&mut self, name: &str, e: Sexp, span: Span) -> Result<(), Diagnostic> {
        let id = self.type_at(e)?;
        self.refuse_known(name, span)?;
        let variable = self.book.declared_variable(name, id);
        self.scope.define(name, Meaning::Term(variable));
        Ok(())
    }

    fn formula(&mut self, e: Sexp) -> Result<Term, Diagnostic> {
        self.book.next_clause();
        let book = Some(&mut self.book as _);
        let term = parse_extended(self.terms, self.tree, e, &mut self.scope, book)?;
        match self.terms.sort(term) {
            Sort::Bool if !self.book.is_handle(term) => Ok(term),
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

    /// `(query P)` states that `P` must not be derivable for any arguments.
    fn query(&mut self, e: Sexp, span: Span) -> Result<(), Diagnostic> {
        let bare = self.tree.symbol(e);
        let bare = bare.and_then(|name| self.book.position(name));
        let formula = match bare {
            Some(p) => {
                self.book.next_clause();
                let types = self.book.predicates[p].types.clone();
                let mut arguments = Vec::new();
                for (k, &id) in types.iter().enumerate() {
                    let value = self.book.variables(&format!("x{k}"), id);
                    arguments.extend(self.book.parts(value).1);
                }
                self.book.application(p, arguments, span)
            }
            None => self.formula(e)?,
        };
        self.add(self.terms.not(formula), span)
    }

    fn add(&mut self, formula: Term, span: Span) -> Result<(), Diagnostic> {
        let typed = self.terms.and(self.book.conditions.iter().copied());
        let formula = self.terms.implies(typed, formula);
        for mut clause in clausify::clauses(&self.book, formula, span)? {
            let mut open = self.book.opaque.clone();
            self.book.resolve(&mut clause, &mut open);
            self.open.push(open);
            self.clauses.clauses.push(clause);
        }
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
