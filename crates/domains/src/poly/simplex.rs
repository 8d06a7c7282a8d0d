//! An exact simplex that decides whether bounds of sums can be satisfied together.
//!
//! Rows are fixed; their bounds may be changed at any time, and each check starts from the previous
//! basis. Strict bounds are bounds with an infinitesimal: a value is a number and a multiple of an
//! arbitrarily small positive one.

use sectile_base::{Int, Rat};

/// A number and a multiple of an infinitesimal, ordered by the number first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shifted {
    /// The number.
    pub number: Rat,
    /// The multiple of the infinitesimal.
    pub small: Rat,
}

impl Shifted {
    /// The number itself.
    pub fn exact(number: Rat) -> Shifted {
        let small = Rat::ZERO;
        Shifted { number, small }
    }

    /// A little less than the number.
    pub fn below(number: Rat) -> Shifted {
        let small = Rat::MINUS_ONE;
        Shifted { number, small }
    }

    fn minus(&self, other: &Shifted) -> Shifted {
        Shifted {
            number: &self.number - &other.number,
            small: &self.small - &other.small,
        }
    }

    fn add_multiple(&mut self, other: &Shifted, by: &Rat) {
        self.number += &(&other.number * by);
        if !other.small.is_zero() {
            self.small += &(&other.small * by);
        }
    }

    fn divided(&self, by: &Rat) -> Shifted {
        Shifted {
            number: &self.number / by,
            small: &self.small / by,
        }
    }
}

/// Lower and upper bound of a sum or of a variable.
#[derive(Clone, Debug, Default)]
pub struct Range {
    /// Lower bound.
    pub low: Option<Shifted>,
    /// Upper bound.
    pub high: Option<Shifted>,
}

impl Range {
    /// Nothing above this.
    pub fn up_to(high: Shifted) -> Range {
        let (low, high) = (None, Some(high));
        Range { low, high }
    }
}

#[derive(Clone, Copy, Debug)]
enum Role {
    Row,
    Column(usize),
}

/// Variables and sums of them with bounds.
///
/// Quantities are numbered: first the variables, then the sums in the order of their rows.
#[derive(Clone, Debug)]
pub struct Simplex {
    variables: usize,
    /// Every basic quantity as a combination of those of the columns.
    rows: Vec<Vec<Rat>>,
    basic: Vec<usize>,
    columns: Vec<usize>,
    places: Vec<Role>,
    ranges: Vec<Range>,
    values: Vec<Shifted>,
}

