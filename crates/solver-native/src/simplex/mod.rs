//! General simplex for linear arithmetic, after [DutertreMoura06].
//!
//! Variables carry bounds, each with the literal that is its reason. Rows say how basic variables
//! depend on the others. Asserting a bound moves a non-basic variable into its bounds at once;
//! [`Simplex::check`] then pivots until the basic variables are within theirs, or finds a row
//! that cannot be satisfied. Backtracking restores bounds only: the assignment stays, and every
//! basic variable outside its bounds stays queued.
//!
//! | concern | file |
//! |---|---|
//! | numbers with an infinitesimal | `delta` |
//! | rows, columns, pivoting | `tableau` |
//! | bounds, assignment, feasibility, explanations | here |
//! | bounds implied by rows | `implied` |

mod delta;
mod implied;
mod tableau;

#[cfg(test)]
mod tests;

pub use delta::Delta;
pub use implied::ImpliedBound;
pub use tableau::{NO_ROW, Tableau};

use crate::meter::Meter;
use crate::sat::Lit;
use sectile_base::{Int, Rat};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A variable of the simplex: a structural variable or a linear form.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ArithVar(pub u32);

impl ArithVar {
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Which bound of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// The variable is at least this.
    Lower,
    /// The variable is at most this.
    Upper,
}

impl Side {
    pub fn opposite(self) -> Side {
        match self {
            Side::Lower => Side::Upper,
            Side::Upper => Side::Lower,
        }
    }

    fn index(self) -> usize {
        match self {
            Side::Lower => 0,
            Side::Upper => 1,
        }
    }

    /// Whether a bound on this side, at `limit`, allows a value.
    #[inline]
    pub fn allows(self, limit: &Delta, value: &Delta) -> bool {
        match self {
            Side::Lower => value >= limit,
            Side::Upper => value <= limit,
        }
    }
}

/// A bound and the literal that asserts it.
#[derive(Clone, PartialEq, Debug)]
pub struct Bound {
    pub value: Delta,
    /// The literal, true on the trail.
    pub reason: Lit,
}

/// The bounds in [`Simplex::conflict`] contradict each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Infeasible;

struct Undo {
    var: ArithVar,
    side: Side,
    old: Option<Bound>,
}

/// The solver for conjunctions of bounds.
#[derive(Default)]
pub struct Simplex {
    pub tableau: Tableau,
    values: Vec<Delta>,
    bounds: Vec<[Option<Bound>; 2]>,
    undo: Vec<Undo>,
    level_start: Vec<usize>,
    violated: BinaryHeap<Reverse<ArithVar>>,
    is_queued: Vec<bool>,
    is_int: Vec<bool>,
    touched: Vec<u32>,
    is_touched: Vec<bool>,
    /// After [`Infeasible`]: true literals that contradict each other, with the coefficients of
    /// the inequalities they stand for.
    pub conflict: Vec<(Lit, Int)>,
    /// How often two variables changed places.
    pub pivots: u64,
}

impl Simplex {
    /// Makes a variable without bounds, with value zero. Bounds of an integer variable must be
    /// integers; it then has an integer value whenever it is not basic.
    pub fn new_var(&mut self, is_int: bool) -> ArithVar {
        let v = ArithVar(u32::try_from(self.values.len()).expect("fewer than 2^32 variables"));
        self.tableau.add_var();
        self.values.push(Delta::ZERO);
        self.bounds.push([None, None]);
        self.is_queued.push(false);
        self.is_int.push(is_int);
        v
    }

    pub fn num_vars(&self) -> usize {
        self.values.len()
    }

    /// Defines `form` as a sum; it must be a variable without row and bounds.
    pub fn add_row(&mut self, form: ArithVar, definition: &[(ArithVar, Int)]) {
        let mut value = Delta::ZERO;
        for (v, c) in definition {
            value.add_mul(&self.values[v.index()], &Rat::from(c));
        }
        self.values[form.index()] = value;
        let row = self.tableau.add_row(form, definition) as usize;
        if self.is_touched.len() <= row {
            self.is_touched.resize(row + 1, false);
        }
    }

