//! From expressions as written to terms: names, types, indices, quantifiers.
//!
//! [`Names`] says what is declared. An [`Elaborator`] turns an [`Expr`] into a term in a frame:
//! inside of a process instance or not, with indices and parameters bound to values, with primed
//! variables or without. All mistakes are added to the diagnostics; there is a result only if there
//! were no mistakes.
//!
//! | question | where |
//! |---|---|
//! | what does a name mean | `reference.rs` |
//! | which elements do indices select | `select.rs`, `interval.rs` |
//! | truth values, comparisons, conditionals | `boolean.rs` |
//! | sums, products, functions | `arithmetic.rs` |
//! | elements and updates of arrays | `arrays.rs` |
//! | records and channels | `aggregates.rs` |
//! | quantifiers and calls of definitions | `expand.rs`, `shared.rs` |
//! | temporal formulas | `ctl.rs` |
//! | texts other than the file itself, such as predicates | `scope.rs` |

mod aggregates;
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

pub use aggregates::{queue, slot};
pub use arithmetic::{divisor, product};
pub use arrays::{selected, updated};
pub use boolean::{compared, connected};
pub use expand::MOST_BINDERS;
pub use names::{
    Aggregate, Bounds, Channel, Definition, Entity, Family, IndexRange, Instance, Member, Names,
    Process, combinations, count_elements, each_choice, element_name, enumeration, free_name,
};
pub use reference::TEMPORAL;
pub use scope::Scope;
pub use select::Choice;
pub use shared::{Shared, Way};

use crate::messages::{Report, Reported};
use crate::syntax::{Expr, ExprKind, Name, NumberKind};
use sectile_base::{Diagnostic, Diagnostics, Int, Rat, Span};
use sectile_terms::{Sort, Symbol, Term, Terms, display_sort};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A result, unless an error was reported.
pub type Elaborated<T> = Result<T, Reported>;

/// The maximum number of instances of quantifiers, definitions and families in one file.
pub const MOST_INSTANCES: u64 = 1_000_000;

const COUNT_HELP: &str = "write `if ... then 1 else 0` to count a truth value";

/// The maximum joint nesting depth of expressions and calls of definitions. Unoptimised code on the
/// small stack of a thread can handle this depth.
const DEEPEST: usize = 500;

/// The expansions in one file: their number, and results that can be reused.
#[derive(Clone, Debug, Default)]
pub struct Expansion {
    used: u64,
    exhausted: bool,
    /// Earlier expansions.
    known: BTreeMap<Use<Term>, Term>,
    shared: Shared<Use<Sort>>,
}

/// A use of a definition: its position, where it is expanded and with which sort, and its arguments
/// or their sorts.
type Use<A> = (Span, Option<Instance>, Option<Sort>, Primes, Vec<A>);

/// Whether primed variables may occur.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Primes {
    /// As in relations.
    Allowed,
    /// As everywhere else.
    #[default]
    Forbidden,
}

/// What a bound name stands for.
#[derive(Clone, Debug)]
pub enum Binding {
    /// A value: an index, a chosen value, an argument.
    Term(Term),
    /// The name of an enumeration value; its enumeration is determined by the context of its use.
    Variant(Name),
}

/// The context of an expression.
#[derive(Default)]
struct Frame {
    instance: Option<Instance>,
    bound: Vec<(Arc<str>, Binding)>,
    primes: Primes,
}

