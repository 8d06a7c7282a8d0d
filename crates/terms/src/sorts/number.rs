//! Integers and reals as sorts.

use super::{Piece, Sort, SortInfo, Syntax, Value};
use crate::node::Term;
use crate::store::Terms;
use sectile_base::{Int, Rat};

/// The sort `int` or `real`.
#[derive(Clone, Copy)]
pub(super) struct Number(pub Sort);

impl SortInfo for Number {
    fn name(self, _terms: &Terms, syntax: Syntax) -> Vec<Piece> {
        vec![Piece::from(match (self.0, syntax) {
            (Sort::Int, Syntax::Native) => "int",
            (Sort::Int, Syntax::SmtLib) => "Int",
            (_, Syntax::Native) => "real",
            (_, Syntax::SmtLib) => "Real",
        })]
    }

    fn nth(self, _terms: &Terms, k: u32) -> Result<Option<Value>, Sort> {
        let number = Rat::from(Int::from(i64::from(k)));
        Ok(Some(Value::number(self.0, number)))
    }

    fn eq(self, terms: &Terms, a: Term, b: Term) -> Term {
        terms.eq_numeric(a, b)
    }
}
