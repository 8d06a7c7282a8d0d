//! Projection by elimination of one variable after the other, and operations based on it.
//!
//! An equation with the variable is solved for it; otherwise every lower bound is combined with
//! every upper bound, and redundant results are dropped before the next variable. Over the integers
//! the projection is exact if one of the two bounds has the coefficient one; if both have larger
//! ones, the dark shadow contains the points for which an integer certainly exists.

use super::reduce::eliminate;
use super::{Poly, definition, shifted};
use crate::domain::Domain;
use crate::linear::{Affine, Constraint, Numbers, Relation};
use sectile_base::Int;

/// The treatment of points without an integer in the eliminated variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    /// An over-approximation: all points with an integer, and perhaps others.
    Outside,
    /// An under-approximation: only points with an integer, perhaps not all.
    Inside,
}

impl Poly {
    /// The projection to the first variables, or a superset.
    #[must_use]
    pub(super) fn projected(&self, variables: usize) -> Poly {
        // The projection of a non-empty polyhedron is not empty.
        self.shadow(variables, Side::Outside)
            .unwrap_or_else(|| Poly::all(self.numbers, variables))
    }

    /// Points of the projection to the first variables that certainly have a preimage, if any are
    /// found.
    ///
    /// Paper: [Pugh91, dark shadow].
    pub(super) fn surely_projected(&self, variables: usize) -> Option<Poly> {
        self.shadow(variables, Side::Inside)
    }

    /// The points that differ from one of this polyhedron in this variable only.
    #[must_use]
    pub(super) fn havoc(&self, variable: usize) -> Poly {
        let rows = self.constraints.clone();
        let rows = eliminated(
            self.numbers,
            self.variables,
            rows,
            &[variable],
            Side::Outside,
        );
        let rows = rows.unwrap_or_default();
        Poly::new(self.numbers, self.variables, rows)
            .unwrap_or_else(|| Poly::all(self.numbers, self.variables))
    }

    fn shadow(&self, variables: usize, side: Side) -> Option<Poly> {
        let hidden: Vec<usize> = (variables..self.variables).collect();
        let rows = self.constraints.clone();
        let rows = eliminated(self.numbers, self.variables, rows, &hidden, side)?;
        Poly::new(self.numbers, variables, cut(rows, 0, variables))
    }

    /// The image under a simultaneous assignment, one source for each new variable.
    #[must_use]
    pub(super) fn image(&self, sources: &[Affine]) -> Poly {
        let (new, all) = (sources.len(), sources.len() + self.variables);
        let mut rows: Vec<Constraint> = sources
            .iter()
            .enumerate()
            .map(|(i, source)| definition(i, source, new, all))
            .collect();
        rows.extend(self.constraints.iter().map(|c| shifted(c, new)));
        let hidden: Vec<usize> = (new..all).collect();
        let rows = eliminated(self.numbers, all, rows, &hidden, Side::Outside);
        rows.and_then(|rows| Poly::new(self.numbers, new, cut(rows, 0, new)))
            .unwrap_or_else(|| Poly::all(self.numbers, new))
    }
}

/// Constraints restricted to the only variables that occur in them.
fn cut(rows: Vec<Constraint>, from: usize, to: usize) -> Vec<Constraint> {
    let part = |mut c: Constraint| {
        c.coefficients = c.coefficients[from..to].to_vec();
        c
    };
    rows.into_iter().map(part).collect()
}

/// The constraints without some variables; none if they became contradictory, which is possible
/// only for under-approximations or over the integers.
fn eliminated(
    numbers: Numbers,
    variables: usize,
    mut rows: Vec<Constraint>,
    hidden: &[usize],
    side: Side,
) -> Option<Vec<Constraint>> {
    let mut hidden = hidden.to_vec();
    while let Some(place) = cheapest(&rows, &hidden, numbers, side) {
        let variable = hidden.swap_remove(place);
        let solved = equation_for(&rows, variable);
        if let Some(equation) = solved {
            let equation = rows.swap_remove(equation);
            let exact = numbers == Numbers::Reals || is_unit(&equation.coefficients[variable]);
            if side == Side::Inside && !exact {
                return None;
            }
            let each = rows.iter_mut();
            each.for_each(|row| eliminate(row, &equation, variable));
            continue;
        }
        let before = rows.len();
        rows = combined(numbers, rows, variable, side);
        if rows.len() > before {
            rows = Poly::new(numbers, variables, rows)?.constraints;
        }
    }
    Some(rows)
}

