//! What fixpoints ask of sets of states, whatever represents them.

use sectile_base::{Budget, Exhausted};
use sectile_domains::domain::Domain;
use sectile_domains::guarded::program::{Program, StateCube};

/// Whether states are counted that perhaps have no such step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// All states that have one, and perhaps others.
    Outside,
    /// Only states that have one, perhaps not all.
    Inside,
}

/// Sets of states of a program, and its steps backwards.
///
/// Every set may be larger than it should be over the integers, as those of a [`Domain`] may.
pub trait Algebra<D: Domain> {
    /// Sets of states.
    type Set: Clone;
    /// A set that grows until nothing new is found.
    type Growing;

    /// The program.
    fn program(&self) -> &Program<'_, D>;

    /// All states.
    fn all(&self) -> &Self::Set;

    /// No states.
    fn empty(&self) -> Self::Set;

    /// The states of some cubes.
    fn cubes(&self, cubes: &[StateCube<D>]) -> Self::Set;

    /// The states of both.
    fn and(&self, a: &Self::Set, b: &Self::Set, budget: &Budget) -> Result<Self::Set, Exhausted>;

    /// The states of one or the other.
    fn or(&self, a: &Self::Set, b: &Self::Set) -> Self::Set;

    /// The states of the first that are not in the second.
    fn minus(&self, a: &Self::Set, b: &Self::Set, budget: &Budget) -> Result<Self::Set, Exhausted>;

    /// Whether all states of the second are in the first.
    fn includes(&self, a: &Self::Set, b: &Self::Set, budget: &Budget) -> Result<bool, Exhausted>;

    /// The states from which some step leads into a set.
    fn before(&self, set: &Self::Set, side: Side, budget: &Budget) -> Result<Self::Set, Exhausted>;

    /// Nothing yet; so many sets with the same control are kept apart before they are widened.
    fn growing(&self, delay: usize) -> Self::Growing;

    /// Adds states, and more where sets are widened; false if all of them are known.
    fn grow(&self, growing: &mut Self::Growing, set: &Self::Set) -> bool;

    /// Adds what leads into the set through states of another one, until nothing is new.
    fn close(
        &self,
        growing: &mut Self::Growing,
        through: &Self::Set,
        budget: &Budget,
    ) -> Result<(), Exhausted>;

    /// What has grown, and how often sets were widened.
    fn grown<'g>(&self, growing: &'g Self::Growing) -> (&'g Self::Set, usize);

    /// How many sets of numbers the representation consists of.
    fn len(&self, set: &Self::Set) -> usize;

    /// Whether a state of the set is found; over the integers one may not be.
    fn has_point(&self, set: &Self::Set) -> bool;

    /// The states outside of the set, as a formula.
    fn complement(&self, set: &Self::Set) -> sectile_terms::Term;
}
