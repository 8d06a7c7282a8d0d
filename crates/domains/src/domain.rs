//! What engines ask of sets of points, whatever represents them.
//!
//! A set may contain more points than it should where integers are concerned, never fewer; the
//! operations that promise the opposite say so.

use crate::linear::{Affine, Constraint, Numbers, Relation};
use crate::poly::Poly;
use crate::zone::{Bound, Difference, Source, Zone};
use sectile_base::{Int, Rat};
use std::fmt::Debug;
use std::hash::Hash;

/// Sets of points that are not empty, with variables numbered from 0.
pub trait Domain: Clone + Debug + Eq + Hash {
    /// A constraint, prepared for this domain.
    type Guard: Clone + Debug;
    /// The value of an assignment, prepared for this domain.
    type Source: Clone + Debug;

    /// What the sets are called.
    const NAME: &'static str;

    /// A constraint for this domain, if it can express it.
    fn guard(constraint: &Constraint) -> Option<Vec<Self::Guard>>;

    /// A value for this domain, if it can express it.
    fn source(value: &Affine) -> Option<Self::Source>;

    /// All points with so many coordinates.
    fn all(numbers: Numbers, variables: usize) -> Self;

    /// The number of variables.
    fn variables(&self) -> usize;

    /// The points that satisfy all constraints as well, or nothing.
    fn assume_all(self, guards: &[Self::Guard]) -> Option<Self>;

    /// Whether all points of the other set are in this one.
    fn includes(&self, other: &Self) -> bool;

    /// The points of both sets.
    fn meet(&self, other: &Self) -> Option<Self>;

    /// Whether some point is in both sets.
    fn meets(&self, other: &Self) -> bool;

    /// The points of this set that are not in the other one, as disjoint sets.
    fn minus(&self, other: &Self) -> Vec<Self>;

    /// The points that differ from one of this set in this variable only.
    #[must_use]
    fn havoc(self, variable: usize) -> Self;

    /// A set with all points that differ from one of this set by the same number in all these
    /// variables.
    #[must_use]
    fn adrift(&self, variables: &[usize]) -> Self;

    /// The same with further variables behind, about which nothing is known.
    #[must_use]
    fn extended(&self, further: usize) -> Self;

    /// The first variables only: all points that can be continued.
    #[must_use]
    fn projected(&self, variables: usize) -> Self;

    /// Points of the first variables that surely can be continued, if any are found.
    fn surely_projected(&self, variables: usize) -> Option<Self>;

    /// The image under a simultaneous assignment, one source for each new variable.
    #[must_use]
    fn image(&self, sources: &[Self::Source]) -> Self;

    /// The points of `within` that the assignment takes into this set, or nothing.
    fn preimage(&self, within: &Self, sources: &[Self::Source]) -> Option<Self>;

    /// A small set that contains both.
    #[must_use]
    fn hull(&self, other: &Self) -> Self;

    /// A set that contains the other one, which contains this one, so that chains of them end.
    #[must_use]
    fn widened(&self, other: &Self) -> Self;

    /// How many constraints of this set do not hold in the other one.
    fn exceeded_by(&self, other: &Self) -> usize;

    /// An upper bound of the difference of two variables, or of zero instead of one of them: the
    /// tightest one, or one that is seen at once. Two sets that are the same up to the names of
    /// variables should have the same bounds, up to these names.
    fn upper(&self, left: Option<usize>, right: Option<usize>) -> Bound;

    /// The largest of the bounds, without their signs.
    fn largest(&self) -> Int;

    /// A point of the set; over the integers one may not be found.
    fn point(&self) -> Option<Vec<Rat>>;

    /// Whether it was found out that the set, of integers, has no point.
    fn is_surely_empty(&self) -> bool;

    /// Constraints that describe the set.
    fn constraints(&self) -> Vec<Constraint>;
}

/// The points of a set that are in none of the others, as disjoint sets.
pub fn uncovered<'d, D: Domain + 'd>(set: &D, others: impl IntoIterator<Item = &'d D>) -> Vec<D> {
    let mut rest = vec![set.clone()];
    for other in others {
        rest = rest.iter().flat_map(|piece| piece.minus(other)).collect();
        if rest.is_empty() {
            break;
        }
    }
    rest
}

/// Whether every point of a set is in one of the others.
pub fn covers<'d, D: Domain + 'd>(others: impl IntoIterator<Item = &'d D>, set: &D) -> bool {
    uncovered(set, others).is_empty()
}

impl Domain for Zone {
    type Guard = Difference;
    type Source = Source;

    const NAME: &'static str = "zones";

    fn guard(constraint: &Constraint) -> Option<Vec<Difference>> {
        let (mut left, mut right) = (0, 0);
        for (i, c) in constraint.coefficients.iter().enumerate() {
            let side = match c.to_i64()? {
                0 => continue,
                1 => &mut left,
                -1 => &mut right,
                _ => return None,
            };
            if *side != 0 {
                return None;
            }
            *side = i + 1;
        }
        let bound = constraint.bound.clone();
        let difference = |left, right, bound| Difference { left, right, bound };
        Some(match constraint.relation {
            Relation::AtMost => vec![difference(left, right, Bound::AtMost(bound))],
            Relation::Below => vec![difference(left, right, Bound::Below(bound))],
            Relation::Equal => vec![
                difference(left, right, Bound::AtMost(bound.clone())),
                difference(right, left, Bound::AtMost(-&bound)),
            ],
        })
    }

    fn source(value: &Affine) -> Option<Source> {
        let variable = match value.terms.as_slice() {
            [] => 0,
            [(v, c)] if c.is_one() => v + 1,
            _ => return None,
        };
        let offset = value.constant.to_int()?;
        Some(Source { variable, offset })
    }

