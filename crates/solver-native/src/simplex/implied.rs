//! Bounds implied by single rows.
//!
//! In `sum a_k x_k = 0`, the bounds of all variables but one bound that one. Only rows in which a
//! bound changed since the last time are examined.

use super::{ArithVar, Bound, Delta, Side, Simplex};
use crate::sat::Lit;
use sectile_base::{Int, Rat};

/// Longer rows are not used: their bounds are rarely complete and explanations would be long.
const MAX_ROW: usize = 24;

/// A bound that follows from a row.
#[derive(Clone, Debug)]
pub struct ImpliedBound {
    pub row: u32,
    pub var: ArithVar,
    pub side: Side,
    pub value: Delta,
}

/// Sum of one side of a row: the finite part and the variables without bound.
struct OneSide {
    sum: Delta,
    missing: usize,
    last_missing: usize,
}

impl Simplex {
    /// Takes a row that may imply something new.
    pub fn next_touched_row(&mut self) -> Option<u32> {
        let row = self.touched.pop()?;
        self.is_touched[row as usize] = false;
        Some(row)
    }

    /// The bound of `x_k` that limits `a_k * x_k` from above (`Upper`) or below (`Lower`).
    #[inline]
    fn limit(&self, v: ArithVar, coefficient: &Int, side: Side) -> Option<&Bound> {
        if coefficient.is_negative() {
            self.bound(v, side.opposite())
        } else {
            self.bound(v, side)
        }
    }

    fn one_side(&self, row: u32, side: Side) -> OneSide {
        let mut result = OneSide {
            sum: Delta::ZERO,
            missing: 0,
            last_missing: 0,
        };
        for (k, entry) in self.tableau.row(row).iter().enumerate() {
            match self.limit(entry.var, &entry.coefficient, side) {
                Some(bound) => result
                    .sum
                    .add_mul(&bound.value, &Rat::from(&entry.coefficient)),
                None => {
                    result.missing += 1;
                    result.last_missing = k;
                    if result.missing > 1 {
                        break;
                    }
                }
            }
        }
        result
    }

    /// Appends the bounds that a row implies for the variables that `wanted` accepts.
    pub fn implied_bounds(
        &self,
        row: u32,
        wanted: impl Fn(ArithVar) -> bool,
        out: &mut Vec<ImpliedBound>,
    ) {
        let entries = self.tableau.row(row);
        if entries.len() > MAX_ROW || entries.is_empty() || !entries.iter().any(|e| wanted(e.var)) {
            return;
        }
        for side in [Side::Lower, Side::Upper] {
            let total = self.one_side(row, side);
            if total.missing > 1 {
                continue;
            }
            for (k, entry) in entries.iter().enumerate() {
                if (total.missing == 1 && k != total.last_missing) || !wanted(entry.var) {
                    continue;
                }
                // The others sum to at least `rest` (for Lower), so a_k x_k <= -rest.
                let mut rest = total.sum.clone();
                if total.missing == 0 {
                    let own = self.limit(entry.var, &entry.coefficient, side);
                    let own = own.expect("no bound is missing");
                    rest = rest.minus(&own.value.times(&Rat::from(&entry.coefficient)));
                }
                let factor = Rat::new(Int::MINUS_ONE, entry.coefficient.clone());
                let implied_side = if entry.coefficient.is_negative() {
                    side
                } else {
                    side.opposite()
                };
                out.push(ImpliedBound {
                    row,
                    var: entry.var,
                    side: implied_side,
                    value: rest.times(&factor),
                });
            }
        }
    }

    /// Appends the reasons of an implied bound with their coefficients; returns the coefficient
    /// of the bound itself. The row must not have changed since.
    pub fn explain_implied(&self, implied: &ImpliedBound, out: &mut Vec<(Lit, Int)>) -> Int {
        let entries = self.tableau.row(implied.row);
        let own = entries.iter().find(|e| e.var == implied.var);
        let own = &own.expect("the variable occurs in the row").coefficient;
        let side = if own.is_negative() {
            implied.side
        } else {
            implied.side.opposite()
        };
        for entry in entries.iter().filter(|e| e.var != implied.var) {
            let bound = self.limit(entry.var, &entry.coefficient, side);
            let bound = bound.expect("the bound was used to imply another");
            out.push((bound.reason, entry.coefficient.abs()));
        }
        own.abs()
    }
}
