//! The minimal form of a polyhedron: equations solved for their first variables, and irredundant
//! inequalities.

use super::simplex::{Range, Shifted, Simplex};
use crate::linear::{Constraint, Normal, Numbers, Relation};
use sectile_base::{Int, Rat};
use std::collections::BTreeMap;

/// Equivalent equations and inequalities in minimal form; none if they are unsatisfiable.
///
/// Over the integers bounds are tightened if that is easy, so some non-integer points may be lost,
/// but no integer ones.
pub fn reduced(
    numbers: Numbers,
    variables: usize,
    constraints: Vec<Constraint>,
) -> Option<Vec<Constraint>> {
    let (mut equations, mut rest) = (Vec::new(), constraints);
    loop {
        (equations, rest) = solved(numbers, equations, rest)?;
        let (found, others) = opposites(rest);
        rest = others;
        if !found.is_empty() {
            rest.extend(found);
            continue;
        }
        if rest.is_empty() {
            break;
        }
        let mut table = Table::new(numbers, variables, &rest);
        if !table.simplex.check() {
            return None;
        }
        let equal = table.implied_equations();
        if equal.iter().any(|e| *e) {
            for (c, _) in rest.iter_mut().zip(equal).filter(|(_, e)| *e) {
                c.relation = Relation::Equal;
            }
            continue;
        }
        let needed = table.needed();
        let kept = rest.into_iter().zip(needed).filter(|(_, n)| *n);
        rest = kept.map(|(c, _)| c).collect();
        break;
    }
    rest.sort_unstable();
    equations.extend(rest);
    Some(equations)
}

/// Equations in echelon form, and inequalities without the variables they are solved for.
fn solved(
    numbers: Numbers,
    mut equations: Vec<Constraint>,
    constraints: Vec<Constraint>,
) -> Option<(Vec<Constraint>, Vec<Constraint>)> {
    let (new, mut rest): (Vec<Constraint>, Vec<Constraint>) = constraints
        .into_iter()
        .partition(|c| c.relation == Relation::Equal);
    for equation in new {
        let equation = replaced(equation, &equations);
        let equation = match equation.normal(numbers) {
            Normal::True => continue,
            Normal::False => return None,
            Normal::Says(equation) => equation,
        };
        let Some(pivot) = pivot(&equation) else {
            continue;
        };
        for other in &mut equations {
            eliminate(other, &equation, pivot);
            if let Normal::Says(normal) = other.clone().normal(numbers) {
                *other = normal;
            } else {
                // Its own pivot is still there, so it is contradictory only over the integers.
                return None;
            }
        }
        equations.push(equation);
        equations.sort_by_key(pivot_or_end);
    }
    let mut tightest: BTreeMap<Vec<Int>, (Int, Relation)> = BTreeMap::new();
    for constraint in rest.drain(..) {
        let constraint = replaced(constraint, &equations);
        let constraint = match constraint.normal(numbers) {
            Normal::True => continue,
            Normal::False => return None,
            Normal::Says(constraint) => match numbers {
                Numbers::Integers => rounded(constraint, &equations),
                Numbers::Reals => constraint,
            },
        };
        insert_tightest(&mut tightest, constraint);
    }
    let rest = tightest
        .into_iter()
        .map(|(coefficients, (bound, relation))| Constraint {
            coefficients,
            relation,
            bound,
        });
    Some((equations, rest.collect()))
}

/// Tightens a bound on integers to a value that its sum can have: with `2a = b` an even one for
/// `b`.
///
/// Only equations with the same sum, or a multiple of it, in their other variables are considered.
fn rounded(mut constraint: Constraint, equations: &[Constraint]) -> Constraint {
    for equation in equations {
        let Some(pivot) = pivot(equation) else {
            continue;
        };
        let modulus = equation.coefficients[pivot].abs();
        if modulus.is_one() || constraint.relation != Relation::AtMost {
            continue;
        }
        // From `pivot + factor * sum = bound` the sum is known up to multiples of the modulus.
        if let Some(residue) = factor_of(&constraint, equation, pivot)
            .and_then(|factor| residue(&factor, &equation.bound, &modulus))
        {
            let above = (&constraint.bound - &residue).rem_euclid(&modulus);
            constraint.bound = &constraint.bound - &above;
        }
    }
    constraint
}

