//! Arrays: elements, updates, constant arrays and their values.

use super::{ArrayId, Sort, Value};
use crate::node::{Node, Term};
use crate::store::Terms;
use std::collections::BTreeMap;

impl Terms {
    /// Array element. Updates at indices known to be different are skipped.
    pub fn select(&self, array: Term, index: Term) -> Term {
        let Sort::Array(id) = self.sort(array) else {
            unreachable!("the callers check that the first argument is an array")
        };
        let mut array = array;
        loop {
            match *self.node(array) {
                Node::Filled(_, value) => return value,
                Node::Store(_, i, value) if i == index => return value,
                Node::Store(inner, i, _) if self.are_different(i, index) => array = inner,
                _ => break,
            }
        }
        self.intern(Node::Select(array, index), self.array_parts(id).1)
    }

    /// Whether two indices are constants that differ, or differ by a constant.
    fn are_different(&self, i: Term, j: Term) -> bool {
        self.as_bool(self.eq(i, j)) == Some(false)
    }

    /// Array with one element replaced.
    pub fn store(&self, array: Term, index: Term, value: Term) -> Term {
        let mut array = array;
        while let Node::Store(inner, i, _) = *self.node(array)
            && i == index
        {
            array = inner;
        }
        if *self.node(value) == Node::Select(array, index) {
            return array;
        }
        if matches!(*self.node(array), Node::Filled(_, usual) if usual == value) {
            return array;
        }
        self.intern(Node::Store(array, index, value), self.sort(array))
    }

    /// The array of a sort all of whose elements are `value`.
    pub fn filled(&self, id: ArrayId, value: Term) -> Term {
        debug_assert_eq!(self.array_parts(id).1, self.sort(value));
        self.intern(Node::Filled(id, value), Sort::Array(id))
    }

    /// An index at which two arrays differ if they differ at all.
    pub fn differing_index(&self, a: Term, b: Term) -> Term {
        let Sort::Array(id) = self.sort(a) else {
            unreachable!("the callers check that the arguments are arrays")
        };
        let node = Node::Difference(a.min(b), a.max(b));
        self.intern(node, self.array_parts(id).0)
    }
}

/// The value of an array: one element everywhere, except at finitely many places.
///
/// Equal arrays have equal representations: no exception has the usual value, and the usual value
/// of an array with finitely many places is that at the first one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ArrayValue {
    id: ArrayId,
    usual: Value,
    exceptions: BTreeMap<Value, Value>,
}

impl ArrayValue {
    /// The array all of whose elements are `value`.
    pub fn filled(id: ArrayId, value: Value) -> ArrayValue {
        ArrayValue {
            id,
            usual: value,
            exceptions: BTreeMap::new(),
        }
    }

    /// The array with one element everywhere except at some indices, in normal form.
    pub fn normal(id: ArrayId, usual: Value, exceptions: BTreeMap<Value, Value>) -> ArrayValue {
        ArrayValue {
            id,
            usual,
            exceptions,
        }
    }

    /// The sort.
    pub fn id(&self) -> ArrayId {
        self.id
    }

    /// The element at all places that are not exceptions.
    pub fn usual(&self) -> &Value {
        &self.usual
    }

    /// The places with another element, in order.
    pub fn exceptions(&self) -> impl Iterator<Item = (&Value, &Value)> {
        self.exceptions.iter()
    }

    /// The element at a place.
    pub fn get(&self, index: &Value) -> &Value {
        self.exceptions.get(index).unwrap_or(&self.usual)
    }

    /// The array with one element replaced.
    pub fn with(mut self, terms: &Terms, index: Value, value: Value) -> ArrayValue {
        self.set(index, value);
        let index = terms.array_parts(self.id).0;
        let Some(count) = index.cardinality(terms) else {
            return self;
        };
        let places = (0..count).filter_map(|k| index.nth_value(terms, k));
        let elements: Vec<(Value, Value)> =
            places.map(|p| (p.clone(), self.get(&p).clone())).collect();
        let Some((_, first)) = elements.first() else {
            return self;
        };
        let mut normal = ArrayValue::filled(self.id, first.clone());
        for (place, element) in elements {
            normal.set(place, element);
        }
        normal
    }

    fn set(&mut self, index: Value, value: Value) {
        if value == self.usual {
            self.exceptions.remove(&index);
        } else {
            self.exceptions.insert(index, value);
        }
    }

    /// The first place at which two arrays of one sort differ; some place if there is none.
    pub fn difference(&self, other: &ArrayValue, terms: &Terms) -> Value {
        let known = self.exceptions.keys().chain(other.exceptions.keys());
        let found = known.filter(|i| self.get(i) != other.get(i)).min();
        if let Some(place) = found {
            return place.clone();
        }
        let index = terms.array_parts(self.id).0;
        if self.usual == other.usual {
            return Value::some_of(terms, index);
        }
        let taken = self.exceptions.len() + other.exceptions.len();
        let taken = u32::try_from(taken).unwrap_or(u32::MAX);
        let free =
            |p: &Value| !self.exceptions.contains_key(p) && !other.exceptions.contains_key(p);
        let mut candidates = (0..=taken).map_while(|k| index.nth_value(terms, k));
        let place = candidates.find(free);
        place.unwrap_or_else(|| Value::some_of(terms, index))
    }

    /// The array as a constant term.
    pub fn to_term(&self, terms: &Terms) -> Term {
        let mut result = terms.filled(self.id, self.usual.to_term(terms));
        for (index, value) in &self.exceptions {
            result = terms.store(result, index.to_term(terms), value.to_term(terms));
        }
        result
    }

    /// The value that a constant term is.
    pub(crate) fn from_term(terms: &Terms, t: Term) -> Option<ArrayValue> {
        let mut updates = Vec::new();
        let mut rest = t;
        let mut value = loop {
            match *terms.node(rest) {
                Node::Store(inner, i, v) => {
                    updates.push((Value::from_term(terms, i)?, Value::from_term(terms, v)?));
                    rest = inner;
                }
                Node::Filled(id, v) => break ArrayValue::filled(id, Value::from_term(terms, v)?),
                _ => return None,
            }
        };
        for (index, element) in updates.into_iter().rev() {
            value = value.with(terms, index, element);
        }
        Some(value)
    }
}
