//! From expressions as written to terms: names, types, indices, quantifiers.
//!
//! [`Names`] says what is declared. An [`Elaborator`] turns an [`Expr`] into a term in a frame:
//! inside of a process instance or not, with indices and parameters bound to values, with primed
//! variables or without. All mistakes are added to the diagnostics; a result is given where there
//! was none.
//!
//! | question | where |
//! |---|---|
//! | what does a name mean | `reference.rs` |
//! | which elements do indices select | `select.rs`, `interval.rs` |
//! | truth values, comparisons, conditionals | `boolean.rs` |
//! | sums, products, functions | `arithmetic.rs` |
//! | elements and updates of arrays | `arrays.rs` |
//! | quantifiers and calls of definitions | `expand.rs`, `shared.rs` |
//! | temporal formulas | `ctl.rs` |
//! | texts other than the file itself, such as predicates | `scope.rs` |

mod arithmetic;
mod arrays;
mod boolean;
mod ctl;
mod expand;
mod interval;
mod names;
mod reference;
mod scope;
mod select;
mod shared;
mod suggest;

pub use arrays::{selected, updated};
pub use boolean::{compared, connected};
pub use names::{
    Bounds, Definition, Entity, Family, IndexRange, Instance, Member, Names, Process,
    count_elements, each_choice, element_name, enumeration,
};
pub use scope::NamedScope;
pub use select::Choice;
pub use shared::{Shared, Way};
pub use suggest::closest;

use crate::syntax::{Expr, ExprKind, Name, NumberKind, Reported};
use sectile_base::{Diagnostic, Diagnostics, Int, Rat, Span};
use sectile_terms::{Sort, Symbol, Term, Terms, display_sort};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A result, unless an error was reported.
pub type Elaborated<T> = Result<T, Reported>;

/// How many instances of quantifiers, definitions and families one file may expand to.
pub const MOST_INSTANCES: u64 = 1_000_000;

/// How deeply expressions and calls of definitions may nest, all together. Unoptimised code on the
/// small stack of a thread can do this.
const DEEPEST: usize = 500;

/// What one file expands to: a count, and what need not be expanded again.
#[derive(Clone, Debug, Default)]
pub struct Expansion {
    used: u64,
    exhausted: bool,
    /// What was expanded before.
    known: BTreeMap<Use<Term>, Term>,
    shared: Shared<Use<Sort>>,
}

/// A definition, by its place; where it is expanded, as what, and its arguments or their sorts.
type Use<A> = (Span, Option<Instance>, Option<Sort>, Primes, Vec<A>);

/// Whether primed variables may occur.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Primes {
    /// As in relations.
    Allowed,
    /// As everywhere else.
    Forbidden,
}

/// What a bound name stands for.
#[derive(Clone, Debug)]
pub enum Binding {
    /// A value: an index, a chosen value, an argument.
    Term(Term),
    /// The name of a value of an enumeration, which only the place of use tells.
    Variant(Name),
}

/// Where an expression stands.
#[derive(Clone, Debug)]
struct Frame {
    instance: Option<Instance>,
    bound: Vec<(Arc<str>, Binding)>,
    primes: Primes,
}

/// Turns expressions into terms.
pub struct Elaborator<'e> {
    terms: &'e Terms,
    names: &'e Names,
    diagnostics: &'e mut Diagnostics,
    expansion: &'e mut Expansion,
    frame: Frame,
    /// The definitions that are being expanded.
    active: Vec<Arc<Definition>>,
    depth: usize,
    /// The bounds of chosen values.
    chosen: Vec<(Symbol, Bounds)>,
    /// Whether the value is known to be irrelevant: indices may then be out of range.
    dead: bool,
}

