//! Enumeration axioms: a variable has exactly one value.

use crate::definition::choice;
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

/// A variable does not have two different values.
pub(crate) fn distinct(m: &Meanings<'_>, clause: &Clause) -> bool {
    values(m, clause, false).values().any(|&n| n >= 2)
}

/// A variable has one of all values.
pub(crate) fn exhaustive(m: &Meanings<'_>, clause: &Clause) -> bool {
    let found = values(m, clause, true);
    let all = |((_, id), n): (&(Term, EnumId), &usize)| *n == m.terms.enum_info(*id).variants.len();
    found.iter().any(all)
}

/// An equality of an enumeration: by cases if a side is a conditional, and value by value.
pub(crate) fn equality(
    m: &mut Meanings<'_>,
    t: Term,
    [a, b]: [Term; 2],
    id: EnumId,
    clause: &Clause,
) -> bool {
    let terms = m.terms;
    for (side, other) in [(a, b), (b, a)] {
        if let Node::Ite(c, x, y) = terms.node(side) {
            let parts = [*c, terms.eq(*x, other), terms.eq(*y, other)];
            if choice(m, t, parts, clause) {
                return true;
            }
        }
    }
    let own = m.of_term(t);
    let count = terms.enum_info(id).variants.len() as u32;
    (0..count).any(|k| {
        let value = terms.variant(id, k);
        let [x, y] = [a, b].map(|side| m.of_term(terms.eq(side, value)));
        let axioms = [[!own, !x, y], [!own, x, !y], [own, !x, !y]];
        axioms.iter().any(|axiom| clause.covers(axiom))
    })
}
