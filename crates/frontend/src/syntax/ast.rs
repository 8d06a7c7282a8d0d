//! Expressions as they were written.

use crate::boogie::Bound;
use sectile_base::{Rat, Span};
use sectile_model::Ctl;
use std::sync::Arc;

/// A name as it was written.
#[derive(Clone, Debug)]
pub struct Name {
    /// The text, without backquotes.
    pub text: Arc<str>,
    pub span: Span,
    /// Whether it was in backquotes.
    pub quoted: bool,
}

/// An expression with its place.
#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    /// Its position, including brackets.
    pub span: Span,
}

/// The shapes of expressions.
#[derive(Clone, Debug)]
pub enum ExprKind {
    Bool(bool),
    Number(Rat, NumberKind),
    /// A name alone, not primed.
    Name(Name),
    /// A name with indices, a member or a prime.
    Reference(Box<Reference>),
    /// `a[i][j := v]`: an array with the accesses and updates applied to it, in order.
    Indexed(Box<Expr>, Vec<Access>),
    /// `[int -> 0]`: the array whose elements all have this value.
    Filled(Box<TypeItem>, Box<Expr>),
    /// A call of a definition.
    Call(Box<Call>),
    /// `{kind = ask, from = i}`: a value for every field.
    Record(Vec<(Name, Expr)>),
    /// A call of a function that the language knows.
    Builtin(Builtin, Vec<Expr>),
    /// `keep(x, y)`.
    Keep(Vec<Expr>),
    /// Negation of a truth value.
    Not(Box<Expr>),
    /// Unary minus.
    Negate(Box<Expr>),
    /// Two or more operands of the same connective.
    Connected(Connective, Vec<Expr>),
    /// `a < b <= c`: the first operand and what follows it.
    Compared(Box<Expr>, Vec<(Comparison, Expr)>),
    /// Terms with their signs; the first sign is a plus.
    Sum(Vec<(Sign, Expr)>),
    /// The first factor and what follows it.
    Product(Box<Expr>, Vec<(Factor, Expr)>),
    /// `if c1 then a1 else if c2 then a2 else b`.
    If(Vec<(Expr, Expr)>, Box<Expr>),
    /// An operator over ranges of indices.
    Quantified(Box<Quantified>),
    /// A quantifier over all values of types.
    Unbounded(Box<Unbounded>),
    Temporal(Temporal),
    /// `lo..hi`, only after `in`.
    Range(Box<(Expr, Expr)>),
    /// `{a, b}`, only after `in`.
    Set(Vec<Expr>),
}

/// How a literal was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberKind {
    /// Digits only.
    Integer,
    /// With a decimal point or an exponent.
    Decimal,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    Plus,
    Minus,
}

/// `name[i, j].member[k]'`.
#[derive(Clone, Debug)]
pub struct Reference {
    pub base: Name,
    pub indices: Vec<Expr>,
    /// The name after the dot, with its indices.
    pub member: Option<(Name, Vec<Expr>)>,
    /// Names after further dots, which occur only in full names such as `P[1].take.v`.
    pub further: Vec<(Name, Vec<Expr>)>,
    /// The place of the prime.
    pub prime: Option<Span>,
}

/// `[i, j]` or `[i, j := v]` after an array.
#[derive(Clone, Debug)]
pub struct Access {
    pub indices: Vec<Expr>,
    /// The new value of the element, if this is an update.
    pub value: Option<Expr>,
    /// Its position, including the array.
    pub span: Span,
}

/// A type as written.
#[derive(Clone, Debug)]
pub enum TypeItem {
    Bool,
    Int,
    Nat,
    Real,
    Range(Expr, Expr),
    /// An enumeration, or a simple type whose name is not a keyword.
    Named(Name),
    Values(Vec<Name>),
    /// `[int]bool`: the indices and the elements, and the position.
    Array(Box<TypeItem>, Box<TypeItem>, Span),
    /// `record {kind : kinds, from : 0..n-1}`: the fields, and the position.
    Record(Vec<(Name, TypeItem)>, Span),
}

