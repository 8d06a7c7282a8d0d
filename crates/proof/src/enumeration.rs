//! Steps about enumerations: a variable has one value, and not two.

use crate::error::Fault;
use crate::meaning::{Clause, Meanings};
use sectile_terms::{EnumId, Node, Term};
use std::collections::{BTreeMap, BTreeSet};

/// The values that literals of the given sign compare each term with.
fn values(m: &Meanings<'_>, clause: &Clause, positive: bool) -> BTreeMap<(Term, EnumId), usize> {
    let mut found: BTreeMap<(Term, EnumId), BTreeSet<u32>> = BTreeMap::new();
    let lits = clause.lits().iter();
    for t in lits.filter(|l| l.is_positive() == positive) {
        if let Some(Node::Eq(a, b)) = m.formula(*t).map(|t| m.terms.node(t))
            && let Node::Variant(id, k) = m.terms.node(*b)
        {
            found.entry((*a, *id)).or_default().insert(*k);
        }
    }
    let counted = found.into_iter().map(|(key, values)| (key, values.len()));
    counted.collect()
}

/// One of two different values is not the variable's.
pub(crate) fn distinct(m: &Meanings<'_>, clause: &Clause) -> Result<(), Fault> {
    let two = values(m, clause, false).values().any(|&n| n >= 2);
    two.then_some(()).ok_or(Fault::NotDistinct)
}

/// One of all values is the variable's.
pub(crate) fn exhaustive(m: &Meanings<'_>, clause: &Clause) -> Result<(), Fault> {
    let found = values(m, clause, true);
    let all = |((_, id), n): (&(Term, EnumId), &usize)| *n == m.terms.enum_info(*id).variants.len();
    found
        .iter()
        .any(all)
        .then_some(())
        .ok_or(Fault::NotExhaustive)
}
