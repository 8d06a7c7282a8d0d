//! Sorts declared by a script.
//!
//! The solver represents their values as integers: a satisfiable formula without quantifiers has a
//! model in which every declared sort is infinite, and equality is the only operation on its values.
//! To make sure that scripts do not mix such values with integers, a script with declared sorts is
//! also read in a second store, in which each declared sort is distinct from all other sorts.

use sectile_base::{Diagnostic, Span};
use sectile_smtlib::{
    CommandKind, Scope, Sexp, Tree, Undeclared, declare, parse_term, parse_term_of, print_sort,
    print_value, read,
};
use sectile_terms::{Sort, Symbol, SymbolKind, Terms, Value};

/// The second store, and the sorts declared in it.
pub(crate) struct DeclaredSorts {
    terms: Terms,
    scope: Scope,
    named: Vec<(String, Sort)>,
}

impl DeclaredSorts {
    /// A second store, if a script declares sorts.
    pub fn of(tree: &Tree<'_>) -> Option<DeclaredSorts> {
        let declares = |e: &Sexp| {
            let head = tree.list(*e).and_then(|list| list.first());
            head.and_then(|&head| tree.symbol(head)) == Some("declare-sort")
        };
        tree.roots().iter().any(declares).then(|| DeclaredSorts {
            terms: Terms::new(),
            scope: Scope::new(Undeclared::Refused),
            named: Vec::new(),
        })
    }

    /// Declares a sort. It is represented by an array sort whose elements no script can access.
    pub fn declare_sort(&mut self, name: &str) {
        let own = self.terms.declare_enum(name, &[]);
        let levels = self.named.len() + 2;
        let sort = (0..levels).fold(Sort::Enum(own), |index, _| {
            self.terms.array_sort(index, Sort::Bool)
        });
        self.named.push((name.to_string(), sort));
        self.scope.define_sort(name, sort);
    }

    /// Processes a declaration or definition.
    pub fn declare(
        &mut self,
        tree: &Tree<'_>,
        kind: &CommandKind<'_>,
        span: Span,
    ) -> Result<Option<Symbol>, Diagnostic> {
        let state = SymbolKind::State;
        let declared = declare(&self.terms, tree, kind, span, state, &mut self.scope);
        declared.map_err(|d| self.in_names(d))
    }

    /// Checks that an expression is a formula.
    pub fn check_formula(&mut self, tree: &Tree<'_>, e: Sexp) -> Result<(), Diagnostic> {
        let parsed = parse_term_of(&self.terms, tree, e, &mut self.scope, Sort::Bool);
        parsed.map(|_| ()).map_err(|d| self.in_names(d))
    }

    /// The sort of a term.
    pub fn sort_of(&mut self, tree: &Tree<'_>, e: Sexp) -> Result<Sort, Diagnostic> {
        let parsed = parse_term(&self.terms, tree, e, &mut self.scope);
        let term = parsed.map_err(|d| self.in_names(d))?;
        Ok(self.terms.sort(term))
    }

    /// Whether a formula from the solver uses declared sorts only with equality.
    pub fn accepts(&mut self, formula: &str) -> bool {
        let Ok(tree) = read(formula) else {
            return false;
        };
        let roots = tree.roots().to_vec();
        roots.iter().all(|&e| self.check_formula(&tree, e).is_ok())
    }

    pub fn push(&mut self) {
        self.scope.push();
    }

    pub fn pop(&mut self) {
        self.scope.pop();
    }

    /// Removes all declarations.
    pub fn reset(&mut self) {
        self.scope = Scope::new(Undeclared::Refused);
    }

    /// The sorts of the arguments and of the result of a symbol.
    pub fn signature(&self, symbol: Symbol) -> (Vec<Sort>, Sort) {
        self.terms.signature(symbol)
    }

    /// The name of a sort.
    pub fn print_sort(&self, sort: Sort) -> String {
        self.with_names(print_sort(&self.terms, sort))
    }

    /// A value of a sort, which the solver may represent as an integer.
    pub fn print_value(&self, terms: &Terms, sort: Sort, value: &Value) -> String {
        if let (Some((name, _)), Value::Int(k)) = (self.named.iter().find(|n| n.1 == sort), value) {
            let name = sectile_smtlib::naming::quote(name);
            let sign = if k.is_negative() { "m" } else { "" };
            return format!("(as @{}!{sign}{} {name})", name.trim_matches('|'), k.abs());
        }
        let (Some((index, element)), Value::Array(array)) = (sort.array_parts(&self.terms), value)
        else {
            return print_value(terms, value);
        };
        let usual = self.print_value(terms, element, array.usual());
        let filled = format!("((as const {}) {usual})", self.print_sort(sort));
        array.exceptions().fold(filled, |rest, (place, value)| {
            let place = self.print_value(terms, index, place);
            let value = self.print_value(terms, element, value);
            format!("(store {rest} {place} {value})")
        })
    }

    fn in_names(&self, mut diagnostic: Diagnostic) -> Diagnostic {
        diagnostic.message = self.with_names(diagnostic.message);
        diagnostic
    }

    /// A text with the names of declared sorts inserted.
    fn with_names(&self, text: String) -> String {
        let deepest_first = self.named.iter().rev();
        deepest_first.fold(text, |text, (name, sort)| {
            let name = sectile_smtlib::naming::quote(name);
            text.replace(&print_sort(&self.terms, *sort), &name)
        })
    }
}
