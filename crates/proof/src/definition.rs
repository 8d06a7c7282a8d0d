//! The defining axioms of operators: those of formulas here, others in the files of the theories.
//!
//! One function for each shape of axiom. A clause is accepted if it contains an axiom of the
//! operator; further literals only weaken it.

use crate::meaning::{Clause, Lit, Meanings};
use crate::{arithmetic, enumeration};
use sectile_terms::{Node, Sort, Term};

/// Whether a clause contains an axiom of the operator of `t`.
pub(crate) fn is_instance(m: &mut Meanings<'_>, t: Term, clause: &Clause) -> bool {
    let terms = m.terms;
    let (t, _) = terms.strip_not(t);
    match terms.node(t) {
        // A conjunction is the negation of the disjunction of negations.
        Node::And(list) => {
            let parts: Vec<Lit> = list.iter().map(|&a| !m.of_term(a)).collect();
            disjunction(!m.of_term(t), &parts, clause)
        }
        Node::Or(list) => {
            let parts: Vec<Lit> = list.iter().map(|&a| m.of_term(a)).collect();
            disjunction(m.of_term(t), &parts, clause)
        }
        Node::Ite(c, a, b) if terms.sort(t) == Sort::Bool => choice(m, t, [*c, *a, *b], clause),
        Node::Eq(a, b) => match terms.sort(*a) {
            Sort::Bool => choice(m, t, [*a, *b, terms.not(*b)], clause),
            Sort::Enum(id) => enumeration::equality(m, t, [*a, *b], id, clause),
            _ => false,
        },
        Node::Zero(_) | Node::NonPos(_) | Node::Neg(_) => arithmetic::comparison(m, t, clause),
        _ if terms.sort(t).is_numeric() => arithmetic::is_instance(m, t, clause),
        _ => false,
    }
}

/// `own` is the disjunction of `parts`.
fn disjunction(own: Lit, parts: &[Lit], clause: &Clause) -> bool {
    if clause.covers(&[own]) && parts.iter().any(|&part| clause.covers(&[!part])) {
        return true;
    }
    clause.covers(&[!own]) && clause.covers(parts)
}

/// `t` is the formula `a` if `c` holds, else the formula `b`.
pub(crate) fn choice(m: &mut Meanings<'_>, t: Term, [c, a, b]: [Term; 3], clause: &Clause) -> bool {
    let [own, c, a, b] = [t, c, a, b].map(|t| m.of_term(t));
    let axioms = [[!own, !c, a], [own, !c, !a], [!own, c, b], [own, c, !b]];
    axioms.iter().any(|axiom| clause.covers(axiom))
}
