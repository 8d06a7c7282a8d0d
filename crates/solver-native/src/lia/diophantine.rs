//! Linear equations over the integers.
//!
//! Variables are eliminated one by one. An equation with a coefficient of one gives the variable
//! as a sum of the others; otherwise a unimodular change of variables makes the coefficients
//! smaller: with smallest coefficient `a` at `x`, the new variable `t = x + sum of floor(a_j/a) x_j`
//! replaces `x`. Every equation remembers of which original equations it is a combination, so that
//! an equation `sum = c` whose coefficients have a common divisor that does not divide `c` yields
//! the multipliers of a refutation.
//!
//! Real variables are eliminated first, by Gaussian elimination; equations used for that say
//! nothing about the integers. Right-hand sides may have an infinitesimal part, which no integer
//! equation allows.

use crate::meter::Meter;
use crate::simplex::{ArithVar, Delta};
use sectile_base::{Int, Rat};
use std::collections::BTreeSet;

/// `sum of coefficient * variable = constant`.
#[derive(Clone, Debug)]
pub struct Equation {
    /// The form that is fixed.
    pub form: ArithVar,
    /// Its coefficients over structural variables.
    pub coefficients: Vec<(u32, Int)>,
    pub constant: Delta,
}

#[derive(Clone, Debug)]
struct Row {
    /// Sorted by variable, no zero.
    coefficients: Vec<(u32, Int)>,
    constant: Delta,
    /// Sorted by equation, no zero.
    multipliers: Vec<(usize, Rat)>,
}

impl Row {
    fn coefficient(&self, v: u32) -> Option<&Int> {
        let found = self.coefficients.binary_search_by_key(&v, |m| m.0);
        found.ok().map(|k| &self.coefficients[k].1)
    }

    fn add(&mut self, other: &Row, factor: &Int) {
        self.coefficients = merge(&self.coefficients, &other.coefficients, |own, c| {
            let mut sum = own.cloned().unwrap_or(Int::ZERO);
            sum.add_mul_assign(c, factor);
            (!sum.is_zero()).then_some(sum)
        });
        let factor = Rat::from(factor);
        self.constant.add_mul(&other.constant, &factor);
        self.multipliers = merge(&self.multipliers, &other.multipliers, |own, c| {
            let mut sum = own.cloned().unwrap_or(Rat::ZERO);
            sum.add_mul_assign(c, &factor);
            (!sum.is_zero()).then_some(sum)
        });
    }

    fn divisor(&self) -> Int {
        let mut g = Int::ZERO;
        for (_, c) in &self.coefficients {
            g = g.gcd(c);
            if g.is_one() {
                break;
            }
        }
        g
    }

    fn divide(&mut self, g: &Int) {
        if g.is_one() {
            return;
        }
        for (_, c) in &mut self.coefficients {
            *c = c.div_exact(g);
        }
        let factor = Rat::new(Int::ONE, g.clone());
        self.constant = self.constant.times(&factor);
        for (_, m) in &mut self.multipliers {
            *m = &*m * &factor;
        }
    }

    fn multiply(&mut self, factor: &Int) {
        for (_, c) in &mut self.coefficients {
            *c *= factor;
        }
        let factor = Rat::from(factor);
        self.constant = self.constant.times(&factor);
        for (_, m) in &mut self.multipliers {
            *m *= &factor;
        }
    }
}

/// Merges two sorted lists; `combine` is given the own value (if any) and the other one.
fn merge<K: Ord + Copy, V: Clone>(
    own: &[(K, V)],
    other: &[(K, V)],
    combine: impl Fn(Option<&V>, &V) -> Option<V>,
) -> Vec<(K, V)> {
    let mut result = Vec::with_capacity(own.len() + other.len());
    let mut i = 0;
    for (key, value) in other {
        while i < own.len() && own[i].0 < *key {
            result.push(own[i].clone());
            i += 1;
        }
        let mine = (i < own.len() && own[i].0 == *key).then(|| &own[i].1);
        i += usize::from(mine.is_some());
        if let Some(sum) = combine(mine, value) {
            result.push((*key, sum));
        }
    }
    result.extend_from_slice(&own[i..]);
    result
}

