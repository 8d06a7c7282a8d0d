//! The node of a term: its operator with its arguments.

use crate::linear::Linear;
use crate::sorts::{ArrayId, EnumId};
use crate::store::{Stage, Symbol};
use sectile_base::{Int, Rat};

/// A term: an index into the [`Terms`](crate::Terms) store that made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Term(pub(crate) u32);

impl Term {
    /// The position of the term in its store; earlier terms have smaller numbers.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One operator with its arguments.
///
/// Only the builders of [`Terms`](crate::Terms) make nodes; they keep the normal forms described in
/// the crate's documentation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// A truth value.
    Bool(bool),
    /// A number; the sort of the term determines whether it is an integer or a real.
    Number(Rat),
    /// A value of an enumeration.
    Variant(EnumId, u32),
    /// A variable at a stage.
    Var(Symbol, Stage),
    /// Negation.
    Not(Term),
    /// Conjunction of two or more.
    And(Box<[Term]>),
    /// Disjunction of two or more.
    Or(Box<[Term]>),
    /// If-then-else of any sort.
    Ite(Term, Term, Term),
    /// Equality of Booleans, enumeration values or arrays. A constant stands on the right.
    Eq(Term, Term),
    /// Numeric `t = 0`.
    Zero(Term),
    /// Numeric `t <= 0`.
    NonPos(Term),
    /// Real `t < 0`.
    Neg(Term),
    /// A linear sum that is neither a number nor a single term with coefficient one.
    Sum(Linear),
    /// Integer division by a constant, rounding so that the remainder is not negative.
    Div(Term, Int),
    /// Integer remainder by a positive constant; never negative.
    Mod(Term, Int),
    /// Absolute value.
    Abs(Term),
    /// The smaller of two numbers.
    Min(Term, Term),
    /// The larger of two numbers.
    Max(Term, Term),
    /// An integer as a real.
    ToReal(Term),
    /// The largest integer that is not larger than a real.
    Floor(Term),
    /// Array element: array, index.
    Select(Term, Term),
    /// Array update: array, index, value.
    Store(Term, Term, Term),
    /// The array all of whose elements are this one.
    Filled(ArrayId, Term),
    /// An index at which two arrays differ if they differ at all; some index otherwise. Only
    /// solvers make it, to explain why two arrays are not equal; no front-end does.
    Difference(Term, Term),
}

impl Node {
    /// Calls `f` on every argument, in order.
    pub fn for_each_child(&self, mut f: impl FnMut(Term)) {
        match self {
            Node::Bool(_) | Node::Number(_) | Node::Variant(..) | Node::Var(..) => {}
            Node::Not(a)
            | Node::Zero(a)
            | Node::NonPos(a)
            | Node::Neg(a)
            | Node::Div(a, _)
            | Node::Mod(a, _)
            | Node::Abs(a)
            | Node::ToReal(a)
            | Node::Floor(a)
            | Node::Filled(_, a) => f(*a),
            Node::And(list) | Node::Or(list) => list.iter().copied().for_each(f),
            Node::Eq(a, b)
            | Node::Min(a, b)
            | Node::Max(a, b)
            | Node::Select(a, b)
            | Node::Difference(a, b) => {
                f(*a);
                f(*b);
            }
            Node::Ite(a, b, c) | Node::Store(a, b, c) => {
                f(*a);
                f(*b);
                f(*c);
            }
            Node::Sum(linear) => linear.monomials().iter().for_each(|(t, _)| f(*t)),
        }
    }
}
