//! Truth values as a sort.

use super::{Piece, Sort, SortInfo, Syntax, Value};
use crate::node::Term;
use crate::store::Terms;

/// The sort `bool`.
#[derive(Clone, Copy)]
pub(super) struct Boolean;

impl SortInfo for Boolean {
    fn name(self, _terms: &Terms, syntax: Syntax) -> Vec<Piece> {
        vec![Piece::from(match syntax {
            Syntax::Native => "bool",
            Syntax::SmtLib => "Bool",
        })]
    }

    fn cardinality(self, _terms: &Terms) -> Option<u32> {
        Some(2)
    }

    fn nth(self, _terms: &Terms, k: u32) -> Result<Option<Value>, Sort> {
        Ok((k < 2).then_some(Value::Bool(k == 1)))
    }

    fn eq(self, terms: &Terms, a: Term, b: Term) -> Term {
        terms.iff(a, b)
    }
}