impl<'e> Elaborator<'e> {
    /// An elaborator outside of processes, without bound names and without primes.
    pub fn new(
        terms: &'e Terms,
        names: &'e Names,
        diagnostics: &'e mut Diagnostics,
        expansion: &'e mut Expansion,
    ) -> Elaborator<'e> {
        Elaborator {
            terms,
            names,
            diagnostics,
            expansion,
            frame: Frame {
                instance: None,
                bound: Vec::new(),
                primes: Primes::Forbidden,
            },
            active: Vec::new(),
            depth: 0,
            chosen: Vec::new(),
            dead: false,
        }
    }

    /// Goes into an instance of a process.
    pub fn inside(mut self, instance: Option<Instance>) -> Elaborator<'e> {
        self.frame.instance = instance;
        self
    }

    /// Says whether primed variables may occur from now on.
    pub fn set_primes(&mut self, primes: Primes) {
        self.frame.primes = primes;
    }

    /// Gives a name a meaning that hides other meanings.
    pub fn bind(&mut self, name: &Arc<str>, term: Term) {
        let binding = (name.clone(), Binding::Term(term));
        self.frame.bound.push(binding);
    }

    /// Binds an index to its value.
    pub fn bind_index(&mut self, name: &Arc<str>, value: i64) {
        self.bind(name, self.terms.int(value));
    }

    /// Binds the name of a chosen value to its symbol.
    pub fn bind_chosen(&mut self, name: &Arc<str>, symbol: Symbol, bounds: Bounds) {
        self.bind(name, self.terms.var(symbol));
        self.chosen.push((symbol, bounds));
    }

    /// The declared names.
    pub fn names(&self) -> &'e Names {
        self.names
    }

    /// Whether a name means anything here.
    pub fn is_known(&self, name: &str) -> bool {
        let bound = self.frame.bound.iter().any(|(n, _)| &**n == name);
        bound || self.is_declared(name)
    }

    /// Adds a message.
    pub fn report(&mut self, diagnostic: Diagnostic) -> Reported {
        self.diagnostics.push(diagnostic);
        Reported
    }

    /// A condition.
    pub fn formula(&mut self, expr: &Expr) -> Elaborated<Term> {
        self.expect(expr, Sort::Bool)
    }

    /// A term of the given sort.
    pub fn expect(&mut self, expr: &Expr, sort: Sort) -> Elaborated<Term> {
        let term = self.infer(expr, Some(sort))?;
        self.coerce(term, sort, expr.span)
    }

    /// An integer that is known now; `what` says what it is, for the message.
    pub fn constant(&mut self, expr: &Expr, what: &str) -> Elaborated<Int> {
        let term = self.expect(expr, Sort::Int)?;
        if let Some(value) = self.terms.as_number(term) {
            return Ok(value.numer());
        }
        let message = format!("{what} must be constant");
        let diagnostic = Diagnostic::error("constant", expr.span, message)
            .label("depends on the state")
            .help("only numbers, parameters and indices are known when the file is read");
        Err(self.report(diagnostic))
    }

    /// A condition that is known now.
    pub fn constant_condition(&mut self, expr: &Expr) -> Elaborated<bool> {
        let term = self.formula(expr)?;
        if let Some(value) = self.terms.as_bool(term) {
            return Ok(value);
        }
        let message = "the condition behind `when` must be constant";
        let diagnostic = Diagnostic::error("constant", expr.span, message)
            .label("depends on the state")
            .help("conditions on the state belong to the guard");
        Err(self.report(diagnostic))
    }

    /// A range of indices.
    pub fn index_range(&mut self, low: &Expr, high: &Expr) -> Elaborated<IndexRange> {
        let first = self.index_bound(low);
        let last = self.index_bound(high);
        Ok(IndexRange {
            low: first?,
            high: last?,
        })
    }

    fn index_bound(&mut self, expr: &Expr) -> Elaborated<i64> {
        let value = self.constant(expr, "the bound of a range of indices")?;
        // Leaves room for index arithmetic without overflow.
        match value.to_i64() {
            Some(v) if v.abs_diff(0) <= 1 << 62 => Ok(v),
            _ => {
                let message = "this index is too large";
                let diagnostic = Diagnostic::error("size", expr.span, message);
                Err(self.report(diagnostic.help("every index makes a copy: ranges must be small")))
            }
        }
    }

    /// A term of whatever sort the expression has. `hint` is the sort that the context would like,
    /// which decides about literals and values of enumerations.
    pub fn infer(&mut self, expr: &Expr, hint: Option<Sort>) -> Elaborated<Term> {
        if self.depth == DEEPEST {
            let diagnostic = Diagnostic::error("nesting", expr.span, "nesting too deep");
            let help = "use fewer brackets, or fewer definitions that use each other";
            return Err(self.report(diagnostic.help(help)));
        }
        self.depth += 1;
        let result = self.dispatch(expr, hint);
        self.depth -= 1;
        result
    }

    fn dispatch(&mut self, expr: &Expr, hint: Option<Sort>) -> Elaborated<Term> {
        match &expr.kind {
            ExprKind::Bool(value) => Ok(self.terms.bool(*value)),
            ExprKind::Number(value, kind) => Ok(self.number(value, *kind, hint)),
            ExprKind::Name(name) => self.name(name, hint),
            ExprKind::Reference(reference) => self.reference(reference, expr.span, hint),
            ExprKind::Indexed(array, accesses) => self.indexed(array, accesses, hint),
            ExprKind::Filled(index, value) => self.filled(index, value, hint),
            ExprKind::Call(call) => self.call(call, expr.span, hint),
            ExprKind::Builtin(function, arguments) => {
                self.builtin(*function, arguments, expr.span, hint)
            }
            ExprKind::Keep(list) => self.keep(list, expr.span),
            ExprKind::Not(inner) => self.formula(inner).map(|t| self.terms.not(t)),
            ExprKind::Negate(inner) => self.negate(inner, hint),
            ExprKind::Connected(connective, list) => self.connected(*connective, list),
            ExprKind::Compared(first, rest) => self.compared(first, rest),
            ExprKind::Sum(list) => self.sum(list, hint),
            ExprKind::Product(first, rest) => self.product(first, rest, hint),
            ExprKind::If(branches, otherwise) => self.conditional(branches, otherwise, hint),
            ExprKind::Quantified(quantified) => self.quantified(quantified, hint),
            ExprKind::Temporal(..) => Err(self.misplaced_temporal(expr.span)),
            ExprKind::Range(_) | ExprKind::Set(_) => {
                let message = "a range or set can only stand behind `in`";
                Err(self.report(Diagnostic::error("syntax", expr.span, message)))
            }
        }
    }

    fn number(&self, value: &Rat, kind: NumberKind, hint: Option<Sort>) -> Term {
        let real = kind == NumberKind::Decimal || hint == Some(Sort::Real);
        let sort = if real { Sort::Real } else { Sort::Int };
        self.terms.number(value.clone(), sort)
    }

    /// The term itself, or a constant integer as a real, if that gives the wanted sort.
    fn coerce(&mut self, term: Term, sort: Sort, span: Span) -> Elaborated<Term> {
        let found = self.terms.sort(term);
        if found == sort {
            return Ok(term);
        }
        if sort == Sort::Real
            && found == Sort::Int
            && let Some(value) = self.terms.as_number(term)
        {
            return Ok(self.terms.number(value.clone(), Sort::Real));
        }
        Err(self.mismatch(sort, found, span))
    }

    fn mismatch(&mut self, wanted: Sort, found: Sort, span: Span) -> Reported {
        let (wanted_name, found_name) = (self.sort_name(wanted), self.sort_name(found));
        let message = format!("expected `{wanted_name}`, found `{found_name}`");
        let mut diagnostic = Diagnostic::error("type", span, message);
        let help = match (wanted, found) {
            (Sort::Real, Sort::Int) => "convert the integer by `real(...)`",
            (Sort::Int, Sort::Real) => "`floor(...)` rounds down to an integer",
            (Sort::Bool, Sort::Int) => {
                "a condition is wanted here: compare the number with another"
            }
            (Sort::Bool, Sort::Enum(_)) => {
                "a condition is wanted here: compare the value with another"
            }
            (Sort::Int, Sort::Bool) => "write `if ... then 1 else 0` to count a truth value",
            _ => "",
        };
        if !help.is_empty() {
            diagnostic = diagnostic.help(help);
        }
        self.report(diagnostic)
    }

    /// A sort as it is written in the languages.
    pub fn sort_name(&self, sort: Sort) -> String {
        match sort {
            Sort::Bool => "bool".to_string(),
            Sort::Int => "int".to_string(),
            Sort::Real => "real".to_string(),
            Sort::Array(_) => display_sort(self.terms, sort),
            Sort::Enum(id) => {
                let variants = &self.terms.enum_info(id).variants;
                let shown = variants.iter().take(6).map(String::as_str);
                let shown: Vec<&str> = shown.collect();
                let more = if variants.len() > 6 { ", ..." } else { "" };
                format!("{{{}{more}}}", shown.join(", "))
            }
        }
    }

    /// Counts expanded instances; an error where there are too many.
    fn charge(&mut self, instances: u64, span: Span) -> Elaborated<()> {
        self.expansion.charge(instances, span, self.diagnostics)
    }

    /// Elaborates an expression only to report its mistakes.
    fn irrelevant(&mut self, expr: &Expr, hint: Option<Sort>) {
        let before = std::mem::replace(&mut self.dead, true);
        // Mistakes are in the diagnostics; the value is not needed.
        let _ = self.infer(expr, hint);
        self.dead = before;
    }
}

impl Expansion {
    /// Nothing counted yet.
    pub fn new() -> Expansion {
        Expansion::default()
    }

    /// Counts instances; an error where there are too many.
    pub fn charge(
        &mut self,
        instances: u64,
        span: Span,
        diagnostics: &mut Diagnostics,
    ) -> Elaborated<()> {
        if self.exhausted || diagnostics.is_full() {
            return Err(Reported);
        }
        self.used = self.used.saturating_add(instances);
        if self.used <= MOST_INSTANCES {
            return Ok(());
        }
        self.exhausted = true;
        let message = format!("the file expands to more than {MOST_INSTANCES} instances here");
        let diagnostic = Diagnostic::error("size", span, message);
        diagnostics.push(diagnostic.help("make the ranges or the parameters smaller"));
        Err(Reported)
    }
}