impl Simplex {
    /// Variables and sums without any bounds.
    pub fn new<'r>(variables: usize, sums: impl IntoIterator<Item = &'r [Int]>) -> Simplex {
        let rows: Vec<Vec<Rat>> = sums
            .into_iter()
            .map(|row| row.iter().map(Rat::from).collect())
            .collect();
        let quantities = variables + rows.len();
        let place = |q: usize| match q.checked_sub(variables) {
            None => Role::Column(q),
            Some(_) => Role::Row,
        };
        Simplex {
            variables,
            basic: (variables..quantities).collect(),
            columns: (0..variables).collect(),
            places: (0..quantities).map(place).collect(),
            ranges: vec![Range::default(); quantities],
            values: vec![Shifted::exact(Rat::ZERO); quantities],
            rows,
        }
    }

    /// The quantity of a row.
    pub fn sum(&self, row: usize) -> usize {
        self.variables + row
    }

    /// The value of a quantity after a successful check.
    pub fn value(&self, quantity: usize) -> &Shifted {
        &self.values[quantity]
    }

    /// The bounds of a quantity.
    pub fn range(&self, quantity: usize) -> &Range {
        &self.ranges[quantity]
    }

    /// Changes the bounds of a quantity.
    pub fn set_range(&mut self, quantity: usize, range: Range) {
        if let Role::Column(_) = self.places[quantity] {
            let value = &self.values[quantity];
            let low = range.low.as_ref().filter(|l| value < *l);
            let outside = low.or(range.high.as_ref().filter(|h| value > *h));
            if let Some(limit) = outside.cloned() {
                self.move_to(quantity, limit);
            }
        }
        self.ranges[quantity] = range;
    }

    /// Gives the quantity of a column another value.
    fn move_to(&mut self, quantity: usize, value: Shifted) {
        let Role::Column(column) = self.places[quantity] else {
            return;
        };
        let change = value.minus(&self.values[quantity]);
        self.values[quantity] = value;
        for (row, &basic) in self.rows.iter().zip(&self.basic) {
            if !row[column].is_zero() {
                self.values[basic].add_multiple(&change, &row[column]);
            }
        }
    }

    /// Whether all bounds can be satisfied together; then the values satisfy them.
    ///
    /// Bland's rule: the smallest quantity is chosen, so that no basis repeats.
    pub fn check(&mut self) -> bool {
        loop {
            if let Some(answer) = self.step() {
                return answer;
            }
        }
    }

    /// The same with a limit on the number of exchanges.
    pub fn check_within(&mut self, exchanges: usize) -> Option<bool> {
        (0..=exchanges).find_map(|_| self.step())
    }

    /// One exchange, or the answer if none is needed.
    fn step(&mut self) -> Option<bool> {
        let outside = (0..self.basic.len()).filter(|&r| self.limit(r).is_some());
        let Some(row) = outside.min_by_key(|&r| self.basic[r]) else {
            return Some(true);
        };
        let Some((limit, grows)) = self.limit(row) else {
            return Some(true);
        };
        let Some(column) = self.column_for(row, grows) else {
            return Some(false);
        };
        self.pivot(row, column, limit);
        None
    }

    /// The bound that a basic quantity violates, and whether it has to grow.
    fn limit(&self, row: usize) -> Option<(Shifted, bool)> {
        let quantity = self.basic[row];
        let (value, range) = (&self.values[quantity], &self.ranges[quantity]);
        if let Some(low) = range.low.as_ref().filter(|l| value < *l) {
            return Some((low.clone(), true));
        }
        let high = range.high.as_ref().filter(|h| value > *h)?;
        Some((high.clone(), false))
    }

    fn column_for(&self, row: usize, grows: bool) -> Option<usize> {
        let able = |&column: &usize| {
            let coefficient = &self.rows[row][column];
            if coefficient.is_zero() {
                return false;
            }
            let quantity = self.columns[column];
            let (value, range) = (&self.values[quantity], &self.ranges[quantity]);
            match coefficient.is_positive() == grows {
                true => range.high.as_ref().is_none_or(|h| value < h),
                false => range.low.as_ref().is_none_or(|l| value > l),
            }
        };
        let columns = (0..self.columns.len()).filter(able);
        columns.min_by_key(|&c| self.columns[c])
    }

    /// Exchanges a basic quantity, which gets a value, with that of a column.
    fn pivot(&mut self, row: usize, column: usize, value: Shifted) {
        let (leaving, entering) = (self.basic[row], self.columns[column]);
        let coefficient = self.rows[row][column].clone();
        let step = value.minus(&self.values[leaving]).divided(&coefficient);
        let mut moved = self.values[entering].clone();
        moved.add_multiple(&step, &Rat::ONE);
        self.move_to(entering, moved);
        self.values[leaving] = value;
        let inverse = &Rat::ONE / &coefficient;
        let mut solved: Vec<Rat> = self.rows[row].iter().map(|c| -&(c * &inverse)).collect();
        solved[column] = inverse;
        for (r, other) in self.rows.iter_mut().enumerate() {
            if r == row || other[column].is_zero() {
                continue;
            }
            let factor = std::mem::replace(&mut other[column], Rat::ZERO);
            for (entry, s) in other.iter_mut().zip(&solved) {
                if !s.is_zero() {
                    *entry += &(&factor * s);
                }
            }
        }
        self.rows[row] = solved;
        self.basic[row] = entering;
        self.columns[column] = leaving;
        self.places[entering] = Role::Row;
        self.places[leaving] = Role::Column(column);
    }

    /// Values of the variables for an infinitesimal that is small enough for all bounds.
    pub fn point(&self) -> Vec<Rat> {
        let mut small = Rat::ONE;
        let mut keep = |lower: &Shifted, upper: &Shifted| {
            if lower.small > upper.small && lower.number < upper.number {
                let most = &(&upper.number - &lower.number) / &(&lower.small - &upper.small);
                if most < small {
                    small = most;
                }
            }
        };
        for (range, value) in self.ranges.iter().zip(&self.values) {
            if let Some(low) = &range.low {
                keep(low, value);
            }
            if let Some(high) = &range.high {
                keep(value, high);
            }
        }
        let concrete = |v: &Shifted| &v.number + &(&v.small * &small);
        self.values[..self.variables].iter().map(concrete).collect()
    }
}