    /// Drops the row of a variable that has no bounds. Its value is not maintained any more.
    pub fn drop_row(&mut self, form: ArithVar) {
        debug_assert!(self.bounds[form.index()].iter().all(Option::is_none));
        if !self.tableau.is_basic(form) {
            let lengths = self.tableau.column(form).iter();
            let shortest = lengths.min_by_key(|o| (self.tableau.row(o.row).len(), o.row));
            let Some(o) = shortest else { return };
            let (row, leaving) = (o.row, self.tableau.basic(o.row));
            self.tableau.pivot(row, form);
            self.settle_nonbasic(leaving);
        }
        self.tableau.remove_row(self.tableau.row_of(form));
    }

    /// A variable that left the basis without an update may be outside its bounds, or fractional.
    fn settle_nonbasic(&mut self, v: ArithVar) {
        let target = match self.violation(v) {
            Some(side) => self.bound(v, side).map(|b| b.value.clone()),
            None if self.is_int[v.index()] && !self.value(v).is_int() => {
                // Bounds are integers, so rounding either way respects them.
                Some(Delta::from_rat(Rat::from(self.value(v).floor())))
            }
            None => None,
        };
        if let Some(target) = target {
            self.update(v, target);
        }
    }

    #[inline]
    pub fn value(&self, v: ArithVar) -> &Delta {
        &self.values[v.index()]
    }

    #[inline]
    pub fn bound(&self, v: ArithVar, side: Side) -> Option<&Bound> {
        self.bounds[v.index()][side.index()].as_ref()
    }

    /// Whether both bounds exist and are equal.
    pub fn is_fixed(&self, v: ArithVar) -> bool {
        match &self.bounds[v.index()] {
            [Some(lower), Some(upper)] => lower.value == upper.value,
            _ => false,
        }
    }

    pub fn new_level(&mut self) {
        self.level_start.push(self.undo.len());
    }

    /// Restores the bounds as they were when level `levels` ended.
    pub fn backtrack(&mut self, levels: usize) {
        let Some(&start) = self.level_start.get(levels) else {
            return;
        };
        self.level_start.truncate(levels);
        for undo in self.undo.drain(start..).rev() {
            self.bounds[undo.var.index()][undo.side.index()] = undo.old;
        }
        for row in self.touched.drain(..) {
            self.is_touched[row as usize] = false;
        }
    }

    /// Sets a bound that is tighter than the present one and does not cross the other.
    pub fn set_bound(&mut self, v: ArithVar, side: Side, bound: Bound) {
        let outside = !side.allows(&bound.value, &self.values[v.index()]);
        let target = outside.then(|| bound.value.clone());
        let old = self.bounds[v.index()][side.index()].replace(bound);
        self.undo.push(Undo { var: v, side, old });
        self.touch(v);
        match target {
            Some(_) if self.tableau.is_basic(v) => self.queue(v),
            Some(value) => self.update(v, value),
            None => {}
        }
    }

    fn touch(&mut self, v: ArithVar) {
        for o in self.tableau.column(v) {
            if !self.is_touched[o.row as usize] {
                self.is_touched[o.row as usize] = true;
                self.touched.push(o.row);
            }
        }
    }

    #[inline]
    fn queue(&mut self, v: ArithVar) {
        if !self.is_queued[v.index()] {
            self.is_queued[v.index()] = true;
            self.violated.push(Reverse(v));
        }
    }

    /// The violated side of a variable, if any.
    #[inline]
    fn violation(&self, v: ArithVar) -> Option<Side> {
        let value = &self.values[v.index()];
        let [lower, upper] = &self.bounds[v.index()];
        if lower.as_ref().is_some_and(|b| *value < b.value) {
            Some(Side::Lower)
        } else if upper.as_ref().is_some_and(|b| *value > b.value) {
            Some(Side::Upper)
        } else {
            None
        }
    }

    /// Gives a non-basic variable a value; basic variables follow.
    pub fn update(&mut self, v: ArithVar, value: Delta) {
        let change = value.minus(&self.values[v.index()]);
        self.values[v.index()] = value;
        self.follow(v, &change, NO_ROW);
    }

    /// Moves the basic variables of the rows of `v` (but `except`) after `v` changed.
    fn follow(&mut self, v: ArithVar, change: &Delta, except: u32) {
        for k in 0..self.tableau.column(v).len() {
            let o = self.tableau.column(v)[k];
            if o.row == except {
                continue;
            }
            let row = self.tableau.row(o.row);
            let factor = negated_ratio(&row[o.slot as usize].coefficient, &row[0].coefficient);
            let basic = row[0].var;
            self.values[basic.index()].add_mul(change, &factor);
            if self.violation(basic).is_some() {
                self.queue(basic);
            }
        }
    }