/// Multipliers of a combination that divisibility refutes; none if the equations have an integer
/// solution (or the meter stopped the search).
pub fn solve(
    equations: &[Equation],
    is_real: impl Fn(u32) -> bool,
    meter: &mut Meter,
) -> Option<Vec<(usize, Rat)>> {
    let coefficients = equations.iter().flat_map(|e| &e.coefficients);
    let largest = coefficients.map(|m| m.0).max()?;
    let mut next_variable = largest + 1;
    let mut solved = Solved::default();
    let mut reals: Vec<(u32, Row)> = Vec::new();
    for (k, equation) in equations.iter().enumerate() {
        let mut coefficients = equation.coefficients.clone();
        coefficients.sort_unstable_by_key(|m| m.0);
        let mut row = Row {
            coefficients,
            constant: equation.constant.clone(),
            multipliers: vec![(k, Rat::ONE)],
        };
        for (v, by) in &reals {
            cancel_real(&mut row, *v, by);
        }
        let mut variables = row.coefficients.iter().map(|m| m.0);
        if let Some(v) = variables.find(|&v| v <= largest && is_real(v)) {
            reals.push((v, row));
            continue;
        }
        solved.cancel(&mut row);
        if meter.spend(1) {
            return None;
        }
        if let Some(refuted) = eliminate(row, &mut solved, &mut next_variable) {
            return Some(refuted);
        }
    }
    None
}

/// Rows that are each solved for a variable. A row mentions no variable of an earlier one.
#[derive(Default)]
struct Solved {
    rows: Vec<(u32, Row)>,
    /// For each variable, the row that is solved for it.
    place: Vec<Option<usize>>,
}

impl Solved {
    fn push(&mut self, v: u32, row: Row) {
        let at = v as usize;
        if self.place.len() <= at {
            self.place.resize(at + 1, None);
        }
        self.place[at] = Some(self.rows.len());
        self.rows.push((v, row));
    }

    /// The rows that are solved for variables of a row.
    fn places(&self, row: &Row) -> impl Iterator<Item = usize> {
        let variables = row.coefficients.iter();
        variables.filter_map(|m| self.place.get(m.0 as usize).copied().flatten())
    }

    /// Eliminates all solved variables from a row, in the order in which they were solved. Most
    /// rows mention few of them, so only those are visited.
    fn cancel(&self, row: &mut Row) {
        let mut open: BTreeSet<usize> = self.places(row).collect();
        while let Some(k) = open.pop_first() {
            let (v, by) = &self.rows[k];
            if let Some(c) = row.coefficient(*v) {
                let factor = -c;
                row.add(by, &factor);
                open.extend(self.places(by).filter(|&later| later > k));
            }
        }
    }
}

/// Adds a multiple of `by` to a multiple of `row` so that `v` vanishes.
fn cancel_real(row: &mut Row, v: u32, by: &Row) {
    let Some(own) = row.coefficient(v).cloned() else {
        return;
    };
    let other = by.coefficient(v);
    let other = other.expect("a row is solved for one of its variables");
    let g = own.gcd(other);
    row.multiply(&other.div_exact(&g));
    row.add(by, &-own.div_exact(&g));
}

/// Solves a row for a variable, after as many changes of variables as necessary.
fn eliminate(
    mut row: Row,
    solved: &mut Solved,
    next_variable: &mut u32,
) -> Option<Vec<(usize, Rat)>> {
    loop {
        let g = row.divisor();
        if g.is_zero() {
            // 0 = c: redundant, as the equations have a rational solution.
            return None;
        }
        let quotient = row.constant.times(&Rat::new(Int::ONE, g.clone()));
        if !quotient.is_int() {
            row.divide(&g);
            return Some(row.multipliers);
        }
        row.divide(&g);
        let smallest = row.coefficients.iter().min_by_key(|(v, c)| (c.abs(), *v));
        let smallest = smallest.expect("a row with a divisor has a variable");
        let (v, c) = smallest.clone();
        if c.abs().is_one() {
            if c.is_negative() {
                row.multiply(&Int::MINUS_ONE);
            }
            solved.push(v, row);
            return None;
        }
        let change = change_of_variables(&row, v, &c, *next_variable);
        *next_variable += 1;
        row.add(&change, &-&c);
        solved.push(v, change);
    }
}

/// `v + sum of floor(a_j / a) x_j - t = 0` for the new variable `t`.
fn change_of_variables(row: &Row, v: u32, a: &Int, t: u32) -> Row {
    let mut coefficients = Vec::with_capacity(row.coefficients.len() + 1);
    for (x, c) in &row.coefficients {
        let q = if *x == v { Int::ONE } else { c.div_floor(a) };
        if !q.is_zero() {
            coefficients.push((*x, q));
        }
    }
    coefficients.push((t, Int::MINUS_ONE));
    Row {
        coefficients,
        constant: Delta::ZERO,
        multipliers: Vec::new(),
    }
}