    fn all(numbers: Numbers, variables: usize) -> Zone {
        Zone::all(numbers, variables)
    }

    fn variables(&self) -> usize {
        Zone::variables(self)
    }

    fn assume_all(self, guards: &[Difference]) -> Option<Zone> {
        Zone::assume_all(self, guards)
    }

    fn includes(&self, other: &Zone) -> bool {
        Zone::includes(self, other)
    }

    fn meet(&self, other: &Zone) -> Option<Zone> {
        Zone::meet(self, other)
    }

    fn meets(&self, other: &Zone) -> bool {
        Zone::meets(self, other)
    }

    fn minus(&self, other: &Zone) -> Vec<Zone> {
        Zone::minus(self, other)
    }

    fn havoc(self, variable: usize) -> Zone {
        Zone::havoc(self, variable + 1)
    }

    fn adrift(&self, variables: &[usize]) -> Zone {
        let moved: Vec<usize> = variables.iter().map(|v| v + 1).collect();
        Zone::adrift(self, &moved)
    }

    fn extended(&self, further: usize) -> Zone {
        Zone::extended(self, further)
    }

    fn projected(&self, variables: usize) -> Zone {
        Zone::projected(self, variables)
    }

    /// Closed matrices project exactly.
    fn surely_projected(&self, variables: usize) -> Option<Zone> {
        Some(Zone::projected(self, variables))
    }

    fn image(&self, sources: &[Source]) -> Zone {
        Zone::image(self, sources)
    }

    fn preimage(&self, within: &Zone, sources: &[Source]) -> Option<Zone> {
        Zone::preimage(self, within, sources)
    }

    fn hull(&self, other: &Zone) -> Zone {
        Zone::hull(self, other)
    }

    fn widened(&self, other: &Zone) -> Zone {
        Zone::widened(self, other)
    }

    fn exceeded_by(&self, other: &Zone) -> usize {
        Zone::exceeded_by(self, other)
    }

    fn upper(&self, left: Option<usize>, right: Option<usize>) -> Bound {
        let index = |v: Option<usize>| v.map_or(0, |v| v + 1);
        self.bound(index(left), index(right)).clone()
    }

    fn largest(&self) -> Int {
        Zone::largest(self)
    }

    fn point(&self) -> Option<Vec<Rat>> {
        Some(Zone::point(self))
    }

    fn is_surely_empty(&self) -> bool {
        false
    }

    fn constraints(&self) -> Vec<Constraint> {
        let variables = Zone::variables(self);
        let list = Zone::constraints(self);
        list.iter().filter_map(|d| linear(d, variables)).collect()
    }
}

/// A bound of a difference as a constraint; none if it is no bound.
fn linear(difference: &Difference, variables: usize) -> Option<Constraint> {
    let mut coefficients = vec![Int::ZERO; variables];
    if difference.left > 0 {
        coefficients[difference.left - 1] += &Int::ONE;
    }
    if difference.right > 0 {
        coefficients[difference.right - 1] -= &Int::ONE;
    }
    let (relation, bound) = match &difference.bound {
        Bound::AtMost(b) => (Relation::AtMost, b.clone()),
        Bound::Below(b) => (Relation::Below, b.clone()),
        Bound::Infinite => return None,
    };
    Some(Constraint {
        coefficients,
        relation,
        bound,
    })
}

/// The upper bound of a difference that a constraint says, if it says nothing else.
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

impl Domain for Poly {
    type Guard = Constraint;
    type Source = Affine;

    const NAME: &'static str = "polyhedra";

    fn guard(constraint: &Constraint) -> Option<Vec<Constraint>> {
        Some(vec![constraint.clone()])
    }

    fn source(value: &Affine) -> Option<Affine> {
        Some(value.clone())
    }

    fn all(numbers: Numbers, variables: usize) -> Poly {
        Poly::all(numbers, variables)
    }

    fn variables(&self) -> usize {
        Poly::variables(self)
    }

    fn assume_all(self, guards: &[Constraint]) -> Option<Poly> {
        Poly::assume_all(self, guards)
    }

    fn includes(&self, other: &Poly) -> bool {
        Poly::includes(self, other)
    }

    fn meet(&self, other: &Poly) -> Option<Poly> {
        Poly::meet(self, other)
    }

    fn meets(&self, other: &Poly) -> bool {
        Poly::meets(self, other)
    }

    fn minus(&self, other: &Poly) -> Vec<Poly> {
        Poly::minus(self, other)
    }

    fn havoc(self, variable: usize) -> Poly {
        Poly::havoc(&self, variable)
    }

    fn adrift(&self, variables: &[usize]) -> Poly {
        let by = Poly::variables(self);
        let value = |v: usize| {
            let mut value = Affine::variable(v);
            if variables.contains(&v) {
                value.terms.push((by, Rat::ONE));
            }
            value
        };
        let sources: Vec<Affine> = (0..by).map(value).collect();
        Poly::image(&Poly::extended(self, 1), &sources)
    }

    fn extended(&self, further: usize) -> Poly {
        Poly::extended(self, further)
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
        Poly::preimage(self, within, sources)
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
        let constraints = Poly::constraints(self).iter();
        let bounds = constraints.filter_map(|c| difference(c, left, right));
        bounds.min().unwrap_or(Bound::Infinite)
    }

    fn largest(&self) -> Int {
        let bounds = Poly::constraints(self).iter().map(|c| c.bound.abs());
        bounds.max().unwrap_or(Int::ZERO)
    }

    fn point(&self) -> Option<Vec<Rat>> {
        Poly::point(self)
    }

    fn is_surely_empty(&self) -> bool {
        Poly::is_surely_empty(self)
    }

    fn constraints(&self) -> Vec<Constraint> {
        Poly::constraints(self).to_vec()
    }
}
