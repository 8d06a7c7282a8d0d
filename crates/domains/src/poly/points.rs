//! Points of polyhedra.

use super::Poly;
use super::reduce::range_of;
use super::simplex::{Range, Shifted, Simplex};
use crate::linear::{Constraint, Numbers};
use sectile_base::Rat;
use std::collections::VecDeque;

/// Maximum number of cuts in the search for integers.
const MOST_CUTS: usize = 500;

impl Poly {
    /// A point of the polyhedron; over the integers an integer point, if one is found quickly.
    pub(super) fn point(&self) -> Option<Vec<Rat>> {
        let mut simplex = self.table(&[]);
        if self.numbers == Numbers::Reals {
            return simplex.check().then(|| simplex.point());
        }
        match integers(simplex) {
            Integers::Found(point) => Some(point),
            Integers::Nothing | Integers::GivenUp => None,
        }
    }

    /// Whether the polyhedron is known to contain no integers.
    pub(super) fn is_surely_empty(&self) -> bool {
        let unit = |c: &crate::linear::Constraint| {
            let mut coefficients = c.coefficients.iter();
            coefficients.all(|a| a.is_zero() || a.abs().is_one())
        };
        // With unit coefficients alone such polyhedra are rare.
        self.numbers == Numbers::Integers
            && !self.constraints.iter().all(unit)
            && matches!(integers(self.table(&[])), Integers::Nothing)
    }

    /// Whether a point is in the polyhedron.
    pub fn contains(&self, point: &[Rat]) -> bool {
        self.constraints.iter().all(|c| c.holds_at(point))
    }
}

/// A point that satisfies all constraints; over the integers an integer one, if found quickly.
pub fn point_of(
    numbers: Numbers,
    variables: usize,
    constraints: &[Constraint],
) -> Option<Vec<Rat>> {
    let rows = constraints.iter().map(|c| c.coefficients.as_slice());
    let mut simplex = Simplex::new(variables, rows);
    for (i, constraint) in constraints.iter().enumerate() {
        simplex.set_range(simplex.sum(i), range_of(constraint));
    }
    match numbers {
        Numbers::Reals => simplex.check().then(|| simplex.point()),
        Numbers::Integers => match integers(simplex) {
            Integers::Found(point) => Some(point),
            Integers::Nothing | Integers::GivenUp => None,
        },
    }
}

/// The result of a search for integers.
enum Integers {
    Found(Vec<Rat>),
    Nothing,
    GivenUp,
}

/// Searches by cutting off rational points.
fn integers(simplex: Simplex) -> Integers {
    // First in, first out: in one direction alone the cuts may not terminate.
    let mut open = VecDeque::from([simplex]);
    for _ in 0..MOST_CUTS {
        let Some(mut simplex) = open.pop_front() else {
            return Integers::Nothing;
        };
        if !simplex.check() {
            continue;
        }
        let point = simplex.point();
        let Some(odd) = point.iter().position(|x| !x.is_int()) else {
            return Integers::Found(point);
        };
        let below = Rat::from(point[odd].floor());
        let above = &below + &Rat::ONE;
        let range = simplex.range(odd).clone();
        let mut other = simplex.clone();
        let high = Some(Shifted::exact(below));
        let low = Some(Shifted::exact(above));
        other.set_range(
            odd,
            Range {
                high,
                ..range.clone()
            },
        );
        simplex.set_range(odd, Range { low, ..range });
        open.extend([other, simplex]);
    }
    Integers::GivenUp
}