/// The position of the hidden variable that makes the fewest new constraints.
fn cheapest(rows: &[Constraint], hidden: &[usize], numbers: Numbers, side: Side) -> Option<usize> {
    let cost = |&variable: &usize| {
        if let Some(equation) = equation_for(rows, variable) {
            let unit = is_unit(&rows[equation].coefficients[variable]);
            let exact = unit || numbers == Numbers::Reals;
            return (usize::from(!exact), 0);
        }
        let signs = rows.iter().map(|r| r.coefficients[variable].signum());
        let (lower, upper) = signs.fold((0usize, 0usize), |(l, u), s| match s {
            1 => (l, u + 1),
            -1 => (l + 1, u),
            _ => (l, u),
        });
        let exact = numbers == Numbers::Reals || is_exact(rows, variable);
        let rank = match (exact, side) {
            (true, _) => 0,
            (false, Side::Outside) => 1,
            (false, Side::Inside) => 2,
        };
        (rank, 1 + lower * upper)
    };
    (0..hidden.len()).min_by_key(|&i| cost(&hidden[i]))
}

fn is_unit(number: &Int) -> bool {
    number.abs().is_one()
}

/// Whether one of any two opposite bounds of a variable has the coefficient one.
fn is_exact(rows: &[Constraint], variable: usize) -> bool {
    let large = |sign: i32| {
        let coefficients = rows.iter().map(|r| &r.coefficients[variable]);
        let mut side = coefficients.filter(|c| c.signum() == sign);
        side.any(|c| !is_unit(c))
    };
    !(large(1) && large(-1))
}

/// The equation that is best solved for a variable.
fn equation_for(rows: &[Constraint], variable: usize) -> Option<usize> {
    let equations = (0..rows.len()).filter(|&r| {
        rows[r].relation == Relation::Equal && !rows[r].coefficients[variable].is_zero()
    });
    equations.min_by_key(|&r| rows[r].coefficients[variable].abs())
}

/// Every lower bound of a variable compared with every upper bound, and the other constraints.
fn combined(
    numbers: Numbers,
    rows: Vec<Constraint>,
    variable: usize,
    side: Side,
) -> Vec<Constraint> {
    let (with, mut result): (Vec<Constraint>, Vec<Constraint>) = rows
        .into_iter()
        .partition(|r| !r.coefficients[variable].is_zero());
    let (upper, lower): (Vec<Constraint>, Vec<Constraint>) = with
        .into_iter()
        .partition(|r| r.coefficients[variable].is_positive());
    for high in &upper {
        for low in &lower {
            let (a, b) = (&high.coefficients[variable], &low.coefficients[variable]);
            let common = a.gcd(b);
            let (up, down) = (b.abs().div_exact(&common), a.div_exact(&common));
            let sum = |x: &Int, y: &Int| &(x * &up) + &(y * &down);
            let pairs = high.coefficients.iter().zip(&low.coefficients);
            let mut bound = sum(&high.bound, &low.bound);
            if side == Side::Inside && numbers == Numbers::Integers {
                // The distance that guarantees an integer between the two.
                let room = &(&(a - &Int::ONE) * &(&b.abs() - &Int::ONE)) + &(&common - &Int::ONE);
                bound -= &room.div_floor(&common);
            }
            let strict = Relation::Below == high.relation || Relation::Below == low.relation;
            result.push(Constraint {
                coefficients: pairs.map(|(x, y)| sum(x, y)).collect(),
                relation: if strict {
                    Relation::Below
                } else {
                    Relation::AtMost
                },
                bound,
            });
        }
    }
    result
}
