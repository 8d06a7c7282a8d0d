//! Values of data types inside terms.
//!
//! Our terms do not have such values. While a clause is read, each is represented by a variable of
//! its own, its *handle*, and the book records its leaves. Operators are applied to the leaves of
//! handles here, so that no handle remains inside of a term.

use super::placeholders::Book;
use super::types::{Type, TypeId, default};
use sectile_base::Diagnostic;
use sectile_smtlib::{Sexp, Tree};
use sectile_terms::{Sort, SymbolKind, Term};

/// An operator of the script with its position.
#[derive(Clone, Copy)]
pub(super) struct Place<'p, 's> {
    pub tree: &'p Tree<'s>,
    pub at: Sexp,
    pub name: &'p str,
}

impl Place<'_, '_> {
    pub fn error(&self, message: impl Into<String>) -> Diagnostic {
        self.tree.error("smt-sort", self.at, message)
    }

    /// The arguments, if their number is right.
    pub fn exactly<const N: usize>(&self, arguments: &[Term]) -> Result<[Term; N], Diagnostic> {
        arguments.try_into().map_err(|_| {
            let found = arguments.len();
            self.error(format!("`{}` cannot have {found} arguments", self.name))
        })
    }
}

impl Book<'_> {
    /// Whether a term is a handle.
    pub fn is_handle(&self, t: Term) -> bool {
        self.values.contains_key(&t)
    }

    /// The type of a value and its leaves.
    pub fn parts(&mut self, t: Term) -> (TypeId, Vec<Term>) {
        match self.values.get(&t) {
            Some((id, leaves)) => (*id, leaves.clone()),
            None => (self.types.plain(self.terms.sort(t)), vec![t]),
        }
    }

    /// The value with these leaves.
    pub fn value(&mut self, id: TypeId, leaves: Vec<Term>) -> Term {
        if self.types.sort(id).is_some() {
            return leaves[0];
        }
        let key = (id, leaves);
        if let Some(&known) = self.handles.get(&key) {
            return known;
        }
        let symbol = self.terms.fresh("?", Sort::Bool, SymbolKind::Rigid);
        let handle = self.terms.var(symbol);
        self.values.insert(handle, key.clone());
        self.handles.insert(key, handle);
        handle
    }

    /// The leaves of a value of the wanted type, converted if necessary; `None` if it has another
    /// type.
    pub fn fitted(&mut self, t: Term, wanted: TypeId) -> Option<Vec<Term>> {
        let (own, leaves) = self.parts(t);
        match (self.types.sort(own), self.types.sort(wanted)) {
            _ if own == wanted => Some(leaves),
            (Some(Sort::Int), Some(Sort::Real)) => Some(vec![self.terms.to_real(t)]),
            _ => None,
        }
    }

    /// An operator on values; `None` unless it belongs to a data type or has a handle as an
    /// argument.
    pub fn operation(
        &mut self,
        place: Place<'_, '_>,
        arguments: &[Term],
    ) -> Option<Result<Term, Diagnostic>> {
        let name = place.name;
        if let Some(constructor) = self.types.constructor_named(name) {
            return Some(self.constructed(place, constructor, arguments));
        }
        if let Some(selector) = self.types.selector_named(name) {
            return Some(self.selected(place, selector, arguments));
        }
        if let Some(constructor) = name.strip_prefix("is-")
            && let Some(constructor) = self.types.constructor_named(constructor)
        {
            return Some(self.tested(place, constructor, arguments));
        }
        if let Some(result) = self.bits(place, arguments) {
            return Some(result);
        }
        if !arguments.iter().any(|&a| self.is_handle(a)) {
            return self.nonlinear(name, arguments).map(Ok);
        }
        Some(match name {
            "=" | "distinct" => self.compared(place, arguments),
            "ite" => self.chosen(place, arguments),
            "select" => self.element(place, arguments),
            "store" => self.updated(place, arguments),
            _ => Err(place.error(format!("`{name}` is not an operator on data types"))),
        })
    }

    fn constructed(
        &mut self,
        place: Place<'_, '_>,
        (k, c): (usize, usize),
        arguments: &[Term],
    ) -> Result<Term, Diagnostic> {
        let id = self.types.data_type(k);
        let fields = self.types.data[k].constructors[c].fields.clone();
        if fields.len() != arguments.len() {
            let (wanted, found) = (fields.len(), arguments.len());
            let message = format!("`{}` needs {wanted} arguments and has {found}", place.name);
            return Err(place.error(message));
        }
        let mut own = Vec::new();
        for (&argument, (selector, field)) in arguments.iter().zip(&fields) {
            let fitted = self.fitted(argument, *field);
            own.extend(fitted.ok_or_else(|| {
                let sort = self.types.print(*field);
                place.error(format!(
                    "`{selector}` of `{}` must be of sort {sort}",
                    place.name
                ))
            })?);
        }
        if let Some(tag) = self.types.data[k].tag {
            let terms = self.terms;
            let all = self.types.leaves(id).iter();
            let mut leaves: Vec<Term> = all.map(|leaf| default(terms, leaf.sort)).collect();
            leaves[0] = terms.variant(tag, u32::try_from(c).unwrap_or(u32::MAX));
            if !fields.is_empty() {
                let start = self.types.field((k, c, 0)).0.start;
                leaves[start..start + own.len()].copy_from_slice(&own);
            }
            own = leaves;
        }
        Ok(self.value(id, own))
    }

    /// The leaves of the only argument, which must be of this data type.
    fn of_data(
        &mut self,
        place: Place<'_, '_>,
        k: usize,
        arguments: &[Term],
    ) -> Result<Vec<Term>, Diagnostic> {
        let [value] = place.exactly(arguments)?;
        let wanted = self.types.data_type(k);
        self.fitted(value, wanted).ok_or_else(|| {
            let sort = self.types.print(wanted);
            place.error(format!("`{}` needs a value of sort {sort}", place.name))
        })
    }

    fn selected(
        &mut self,
        place: Place<'_, '_>,
        selector: (usize, usize, usize),
        arguments: &[Term],
    ) -> Result<Term, Diagnostic> {
        let leaves = self.of_data(place, selector.0, arguments)?;
        let (range, field) = self.types.field(selector);
        Ok(self.value(field, leaves[range].to_vec()))
    }

    /// The test whether a value has this constructor.
    pub fn tested(
        &mut self,
        place: Place<'_, '_>,
        constructor: (usize, usize),
        arguments: &[Term],
    ) -> Result<Term, Diagnostic> {
        let leaves = self.of_data(place, constructor.0, arguments)?;
        let test = self.types.is_constructor(constructor, &leaves);
        Ok(test.unwrap_or(self.terms.tt()))
    }

    /// Arguments of the same type, with their leaves.
    fn alike(
        &mut self,
        place: Place<'_, '_>,
        arguments: &[Term],
    ) -> Result<(TypeId, Vec<Vec<Term>>), Diagnostic> {
        let mut all = arguments.iter().map(|&a| self.parts(a));
        let (id, first) = all
            .next()
            .ok_or_else(|| place.error(format!("`{}` needs arguments", place.name)))?;
        let mut leaves = vec![first];
        for (own, list) in all {
            if own != id {
                let message = format!("the arguments of `{}` have different sorts", place.name);
                return Err(place.error(message));
            }
            leaves.push(list);
        }
        Ok((id, leaves))
    }

    fn compared(&mut self, place: Place<'_, '_>, arguments: &[Term]) -> Result<Term, Diagnostic> {
        let (_, values) = self.alike(place, arguments)?;
        let terms = self.terms;
        let equal =
            |a: &[Term], b: &[Term]| terms.and(a.iter().zip(b).map(|(&a, &b)| terms.eq(a, b)));
        if place.name == "=" {
            return Ok(terms.and(values.windows(2).map(|w| equal(&w[0], &w[1]))));
        }
        let mut parts = Vec::new();
        for (i, a) in values.iter().enumerate() {
            parts.extend(values[i + 1..].iter().map(|b| terms.not(equal(a, b))));
        }
        Ok(terms.and(parts))
    }

    fn chosen(&mut self, place: Place<'_, '_>, arguments: &[Term]) -> Result<Term, Diagnostic> {
        let [condition, yes, no] = place.exactly(arguments)?;
        if self.is_handle(condition) || self.terms.sort(condition) != Sort::Bool {
            return Err(place.error("`ite` needs a truth value"));
        }
        let (id, branches) = self.alike(place, &[yes, no])?;
        let terms = self.terms;
        let pairs = branches[0].iter().zip(&branches[1]);
        let leaves = pairs.map(|(&a, &b)| terms.ite(condition, a, b));
        let leaves = leaves.collect();
        Ok(self.value(id, leaves))
    }

    /// The index and element types of an array, its leaves, and those of an index.
    fn indexed_array(
        &mut self,
        place: Place<'_, '_>,
        array: Term,
        index: Term,
    ) -> Result<(TypeId, TypeId, Vec<Term>, Vec<Term>), Diagnostic> {
        let (id, arrays) = self.parts(array);
        let parts = match self.types.shape(id) {
            Type::Array(index, element) => Some((index, element)),
            Type::Plain(Sort::Array(a)) => {
                let (index, element) = self.terms.array_parts(a);
                Some((self.types.plain(index), self.types.plain(element)))
            }
            _ => None,
        };
        let Some((wanted, element)) = parts else {
            return Err(place.error(format!("`{}` needs an array", place.name)));
        };
        let keys = self.fitted(index, wanted);
        let keys =
            keys.ok_or_else(|| place.error("the index or the value does not fit the array"))?;
        Ok((id, element, arrays, keys))
    }

    fn element(&mut self, place: Place<'_, '_>, arguments: &[Term]) -> Result<Term, Diagnostic> {
        let [array, index] = place.exactly(arguments)?;
        let (_, element, arrays, keys) = self.indexed_array(place, array, index)?;
        let read = |&a: &Term| keys.iter().fold(a, |a, &k| self.terms.select(a, k));
        let leaves = arrays.iter().map(read).collect();
        Ok(self.value(element, leaves))
    }

    fn updated(&mut self, place: Place<'_, '_>, arguments: &[Term]) -> Result<Term, Diagnostic> {
        let [array, index, value] = place.exactly(arguments)?;
        let (id, element, arrays, keys) = self.indexed_array(place, array, index)?;
        let values = self.fitted(value, element);
        let values =
            values.ok_or_else(|| place.error("the index or the value does not fit the array"))?;
        let terms = self.terms;
        let write = |(&a, &v): (&Term, &Term)| {
            // The rows on the path to the element, outermost first.
            let mut rows = vec![a];
            for &k in keys.iter().take(keys.len().saturating_sub(1)) {
                rows.push(terms.select(rows[rows.len() - 1], k));
            }
            let updates = rows.iter().zip(&keys).rev();
            updates.fold(v, |inner, (&row, &k)| terms.store(row, k, inner))
        };
        let leaves = arrays.iter().zip(&values).map(write).collect();
        Ok(self.value(id, leaves))
    }

    /// The array of a type with the same value everywhere.
    pub fn filled(
        &mut self,
        place: Place<'_, '_>,
        id: TypeId,
        arguments: &[Term],
    ) -> Result<Term, Diagnostic> {
        let Type::Array(index, element) = self.types.shape(id) else {
            return Err(place.error("`const` needs the sort of an array"));
        };
        let [value] = place.exactly(arguments)?;
        let message = "`const` has one argument, an element of the array";
        let values = self.fitted(value, element);
        let values = values.ok_or_else(|| place.error(message))?;
        let terms = self.terms;
        let keys: Vec<Sort> = self.types.leaves(index).iter().map(|l| l.sort).collect();
        let fill = |&v: &Term| {
            keys.iter().rev().fold(v, |inner, &key| {
                match terms.array_sort(key, terms.sort(inner)) {
                    Sort::Array(array) => terms.filled(array, inner),
                    _ => inner,
                }
            })
        };
        let leaves = values.iter().map(fill).collect();
        Ok(self.value(id, leaves))
    }
}