/// `name(a, b)`, or `head(c).kind`.
#[derive(Clone, Debug)]
pub struct Call {
    pub name: Name,
    pub arguments: Vec<Expr>,
    /// The names after dots.
    pub fields: Vec<Name>,
}

/// Functions that a language knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Builtin {
    Abs,
    Min,
    Max,
    /// An integer as a real.
    Real,
    /// A real rounded down.
    Floor,
    /// The value of an expression when the procedure was entered.
    Old,
    /// Something that has no meaning here, with the expressions inside.
    Unsupported(&'static Construct),
}

/// A construct of a language that Sectile does not support.
#[derive(Debug, PartialEq, Eq)]
pub struct Construct {
    /// Its name in messages, in the plural.
    pub name: &'static str,
    /// What to do instead.
    pub help: &'static str,
}

impl Builtin {
    /// The name as it is written.
    pub fn name(self) -> &'static str {
        match self {
            Builtin::Abs => "abs",
            Builtin::Min => "min",
            Builtin::Max => "max",
            Builtin::Real => "real",
            Builtin::Floor => "floor",
            Builtin::Old => "old",
            Builtin::Unsupported(construct) => construct.name,
        }
    }
}

/// Operators between truth values. Implication groups to the right, equivalence to the left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Connective {
    And,
    Or,
    Implies,
    Iff,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    /// Membership in a set or a range.
    In,
}

/// Operators between factors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Factor {
    Times,
    Over,
    Div,
    Mod,
}

/// `forall i in 1..n, j in 1..n: body`.
#[derive(Clone, Debug)]
pub struct Quantified {
    pub quantifier: Quantifier,
    /// The place of the operator's name.
    pub span: Span,
    pub binders: Vec<Binder>,
    pub body: Expr,
}

/// `(forall x, y : int :: body)`, as in Boogie.
#[derive(Clone, Debug)]
pub struct Unbounded {
    /// Whether it is `forall`.
    pub universal: bool,
    pub bound: Vec<Bound>,
    pub body: Expr,
}

/// An index with its smallest and largest value.
#[derive(Clone, Debug)]
pub struct Binder {
    pub name: Name,
    pub low: Expr,
    pub high: Expr,
}

/// Operators over ranges of indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantifier {
    Forall,
    Exists,
    Sum,
    /// The number of choices for which the condition holds.
    Count,
    Max,
    Min,
}

/// A temporal operator of CTL with its operands.
#[derive(Clone, Debug)]
pub enum Temporal {
    /// Next, finally or globally.
    Unary(fn(Box<Ctl>) -> Ctl, Box<Expr>),
    /// Until or weak until.
    Until(fn(Box<Ctl>, Box<Ctl>) -> Ctl, Box<(Expr, Expr)>),
}

/// A property as written.
#[derive(Clone, Debug)]
pub struct Claim {
    pub name: Name,
    pub kind: ClaimKind,
    pub span: Span,
}

/// The kinds of properties.
#[derive(Clone, Debug)]
pub enum ClaimKind {
    /// `always NAME: l => Q`, in programs.
    At(Vec<Name>, Expr),
    /// `invariant NAME: Q`
    Invariant(Expr),
    /// `error NAME: Q`
    Error(Expr),
    /// `ctl NAME: f`
    Ctl(Expr),
    /// `ltl NAME: f`; operators are written as those of CTL about all paths.
    Ltl(Expr),
    /// `terminates`, in programs.
    Terminates,
}

impl ClaimKind {
    /// The formula, as written.
    pub fn formula(&self) -> Option<&Expr> {
        match self {
            ClaimKind::At(_, e)
            | ClaimKind::Invariant(e)
            | ClaimKind::Error(e)
            | ClaimKind::Ctl(e)
            | ClaimKind::Ltl(e) => Some(e),
            ClaimKind::Terminates => None,
        }
    }
}