/// The factor of a constraint's sum in an equation, apart from the pivot.
fn factor_of(constraint: &Constraint, equation: &Constraint, pivot: usize) -> Option<Int> {
    let at = constraint.coefficients.iter().position(|c| !c.is_zero())?;
    let (theirs, ours) = (&equation.coefficients[at], &constraint.coefficients[at]);
    let factor = theirs.div_euclid(ours);
    let same = |i: usize| match i == pivot {
        true => constraint.coefficients[i].is_zero(),
        false => equation.coefficients[i] == &constraint.coefficients[i] * &factor,
    };
    let is_multiple = !factor.is_zero() && (0..constraint.coefficients.len()).all(same);
    is_multiple.then_some(factor)
}

/// The unique solution of `factor * x = value` modulo the modulus, if there is one. Large moduli
/// are not searched.
fn residue(factor: &Int, value: &Int, modulus: &Int) -> Option<Int> {
    const LARGEST: i64 = 64;
    if *modulus > Int::from(LARGEST) || !factor.gcd(modulus).is_one() {
        return None;
    }
    let is_solution = |x: &Int| (&(factor * x) - value).rem_euclid(modulus).is_zero();
    (0..LARGEST).map(Int::from).find(is_solution)
}

/// Keeps one bound for each direction. Over the reals directions may differ by a factor: those are
/// left to the redundancy check.
fn insert_tightest(tightest: &mut BTreeMap<Vec<Int>, (Int, Relation)>, constraint: Constraint) {
    let Constraint {
        coefficients,
        relation,
        bound,
    } = constraint;
    let entry = tightest
        .entry(coefficients)
        .or_insert_with(|| (bound.clone(), relation));
    let tighter = bound < entry.0 || (bound == entry.0 && relation == Relation::Below);
    if tighter {
        *entry = (bound, relation);
    }
}

/// The variable that an equation is solved for.
fn pivot(equation: &Constraint) -> Option<usize> {
    equation.coefficients.iter().position(|c| !c.is_zero())
}

fn pivot_or_end(equation: &Constraint) -> usize {
    pivot(equation).unwrap_or(equation.coefficients.len())
}

/// The constraint with all solved variables eliminated.
fn replaced(mut constraint: Constraint, equations: &[Constraint]) -> Constraint {
    for equation in equations {
        if let Some(pivot) = pivot(equation) {
            eliminate(&mut constraint, equation, pivot);
        }
    }
    constraint
}

/// Removes a variable from a constraint by a multiple of an equation.
pub fn eliminate(constraint: &mut Constraint, equation: &Constraint, variable: usize) {
    let mine = constraint.coefficients[variable].clone();
    if mine.is_zero() {
        return;
    }
    let theirs = &equation.coefficients[variable];
    let common = mine.gcd(theirs);
    let scale = theirs.abs().div_exact(&common);
    let mut factor = mine.div_exact(&common);
    if theirs.is_positive() {
        factor = -&factor;
    }
    let combine = |a: &Int, b: &Int| &(a * &scale) + &(b * &factor);
    let pairs = constraint.coefficients.iter_mut();
    for (a, b) in pairs.zip(&equation.coefficients) {
        *a = combine(a, b);
    }
    constraint.bound = combine(&constraint.bound, &equation.bound);
}

/// Combines opposite inequalities with a single value to equations; returns these and all other
/// constraints.
fn opposites(constraints: Vec<Constraint>) -> (Vec<Constraint>, Vec<Constraint>) {
    let bounds: BTreeMap<Vec<Int>, Int> = constraints
        .iter()
        .filter(|c| c.relation == Relation::AtMost)
        .map(|c| (c.coefficients.clone(), c.bound.clone()))
        .collect();
    let (mut equations, mut rest) = (Vec::new(), Vec::new());
    for mut constraint in constraints {
        let opposite = constraint.opposite();
        let known = bounds.get(&opposite.coefficients);
        if constraint.relation == Relation::AtMost && known == Some(&opposite.bound) {
            constraint.relation = Relation::Equal;
            equations.push(constraint);
        } else {
            rest.push(constraint);
        }
    }
    (equations, rest)
}

