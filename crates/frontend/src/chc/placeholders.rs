//! Predicates and quantifiers inside terms.
//!
//! Terms have neither. While a clause is read, each stands for itself as a Boolean of its own,
//! and this book remembers what it is; so `let`, sharing and simplification work as for all terms.

use rustc_hash::FxHashMap;
use sectile_base::{Diagnostic, Span};
use sectile_model::horn::Application;
use sectile_smtlib::{Extension, Quantifier, Sexp, Tree, print_sort};
use sectile_terms::{Sort, Symbol, SymbolKind, Term, Terms};

/// A declared predicate.
pub(super) struct Declared {
    pub name: String,
    pub sorts: Vec<Sort>,
    pub span: Span,
}

/// What a Boolean stands for.
#[derive(Clone, Debug)]
pub(super) enum Meaning {
    Predicate(Application, Span),
    Quantified(Quantifier, Term, Span),
}

/// Everything that was declared, and what stands for what.
pub(super) struct Book<'t> {
    pub terms: &'t Terms,
    pub predicates: Vec<Declared>,
    positions: FxHashMap<String, usize>,
    meanings: FxHashMap<Symbol, Meaning>,
    /// The same application in one clause is the same Boolean.
    known: FxHashMap<(usize, Vec<Term>), Term>,
    /// Variables are used again in every clause: there are many clauses and few names.
    pool: FxHashMap<(String, Sort), Vec<Symbol>>,
    used: FxHashMap<(String, Sort), usize>,
    names: FxHashMap<Symbol, String>,
}

impl<'t> Book<'t> {
    pub fn new(terms: &'t Terms) -> Book<'t> {
        Book {
            terms,
            predicates: Vec::new(),
            positions: FxHashMap::default(),
            meanings: FxHashMap::default(),
            known: FxHashMap::default(),
            pool: FxHashMap::default(),
            used: FxHashMap::default(),
            names: FxHashMap::default(),
        }
    }

    /// Declares a predicate whose name is free.
    pub fn declare(&mut self, predicate: Declared) {
        let position = self.predicates.len();
        self.positions.insert(predicate.name.clone(), position);
        self.predicates.push(predicate);
    }

    pub fn position(&self, name: &str) -> Option<usize> {
        self.positions.get(name).copied()
    }

    /// Another clause begins.
    pub fn next_clause(&mut self) {
        self.known.clear();
        self.used.clear();
    }

    /// A variable with this name that the clause does not have yet.
    pub fn variable(&mut self, name: &str, sort: Sort) -> Symbol {
        let key = (name.to_string(), sort);
        let used = self.used.entry(key.clone()).or_default();
        let list = self.pool.entry(key).or_default();
        if *used == list.len() {
            list.push(fresh(self.terms, &mut self.names, name, sort));
        }
        *used += 1;
        list[*used - 1]
    }

    /// A variable that all clauses share.
    pub fn declared_variable(&mut self, name: &str, sort: Sort) -> Symbol {
        fresh(self.terms, &mut self.names, name, sort)
    }

    /// What the file calls a variable.
    pub fn name(&self, symbol: Symbol) -> &str {
        self.names.get(&symbol).map_or("?", String::as_str)
    }

    pub fn meaning(&self, symbol: Symbol) -> Option<&Meaning> {
        self.meanings.get(&symbol)
    }

    /// The Boolean that stands for an application.
    pub fn application(&mut self, predicate: usize, arguments: Vec<Term>, span: Span) -> Term {
        let key = (predicate, arguments);
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let application = Application {
            predicate,
            arguments: key.1.clone(),
        };
        let placeholder = self.placeholder(Meaning::Predicate(application, span));
        self.known.insert(key, placeholder);
        placeholder
    }

    fn placeholder(&mut self, meaning: Meaning) -> Term {
        let symbol = self.terms.fresh("?", Sort::Bool, SymbolKind::Rigid);
        self.meanings.insert(symbol, meaning);
        self.terms.var(symbol)
    }
}

/// A new variable that the file calls like this.
fn fresh(terms: &Terms, names: &mut FxHashMap<Symbol, String>, name: &str, sort: Sort) -> Symbol {
    let symbol = terms.fresh(&format!("{name}?"), sort, SymbolKind::Input);
    names.insert(symbol, name.to_string());
    symbol
}

/// Why a sort is refused, if it is.
pub(super) fn unsupported(terms: &Terms, sort: Sort) -> Option<String> {
    let mut element = sort;
    while let Sort::Array(id) = element {
        let (index, inner) = terms.array_parts(id);
        if matches!(index, Sort::Array(_)) {
            let text = print_sort(terms, sort);
            return Some(format!("arrays over arrays are not supported: {text}"));
        }
        element = inner;
    }
    None
}

impl Extension for Book<'_> {
    fn apply(
        &mut self,
        tree: &Tree<'_>,
        at: Sexp,
        name: &str,
        arguments: &[Term],
    ) -> Option<Result<Term, Diagnostic>> {
        let position = self.position(name)?;
        let sorts = &self.predicates[position].sorts;
        if sorts.len() != arguments.len() {
            let (wanted, found) = (sorts.len(), arguments.len());
            let message = format!("`{name}` needs {wanted} arguments and has {found}");
            return Some(Err(tree.error("chc-arguments", at, message)));
        }
        let mut fitted = Vec::with_capacity(arguments.len());
        for (k, (&a, &sort)) in arguments.iter().zip(sorts).enumerate() {
            fitted.push(match (self.terms.sort(a), sort) {
                (own, wanted) if own == wanted => a,
                (Sort::Int, Sort::Real) => self.terms.to_real(a),
                _ => {
                    let sort = print_sort(self.terms, sort);
                    let message = format!("argument {} of `{name}` must be of sort {sort}", k + 1);
                    return Some(Err(tree.error("chc-arguments", at, message)));
                }
            });
        }
        Some(Ok(self.application(position, fitted, tree.span(at))))
    }

    fn bound(
        &mut self,
        tree: &Tree<'_>,
        at: Sexp,
        name: &str,
        sort: Sort,
    ) -> Result<Symbol, Diagnostic> {
        match unsupported(self.terms, sort) {
            Some(why) => Err(tree.error("chc-unsupported", at, why)),
            None => Ok(self.variable(name, sort)),
        }
    }

    fn quantified(
        &mut self,
        tree: &Tree<'_>,
        at: Sexp,
        quantifier: Quantifier,
        body: Term,
    ) -> Result<Term, Diagnostic> {
        Ok(self.placeholder(Meaning::Quantified(quantifier, body, tree.span(at))))
    }
}
