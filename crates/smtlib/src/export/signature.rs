//! Models over the types of the file, if those are not the sorts of our terms.
//!
//! An argument of a predicate that is a record becomes several arguments of ours, its *leaves*. A
//! leaf is written by selectors: `(let ((x.f (f x))) ...)`. A leaf of the elements of an array is
//! an array of ours and not of the file; only its elements can be written: `(f (select x i))`.
//! Equality of two such arrays is written with a quantifier over all indices.

use super::shape::Shape;
use crate::print::{print_sort, print_term, print_value};
use rustc_hash::FxHashMap;
use sectile_terms::{Node, Sort, Substitution, Symbol, SymbolKind, Term, Terms, Value};
use std::fmt::Write as _;

/// Maximum nesting depth of arrays.
const MOST_NESTED: usize = 20;

/// The arguments of a predicate as in the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Signature {
    /// The arguments, in order.
    pub arguments: Vec<Argument>,
}

impl Signature {
    /// The texts of the arguments for these values of leaves; `None` if one cannot be written.
    pub fn values(&self, terms: &Terms, leaves: &[Value]) -> Option<Vec<String>> {
        let mut rest = leaves;
        let texts = self.arguments.iter().map(|argument| {
            let (own, others) = rest.split_at_checked(argument.leaves.len())?;
            rest = others;
            argument.shape.value(terms, own)
        });
        texts.collect()
    }
}

/// An argument as in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    /// The text of its sort.
    pub sort: String,
    /// Its structure over its leaves.
    pub shape: Shape,
    /// The access path of each leaf.
    pub leaves: Vec<Vec<Access>>,
}

/// One step from a value to a leaf.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Access {
    /// A function of the value: the text of a selector, or of a conversion.
    Function(String),
    /// A field that only values with one of several constructors have: the texts of the constructor
    /// and of the selector. Other values have the default.
    Field(String, String),
    /// The position of its constructor: the texts of the constructors in order.
    Tag(Vec<String>),
    /// An element of the array that it is.
    Element(Shape),
}

/// The parameters and the body of a definition over the arguments as in the file.
pub(super) fn definition(
    terms: &Terms,
    signature: &Signature,
    parameters: &[Symbol],
    formula: Term,
) -> Result<(String, String), String> {
    let mut writer = Writer {
        terms,
        leaves: FxHashMap::default(),
        bindings: String::new(),
        open: 0,
    };
    let mut own = parameters.iter();
    let mut bound = Vec::new();
    let mut first = Vec::new();
    let occurring = terms.free_vars(formula);
    for (k, argument) in signature.arguments.iter().enumerate() {
        let name = format!("a{k}");
        bound.push(format!("({name} {})", argument.sort));
        for path in &argument.leaves {
            let &symbol = own.next().ok_or("the arguments do not fit")?;
            let is_direct = !path.iter().any(|a| matches!(a, Access::Element(_)));
            if !occurring.iter().any(|(s, _)| *s == symbol) {
                continue;
            }
            match is_direct {
                true => {
                    let text = direct(terms, &name, path, terms.symbol_sort(symbol));
                    first.push((terms.var(symbol), text));
                }
                false => {
                    let leaf = (name.clone(), path.as_slice());
                    writer.leaves.insert(terms.var(symbol), leaf);
                }
            }
        }
    }
    let mut map = Substitution::default();
    let mut texts = Vec::new();
    for (leaf, text) in first {
        let local = writer.local(terms.sort(leaf));
        texts.push(format!("({} {text})", print_term(terms, local)));
        map.insert(leaf, local);
    }
    writer.bind(&texts);
    let formula = writer.with_elements(terms.substitute(formula, &map))?;
    let mut body = writer.bindings;
    body.push_str(&print_term(terms, formula));
    body.extend(std::iter::repeat_n(')', writer.open));
    Ok((bound.join(" "), body))
}

/// A leaf that is accessed by functions only.
fn direct(terms: &Terms, argument: &str, path: &[Access], sort: Sort) -> String {
    let mut value = argument.to_string();
    let mut guards = Vec::new();
    for access in path {
        if let Access::Field(constructor, _) = access {
            guards.push(format!("((_ is {constructor}) {value})"));
        }
        value = applied(&value, access);
    }
    let default = print_value(terms, &Value::some_of(terms, sort));
    let guarded = |inner: String, guard: &String| format!("(ite {guard} {inner} {default})");
    guards.iter().rev().fold(value, guarded)
}

/// An access that is not an element.
fn applied(value: &str, access: &Access) -> String {
    match access {
        Access::Function(name) | Access::Field(_, name) => format!("({name} {value})"),
        Access::Tag(constructors) => {
            let last = constructors.len().saturating_sub(1);
            let mut text = last.to_string();
            for (k, name) in constructors.iter().enumerate().rev().skip(1) {
                text = format!("(ite ((_ is {name}) {value}) {k} {text})");
            }
            text
        }
        Access::Element(_) => value.to_string(),
    }
}

struct Writer<'w> {
    terms: &'w Terms,
    /// Leaves that are arrays of ours and not of the file: the argument, and the access path.
    leaves: FxHashMap<Term, (String, &'w [Access])>,
    bindings: String,
    open: usize,
}

