//! Repairing fractional values by moving one non-basic variable.
//!
//! A basic integer variable `x` depends on the non-basic `y` by a rational factor. Moving `y` by a
//! suitable amount makes `x` integral; the move is taken if all bounds still hold and no other
//! integer variable becomes fractional. It costs no pivot and no branch.

use crate::simplex::{ArithVar, Delta, Side};
use crate::theory::arith::Arith;
use sectile_base::{Int, Rat};

/// Maximum length of a column: in longer ones too many variables would have to agree.
const MAX_COLUMN: usize = 40;

/// Tries to make each of the given basic variables integral. True if some variable moved.
pub(super) fn patch(arith: &mut Arith, fractional: &[ArithVar]) -> bool {
    let mut changed = false;
    for &x in fractional {
        if arith.simplex.tableau.is_basic(x) && !arith.simplex.value(x).is_int() {
            changed |= patch_variable(arith, x);
        }
    }
    changed
}

fn patch_variable(arith: &mut Arith, x: ArithVar) -> bool {
    let row = arith.simplex.tableau.row_of(x);
    for slot in 1..arith.simplex.tableau.row(row).len() {
        let entries = arith.simplex.tableau.row(row);
        let y = entries[slot].var;
        if arith.simplex.is_fixed(y) || arith.simplex.tableau.column(y).len() > MAX_COLUMN {
            continue;
        }
        let factor = Rat::new(-&entries[slot].coefficient, entries[0].coefficient.clone());
        for shift in shifts(arith.simplex.value(x), &factor, arith.is_int(y))
            .into_iter()
            .flatten()
        {
            if is_allowed(arith, y, &shift) {
                let mut value = arith.simplex.value(y).clone();
                value.add(&shift);
                arith.simplex.update(y, value);
                return true;
            }
        }
    }
    false
}

/// The smallest moves of `y`, down and up, that make `value + factor * move` an integer.
fn shifts(value: &Delta, factor: &Rat, y_is_int: bool) -> [Option<Delta>; 2] {
    if !y_is_int {
        let to = |target: Int| {
            let distance = Delta::from_rat(Rat::from(target)).minus(value);
            Some(distance.times(&factor.recip()))
        };
        return [to(value.floor()), to(value.ceil())];
    }
    if !value.delta.is_zero() {
        return [None, None];
    }
    // factor = n/d and value = p/q in lowest terms: n * move = -p * (d/q) modulo d.
    let (n, d) = (factor.numer(), factor.denom());
    let (p, q) = (value.real.numer(), value.real.denom());
    if !q.divides(&d) {
        return [None, None];
    }
    let (_, inverse, _) = n.rem_euclid(&d).extended_gcd(&d);
    let wanted = -(p * d.div_exact(&q)) * inverse;
    let up = wanted.rem_euclid(&d);
    let down = &up - &d;
    [down, up].map(|m| Some(Delta::from_rat(Rat::from(m))))
}

fn within_bounds(arith: &Arith, v: ArithVar, value: &Delta) -> bool {
    let lower = arith.simplex.bound(v, Side::Lower);
    let upper = arith.simplex.bound(v, Side::Upper);
    lower.is_none_or(|b| b.value <= *value) && upper.is_none_or(|b| *value <= b.value)
}

fn is_allowed(arith: &Arith, y: ArithVar, shift: &Delta) -> bool {
    let mut value = arith.simplex.value(y).clone();
    value.add(shift);
    if !within_bounds(arith, y, &value) {
        return false;
    }
    let tableau = &arith.simplex.tableau;
    tableau.column(y).iter().all(|o| {
        let row = tableau.row(o.row);
        let basic = row[0].var;
        let coefficient = &row[o.slot as usize].coefficient;
        let factor = Rat::new(-coefficient, row[0].coefficient.clone());
        let old = arith.simplex.value(basic);
        let mut new = old.clone();
        new.add_mul(shift, &factor);
        let stays_integral = !arith.is_int(basic) || !old.is_int() || new.is_int();
        stays_integral && within_bounds(arith, basic, &new)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integer_moves_solve_the_congruence() {
        for (p, q, n, d) in [(1, 2, 1, 2), (2, 3, -5, 6), (-7, 4, 3, 8), (5, 6, 1, 6)] {
            let value = Delta::from_rat(Rat::from_ratio(p, q));
            let factor = Rat::from_ratio(n, d);
            for shift in shifts(&value, &factor, true) {
                let shift = shift.unwrap();
                assert!(shift.is_int());
                let mut moved = value.clone();
                moved.add_mul(&shift, &factor);
                assert!(moved.is_int(), "{value:?} {factor}");
            }
        }
    }

    #[test]
    fn incompatible_denominators_have_no_move() {
        let value = Delta::from_rat(Rat::from_ratio(1, 3));
        assert_eq!(shifts(&value, &Rat::from_ratio(1, 2), true), [None, None]);
    }
}
