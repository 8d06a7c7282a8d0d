//! The interface of numeric domains: sets of points with the operations that engines need.
//!
//! A set of integers may contain more points than it should, never fewer, except for operations
//! that promise the opposite.

use crate::linear::{Affine, Constraint, Numbers};
use crate::zone::Bound;
use sectile_base::{Int, Rat};
use std::fmt::Debug;
use std::hash::Hash;

/// Sets of points that are not empty, with variables numbered from 0.
pub trait Domain: Clone + Debug + Eq + Hash {
    /// A constraint, prepared for this domain.
    type Guard: Clone + Debug;
    /// The value of an assignment, prepared for this domain.
    type Source: Clone + Debug;

    /// The name of the sets.
    const NAME: &'static str;

    /// Work of an operation on one or two sets, in units of a budget.
    const EFFORT: u64;

    /// Number of inclusion tests that amount to as much work as an operation.
    const TESTS_OF_AN_OPERATION: u64;

    /// The same for sets with these variables, where it grows with their number.
    fn effort(&self) -> u64 {
        Self::EFFORT
    }

    /// A constraint for this domain, if it can express it.
    fn guard(constraint: &Constraint) -> Option<Vec<Self::Guard>>;

    /// A value for this domain, if it can express it.
    fn source(value: &Affine) -> Option<Self::Source>;

    /// All points with this many coordinates.
    fn all(numbers: Numbers, variables: usize) -> Self;

    /// The number of variables.
    fn variables(&self) -> usize;

    /// The points that also satisfy all constraints; none if there are none.
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

    /// A set with all points that differ from a point of this set by the same number in all these
    /// variables.
    #[must_use]
    fn adrift(&self, variables: &[usize]) -> Self;

    /// The same with further unconstrained variables at the end.
    #[must_use]
    fn extended(&self, further: usize) -> Self;

    /// The projection to the first variables.
    #[must_use]
    fn projected(&self, variables: usize) -> Self;

    /// Points of the projection to the first variables that certainly have a preimage, if any are
    /// found.
    fn surely_projected(&self, variables: usize) -> Option<Self>;

    /// The image under a simultaneous assignment, one source for each new variable.
    #[must_use]
    fn image(&self, sources: &[Self::Source]) -> Self;

    /// The points of `within` that the assignment takes into this set, or nothing.
    fn preimage(&self, within: &Self, sources: &[Self::Source]) -> Option<Self>;

    /// A small set that contains both.
    #[must_use]
    fn hull(&self, other: &Self) -> Self;

    /// A superset of `other`, which contains this set, such that chains of widenings terminate.
    #[must_use]
    fn widened(&self, other: &Self) -> Self;

    /// How many constraints of this set do not hold in the other one.
    fn exceeded_by(&self, other: &Self) -> usize;

    /// An upper bound of the difference of two variables, or of zero instead of one of them: the
    /// tightest one, or one that is found quickly. Two sets that are equal up to renaming should
    /// have the same bounds, up to this renaming.
    fn upper(&self, left: Option<usize>, right: Option<usize>) -> Bound;

    /// The largest absolute value of the bounds.
    fn largest(&self) -> Int;

    /// A point of the set; over the integers the search may fail.
    fn point(&self) -> Option<Vec<Rat>>;

    /// Whether the set, of integers, is known to be empty.
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
