//! Placeholders for predicates and quantifiers inside terms.
//!
//! Our terms have neither. While a clause is read, each is represented by a Boolean variable, whose
//! meaning is recorded in a [`Book`]; so `let`, sharing and simplification work as for all terms.

use super::opaque::Open;
use super::types::{TypeId, Types};
use super::values::Place;
use rustc_hash::FxHashMap;
use sectile_base::{Diagnostic, Span};
use sectile_model::horn::Application;
use sectile_smtlib::{Extension, Quantifier, Sexp, Tree};
use sectile_terms::{Sort, Symbol, SymbolKind, Term, Terms};

/// A declared predicate.
pub(super) struct Declared {
    pub name: String,
    pub types: Vec<TypeId>,
    pub span: Span,
}

/// The meaning of a Boolean placeholder.
#[derive(Clone, Debug)]
pub(super) enum Meaning {
    Predicate(Application, Span),
    Quantified(Quantifier, Term, Span),
}

/// All declarations, and the meanings of placeholders.
pub(super) struct Book<'t> {
    pub terms: &'t Terms,
    pub types: Types<'t>,
    pub predicates: Vec<Declared>,
    positions: FxHashMap<String, usize>,
    meanings: FxHashMap<Symbol, Meaning>,
    /// Equal applications in one clause share their Boolean.
    known: FxHashMap<(usize, Vec<Term>), Term>,
    /// Variables are reused in every clause: there are many clauses and few names.
    pool: FxHashMap<(String, Sort), Vec<Symbol>>,
    used: FxHashMap<(String, Sort), usize>,
    names: FxHashMap<Symbol, String>,
    /// Values of data types: their handles, with their types and leaves.
    pub values: FxHashMap<Term, (TypeId, Vec<Term>)>,
    pub handles: FxHashMap<(TypeId, Vec<Term>), Term>,
    /// Conditions on the variables of the clause that follow from their types.
    pub conditions: Vec<Term>,
    /// The same for variables shared by all clauses.
    shared_conditions: Vec<Term>,
    /// The opaque operations of the clause, with the variables for their results.
    pub opaque: Open,
}

