//! Convex polyhedra: conjunctions of linear constraints over the integers or the reals.
//!
//! A polyhedron is a minimal list of constraints, and queries are answered by an exact simplex.
//! Over the integers the constraints are tightened by their common factors; a polyhedron may still
//! contain rational points only. It must therefore be treated as an over-approximation; exact
//! operations say so.
//!
//! | what | where |
//! |---|---|
//! | shortest descriptions | `reduce` |
//! | satisfiability of bounds | `simplex` |
//! | projection, images | `project` |
//! | generators of cones | `cone` |
//! | hulls, widening | `hull` |
//! | points | `points` |
//!
//! Papers: [CoHa78] for the domain, its hulls and its widening; [DuMo06] for the simplex.

mod cone;
mod hull;
mod points;
mod project;
mod reduce;
pub mod simplex;

pub use points::point_of;

use crate::domain::Domain;
use crate::linear::{Affine, Constraint, Numbers, Relation};
use crate::zone::Bound;
use reduce::{range_of, range_outside, reduced};
use sectile_base::{Int, Rat};
use simplex::Simplex;

/// A polyhedron with at least one rational point, in minimal form.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Poly {
    numbers: Numbers,
    variables: usize,
    constraints: Vec<Constraint>,
}

impl Poly {
    /// The points that satisfy all constraints; none if there are none.
    pub fn new(numbers: Numbers, variables: usize, constraints: Vec<Constraint>) -> Option<Poly> {
        let constraints = reduced(numbers, variables, constraints)?;
        Some(Poly {
            numbers,
            variables,
            constraints,
        })
    }

    /// What the variables range over.
    pub fn numbers(&self) -> Numbers {
        self.numbers
    }

    /// A minimal list of constraints that describe the polyhedron.
    pub fn constraints(&self) -> &[Constraint] {
        &self.constraints
    }

    /// A simplex of the own constraints, followed by rows without bounds for others.
    fn table(&self, others: &[Constraint]) -> Simplex {
        let rows = self.constraints.iter().chain(others);
        let mut simplex = Simplex::new(self.variables, rows.map(|c| c.coefficients.as_slice()));
        for (i, constraint) in self.constraints.iter().enumerate() {
            simplex.set_range(simplex.sum(i), range_of(constraint));
        }
        simplex
    }

    /// For each constraint, whether all points satisfy it.
    pub fn implied(&self, constraints: &[Constraint]) -> Vec<bool> {
        let known = |c: &Constraint| {
            let own = self.constraints.iter();
            own.into_iter().any(|o| {
                o.coefficients == c.coefficients
                    && (o == c
                        || (c.relation != Relation::Equal
                            && (o.bound < c.bound
                                || (o.bound == c.bound && c.relation == Relation::AtMost))))
            })
        };
        let mut implied: Vec<bool> = constraints.iter().map(known).collect();
        if implied.iter().all(|k| *k) {
            return implied;
        }
        let mut simplex = self.table(constraints);
        for (i, constraint) in constraints.iter().enumerate() {
            if !implied[i] {
                let row = simplex.sum(self.constraints.len() + i);
                implied[i] = self.follows(&mut simplex, row, constraint);
            }
        }
        implied
    }

    /// Whether a constraint, whose sum has a row, follows from the bounds of the simplex.
    fn follows(&self, simplex: &mut Simplex, row: usize, constraint: &Constraint) -> bool {
        let mut halves = vec![range_outside(constraint, self.numbers)];
        if constraint.relation == Relation::Equal {
            let mut low = range_outside(&constraint.opposite(), self.numbers);
            // Below the bound: the opposite sum above its own.
            let negative = |v: simplex::Shifted| simplex::Shifted {
                number: -&v.number,
                small: -&v.small,
            };
            low.high = low.low.take().map(negative);
            halves.push(low);
        }
        let mut follows = true;
        for range in halves {
            simplex.set_range(row, range);
            follows = follows && !simplex.check();
        }
        simplex.set_range(row, simplex::Range::default());
        follows
    }

    /// Whether all points satisfy the constraint.
    pub fn implies(&self, constraint: &Constraint) -> bool {
        self.implied(std::slice::from_ref(constraint))[0]
    }
}

impl Domain for Poly {
    type Guard = Constraint;
    type Source = Affine;

    const NAME: &'static str = "polyhedra";
    const EFFORT: u64 = 30;
    const TESTS_OF_AN_OPERATION: u64 = 1;

    fn guard(constraint: &Constraint) -> Option<Vec<Constraint>> {
        Some(vec![constraint.clone()])
    }

    fn source(value: &Affine) -> Option<Affine> {
        Some(value.clone())
    }

    fn all(numbers: Numbers, variables: usize) -> Poly {
        Poly {
            numbers,
            variables,
            constraints: Vec::new(),
        }
    }

    fn variables(&self) -> usize {
        self.variables
    }

    fn assume_all(self, constraints: &[Constraint]) -> Option<Poly> {
        let implied = self.implied(constraints);
        let fresh = constraints.iter().zip(implied).filter(|(_, known)| !known);
        let fresh: Vec<Constraint> = fresh.map(|(c, _)| c.clone()).collect();
        if fresh.is_empty() {
            return Some(self);
        }
        let all = self.constraints.into_iter().chain(fresh).collect();
        Poly::new(self.numbers, self.variables, all)
    }

    fn includes(&self, other: &Poly) -> bool {
        debug_assert_eq!(
            self.variables, other.variables,
            "polyhedra over the same variables"
        );
        self == other || other.implied(&self.constraints).into_iter().all(|i| i)
    }

    fn meet(&self, other: &Poly) -> Option<Poly> {
        self.clone().assume_all(&other.constraints)
    }

