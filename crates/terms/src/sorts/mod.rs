//! Sorts and their values.
//!
//! Every question that depends on the sort alone has one table here; values are in `value`, array
//! values and array operators in `array`. A new sort is a variant of [`Sort`] and one of [`Value`]:
//! the compiler then lists the tables that need a line.

mod array;
mod value;

pub use array::ArrayValue;
pub use value::{Value, display_value};

use crate::copy::Different;
use crate::names::native_name;
use crate::node::Term;
use crate::store::Terms;
use sectile_base::{Int, Rat};

/// Names an enumeration declared in a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EnumId(pub(crate) u32);

/// Names an array sort declared in a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ArrayId(pub(crate) u32);

/// The sort of a term: its kind of values.
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

/// A declared enumeration: its name and its variants in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnumInfo {
    /// The name of the enumeration.
    pub name: String,
    /// The names of its values, in order.
    pub variants: Vec<String>,
}

/// A syntax for the names of sorts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// Ours: `int`, `bool`, `real`, the name of an enumeration, `[index]element`.
    Native,
    /// SMT-LIB. Enumerations are integers there.
    SmtLib,
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
        let native = syntax == Syntax::Native;
        let mut text = String::new();
        // Array sorts may be nested as deeply as their declarations.
        let mut pending = vec![Ok(self)];
        while let Some(item) = pending.pop() {
            match item {
                Err(bracket) => text.push_str(bracket),
                Ok(Sort::Bool) => text.push_str(if native { "bool" } else { "Bool" }),
                Ok(Sort::Int) => text.push_str(if native { "int" } else { "Int" }),
                Ok(Sort::Real) => text.push_str(if native { "real" } else { "Real" }),
                Ok(Sort::Enum(_)) if !native => text.push_str("Int"),
                Ok(Sort::Enum(id)) => text.push_str(&native_name(&terms.enum_info(id).name)),
                Ok(Sort::Array(id)) => {
                    let (index, element) = terms.array_parts(id);
                    let (index, element) = (Ok(index), Ok(element));
                    match syntax {
                        Syntax::Native => pending.extend([element, Err("]"), index, Err("[")]),
                        Syntax::SmtLib => {
                            pending.extend([Err(")"), element, Err(" "), index, Err("(Array ")]);
                        }
                    }
                }
            }
        }
        text
    }

    /// The number of values of the sort, if small enough to enumerate.
    pub fn cardinality(self, terms: &Terms) -> Option<u32> {
        match self {
            Sort::Bool => Some(2),
            Sort::Enum(id) => u32::try_from(terms.enum_info(id).variants.len()).ok(),
            Sort::Int | Sort::Real | Sort::Array(_) => None,
        }
    }

    /// The value with number `k`, counted from 0, if the sort has that many. Different numbers
    /// give different values; of an infinite sort not all values have a number.
    pub fn nth_value(self, terms: &Terms, k: u32) -> Option<Value> {
        let mut arrays = Vec::new();
        let mut sort = self;
        while let Sort::Array(id) = sort {
            arrays.push(id);
            sort = terms.array_parts(id).1;
        }
        // The first value exists even for an empty enumeration: a default is always needed.
        if k > 0 && sort.cardinality(terms).is_some_and(|count| k >= count) {
            return None;
        }
        let mut value = match sort {
            Sort::Bool => Value::Bool(k == 1),
            Sort::Enum(id) => Value::Enum(id, k),
            _ => Value::number(sort, Rat::from(Int::from(i64::from(k)))),
        };
        for id in arrays.into_iter().rev() {
            value = Value::Array(Box::new(ArrayValue::filled(id, value)));
        }
        Some(value)
    }

    /// Checks that this sort is the same in two stores.
    pub(crate) fn check_same(self, from: &Terms, to: &Terms) -> Result<(), Different> {
        let mut waiting = vec![self];
        while let Some(sort) = waiting.pop() {
            match sort {
                Sort::Bool | Sort::Int | Sort::Real => {}
                Sort::Enum(id) => {
                    let info = from.enum_info(id);
                    if to.enums().all(|e| e != id) || to.enum_info(id) != info {
                        return Err(Different(info.name.clone()));
                    }
                }
                Sort::Array(id) => {
                    let (index, element) = from.array_parts(id);
                    if to.array_sort(index, element) != sort {
                        return Err(Different("an array sort".to_string()));
                    }
                    waiting.extend([index, element]);
                }
            }
        }
        Ok(())
    }
}

impl Terms {
    /// Equality of two terms of one sort.
    pub fn eq(&self, a: Term, b: Term) -> Term {
        debug_assert_eq!(self.sort(a), self.sort(b));
        match self.sort(a) {
            Sort::Bool => self.iff(a, b),
            Sort::Int | Sort::Real => self.eq_numeric(a, b),
            Sort::Enum(_) | Sort::Array(_) => self.eq_structural(a, b),
        }
    }
}

/// The name of a sort in the native syntax.
pub fn display_sort(terms: &Terms, sort: Sort) -> String {
    sort.name(terms, Syntax::Native)
}
