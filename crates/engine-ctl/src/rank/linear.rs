//! Linear programs whose conditions hold at all points of a polyhedron.
//!
//! Paper: [PoRy04]: by Farkas' lemma a sum is not negative on a non-empty polyhedron if and only if
//! it is a non-negative combination of its constraints plus a non-negative constant. The
//! multipliers are further unknowns.

use sectile_base::{Int, Rat};
use sectile_domains::linear::{Constraint, Relation};
use sectile_domains::poly::simplex::{Range, Shifted, Simplex};

/// Maximum work of a linear program: the number of changed entries of its table.
const MOST_WORK: usize = 30_000_000;

/// A linear sum of unknowns with a constant.
#[derive(Clone, Debug, Default)]
pub struct Sum {
    /// The unknowns with their coefficients; an unknown may occur more than once.
    pub parts: Vec<(usize, Rat)>,
    /// The constant.
    pub constant: Rat,
}

impl Sum {
    /// Adds a multiple of an unknown.
    pub fn add(&mut self, unknown: usize, factor: Rat) {
        if !factor.is_zero() {
            self.parts.push((unknown, factor));
        }
    }

    fn extend(&mut self, other: Sum) {
        self.parts.extend(other.parts);
        self.constant += &other.constant;
    }
}

/// An affine function of points whose coefficients depend on unknowns.
#[derive(Clone, Debug)]
pub struct Form {
    /// The coefficient of every variable.
    pub coefficients: Vec<Sum>,
    /// The constant.
    pub constant: Sum,
}

impl Form {
    /// Zero, for points with this many coordinates.
    pub fn zero(variables: usize) -> Form {
        Form {
            coefficients: vec![Sum::default(); variables],
            constant: Sum::default(),
        }
    }

    /// Adds a form over the same points.
    pub fn add(&mut self, other: Form) {
        let sums = self.coefficients.iter_mut().zip(other.coefficients);
        sums.for_each(|(sum, o)| sum.extend(o));
        self.constant.extend(other.constant);
    }
}

/// Unknowns, with conditions on them.
#[derive(Clone, Debug, Default)]
pub struct LinearProgram {
    /// For every unknown, whether it must be non-negative.
    signed: Vec<bool>,
    rows: Vec<(Sum, bool)>,
}

impl LinearProgram {
    /// Adds an unknown, non-negative if `signed`.
    pub fn unknown(&mut self, signed: bool) -> usize {
        self.signed.push(signed);
        self.signed.len() - 1
    }

    /// Its size: the number of entries of its table.
    pub fn size(&self) -> usize {
        self.rows.len() * self.signed.len()
    }

    /// Requires that a sum is zero.
    pub fn zero(&mut self, sum: Sum) {
        self.rows.push((sum, true));
    }

    /// Requires that a sum is not negative.
    pub fn not_negative(&mut self, sum: Sum) {
        self.rows.push((sum, false));
    }

    /// Requires that a form is not negative at any point that satisfies the constraints.
    pub fn not_negative_on(&mut self, constraints: &[Constraint], form: Form) {
        let Form {
            mut coefficients,
            mut constant,
        } = form;
        for constraint in constraints {
            let multiplier = self.unknown(constraint.relation != Relation::Equal);
            for (sum, c) in coefficients.iter_mut().zip(&constraint.coefficients) {
                sum.add(multiplier, Rat::from(c));
            }
            constant.add(multiplier, -&Rat::from(&constraint.bound));
        }
        coefficients.into_iter().for_each(|sum| self.zero(sum));
        self.not_negative(constant);
    }

    /// Values of the unknowns that satisfy all conditions.
    pub fn solution(&self) -> Option<Vec<Rat>> {
        let unknowns = self.signed.len();
        let (mut rows, mut ranges) = (Vec::new(), Vec::new());
        for (sum, exact) in &self.rows {
            let (row, bound) = whole(unknowns, sum);
            let low = Some(Shifted::exact(bound));
            let high = low.clone().filter(|_| *exact);
            rows.push(row);
            ranges.push(Range { low, high });
        }
        let mut simplex = Simplex::new(unknowns, rows.iter().map(Vec::as_slice));
        for unknown in (0..unknowns).filter(|&u| self.signed[u]) {
            let low = Some(Shifted::exact(Rat::ZERO));
            simplex.set_range(unknown, Range { low, high: None });
        }
        for (i, range) in ranges.into_iter().enumerate() {
            simplex.set_range(simplex.sum(i), range);
        }
        let exchanges = MOST_WORK / self.size().max(1);
        let found = simplex.check_within(exchanges) == Some(true);
        found.then(|| simplex.point())
    }
}

/// A sum as a row of integers, with the lower bound of the row.
fn whole(unknowns: usize, sum: &Sum) -> (Vec<Int>, Rat) {
    let mut factors = vec![Rat::ZERO; unknowns];
    for (unknown, factor) in &sum.parts {
        factors[*unknown] += factor;
    }
    let bound = -&sum.constant;
    let row = Constraint::from_rationals(&factors, Relation::AtMost, &bound);
    (row.coefficients, Rat::from(&row.bound))
}

/// Whether a single constraint states that a sum is at least a number.
fn says(constraint: &Constraint, factors: &[Rat], least: &Rat) -> bool {
    let own = &constraint.coefficients;
    let Some(v) = own.iter().position(|c| !c.is_zero()) else {
        return false;
    };
    let scale = &factors[v] / &Rat::from(&own[v]);
    let fits = scale.is_negative() || (constraint.relation == Relation::Equal && !scale.is_zero());
    let mut pairs = own.iter().zip(factors);
    let is_multiple = pairs.all(|(c, f)| (&Rat::from(c) * &scale) == *f);
    let bound = &Rat::from(&constraint.bound) * &scale;
    fits && is_multiple && bound >= *least
}

/// Whether an affine function, with its constant last, is at least a number at all points that
/// satisfy the constraints.
pub fn at_least(constraints: &[Constraint], function: &[Rat], least: &Rat) -> bool {
    let Some((constant, factors)) = function.split_last() else {
        return false;
    };
    let bound = least - constant;
    if !bound.is_positive() && factors.iter().all(Rat::is_zero) {
        return true;
    }
    // Fast path: most bounds are implied by a single constraint.
    if constraints.iter().any(|c| says(c, factors, &bound)) {
        return true;
    }
    let goal = Constraint::from_rationals(factors, Relation::Below, &bound);
    let rows = constraints.iter().chain([&goal]);
    let mut simplex = Simplex::new(factors.len(), rows.map(|c| c.coefficients.as_slice()));
    for (i, constraint) in constraints.iter().enumerate() {
        let bound = Rat::from(&constraint.bound);
        let high = match constraint.relation {
            Relation::Below => Shifted::below(bound),
            Relation::AtMost | Relation::Equal => Shifted::exact(bound),
        };
        let equal = constraint.relation == Relation::Equal;
        let low = equal.then(|| high.clone());
        let high = Some(high);
        simplex.set_range(simplex.sum(i), Range { low, high });
    }
    let below = Shifted::below(Rat::from(&goal.bound));
    simplex.set_range(simplex.sum(constraints.len()), Range::up_to(below));
    !simplex.check()
}