    fn meets(&self, other: &Poly) -> bool {
        let mut simplex = self.table(&other.constraints);
        for (i, constraint) in other.constraints.iter().enumerate() {
            let row = simplex.sum(self.constraints.len() + i);
            simplex.set_range(row, range_of(constraint));
        }
        simplex.check()
    }

    fn minus(&self, other: &Poly) -> Vec<Poly> {
        if !self.meets(other) {
            return vec![self.clone()];
        }
        let mut pieces = Vec::new();
        let mut rest = self.clone();
        for constraint in &other.constraints {
            if rest.implies(constraint) {
                continue;
            }
            for outside in constraint.negations(self.numbers) {
                pieces.extend(rest.clone().assume_all(&[outside]));
            }
            match rest.assume_all(std::slice::from_ref(constraint)) {
                Some(inside) => rest = inside,
                None => return pieces,
            }
        }
        pieces
    }

    fn havoc(self, variable: usize) -> Poly {
        Poly::havoc(&self, variable)
    }

    fn adrift(&self, variables: &[usize]) -> Poly {
        let by = self.variables;
        let value = |v: usize| {
            let mut value = Affine::variable(v);
            if variables.contains(&v) {
                value.terms.push((by, Rat::ONE));
            }
            value
        };
        let sources: Vec<Affine> = (0..by).map(value).collect();
        self.extended(1).image(&sources)
    }

    fn extended(&self, further: usize) -> Poly {
        Poly {
            numbers: self.numbers,
            variables: self.variables + further,
            constraints: self
                .constraints
                .iter()
                .map(|c| c.extended(further))
                .collect(),
        }
    }

    fn projected(&self, variables: usize) -> Poly {
        Poly::projected(self, variables)
    }

    fn surely_projected(&self, variables: usize) -> Option<Poly> {
        Poly::surely_projected(self, variables)
    }

    fn image(&self, sources: &[Affine]) -> Poly {
        Poly::image(self, sources)
    }

    fn preimage(&self, within: &Poly, sources: &[Affine]) -> Option<Poly> {
        let before = self.constraints.iter();
        let before: Vec<Constraint> = before
            .map(|c| before_assignment(c, sources, within.variables))
            .collect();
        within.clone().assume_all(&before)
    }

    fn hull(&self, other: &Poly) -> Poly {
        Poly::hull(self, other)
    }

    fn widened(&self, other: &Poly) -> Poly {
        Poly::widened(self, other)
    }

    fn exceeded_by(&self, other: &Poly) -> usize {
        Poly::exceeded_by(self, other)
    }

    fn upper(&self, left: Option<usize>, right: Option<usize>) -> Bound {
        let constraints = self.constraints.iter();
        let bounds = constraints.filter_map(|c| difference(c, left, right));
        bounds.min().unwrap_or(Bound::Infinite)
    }

    fn largest(&self) -> Int {
        let bounds = self.constraints.iter().map(|c| c.bound.abs());
        bounds.max().unwrap_or(Int::ZERO)
    }

    fn point(&self) -> Option<Vec<Rat>> {
        Poly::point(self)
    }

    fn is_surely_empty(&self) -> bool {
        Poly::is_surely_empty(self)
    }

    fn constraints(&self) -> Vec<Constraint> {
        self.constraints.clone()
    }
}

/// The upper bound of a difference, if a constraint consists of nothing else.
fn difference(constraint: &Constraint, left: Option<usize>, right: Option<usize>) -> Option<Bound> {
    let mut wanted = vec![Int::ZERO; constraint.coefficients.len()];
    if let Some(left) = left {
        wanted[left] += &Int::ONE;
    }
    if let Some(right) = right {
        wanted[right] -= &Int::ONE;
    }
    let bound = constraint.bound.clone();
    if wanted == constraint.coefficients {
        return Some(match constraint.relation {
            Relation::Below => Bound::Below(bound),
            Relation::AtMost | Relation::Equal => Bound::AtMost(bound),
        });
    }
    let opposite = wanted.iter().zip(&constraint.coefficients);
    let opposite = opposite.into_iter().all(|(w, c)| *w == -c);
    let says = opposite && constraint.relation == Relation::Equal;
    says.then(|| Bound::AtMost(-&bound))
}

/// The weakest precondition of a constraint under an assignment.
fn before_assignment(constraint: &Constraint, sources: &[Affine], variables: usize) -> Constraint {
    let mut coefficients = vec![Rat::ZERO; variables];
    let mut bound = Rat::from(&constraint.bound);
    for (coefficient, source) in constraint.coefficients.iter().zip(sources) {
        if coefficient.is_zero() {
            continue;
        }
        let factor = Rat::from(coefficient);
        for (variable, c) in &source.terms {
            coefficients[*variable] += &(c * &factor);
        }
        bound -= &(&source.constant * &factor);
    }
    Constraint::from_rationals(&coefficients, constraint.relation, &bound)
}

/// The constraint that a variable equals an affine value of the variables after `shift`.
fn definition(variable: usize, value: &Affine, shift: usize, variables: usize) -> Constraint {
    let mut coefficients = vec![Rat::ZERO; variables];
    for (v, c) in &value.terms {
        coefficients[v + shift] = -c;
    }
    coefficients[variable] += &Rat::ONE;
    Constraint::from_rationals(&coefficients, Relation::Equal, &value.constant)
}

/// A constraint with its variables shifted.
fn shifted(constraint: &Constraint, by: usize) -> Constraint {
    let front = vec![Int::ZERO; by];
    Constraint {
        coefficients: [front, constraint.coefficients.clone()].concat(),
        relation: constraint.relation,
        bound: constraint.bound.clone(),
    }
}
