//! Linear arithmetic: computes sums and compares them with zero.

use crate::definition::choice;
use crate::error::Fault;
use crate::meaning::{Clause, Lit, Meanings};
use sectile_base::{Int, Rat};
use sectile_terms::{Linear, Node, Sort, Term, Terms};

/// An equality is two bounds: `t = 0` implies each, and both imply it.
pub(crate) fn trichotomy(m: &mut Meanings<'_>, clause: &Clause) -> bool {
    let terms = m.terms;
    for &lit in clause.lits() {
        let Some(Node::Zero(a)) = m.formula(lit).map(|t| terms.node(t)) else {
            continue;
        };
        let mut sum = m.expand(*a).clone();
        let at_most = m.compare(sum.clone(), false);
        sum.scale(&Rat::MINUS_ONE);
        let at_least = m.compare(sum, false);
        let holds = if lit.is_positive() {
            clause.covers(&[!at_most, !at_least])
        } else {
            clause.covers(&[at_most]) || clause.covers(&[at_least])
        };
        if holds {
            return true;
        }
    }
    false
}

/// The negated literals, multiplied by positive coefficients, add up to a contradiction.
pub(crate) fn farkas(m: &Meanings<'_>, lits: &[Lit], coefficients: &[Rat]) -> Result<(), Fault> {
    let mut total = Linear::default();
    let mut any_strict = false;
    for (i, (&lit, coefficient)) in lits.iter().zip(coefficients).enumerate() {
        if !coefficient.is_positive() {
            return Err(Fault::NotPositive);
        }
        let (sum, strict) = m.inequality(!lit).ok_or(Fault::NotBound(i))?;
        total.add_scaled(&sum, coefficient);
        any_strict |= strict;
    }
    // The remaining inequality is `constant <= 0`, or `constant < 0`.
    let constant = total.constant();
    let contradictory = constant.is_positive() || (any_strict && constant.is_zero());
    let refuted = total.is_constant() && contradictory;
    refuted.then_some(()).ok_or(Fault::NoContradiction)
}

/// The negated literals fix sums, `s = 0`; a combination of these equations has integer
/// coefficients on integers, none on reals, and a constant that is not an integer.
pub(crate) fn divisibility(
    m: &mut Meanings<'_>,
    lits: &[Lit],
    multipliers: &[Rat],
) -> Result<(), Fault> {
    let mut total = Linear::default();
    for (i, (&lit, multiplier)) in lits.iter().zip(multipliers).enumerate() {
        if multiplier.is_zero() {
            continue;
        }
        let (sum, strict) = m.inequality(!lit).ok_or(Fault::NotBound(i))?;
        let mut opposite = sum.clone();
        opposite.scale(&Rat::MINUS_ONE);
        let opposite = m.compare(opposite, false);
        if strict || !lits.contains(&!opposite) {
            return Err(Fault::NotEquation(i));
        }
        total.add_scaled(&sum, multiplier);
    }
    let fits = |(t, c): &(_, Rat)| c.is_int() && m.terms.sort(*t) == Sort::Int;
    let refuted = total.monomials().iter().all(fits) && !total.constant().is_int();
    refuted.then_some(()).ok_or(Fault::NotDivisibility)
}

/// Whether a clause contains an axiom of the numeric operator of `t`.
pub(crate) fn is_instance(m: &mut Meanings<'_>, t: Term, clause: &Clause) -> bool {
    let terms = m.terms;
    match terms.node(t) {
        Node::Ite(..) => conditional(m, t, clause),
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
        Node::Min(a, b) | Node::Max(a, b) => {
            let condition = at_most(m, *a, Some(*b));
            let is_min = matches!(terms.node(t), Node::Min(..));
            let values = if is_min { [*a, *b] } else { [*b, *a] };
            numeric_choice(m, t, condition, values, clause)
        }
        _ => false,
    }
}

/// The cases of a comparison with zero of a sum that contains the conditional `choice`: its
/// condition, and the comparison with each of its branches in its place.
pub fn cases(terms: &Terms, t: Term, choice: Term) -> Option<[Term; 3]> {
    let (Node::Zero(sum) | Node::NonPos(sum) | Node::Neg(sum)) = *terms.node(t) else {
        return None;
    };
    let Node::Ite(condition, a, b) = *terms.node(choice) else {
        return None;
    };
    let (sum, sort) = (terms.linear(sum), terms.sort(sum));
    let (_, factor) = sum.monomials().iter().find(|(leaf, _)| *leaf == choice)?;
    let [with_a, with_b] = [a, b].map(|branch| {
        let mut other = sum.clone();
        other.add_term(choice, &-factor);
        other.add_scaled(&terms.linear(branch), factor);
        let other = terms.sum(other, sort);
        match terms.node(t) {
            Node::Zero(_) => terms.eq_zero(other),
            Node::NonPos(_) => terms.non_pos(other),
            _ => terms.negative(other),
        }
    });
    Some([condition, with_a, with_b])
}

/// Comparisons of a conditional are those of one of its branches.
pub(crate) fn comparison(m: &mut Meanings<'_>, t: Term, clause: &Clause) -> bool {
    let terms = m.terms;
    let (Node::Zero(sum) | Node::NonPos(sum) | Node::Neg(sum)) = *terms.node(t) else {
        return false;
    };
    let leaves = terms.linear(sum);
    leaves.monomials().iter().any(|(leaf, _)| {
        let parts = cases(terms, t, *leaf);
        parts.is_some_and(|parts| choice(m, t, parts, clause))
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

/// The conditional `t` has the value of the chosen branch: a clause with the negated condition
/// constrains it by the first branch, a clause with the condition by the second.
fn conditional(m: &mut Meanings<'_>, t: Term, clause: &Clause) -> bool {
    let terms = m.terms;
    let mut value = t;
    while let Node::Ite(c, a, b) = *terms.node(value) {
        let condition = m.of_term(c);
        value = match [!condition, condition].map(|lit| clause.covers(&[lit])) {
            [true, _] => a,
            [_, true] => b,
            _ => return false,
        };
        if same_number(m, t, value)
            .iter()
            .any(|&side| clause.covers(&[side]))
        {
            return true;
        }
    }
    false
}

/// Two bounds that make a term equal to another one.
fn same_number(m: &mut Meanings<'_>, t: Term, value: Term) -> [Lit; 2] {
    let mut difference = m.expand(t).clone();
    difference.add_scaled(m.expand(value), &Rat::MINUS_ONE);
    [
        m.compare(difference.clone(), false),
        not_negative(m, difference),
    ]
}

/// `t` is the number `values[0]` if `condition` holds, else `values[1]`.
fn numeric_choice(
    m: &mut Meanings<'_>,
    t: Term,
    condition: Lit,
    values: [Term; 2],
    clause: &Clause,
) -> bool {
    let cases = [(condition, values[0]), (!condition, values[1])];
    cases.into_iter().any(|(condition, value)| {
        let sides = same_number(m, t, value);
        sides.iter().any(|&side| clause.covers(&[!condition, side]))
    })
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
