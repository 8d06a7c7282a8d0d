//! The structure of values of the types of a file over their leaves, and the texts of such values.

use crate::print::print_value;
use sectile_terms::{Terms, Value};
use std::collections::BTreeSet;

/// The structure of a value over its leaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// It is a leaf.
    Leaf,
    /// It is a bit-vector of this width, whose leaf is a number.
    Bits(u32),
    /// It is the constructor with this text, applied to its parts.
    Made(String, Vec<Shape>),
    /// It is one of the constructors with these texts, by its position. The first leaf is the
    /// position; the parts of all constructors follow.
    Chosen(Vec<(String, Vec<Shape>)>),
    /// It is an array of the sort with this text. There is an array for each leaf of its elements,
    /// which takes the leaves of the index one after the other.
    Array {
        /// The text of its sort.
        sort: String,
        /// The structure of its indices.
        index: Box<Shape>,
        /// The structure of its elements.
        element: Box<Shape>,
    },
}

impl Shape {
    /// The number of leaves. Recurses on the nesting of types.
    fn leaves(&self) -> usize {
        let sum = |parts: &[Shape]| parts.iter().map(Shape::leaves).sum::<usize>();
        match self {
            Shape::Leaf | Shape::Bits(_) => 1,
            Shape::Made(_, parts) => sum(parts),
            Shape::Chosen(all) => 1 + all.iter().map(|(_, parts)| sum(parts)).sum::<usize>(),
            Shape::Array { element, .. } => element.leaves(),
        }
    }

    /// The number of leaves, if a value can be written as a term over them.
    pub(super) fn sayable_leaves(&self) -> Option<usize> {
        match self {
            Shape::Leaf => Some(1),
            Shape::Chosen(all) if all.iter().all(|(_, parts)| parts.is_empty()) => Some(1),
            Shape::Made(_, parts) => parts.iter().map(Shape::sayable_leaves).sum(),
            Shape::Bits(_) | Shape::Chosen(_) | Shape::Array { .. } => None,
        }
    }

    /// The text of a value over texts of its leaves, if it has [`Shape::sayable_leaves`].
    pub(super) fn index(&self, leaves: &mut dyn Iterator<Item = String>) -> String {
        match self {
            Shape::Made(name, parts) => {
                let parts: Vec<String> = parts.iter().map(|p| p.index(leaves)).collect();
                applied(name, &parts)
            }
            Shape::Chosen(all) => {
                let leaf = leaves.next().unwrap_or_default();
                let mut names = all.iter().map(|(name, _)| name).enumerate().rev();
                let last = names.next().map(|(_, name)| name.clone());
                names.fold(last.unwrap_or_default(), |text, (k, name)| {
                    format!("(ite (= {leaf} {k}) {name} {text})")
                })
            }
            Shape::Leaf | Shape::Bits(_) | Shape::Array { .. } => leaves.next().unwrap_or_default(),
        }
    }

    /// The text of a value with these leaves.
    ///
    /// `None` if the leaves do not fit, or if an array over records differs from a constant one at
    /// infinitely many places. Recurses on the nesting of types.
    pub fn value(&self, terms: &Terms, leaves: &[Value]) -> Option<String> {
        match self {
            Shape::Leaf => Some(print_value(terms, leaves.first()?)),
            Shape::Bits(width) => {
                let number = leaves.first()?.as_rat()?;
                Some(format!("(_ bv{number} {width})"))
            }
            Shape::Made(name, parts) => Some(applied(name, &values(parts, terms, leaves)?)),
            Shape::Chosen(all) => {
                let (tag, mut rest) = leaves.split_first()?;
                let Value::Enum(_, chosen) = tag else {
                    return None;
                };
                let (name, parts) = all.get(*chosen as usize)?;
                for (_, earlier) in &all[..*chosen as usize] {
                    rest = rest.get(earlier.iter().map(Shape::leaves).sum()..)?;
                }
                Some(applied(name, &values(parts, terms, rest)?))
            }
            Shape::Array {
                sort,
                index,
                element,
            } => {
                let depth = index.leaves();
                let usual = leaves.iter().map(|leaf| usual(leaf, depth));
                let usual: Vec<Value> = usual.collect::<Option<_>>()?;
                let mut places = BTreeSet::new();
                for leaf in leaves {
                    exceptions(leaf, depth, &mut places)?;
                }
                let mut text = format!("((as const {sort}) {})", element.value(terms, &usual)?);
                for place in places {
                    let found = leaves.iter().map(|leaf| element_at(leaf, &place).cloned());
                    let found: Vec<Value> = found.collect::<Option<_>>()?;
                    let (i, e) = (index.value(terms, &place)?, element.value(terms, &found)?);
                    text = format!("(store {text} {i} {e})");
                }
                Some(text)
            }
        }
    }
}

/// The texts of consecutive values.
fn values(shapes: &[Shape], terms: &Terms, leaves: &[Value]) -> Option<Vec<String>> {
    let mut rest = leaves;
    let texts = shapes.iter().map(|shape| {
        let (own, others) = rest.split_at_checked(shape.leaves())?;
        rest = others;
        shape.value(terms, own)
    });
    texts.collect()
}

fn applied(name: &str, parts: &[String]) -> String {
    match parts.is_empty() {
        true => name.to_string(),
        false => format!("({name} {})", parts.join(" ")),
    }
}

/// The common element of all but finitely many places of an array with this many indices.
fn usual(array: &Value, depth: usize) -> Option<Value> {
    let mut value = array;
    for _ in 0..depth {
        let Value::Array(inner) = value else {
            return None;
        };
        value = inner.usual();
    }
    Some(value.clone())
}

/// Adds the exceptional places; `None` if there are too many.
fn exceptions(array: &Value, depth: usize, places: &mut BTreeSet<Vec<Value>>) -> Option<()> {
    let mut rows = vec![(array, Vec::new())];
    for k in 0..depth {
        let mut inner = Vec::new();
        for (row, place) in rows {
            let Value::Array(row) = row else {
                return None;
            };
            // The usual element of inner arrays must be the same everywhere.
            if k + 1 < depth && !is_constant(row.usual()) {
                return None;
            }
            for (index, element) in row.exceptions() {
                let mut place: Vec<Value> = place.clone();
                place.push(index.clone());
                inner.push((element, place));
            }
            // A constant row that differs from the others has no finite list of places.
            let other = |(_, e): (&Value, &Value)| {
                k + 1 < depth && usual(e, depth - k - 1) != usual(row.usual(), depth - k - 1)
            };
            if row.exceptions().any(other) {
                return None;
            }
        }
        rows = inner;
    }
    places.extend(rows.into_iter().map(|(_, place)| place));
    Some(())
}

fn is_constant(array: &Value) -> bool {
    matches!(array, Value::Array(inner) if inner.exceptions().next().is_none())
}

fn element_at<'v>(array: &'v Value, place: &[Value]) -> Option<&'v Value> {
    let mut value = array;
    for index in place {
        let Value::Array(inner) = value else {
            return None;
        };
        value = inner.get(index);
    }
    Some(value)
}
