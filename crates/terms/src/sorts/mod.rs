//! Sorts and their values.
//!
//! What depends on the sort alone is asked through [`SortInfo`], which has one implementation a sort:
//!
//! | sort | file |
//! |---|---|
//! | truth values | `boolean` |
//! | integers, reals | `number` |
//! | enumerations | `enumeration` |
//! | arrays | `array` |
//! | the values of all of them | `value` |
//!
//! A new sort is a file with its `SortInfo`, a variant of [`Sort`] with a line in `with_info!`, and a
//! variant of [`Value`]. The compiler then points to the rest.

mod array;
mod boolean;
mod enumeration;
mod number;
mod value;

pub use array::{ArrayId, ArrayValue};
pub use enumeration::{EnumId, EnumInfo};
pub use value::{Value, display_value};

use crate::copy::Different;
use crate::node::Term;
use crate::store::Terms;

/// What kind of values a term has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sort {
    /// Truth values.
    Bool,
    /// Unbounded integers.
    Int,
    /// Exact reals (all values that arise are rational).
    Real,
    /// A finite enumeration.
    Enum(EnumId),
    /// Arrays from an index sort to an element sort.
    Array(ArrayId),
}

/// A language in which sorts have names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// Ours: `int`, `bool`, `real`, the name of an enumeration, `[index]element`.
    Native,
    /// SMT-LIB. Enumerations are integers there.
    SmtLib,
}

/// A part of the name of a sort.
enum Piece {
    Text(String),
    Sort(Sort),
}

impl From<&str> for Piece {
    fn from(text: &str) -> Piece {
        Piece::Text(text.to_string())
    }
}

/// What the crate asks about a sort.
trait SortInfo: Copy {
    /// Its name; sorts that it is made of are named by others.
    fn name(self, terms: &Terms, syntax: Syntax) -> Vec<Piece>;

    /// How many values it has, if these are few enough to list.
    fn cardinality(self, _terms: &Terms) -> Option<u32> {
        None
    }

    /// The value with number `k`, if there are so many. No two numbers give the same value. `Err`
    /// names a sort whose value with that number is to be given to `around`.
    fn nth(self, terms: &Terms, k: u32) -> Result<Option<Value>, Sort>;

    /// The value that is made of one of the sort that `nth` named.
    fn around(self, part: Value) -> Value {
        part
    }

    /// The equality of two terms of the sort, normalised.
    fn eq(self, terms: &Terms, a: Term, b: Term) -> Term;

    /// Checks that two stores mean the same by the sort; returns the sorts it is made of, for which
    /// that must be checked too.
    fn same(self, _from: &Terms, _to: &Terms) -> Result<Vec<Sort>, Different> {
        Ok(Vec::new())
    }
}

/// Evaluates an expression with the [`SortInfo`] of a sort: the register of sorts.
macro_rules! with_info {
    ($sort:expr, $info:ident => $body:expr) => {
        match $sort {
            Sort::Bool => {
                let $info = boolean::Boolean;
                $body
            }
            Sort::Int | Sort::Real => {
                let $info = number::Number($sort);
                $body
            }
            Sort::Enum(id) => {
                let $info = id;
                $body
            }
            Sort::Array(id) => {
                let $info = id;
                $body
            }
        }
    };
}

impl Sort {
    /// Whether terms of this sort can be added and compared.
    pub fn is_numeric(self) -> bool {
        matches!(self, Sort::Int | Sort::Real)
    }

    /// The index and element sort, if terms of this sort are arrays.
    pub fn array_parts(self, terms: &Terms) -> Option<(Sort, Sort)> {
        match self {
            Sort::Array(id) => Some(terms.array_parts(id)),
            _ => None,
        }
    }

    /// The name of the sort in a syntax.
    pub fn name(self, terms: &Terms, syntax: Syntax) -> String {
        let mut text = String::new();
        // Array sorts nest as deep as the declarations of their user.
        let mut pending = vec![Piece::Sort(self)];
        while let Some(piece) = pending.pop() {
            match piece {
                Piece::Text(part) => text.push_str(&part),
                Piece::Sort(sort) => {
                    let pieces = with_info!(sort, info => info.name(terms, syntax));
                    pending.extend(pieces.into_iter().rev());
                }
            }
        }
        text
    }

    /// How many values the sort has, if these are few enough to list.
    pub fn cardinality(self, terms: &Terms) -> Option<u32> {
        with_info!(self, info => info.cardinality(terms))
    }

    /// The value with number `k`, counted from 0, if there are so many. No two numbers give the
    /// same value; an infinite sort has values that no number gives.
    pub fn nth_value(self, terms: &Terms, k: u32) -> Option<Value> {
        let mut around = Vec::new();
        let mut sort = self;
        let mut value = loop {
            match with_info!(sort, info => info.nth(terms, k)) {
                Ok(value) => break value?,
                Err(part) => around.push(std::mem::replace(&mut sort, part)),
            }
        };
        for sort in around.into_iter().rev() {
            value = with_info!(sort, info => info.around(value));
        }
        Some(value)
    }

    /// Checks that two stores mean the same by this sort.
    pub(crate) fn check_same(self, from: &Terms, to: &Terms) -> Result<(), Different> {
        let mut waiting = vec![self];
        while let Some(sort) = waiting.pop() {
            waiting.extend(with_info!(sort, info => info.same(from, to))?);
        }
        Ok(())
    }
}

impl Terms {
    /// Equality of two terms of one sort.
    pub fn eq(&self, a: Term, b: Term) -> Term {
        debug_assert_eq!(self.sort(a), self.sort(b));
        with_info!(self.sort(a), info => info.eq(self, a, b))
    }
}

/// The name of a sort in the native syntax.
pub fn display_sort(terms: &Terms, sort: Sort) -> String {
    sort.name(terms, Syntax::Native)
}