    /// Makes the assignment satisfy all bounds, or reports a conflict.
    ///
    /// Stops early, with an assignment that may violate bounds, when the meter says so.
    pub fn check(&mut self, meter: &mut Meter) -> Result<(), Infeasible> {
        let mut pivots = 0;
        while let Some(Reverse(basic)) = self.violated.pop() {
            self.is_queued[basic.index()] = false;
            if !self.tableau.is_basic(basic) {
                continue;
            }
            let Some(side) = self.violation(basic) else {
                continue;
            };
            let row = self.tableau.row_of(basic);
            // Bland's rule takes over when the greedy choice may be cycling.
            let bland = pivots > self.tableau.row_count();
            let Some(slot) = self.entering(row, side, bland) else {
                self.queue(basic);
                self.explain_row(row, side);
                return Err(Infeasible);
            };
            let bound = self.bounds[basic.index()][side.index()].as_ref();
            let target = bound.expect("a violated bound exists").value.clone();
            let entering = self.tableau.row(row)[slot].var;
            let touched = self.tableau.row(row).len() * self.tableau.column(entering).len();
            self.pivot_and_update(row, slot, target);
            pivots += 1;
            if meter.spend(1 + touched as u64 / 64) {
                self.queue(basic);
                return Ok(());
            }
        }
        Ok(())
    }

    /// A variable of the row that can move so that the basic variable gets back into its bound.
    fn entering(&self, row: u32, violated: Side, bland: bool) -> Option<usize> {
        let entries = self.tableau.row(row);
        let basic_negative = entries[0].coefficient.is_negative();
        let mut best: Option<(usize, (usize, ArithVar))> = None;
        for (slot, entry) in entries.iter().enumerate().skip(1) {
            // With `entry` growing, the basic variable grows iff the signs differ.
            let same_direction = entry.coefficient.is_negative() != basic_negative;
            let needed = if same_direction {
                violated.opposite()
            } else {
                violated
            };
            let room = match self.bound(entry.var, needed) {
                None => true,
                Some(bound) => *self.value(entry.var) != bound.value,
            };
            if !room {
                continue;
            }
            let occurrences = self.tableau.column(entry.var).len();
            let key = (if bland { 0 } else { occurrences }, entry.var);
            if best.as_ref().is_none_or(|(_, k)| key < *k) {
                best = Some((slot, key));
            }
        }
        best.map(|(slot, _)| slot)
    }

    fn pivot_and_update(&mut self, row: u32, slot: usize, target: Delta) {
        self.pivots += 1;
        let entries = self.tableau.row(row);
        let (basic, entering) = (entries[0].var, entries[slot].var);
        let ratio = negated_ratio(&entries[0].coefficient, &entries[slot].coefficient);
        let change = target.minus(&self.values[basic.index()]).times(&ratio);
        self.values[basic.index()] = target;
        self.values[entering.index()].add(&change);
        self.follow(entering, &change, row);
        self.tableau.pivot(row, entering);
        if self.violation(entering).is_some() {
            self.queue(entering);
        }
    }

    /// The bounds that make the row unsatisfiable, with their Farkas coefficients.
    fn explain_row(&mut self, row: u32, violated: Side) {
        let mut conflict = std::mem::take(&mut self.conflict);
        conflict.clear();
        let entries = self.tableau.row(row);
        let basic_negative = entries[0].coefficient.is_negative();
        for (slot, entry) in entries.iter().enumerate() {
            let side = if slot == 0 {
                violated
            } else if entry.coefficient.is_negative() != basic_negative {
                violated.opposite()
            } else {
                violated
            };
            let bound = self.bound(entry.var, side);
            let bound = bound.expect("every variable of an infeasible row is at a bound");
            conflict.push((bound.reason, entry.coefficient.abs()));
        }
        self.conflict = conflict;
    }
}

/// `-a / b`.
#[inline]
fn negated_ratio(a: &Int, b: &Int) -> Rat {
    if b.is_one() {
        -Rat::from(a)
    } else if *b == Int::MINUS_ONE {
        Rat::from(a)
    } else {
        Rat::new(-a, b.clone())
    }
}