impl<'t> Book<'t> {
    pub fn new(terms: &'t Terms) -> Book<'t> {
        Book {
            terms,
            types: Types::new(terms),
            predicates: Vec::new(),
            positions: FxHashMap::default(),
            meanings: FxHashMap::default(),
            known: FxHashMap::default(),
            pool: FxHashMap::default(),
            used: FxHashMap::default(),
            names: FxHashMap::default(),
            values: FxHashMap::default(),
            handles: FxHashMap::default(),
            conditions: Vec::new(),
            shared_conditions: Vec::new(),
            opaque: Vec::new(),
        }
    }

    /// Declares a predicate; the caller has checked that the name is free.
    pub fn declare(&mut self, predicate: Declared) {
        let position = self.predicates.len();
        self.positions.insert(predicate.name.clone(), position);
        self.predicates.push(predicate);
    }

    pub fn position(&self, name: &str) -> Option<usize> {
        self.positions.get(name).copied()
    }

    /// Begins another clause.
    pub fn next_clause(&mut self) {
        self.known.clear();
        self.used.clear();
        self.conditions.clone_from(&self.shared_conditions);
        self.opaque.clear();
    }

    /// A variable with this name that is not used in the clause yet.
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

    /// A value made of fresh variables of the clause; records the conditions of its type.
    pub fn variables(&mut self, name: &str, id: TypeId) -> Term {
        let leaves = self.types.leaves(id).iter();
        let wanted = leaves.map(|l| (self.types.leaf_name(name, l), l.sort));
        let wanted: Vec<(String, Sort)> = wanted.collect();
        let symbols = wanted.iter().map(|(name, sort)| self.variable(name, *sort));
        let symbols: Vec<Symbol> = symbols.collect();
        let leaves: Vec<Term> = symbols.iter().map(|&s| self.terms.var(s)).collect();
        self.conditions.extend(self.types.condition(id, &leaves));
        self.value(id, leaves)
    }

    /// A variable shared by all clauses.
    pub fn declared_variable(&mut self, name: &str, id: TypeId) -> Term {
        let leaves = self.types.leaves(id).iter();
        let leaves = leaves.map(|l| {
            let name = self.types.leaf_name(name, l);
            let symbol = fresh(self.terms, &mut self.names, &name, l.sort);
            self.terms.var(symbol)
        });
        let leaves: Vec<Term> = leaves.collect();
        self.shared_conditions
            .extend(self.types.condition(id, &leaves));
        self.value(id, leaves)
    }

    /// The name of a variable in the file.
    pub fn name(&self, symbol: Symbol) -> &str {
        self.names.get(&symbol).map_or("?", String::as_str)
    }

    pub fn meaning(&self, symbol: Symbol) -> Option<&Meaning> {
        self.meanings.get(&symbol)
    }

    /// The Boolean placeholder of an application.
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

/// A fresh variable with this name in the file.
fn fresh(terms: &Terms, names: &mut FxHashMap<Symbol, String>, name: &str, sort: Sort) -> Symbol {
    let symbol = terms.fresh(&format!("{name}?"), sort, SymbolKind::Input);
    names.insert(symbol, name.to_string());
    symbol
}

impl Extension for Book<'_> {
    fn apply(
        &mut self,
        tree: &Tree<'_>,
        at: Sexp,
        name: &str,
        arguments: &[Term],
    ) -> Option<Result<Term, Diagnostic>> {
        let Some(position) = self.position(name) else {
            return self.operation(Place { tree, at, name }, arguments);
        };
        let types = self.predicates[position].types.clone();
        if types.len() != arguments.len() {
            let (wanted, found) = (types.len(), arguments.len());
            let message = format!("`{name}` needs {wanted} arguments and has {found}");
            return Some(Err(tree.error("chc-arguments", at, message)));
        }
        let mut fitted = Vec::with_capacity(arguments.len());
        for (k, (&a, &id)) in arguments.iter().zip(&types).enumerate() {
            let Some(leaves) = self.fitted(a, id) else {
                let sort = self.types.print(id);
                let message = format!("argument {} of `{name}` must be of sort {sort}", k + 1);
                return Some(Err(tree.error("chc-arguments", at, message)));
            };
            fitted.extend(leaves);
        }
        Some(Ok(self.application(position, fitted, tree.span(at))))
    }

    fn indexed(
        &mut self,
        tree: &Tree<'_>,
        at: Sexp,
        operator: Sexp,
        arguments: &[Term],
    ) -> Option<Result<Term, Diagnostic>> {
        let parts = tree.list(operator).unwrap_or(&[]);
        let (&kind, rest) = parts.split_first()?;
        let (&name, rest) = rest.split_first()?;
        let place = |name| Place { tree, at, name };
        match (tree.symbol(kind)?, tree.symbol(name)?, rest) {
            ("_", "is", &[constructor]) => {
                let name = tree.symbol(constructor)?;
                let constructor = self.types.constructor_named(name)?;
                Some(self.tested(place(name), constructor, arguments))
            }
            ("as", "const", &[sort]) => match self.types.parse(tree, sort) {
                Ok(id) if self.types.sort(id).is_some() => None,
                Ok(id) => Some(self.filled(place("const"), id, arguments)),
                Err(wrong) => Some(Err(wrong)),
            },
            ("as", name, _) => self.operation(place(name), arguments),
            ("_", name, numbers) => self.indexed_bits(place(name), numbers, arguments),
            _ => None,
        }
    }

    fn bound(
        &mut self,
        tree: &Tree<'_>,
        _: Sexp,
        name: &str,
        sort: Sexp,
    ) -> Result<Term, Diagnostic> {
        let id = self.types.parse(tree, sort)?;
        Ok(self.variables(name, id))
    }

    fn quantified(
        &mut self,
        tree: &Tree<'_>,
        at: Sexp,
        quantifier: Quantifier,
        body: Term,
    ) -> Result<Term, Diagnostic> {
        if self.is_handle(body) {
            return Err(tree.error("smt-sort", at, "only formulas can be quantified"));
        }
        Ok(self.placeholder(Meaning::Quantified(quantifier, body, tree.span(at))))
    }
}
