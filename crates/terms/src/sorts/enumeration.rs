//! Enumerations as sorts.

use super::{Piece, Sort, SortInfo, Syntax, Value};
use crate::copy::Different;
use crate::names::native_name;
use crate::node::Term;
use crate::store::Terms;

/// Names an enumeration declared in a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EnumId(pub(crate) u32);

/// A declared enumeration: its name and its variants in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnumInfo {
    /// The name of the enumeration.
    pub name: String,
    /// The names of its values, in order.
    pub variants: Vec<String>,
}

impl SortInfo for EnumId {
    fn name(self, terms: &Terms, syntax: Syntax) -> Vec<Piece> {
        vec![match syntax {
            Syntax::Native => Piece::from(&*native_name(&terms.enum_info(self).name)),
            Syntax::SmtLib => Piece::from("Int"),
        }]
    }

    fn cardinality(self, terms: &Terms) -> Option<u32> {
        let count = terms.enum_info(self).variants.len();
        Some(u32::try_from(count).expect("fewer than 2^32 variants"))
    }

    /// The first variant is there even if the enumeration has none: a default is always wanted.
    fn nth(self, terms: &Terms, k: u32) -> Result<Option<Value>, Sort> {
        let exists = k == 0 || (k as usize) < terms.enum_info(self).variants.len();
        Ok(exists.then_some(Value::Enum(self, k)))
    }

    fn eq(self, terms: &Terms, a: Term, b: Term) -> Term {
        terms.eq_structural(a, b)
    }

    fn same(self, from: &Terms, to: &Terms) -> Result<Vec<Sort>, Different> {
        let info = from.enum_info(self);
        if to.enums().any(|e| e == self) && to.enum_info(self) == info {
            return Ok(Vec::new());
        }
        Err(Different(info.name.clone()))
    }
}
