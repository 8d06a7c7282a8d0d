//! Steps of linear arithmetic: sums that are computed, and compared with zero.

use crate::error::Fault;
use crate::meaning::{Clause, Lit, Meanings};
use sectile_base::Rat;
use sectile_terms::{Linear, Node, Sort};

/// An equality is two bounds: `t = 0` implies each, and both imply it.
pub(crate) fn trichotomy(m: &mut Meanings<'_>, clause: &Clause) -> Result<(), Fault> {
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
            return Ok(());
        }
    }
    Err(Fault::NotTrichotomy)
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
    // What is left says `constant <= 0`, or `constant < 0`.
    let constant = total.constant();
    let contradictory = constant.is_positive() || (any_strict && constant.is_zero());
    if total.is_constant() && contradictory {
        Ok(())
    } else {
        Err(Fault::NoContradiction)
    }
}

/// The negated literals fix sums, `s = 0`; a combination of these equations has integer
/// coefficients on integers, none on reals, and a constant that is no integer.
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
    if total.monomials().iter().all(fits) && !total.constant().is_int() {
        Ok(())
    } else {
        Err(Fault::NotDivisibility)
    }
}