impl Writer<'_> {
    fn local(&self, sort: Sort) -> Term {
        let symbol = self.terms.fresh("v", sort, SymbolKind::Input);
        self.terms.var(symbol)
    }

    fn bind(&mut self, texts: &[String]) {
        if !texts.is_empty() {
            // Writing to a String cannot fail.
            let _ = write!(self.bindings, "(let ({}) ", texts.join(" "));
            self.open += 1;
        }
    }

    /// A formula without reads from updates of such leaves, or from alternatives.
    fn lowered(&self, formula: Term) -> Term {
        let terms = self.terms;
        let is_leaf = |t: &Term| self.leaves.contains_key(t);
        let mut formula = formula;
        for _ in 0..MOST_NESTED {
            let mut map = Substitution::default();
            for t in terms.post_order(&[formula]) {
                if let Node::Select(array, index) = *terms.node(t)
                    && matches!(terms.node(array), Node::Store(..) | Node::Ite(..))
                    && terms.post_order(&[array]).iter().any(is_leaf)
                {
                    map.insert(t, read_at(terms, array, index));
                }
            }
            if map.is_empty() {
                break;
            }
            formula = terms.substitute(formula, &map);
        }
        formula
    }

    /// A formula with names for the elements of such leaves, which are bound.
    fn with_elements(&mut self, formula: Term) -> Result<Term, String> {
        let terms = self.terms;
        let formula = self.lowered(formula);
        let mut map = Substitution::default();
        for t in terms.post_order(&[formula]) {
            if let Node::Eq(a, b) = *terms.node(t)
                && self.is_unsayable(a, b)
            {
                let put = |t: Term| terms.substitute(t, &map);
                let text = self.pointwise(put(a), put(b))?;
                let local = self.local(Sort::Bool);
                self.bind(&[format!("({} {text})", print_term(terms, local))]);
                map.insert(t, local);
                continue;
            }
            let Some((leaf, indices)) = self.element(t) else {
                continue;
            };
            let (argument, path) = &self.leaves[&leaf];
            let mut indices = indices.iter().map(|&i| {
                let index = terms.substitute(i, &map);
                print_term(terms, index)
            });
            let text = path
                .iter()
                .fold(argument.clone(), |value, access| match access {
                    Access::Element(shape) => {
                        format!("(select {value} {})", shape.index(&mut indices))
                    }
                    _ => applied(&value, access),
                });
            let local = self.local(terms.sort(t));
            let text = format!("({} {text})", print_term(terms, local));
            map.insert(t, local);
            self.bind(&[text]);
        }
        let formula = terms.substitute(formula, &map);
        let left = terms.free_vars(formula).into_iter();
        match { left }.any(|(s, _)| self.leaves.contains_key(&terms.var(s))) {
            true => {
                Err("it compares arrays of records, which cannot be said by single fields".into())
            }
            false => Ok(formula),
        }
    }

    /// Whether an equality compares arrays that depend on a leaf which is not an array of the file.
    fn is_unsayable(&self, a: Term, b: Term) -> bool {
        let terms = self.terms;
        let leaves = |t: &Term| self.leaves.contains_key(t) && self.element(*t).is_none();
        matches!(terms.sort(a), Sort::Array(_))
            && terms.post_order(&[a, b]).iter().any(leaves)
            && (self.element(a).is_none() || self.element(b).is_none())
    }

    /// The text of the condition that two arrays have the same elements.
    fn pointwise(&self, a: Term, b: Term) -> Result<String, String> {
        let terms = self.terms;
        let (mut a, mut b) = (a, b);
        let mut bound = Vec::new();
        while let Sort::Array(id) = terms.sort(a) {
            let sort = terms.array_parts(id).0;
            let index = self.local(sort);
            bound.push(format!(
                "({} {})",
                print_term(terms, index),
                print_sort(terms, sort)
            ));
            (a, b) = (read_at(terms, a, index), read_at(terms, b, index));
        }
        let mut inner = Writer {
            terms,
            leaves: self.leaves.clone(),
            bindings: String::new(),
            open: 0,
        };
        let formula = inner.with_elements(terms.eq(a, b))?;
        let (bindings, end) = (inner.bindings, ")".repeat(inner.open));
        let body = print_term(terms, formula);
        Ok(format!(
            "(forall ({}) {bindings}{body}{end})",
            bound.join(" ")
        ))
    }

    /// The leaf and the indices, if a term reads exactly as deep as such a leaf.
    fn element(&self, t: Term) -> Option<(Term, Vec<Term>)> {
        let mut indices = Vec::new();
        let mut array = t;
        while let Node::Select(inner, i) = *self.terms.node(array) {
            indices.push(i);
            array = inner;
        }
        let (_, path) = self.leaves.get(&array)?;
        if path
            .iter()
            .any(|access| matches!(access, Access::Field(..)))
        {
            return None;
        }
        let needed = path.iter().map(|access| match access {
            Access::Element(shape) => shape.sayable_leaves(),
            _ => Some(0),
        });
        indices.reverse();
        (Some(indices.len()) == needed.sum::<Option<usize>>()).then_some((array, indices))
    }
}

/// An element of an array, with updates and alternatives between arrays expanded.
fn read_at(terms: &Terms, array: Term, index: Term) -> Term {
    let mut order = Vec::new();
    let mut open = vec![array];
    while let Some(t) = open.pop() {
        order.push(t);
        match *terms.node(t) {
            Node::Store(inner, ..) => open.push(inner),
            Node::Ite(_, a, b) => open.extend([a, b]),
            _ => {}
        }
    }
    let mut read: FxHashMap<Term, Term> = FxHashMap::default();
    for t in order.into_iter().rev() {
        let element = match *terms.node(t) {
            Node::Store(inner, i, value) => terms.ite(terms.eq(i, index), value, read[&inner]),
            Node::Ite(c, a, b) => terms.ite(c, read[&a], read[&b]),
            _ => terms.select(t, index),
        };
        read.insert(t, element);
    }
    read[&array]
}
