//! Maps: elements, updates, assignments to elements.

use super::elaborate::{Elaborated, Elaborator, Place};
use crate::elaborate::{selected, updated};
use crate::messages::{Report as _, Reported};
use crate::syntax::{Access, Expr};
use sectile_base::Span;
use sectile_terms::{Sort, Term, display_sort};

impl Elaborator<'_, '_> {
    /// A map, and its elements and updates one after the other.
    pub(super) fn indexed(
        &mut self,
        map: &Expr,
        accesses: &[Access],
        place: Place<'_>,
    ) -> Elaborated<Term> {
        let terms = self.terms;
        let mut whole = self.term(map, place)?;
        for access in accesses {
            let sort = terms.sort(whole);
            let (indices, element) = self.places(sort, &access.indices, access.span, place)?;
            whole = match &access.value {
                None => selected(terms, whole, &indices),
                Some(value) => {
                    let value = self.expect(value, element, place)?;
                    updated(terms, whole, &indices, value)
                }
            };
        }
        Ok(whole)
    }

    /// The values of indices into a map of this sort, and the sort of what they select. `span` is
    /// the place of the map with its indices.
    pub fn places(
        &mut self,
        map: Sort,
        indices: &[Expr],
        span: Span,
        place: Place<'_>,
    ) -> Elaborated<(Vec<Term>, Sort)> {
        let mut sort = map;
        let mut found = Vec::new();
        for index in indices {
            let Sort::Array(id) = sort else {
                return Err(self.no_map(map, sort, found.len(), span));
            };
            let (wanted, element) = self.terms.array_parts(id);
            found.push(self.expect(index, wanted, place)?);
            sort = element;
        }
        Ok((found, sort))
    }

    fn no_map(&mut self, map: Sort, element: Sort, taken: usize, span: Span) -> Reported {
        let name = display_sort(self.terms, map);
        let message = match taken {
            0 => format!("expected a map, found `{name}`"),
            _ => format!(
                "`{name}` has {taken} indices, then comes `{}`",
                display_sort(self.terms, element)
            ),
        };
        self.error("type", span, message, "only maps have elements")
    }
}
