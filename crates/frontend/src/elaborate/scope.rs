//! Reads further texts in the scope of a file's declarations.

use super::names::Family;
use super::{Elaborator, Entity, Expansion, Names};
use crate::syntax::{Dialect, Parser};
use sectile_base::{Diagnostic, Diagnostics, Source, Span};
use sectile_terms::{Sort, Symbol, SymbolKind, Term, Terms, Value};

/// The names of a file and the dialect of its language, for reading further texts.
#[derive(Clone)]
pub struct Scope {
    pub(crate) names: Names,
    pub(crate) dialect: Dialect,
}

impl Scope {
    /// Declares a further integer constant; `None` if the name is taken.
    pub fn constant(&mut self, terms: &Terms, name: &str) -> Option<Symbol> {
        self.integer(terms, name, SymbolKind::Rigid)
    }

    /// Declares a name that ranges over all integers; `None` if it is taken.
    pub fn bound(&mut self, terms: &Terms, name: &str) -> Option<Symbol> {
        let known = terms.symbol(name);
        if let Some(known) = known.filter(|&s| terms.symbol_kind(s) == SymbolKind::Bound) {
            let again = self.names.entities.contains_key(name);
            if again {
                return Some(known);
            }
        }
        self.integer(terms, name, SymbolKind::Bound)
    }

    fn integer(&mut self, terms: &Terms, name: &str, kind: SymbolKind) -> Option<Symbol> {
        let taken = self.names.entities.contains_key(name) || !self.names.variants(name).is_empty();
        if taken {
            return None;
        }
        let symbol = terms.declare(name, Sort::Int, kind).ok()?;
        let constant = Entity::Family(Family::single(symbol));
        self.names.declare(name, constant);
        Some(symbol)
    }

    fn read(&self, terms: &Terms, source: &Source, sort: Sort) -> Result<Term, Diagnostics> {
        let mut parser = Parser::new(source, self.dialect);
        let expr = parser.expression();
        if expr.is_ok() && !parser.at_end() {
            parser.unexpected("the end of the expression", None);
        }
        let (mut diagnostics, _) = parser.finish();
        let mut expansion = Expansion::default();
        let mut elaborator = Elaborator::new(terms, &self.names, &mut diagnostics, &mut expansion);
        let term = expr.and_then(|e| elaborator.expect(&e, sort)).ok();
        match term {
            Some(term) if !diagnostics.has_errors() => Ok(term),
            _ => Err(diagnostics),
        }
    }

    /// Reads a condition on the state, which must be the whole text.
    pub fn formula(&self, terms: &Terms, source: &Source) -> Result<Term, Diagnostics> {
        self.read(terms, source, Sort::Bool)
    }

    /// Reads a term over the state, of the sort of `symbol`, which must be the whole text.
    pub fn term(
        &self,
        terms: &Terms,
        symbol: Symbol,
        source: &Source,
    ) -> Result<Term, Diagnostics> {
        self.read(terms, source, terms.symbol_sort(symbol))
    }

    /// Reads a number over the state, of sort integer or real, which must be the whole text.
    pub fn number(&self, terms: &Terms, sort: Sort, source: &Source) -> Result<Term, Diagnostics> {
        self.read(terms, source, sort)
    }

    /// Reads a constant of the sort of `symbol`, which must be the whole text.
    pub fn value(
        &self,
        terms: &Terms,
        symbol: Symbol,
        source: &Source,
    ) -> Result<Value, Diagnostics> {
        let term = self.term(terms, symbol, source)?;
        let whole = Span::new(0, source.text().len());
        Value::from_term(terms, term).ok_or_else(|| {
            let message = format!("the value of `{}` must be constant", terms.name(symbol));
            Diagnostic::error("constant", whole, message).into()
        })
    }
}
