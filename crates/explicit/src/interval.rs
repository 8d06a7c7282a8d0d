//! Intervals of unknowns, narrowed by linear constraints.

use crate::literal::{Relation, lower, upper};
use crate::machine::Machine;
use crate::plan::{Choice, Plan, Row};
use sectile_base::Rat;
use sectile_terms::Sort;

/// An interval of numbers, with optional ends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Interval {
    /// The lower end.
    pub low: Option<Rat>,
    /// The upper end.
    pub high: Option<Rat>,
}

impl Interval {
    /// Whether the interval is empty.
    pub(crate) fn is_empty(&self) -> bool {
        matches!((&self.low, &self.high), (Some(l), Some(h)) if l > h)
    }

    /// The only number in the interval, if there is just one.
    pub(crate) fn point(&self) -> Option<&Rat> {
        self.low.as_ref().filter(|_| self.low == self.high)
    }

    fn raise(&mut self, end: Rat) -> bool {
        let better = self.low.as_ref().is_none_or(|l| *l < end);
        if better {
            self.low = Some(end);
        }
        better
    }

    fn lower(&mut self, end: Rat) -> bool {
        let better = self.high.as_ref().is_none_or(|h| *h > end);
        if better {
            self.high = Some(end);
        }
        better
    }

    /// One end of `c` times the interval: the lower or the upper one.
    fn product(&self, c: &Rat, lowest: bool) -> Option<Rat> {
        let end = if lowest == c.is_negative() {
            &self.high
        } else {
            &self.low
        };
        end.as_ref().map(|e| e * c)
    }
}

/// The interval of an unknown that follows from the rows of a choice; it contains every solution.
pub(crate) fn narrow(plan: &Plan, choice: &Choice, machine: &mut Machine) -> Interval {
    let rests = choice.rows.iter().map(|row| {
        let word = machine.run(&plan.codes[row.rest]);
        machine.numbers.number(word)
    });
    let rests: Vec<Rat> = rests.collect();
    let mut intervals = vec![Interval::default(); plan.unknowns.len()];
    let direct = choice.rows.iter().all(|r| r.summands.len() == 1);
    // This many passes propagate every bound through every chain; more would only tighten
    // intervals.
    let passes = if direct { 1 } else { choice.rows.len() + 2 };
    for _ in 0..passes {
        let mut changed = false;
        for (row, rest) in choice.rows.iter().zip(&rests) {
            changed |= narrow_by(plan, row, rest, &mut intervals);
        }
        if !changed || intervals.iter().any(Interval::is_empty) {
            break;
        }
    }
    // If any interval is empty, there is no solution.
    let empty = intervals.iter().position(Interval::is_empty);
    intervals.swap_remove(empty.unwrap_or(choice.unknown))
}

fn narrow_by(plan: &Plan, row: &Row, rest: &Rat, intervals: &mut [Interval]) -> bool {
    let mut changed = false;
    for i in 0..row.summands.len() {
        changed |= narrow_summand(plan, row, rest, intervals, i, true);
        if row.relation == Relation::Zero {
            changed |= narrow_summand(plan, row, rest, intervals, i, false);
        }
    }
    changed
}

/// Uses `rest + sum <= 0` (`at_most`) or `rest + sum >= 0` to bound one summand by the others.
fn narrow_summand(
    plan: &Plan,
    row: &Row,
    rest: &Rat,
    intervals: &mut [Interval],
    i: usize,
    at_most: bool,
) -> bool {
    let mut others = rest.clone();
    for (j, (v, d)) in row.summands.iter().enumerate() {
        if j == i {
            continue;
        }
        match intervals[*v].product(d, at_most) {
            Some(end) => others += &end,
            None => return false,
        }
    }
    let (u, c) = &row.summands[i];
    let limit = &-others / c;
    let integral = plan.unknowns[*u].sort == Sort::Int;
    let strict = row.relation == Relation::Negative;
    match (at_most == c.is_negative(), integral) {
        (true, true) => intervals[*u].raise(Rat::from(lower(&limit, strict))),
        (true, false) => intervals[*u].raise(limit),
        (false, true) => intervals[*u].lower(Rat::from(upper(&limit, strict))),
        (false, false) => intervals[*u].lower(limit),
    }
}