/// `if (Q) a`, one of a chain of conditional statements.
#[derive(Clone, Debug)]
pub struct Arm<B> {
    /// When it is taken; `None` is `*`.
    pub condition: Option<Expr>,
    pub body: B,
    /// The place of its head.
    pub span: Span,
}

impl Expr {
    pub fn at(span: Span, kind: ExprKind) -> Expr {
        Expr { kind, span }
    }

    /// Calls `f` on every direct part, in the order of the text.
    pub fn for_each_part<'e>(&'e self, f: &mut dyn FnMut(&'e Expr)) {
        match &self.kind {
            ExprKind::Bool(_) | ExprKind::Number(..) | ExprKind::Name(_) => {}
            ExprKind::Reference(reference) => {
                reference.indices.iter().for_each(&mut *f);
                let members = reference.member.iter().chain(&reference.further);
                members.flat_map(|(_, indices)| indices).for_each(f);
            }
            ExprKind::Indexed(array, accesses) => {
                f(array);
                let parts = accesses.iter();
                parts.for_each(|a| a.indices.iter().chain(&a.value).for_each(&mut *f));
            }
            ExprKind::Call(call) => call.arguments.iter().for_each(f),
            ExprKind::Record(list) => list.iter().for_each(|(_, e)| f(e)),
            ExprKind::Builtin(_, list)
            | ExprKind::Keep(list)
            | ExprKind::Connected(_, list)
            | ExprKind::Set(list) => list.iter().for_each(f),
            ExprKind::Not(a)
            | ExprKind::Negate(a)
            | ExprKind::Filled(_, a)
            | ExprKind::Temporal(Temporal::Unary(_, a)) => f(a),
            ExprKind::Compared(first, rest) => {
                f(first);
                rest.iter().for_each(|(_, e)| f(e));
            }
            ExprKind::Sum(list) => list.iter().for_each(|(_, e)| f(e)),
            ExprKind::Product(first, rest) => {
                f(first);
                rest.iter().for_each(|(_, e)| f(e));
            }
            ExprKind::If(branches, otherwise) => {
                for (condition, value) in branches {
                    f(condition);
                    f(value);
                }
                f(otherwise);
            }
            ExprKind::Quantified(q) => {
                for binder in &q.binders {
                    f(&binder.low);
                    f(&binder.high);
                }
                f(&q.body);
            }
            ExprKind::Unbounded(q) => f(&q.body),
            ExprKind::Range(two) | ExprKind::Temporal(Temporal::Until(_, two)) => {
                f(&two.0);
                f(&two.1);
            }
        }
    }

    /// The name that the expression itself mentions, leaving its parts aside.
    pub fn own_name(&self) -> Option<&Name> {
        match &self.kind {
            ExprKind::Name(name) => Some(name),
            ExprKind::Reference(reference) => Some(&reference.base),
            ExprKind::Call(call) => Some(&call.name),
            _ => None,
        }
    }

    /// The names that occur and are not bound by a quantifier inside, in the order of the text.
    pub fn free_names(&self) -> Vec<&Name> {
        let mut found = Vec::new();
        collect_names(self, &mut Vec::new(), &mut found);
        found
    }
}

fn collect_names<'e>(expr: &'e Expr, bound: &mut Vec<&'e str>, found: &mut Vec<&'e Name>) {
    if let Some(name) = expr.own_name()
        && !bound.contains(&&*name.text)
    {
        found.push(name);
    }
    let before = bound.len();
    if let ExprKind::Quantified(q) = &expr.kind {
        for binder in &q.binders {
            collect_names(&binder.low, bound, found);
            collect_names(&binder.high, bound, found);
            bound.push(&binder.name.text);
        }
        collect_names(&q.body, bound, found);
    } else {
        expr.for_each_part(&mut |part| collect_names(part, bound, found));
    }
    bound.truncate(before);
}