/// Turns expressions into terms.
pub struct Elaborator<'e> {
    terms: &'e Terms,
    pub names: &'e Names,
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
            frame: Frame::default(),
            active: Vec::new(),
            depth: 0,
            chosen: Vec::new(),
            dead: false,
        }
    }

    /// Enters an instance of a process.
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

    /// The number of bound names, for [`Elaborator::forget`].
    pub fn bound(&self) -> usize {
        self.frame.bound.len()
    }

    /// Forgets the names that were bound after the first ones.
    pub fn forget(&mut self, first: usize) {
        self.frame.bound.truncate(first);
    }

    /// Whether a name means anything here.
    pub fn is_known(&self, name: &str) -> bool {
        let bound = self.frame.bound.iter().any(|(n, _)| &**n == name);
        bound || self.is_declared(name)
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

    /// An integer that is known when the file is read; `what` describes it in messages.
    pub fn constant(&mut self, expr: &Expr, what: &str) -> Elaborated<Int> {
        let term = self.expect(expr, Sort::Int)?;
        if let Some(value) = self.terms.as_number(term) {
            return Ok(value.numer());
        }
        let help = "only numbers, parameters and indices are known when the file is read";
        Err(self.not_constant(expr.span, what, help))
    }

    /// A condition that is known when the file is read.
    pub fn constant_condition(&mut self, expr: &Expr) -> Elaborated<bool> {
        let term = self.formula(expr)?;
        if let Some(value) = self.terms.as_bool(term) {
            return Ok(value);
        }
        let what = "the condition after `when`";
        Err(self.not_constant(
            expr.span,
            what,
            "conditions on the state belong to the guard",
        ))
    }

    fn not_constant(&mut self, span: Span, what: &str, help: &str) -> Reported {
        let message = format!("{what} must be constant");
        let diagnostic = Diagnostic::error("constant", span, message).label("depends on the state");
        self.report(diagnostic.help(help))
    }

    /// The bounds of a type `low..high`.
    pub fn bounds_of_type(&mut self, low: &Expr, high: &Expr) -> Elaborated<Bounds> {
        let what = "the bound of a range";
        let (first, last) = (self.constant(low, what), self.constant(high, what));
        let (first, last) = (first?, last?);
        if first > last {
            let message = format!("the range {first}..{last} is empty");
            return Err(self.error("range", low.span.to(high.span), message, ""));
        }
        Ok(Bounds {
            low: Some(first),
            high: Some(last),
        })
    }

    /// A range of indices.
    pub fn index_range(&mut self, low: &Expr, high: &Expr) -> Elaborated<IndexRange> {
        let (low, high) = (self.index_bound(low), self.index_bound(high));
        Ok(IndexRange {
            low: low?,
            high: high?,
        })
    }

    fn index_bound(&mut self, expr: &Expr) -> Elaborated<i64> {
        let value = self.constant(expr, "the bound of a range of indices")?;
        // Leaves room for index arithmetic without overflow.
        match value.to_i64() {
            Some(v) if v.abs_diff(0) <= 1 << 62 => Ok(v),
            _ => {
                let message = "this index is too large";
                let help = "every index makes a copy: ranges must be small";
                Err(self.error("size", expr.span, message, help))
            }
        }
    }

    /// A term of whatever sort the expression has. `hint` is the sort that the context expects; it
    /// decides about literals and values of enumerations.
    pub fn infer(&mut self, expr: &Expr, hint: Option<Sort>) -> Elaborated<Term> {
        if self.depth == DEEPEST {
            let help = "use fewer brackets, or fewer definitions that use each other";
            return Err(self.error("nesting", expr.span, "nesting too deep", help));
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
            ExprKind::Filled(index, value) => self.filled(index, value, expr.span, hint),
            ExprKind::Call(call) => self.call(call, expr.span, hint),
            ExprKind::Record(_) => {
                let message = "a record is compared, assigned or sent as a whole";
                Err(self.error("type", expr.span, message, "its fields are values"))
            }
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
            ExprKind::Unbounded(_) => {
                let message = "a quantifier is over a range";
                Err(self.error(
                    "syntax",
                    expr.span,
                    message,
                    "write `forall i in lo..hi: ...`",
                ))
            }
            ExprKind::Temporal(..) => Err(self.misplaced_temporal(expr.span)),
            ExprKind::Range(_) | ExprKind::Set(_) => {
                let message = "a range or set can only stand after `in`";
                Err(self.error("syntax", expr.span, message, ""))
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
        let help = match (wanted, found) {
            (Sort::Real, Sort::Int) => "convert the integer by `real(...)`",
            (Sort::Int, Sort::Real) => "`floor(...)` rounds down to an integer",
            (Sort::Bool, Sort::Int) => {
                "a condition is wanted here: compare the number with another"
            }
            (Sort::Bool, Sort::Enum(_)) => {
                "a condition is wanted here: compare the value with another"
            }
            (Sort::Int, Sort::Bool) => COUNT_HELP,
            _ => "",
        };
        self.error("type", span, message, help)
    }

    /// A sort as it is written in the languages.
    pub fn sort_name(&self, sort: Sort) -> String {
        let Sort::Enum(id) = sort else {
            return display_sort(self.terms, sort);
        };
        let variants = &self.terms.enum_info(id).variants;
        let shown = &variants[..variants.len().min(6)];
        let more = if variants.len() > 6 { ", ..." } else { "" };
        format!("{{{}{more}}}", shown.join(", "))
    }

    /// Counts expanded instances; an error where there are too many.
    pub fn charge(&mut self, instances: u64, span: Span) -> Elaborated<()> {
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

impl Report for Elaborator<'_> {
    fn report(&mut self, diagnostic: Diagnostic) -> Reported {
        self.diagnostics.report(diagnostic)
    }
}

impl Expansion {
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
        let help = "make the ranges or the parameters smaller";
        diagnostics.error("size", span, message, help);
        Err(Reported)
    }
}
