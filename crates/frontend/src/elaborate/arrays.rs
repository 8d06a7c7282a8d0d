//! Elaborates arrays: elements, updates, constant arrays.

use super::names::Family;
use super::reference::Meaning;
use super::{Elaborated, Elaborator};
use crate::messages::{Report as _, Reported};
use crate::syntax::{Access, Expr, ExprKind, INDICES_HELP, TypeItem, misplaced_prime};
use sectile_base::Span;
use sectile_terms::{Sort, Term, Terms};

impl Elaborator<'_> {
    /// A sequence of element accesses and updates on an array.
    pub(super) fn indexed(
        &mut self,
        array: &Expr,
        accesses: &[Access],
        hint: Option<Sort>,
    ) -> Elaborated<Term> {
        self.check_early_prime(array)?;
        // Updates keep the sort, element accesses change it.
        let updates = accesses.iter().all(|a| a.value.is_some());
        let mut whole = self.infer(array, hint.filter(|_| updates))?;
        for access in accesses {
            let (indices, element) = self.places(whole, &access.indices, access.span)?;
            whole = match &access.value {
                None => selected(self.terms, whole, &indices),
                Some(value) => {
                    let value = self.expect(value, element)?;
                    updated(self.terms, whole, &indices, value)
                }
            };
        }
        Ok(whole)
    }

    /// Rejects `f'[i]` for an element of a family after the step, which is written `f[i]'`.
    fn check_early_prime(&mut self, array: &Expr) -> Elaborated<()> {
        if let ExprKind::Reference(reference) = &array.kind
            && let (Some(prime), []) = (reference.prime, &reference.indices[..])
            && let Some(meaning) = self.resolve(&reference.base)
        {
            let misplaced = match meaning {
                Meaning::Family(family, fixed) => family.ranges.len() > fixed.len(),
                Meaning::Process(_) => true,
                _ => false,
            };
            if misplaced {
                return Err(self.report(misplaced_prime(prime)));
            }
        }
        Ok(())
    }

    /// An element of an array; without indices, the array itself.
    pub(super) fn element(
        &mut self,
        array: Term,
        indices: &[Expr],
        span: Span,
    ) -> Elaborated<Term> {
        let (indices, _) = self.places(array, indices, span)?;
        Ok(selected(self.terms, array, &indices))
    }

    /// The values of indices into an array, and the sort of the selected element.
    fn places(
        &mut self,
        array: Term,
        indices: &[Expr],
        span: Span,
    ) -> Elaborated<(Vec<Term>, Sort)> {
        let mut sort = self.terms.sort(array);
        let mut found = Vec::new();
        for index in indices {
            let Sort::Array(id) = sort else {
                let message = format!("`{}` has no elements", self.sort_name(sort));
                return Err(self.error("type", span, message, "only arrays have elements"));
            };
            let (wanted, element) = self.terms.array_parts(id);
            found.push(self.expect(index, wanted)?);
            sort = element;
        }
        Ok((found, sort))
    }

    /// Elaborates `[int -> 0]`.
    pub(super) fn filled(
        &mut self,
        index: &TypeItem,
        value: &Expr,
        whole: Span,
        hint: Option<Sort>,
    ) -> Elaborated<Term> {
        let index = self.index_sort(index, whole)?;
        let wanted = match hint {
            Some(Sort::Array(id)) => Some(self.terms.array_parts(id)),
            _ => None,
        };
        let value = match wanted {
            Some((i, element)) if i == index => self.expect(value, element)?,
            _ => self.infer(value, None)?,
        };
        let element = self.terms.sort(value);
        match self.terms.array_sort(index, element) {
            Sort::Array(id) => Ok(self.terms.filled(id, value)),
            _ => Err(Reported),
        }
    }

    /// The sort of an index type; `whole` is the position of the array. Recursion is bounded by the
    /// parser's limit on nesting.
    fn index_sort(&mut self, of: &TypeItem, whole: Span) -> Elaborated<Sort> {
        let (span, message) = match of {
            TypeItem::Bool => return Ok(Sort::Bool),
            TypeItem::Int => return Ok(Sort::Int),
            TypeItem::Real => return Ok(Sort::Real),
            TypeItem::Array(index, element, _) => {
                let index = self.index_sort(index, whole)?;
                let element = self.index_sort(element, whole)?;
                return Ok(self.terms.array_sort(index, element));
            }
            TypeItem::Named(name) => match &*name.text {
                "int" => return Ok(Sort::Int),
                "bool" => return Ok(Sort::Bool),
                text => {
                    let mut enums = self.terms.enums();
                    let found = enums.find(|e| self.terms.enum_info(*e).name == text);
                    match found {
                        Some(id) => return Ok(Sort::Enum(id)),
                        None => (name.span, format!("there is no type `{text}`")),
                    }
                }
            },
            TypeItem::Record(_, span) => (*span, "an array has no records".to_string()),
            TypeItem::Nat | TypeItem::Range(..) | TypeItem::Values(_) => {
                (whole, "the indices of an array have no range".to_string())
            }
        };
        Err(self.error("name", span, message, INDICES_HELP))
    }

    /// Whether a sort is an array sort.
    pub(super) fn is_array(&self, sort: Sort) -> bool {
        matches!(sort, Sort::Array(_))
    }

    /// The indices of a family, and the remaining ones if its elements are arrays.
    pub(super) fn split_indices<'x>(
        &self,
        family: &Family,
        fixed: usize,
        indices: &'x [Expr],
    ) -> (&'x [Expr], &'x [Expr]) {
        let mut symbols = family.symbols.iter();
        let arrays = symbols.any(|s| self.is_array(self.terms.symbol_sort(*s)));
        let own = match arrays {
            true => family.ranges.len().saturating_sub(fixed),
            false => indices.len(),
        };
        indices.split_at(own.min(indices.len()))
    }
}

/// The element of a nested array at these indices.
pub fn selected(terms: &Terms, array: Term, indices: &[Term]) -> Term {
    let select = |array, &index| terms.select(array, index);
    indices.iter().fold(array, select)
}

/// An array with the element at these indices replaced, including the inner arrays on the path to
/// it.
pub fn updated(terms: &Terms, array: Term, indices: &[Term], value: Term) -> Term {
    let mut ways = Vec::with_capacity(indices.len());
    let mut here = array;
    for (k, &index) in indices.iter().enumerate() {
        ways.push((here, index));
        if k + 1 < indices.len() {
            here = terms.select(here, index);
        }
    }
    let inwards = ways.into_iter().rev();
    inwards.fold(value, |value, (array, index)| {
        terms.store(array, index, value)
    })
}
