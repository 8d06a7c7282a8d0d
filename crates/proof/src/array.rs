//! Array axioms: an update, a conditional or an equality at one element.

use crate::error::Fault;
use crate::meaning::{Clause, Lit, Meanings};
use sectile_terms::{Node, Sort, Term, Terms};

/// The axioms about a subject at an index, and at a second index that may be the same, as clauses.
///
/// The subject is an array or an equality of arrays; the indices belong to its index sort.
///
/// | subject | clauses |
/// |---|---|
/// | an update of `a` at `i` by `v` | `i != j` or the element is `v`; `i = j` or it is that of `a` |
/// | a conditional | the element is that of the chosen branch |
/// | `a = b` | false, or the elements are equal; true, or they differ where `a` and `b` differ |
/// | any array | `j != k`, or the two elements are equal |
pub fn array_axioms(terms: &Terms, subject: Term, j: Term, k: Term) -> Vec<Vec<Term>> {
    let element = |a: Term| terms.select(a, j);
    let mut axioms = Vec::new();
    match *terms.node(subject) {
        Node::Eq(a, b) => {
            let same = terms.eq(element(a), element(b));
            axioms.push(vec![terms.not(subject), same]);
            if j == terms.differing_index(a, b) {
                axioms.push(vec![subject, terms.not(same)]);
            }
            return axioms;
        }
        Node::Store(a, i, v) => {
            let same_place = terms.eq(i, j);
            let own = element(subject);
            axioms.push(vec![terms.not(same_place), terms.eq(own, v)]);
            axioms.push(vec![same_place, terms.eq(own, element(a))]);
        }
        Node::Ite(c, a, b) => {
            let own = element(subject);
            axioms.push(vec![terms.not(c), terms.eq(own, element(a))]);
            axioms.push(vec![c, terms.eq(own, element(b))]);
        }
        _ => {}
    }
    if j != k {
        let same = terms.eq(element(subject), terms.select(subject, k));
        axioms.push(vec![terms.neq(j, k), same]);
    }
    axioms
}

/// The index sort of an array or of the sides of an equality of arrays.
fn index_sort(terms: &Terms, subject: Term) -> Option<Sort> {
    let array = match terms.node(subject) {
        Node::Eq(a, _) => *a,
        _ => subject,
    };
    Some(terms.sort(array).array_parts(terms)?.0)
}

/// Whether a clause contains an array axiom about a subject at two indices.
pub(crate) fn element(
    m: &mut Meanings<'_>,
    parts: &[Term],
    clause: &Clause,
) -> Result<bool, Fault> {
    let &[subject, j, k] = parts else {
        return Err(Fault::WrongCount);
    };
    let terms = m.terms;
    let index = index_sort(terms, subject).ok_or(Fault::WrongSort)?;
    if terms.sort(j) != index || terms.sort(k) != index {
        return Err(Fault::WrongSort);
    }
    let axioms = array_axioms(terms, subject, j, k);
    Ok(axioms.iter().any(|axiom| {
        let lits: Vec<Lit> = axiom.iter().map(|&t| m.of_term(t)).collect();
        clause.covers(&lits)
    }))
}
