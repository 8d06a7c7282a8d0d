//! Values of all sorts.

use super::{ArrayValue, EnumId, Sort};
use crate::names::native_name;
use crate::native::NativePrinter;
use crate::node::{Node, Term};
use crate::store::Terms;
use sectile_base::{Int, Rat};

/// A concrete value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(Int),
    /// A rational number, as the value of a real.
    Real(Rat),
    /// A value of an enumeration.
    Enum(EnumId, u32),
    /// An array.
    Array(Box<ArrayValue>),
}

impl Value {
    /// The truth value, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(b) => Some(*b),
            _ => None,
        }
    }

    /// The number, if it is one.
    pub fn as_rat(&self) -> Option<Rat> {
        match self {
            Value::Int(i) => Some(Rat::from(i)),
            Value::Real(r) => Some(r.clone()),
            _ => None,
        }
    }

    /// The sort the value belongs to.
    pub fn sort(&self) -> Sort {
        match self {
            Value::Bool(_) => Sort::Bool,
            Value::Int(_) => Sort::Int,
            Value::Real(_) => Sort::Real,
            Value::Enum(id, _) => Sort::Enum(*id),
            Value::Array(a) => Sort::Array(a.id()),
        }
    }

    /// The value as a constant term.
    pub fn to_term(&self, terms: &Terms) -> Term {
        match self {
            Value::Bool(b) => terms.bool(*b),
            Value::Int(i) => terms.number(Rat::from(i), Sort::Int),
            Value::Real(r) => terms.number(r.clone(), Sort::Real),
            Value::Enum(id, k) => terms.variant(*id, *k),
            Value::Array(a) => a.to_term(terms),
        }
    }

    /// The value that a constant term is.
    pub fn from_term(terms: &Terms, t: Term) -> Option<Value> {
        match terms.node(t) {
            Node::Bool(b) => Some(Value::Bool(*b)),
            Node::Number(r) => Some(Value::number(terms.sort(t), r.clone())),
            Node::Variant(id, k) => Some(Value::Enum(*id, *k)),
            Node::Filled(..) | Node::Store(..) => {
                let array = ArrayValue::from_term(terms, t)?;
                Some(Value::Array(Box::new(array)))
            }
            _ => None,
        }
    }

    /// The default value of a sort: false, zero, the first variant, an array of defaults.
    pub fn some_of(terms: &Terms, sort: Sort) -> Value {
        let value = sort.nth_value(terms, 0);
        value.expect("every sort has a value")
    }

    /// A number as a value of a numeric sort.
    pub(crate) fn number(sort: Sort, value: Rat) -> Value {
        match sort {
            Sort::Int => Value::Int(value.numer()),
            _ => Value::Real(value),
        }
    }
}

/// A value as the native syntax writes it.
pub fn display_value(terms: &Terms, value: &Value) -> String {
    match value {
        Value::Bool(b) => b.to_string(),
        Value::Int(i) => i.to_string(),
        Value::Real(r) => r.to_string(),
        Value::Enum(id, k) => native_name(&terms.enum_info(*id).variants[*k as usize]).into_owned(),
        Value::Array(a) => NativePrinter::new(terms).print(a.to_term(terms)),
    }
}
