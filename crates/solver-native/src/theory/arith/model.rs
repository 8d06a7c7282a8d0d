//! Rational values for the variables.

use super::Arith;
use crate::simplex::{ArithVar, Delta, Side};
use sectile_base::Rat;
use sectile_terms::{Sort, Term, Value};

impl Arith {
    /// A positive number that can stand for the infinitesimal: all bounds stay satisfied.
    fn concrete_delta(&self) -> Rat {
        let mut best = Rat::ONE;
        for i in 0..self.simplex.num_vars() {
            let v = ArithVar(i as u32);
            let value = self.simplex.value(v);
            if let Some(lower) = self.simplex.bound(v, Side::Lower) {
                shrink(&mut best, &lower.value, value);
            }
            if let Some(upper) = self.simplex.bound(v, Side::Upper) {
                shrink(&mut best, value, &upper.value);
            }
        }
        best
    }

    /// The value of a term that is a variable of the simplex.
    pub(super) fn term_value(&self, t: Term, sort: Sort) -> Option<Value> {
        let (v, _) = self.encoding.leaves.get(&t)?.sum.monomials().first()?;
        let delta = self.delta.get_or_init(|| self.concrete_delta());
        let value = self.simplex.value(*v);
        let mut result = value.real.clone();
        result.add_mul_assign(&value.delta, delta);
        Some(match sort {
            Sort::Int => Value::Int(result.numer()),
            _ => Value::Real(result),
        })
    }
}

/// Makes `delta` small enough for `low <= high` to hold of the concrete numbers.
fn shrink(delta: &mut Rat, low: &Delta, high: &Delta) {
    if low.real < high.real && low.delta > high.delta {
        let room = &(&high.real - &low.real) / &(&low.delta - &high.delta);
        if room < *delta {
            *delta = room;
        }
    }
}
