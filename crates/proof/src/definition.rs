//! The defining axioms of operators.
//!
//! One function for each shape of axiom. A clause is accepted if it contains an axiom of the
//! operator; what else it contains only weakens it.

use crate::meaning::{Clause, Lit, Meanings};
use sectile_base::{Int, Rat};
use sectile_terms::{EnumId, Linear, Node, Sort, Term};

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
        Node::Ite(c, a, b) => match terms.sort(t) {
            Sort::Bool => choice(m, t, [*c, *a, *b], clause),
            Sort::Int | Sort::Real => {
                let condition = m.of_term(*c);
                numeric_choice(m, t, condition, [*a, *b], clause)
            }
            Sort::Enum(_) | Sort::Array(_) => false,
        },
        Node::Eq(a, b) => match terms.sort(*a) {
            Sort::Bool => choice(m, t, [*a, *b, terms.not(*b)], clause),
            Sort::Enum(id) => enum_equality(m, t, [*a, *b], id, clause),
            Sort::Int | Sort::Real | Sort::Array(_) => false,
        },
        Node::Div(a, d) => {
            let largest = Rat::from(d - &Int::ONE);
            d.is_positive() && quotient(m, t, *a, &Rat::from(d), (largest, false), clause)
        }
        Node::Floor(a) => quotient(m, t, *a, &Rat::ONE, (Rat::ONE, true), clause),
        Node::Abs(a) => {
            let negative = terms.neg(*a);
            let condition = at_most(m, *a, None);
            numeric_choice(m, t, condition, [negative, *a], clause)
        }
        Node::Min(a, b) => {
            let condition = at_most(m, *a, Some(*b));
            numeric_choice(m, t, condition, [*a, *b], clause)
        }
        Node::Max(a, b) => {
            let condition = at_most(m, *a, Some(*b));
            numeric_choice(m, t, condition, [*b, *a], clause)
        }
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
fn choice(m: &mut Meanings<'_>, t: Term, [c, a, b]: [Term; 3], clause: &Clause) -> bool {
    let [own, c, a, b] = [t, c, a, b].map(|t| m.of_term(t));
    let axioms = [[!own, !c, a], [own, !c, !a], [!own, c, b], [own, c, !b]];
    axioms.iter().any(|axiom| clause.covers(axiom))
}

/// An equality of an enumeration: by cases if a side is a conditional, and value by value.
fn enum_equality(
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

/// `a <= b`, or `a <= 0`.
fn at_most(m: &mut Meanings<'_>, a: Term, b: Option<Term>) -> Lit {
    let mut sum = m.expand(a).clone();
    if let Some(b) = b {
        sum.add_scaled(m.expand(b), &Rat::MINUS_ONE);
    }
    m.compare(sum, false)
}

/// `0 <= sum`.
fn not_negative(m: &mut Meanings<'_>, mut sum: Linear) -> Lit {
    sum.scale(&Rat::MINUS_ONE);
    m.compare(sum, false)
}

/// `t` is the number `values[0]` if `condition` holds, else `values[1]`.
fn numeric_choice(
    m: &mut Meanings<'_>,
    t: Term,
    condition: Lit,
    values: [Term; 2],
    clause: &Clause,
) -> bool {
    for (condition, value) in [(condition, values[0]), (!condition, values[1])] {
        let mut difference = m.expand(t).clone();
        difference.add_scaled(m.expand(value), &Rat::MINUS_ONE);
        let sides = [
            m.compare(difference.clone(), false),
            not_negative(m, difference),
        ];
        if sides.iter().any(|&side| clause.covers(&[!condition, side])) {
            return true;
        }
    }
    false
}

/// The rest `a - d * t` is at least zero and at most the limit, or less if the limit is strict.
fn quotient(
    m: &mut Meanings<'_>,
    t: Term,
    a: Term,
    d: &Rat,
    (limit, strict): (Rat, bool),
    clause: &Clause,
) -> bool {
    let mut rest = m.expand(a).clone();
    rest.add_scaled(m.expand(t), &-d);
    let low = not_negative(m, rest.clone());
    rest.add_constant(&-limit);
    let high = m.compare(rest, strict);
    clause.covers(&[low]) || clause.covers(&[high])
}