/// The range of a sum that an inequality allows.
pub fn range_of(constraint: &Constraint) -> Range {
    let bound = Rat::from(&constraint.bound);
    match constraint.relation {
        Relation::AtMost => Range::up_to(Shifted::exact(bound)),
        Relation::Below => Range::up_to(Shifted::below(bound)),
        Relation::Equal => Range {
            low: Some(Shifted::exact(bound.clone())),
            high: Some(Shifted::exact(bound)),
        },
    }
}

/// The range of a sum that violates an inequality.
pub fn range_outside(constraint: &Constraint, numbers: Numbers) -> Range {
    let bound = Rat::from(&constraint.bound);
    let low = match (constraint.relation, numbers) {
        (Relation::Below, _) => Shifted::exact(bound),
        (_, Numbers::Integers) => Shifted::exact(&bound + &Rat::ONE),
        (_, Numbers::Reals) => Shifted {
            number: bound,
            small: Rat::ONE,
        },
    };
    Range {
        low: Some(low),
        high: None,
    }
}

/// Inequalities in a simplex, one row each.
struct Table<'t> {
    numbers: Numbers,
    constraints: &'t [Constraint],
    simplex: Simplex,
}

impl Table<'_> {
    fn new(numbers: Numbers, variables: usize, constraints: &[Constraint]) -> Table<'_> {
        let rows = constraints.iter().map(|c| c.coefficients.as_slice());
        let mut simplex = Simplex::new(variables, rows);
        for (i, constraint) in constraints.iter().enumerate() {
            simplex.set_range(simplex.sum(i), range_of(constraint));
        }
        Table {
            numbers,
            constraints,
            simplex,
        }
    }

    /// The inequalities that always hold with equality.
    fn implied_equations(&mut self) -> Vec<bool> {
        let count = self.constraints.len();
        let mut slack = vec![false; count];
        self.note_slack(&mut slack);
        let mut equal = vec![false; count];
        for i in 0..count {
            if slack[i] || self.constraints[i].relation == Relation::Below {
                continue;
            }
            let row = self.simplex.sum(i);
            let bound = Rat::from(&self.constraints[i].bound);
            let less = match self.numbers {
                Numbers::Integers => Shifted::exact(&bound - &Rat::ONE),
                Numbers::Reals => Shifted::below(bound),
            };
            self.simplex.set_range(row, Range::up_to(less));
            match self.simplex.check() {
                true => self.note_slack(&mut slack),
                false => equal[i] = true,
            }
            self.simplex.set_range(row, range_of(&self.constraints[i]));
        }
        equal
    }

    /// Records the inequalities that the current values satisfy strictly.
    fn note_slack(&self, slack: &mut [bool]) {
        for (i, entry) in slack.iter_mut().enumerate() {
            let value = self.simplex.value(self.simplex.sum(i));
            let bound = Rat::from(&self.constraints[i].bound);
            *entry |= match self.numbers {
                Numbers::Integers => value.number <= &bound - &Rat::ONE,
                Numbers::Reals => *value < Shifted::exact(bound),
            };
        }
    }

    /// The inequalities that do not follow from the other necessary ones.
    fn needed(&mut self) -> Vec<bool> {
        let mut needed = vec![true; self.constraints.len()];
        for (i, entry) in needed.iter_mut().enumerate() {
            let row = self.simplex.sum(i);
            // Constraints implied only over the integers are kept: they make projections tighter.
            let outside = range_outside(&self.constraints[i], Numbers::Reals);
            self.simplex.set_range(row, outside);
            let range = match self.simplex.check() {
                true => range_of(&self.constraints[i]),
                false => {
                    *entry = false;
                    Range::default()
                }
            };
            self.simplex.set_range(row, range);
        }
        needed
    }
}
