//! Texts other than the file itself, read in the scope of its declarations.

use super::{Elaborator, Expansion, Names};
use crate::Scope;
use crate::syntax::{Dialect, Expr, Parser};
use sectile_base::{Diagnostic, Diagnostics, Source};
use sectile_terms::{Sort, Symbol, Term, Terms, Value};

/// The names of a file and the dialect of its language.
pub struct NamedScope {
    names: Names,
    dialect: Dialect,
}

impl NamedScope {
    /// A scope with these names.
    pub fn new(names: Names, dialect: Dialect) -> NamedScope {
        NamedScope { names, dialect }
    }

    fn read(&self, terms: &Terms, source: &Source, sort: Sort) -> Result<Term, Diagnostics> {
        let (expr, mut diagnostics) = parse_whole(source, self.dialect);
        let mut expansion = Expansion::new();
        let mut elaborator = Elaborator::new(terms, &self.names, &mut diagnostics, &mut expansion);
        let term = expr.and_then(|e| elaborator.expect(&e, sort).ok());
        match term {
            Some(term) if !diagnostics.has_errors() => Ok(term),
            _ => Err(diagnostics),
        }
    }
}

/// One expression that is all of the source.
fn parse_whole(source: &Source, dialect: Dialect) -> (Option<Expr>, Diagnostics) {
    let mut parser = Parser::new(source, dialect);
    let expr = parser.expression();
    if expr.is_ok() && !parser.at_end() {
        parser.unexpected("the end of the expression", None);
    }
    (expr.ok(), parser.finish().0)
}

impl Scope for NamedScope {
    fn formula(&self, terms: &Terms, source: &Source) -> Result<Term, Diagnostics> {
        self.read(terms, source, Sort::Bool)
    }

    fn term(&self, terms: &Terms, symbol: Symbol, source: &Source) -> Result<Term, Diagnostics> {
        self.read(terms, source, terms.symbol_sort(symbol))
    }

    fn value(&self, terms: &Terms, symbol: Symbol, source: &Source) -> Result<Value, Diagnostics> {
        let term = self.read(terms, source, terms.symbol_sort(symbol))?;
        let whole = sectile_base::Span::new(0, source.text().len());
        Value::from_term(terms, term).ok_or_else(|| {
            let message = format!("the value of `{}` must be constant", terms.name(symbol));
            Diagnostic::error("constant", whole, message).into()
        })
    }
}
