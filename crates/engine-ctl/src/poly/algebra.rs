//! The interface of representations of sets of states for fixpoints.

use crate::formulas::states;
use sectile_base::{Budget, Exhausted};
use sectile_domains::domain::Domain;
use sectile_domains::guarded::program::{Case, Program, StateCube};
use sectile_terms::Term;

/// The direction of an approximation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Over-approximation: all states with a step, and perhaps others.
    Outside,
    /// Under-approximation: only states with a step, perhaps not all.
    Inside,
}

/// The numbers from which a case leads into a set; `guarded` are those for which values can be
/// chosen that make it possible.
pub fn before<D: Domain>(
    program: &Program<'_, D>,
    case: &Case<D>,
    guarded: Option<&D>,
    set: &D,
    side: Side,
) -> Option<D> {
    let before = set.preimage(guarded?, &case.sources)?;
    let variables = program.numeric.len();
    match side {
        Side::Outside => Some(before.projected(variables)),
        Side::Inside => before.surely_projected(variables),
    }
}

/// Sets of states of a program, and backward steps. A set is a union of products; a product
/// consists of controls (values of the discrete variables) and a set of numbers.
///
/// Over the integers, every set may be an over-approximation, like those of a [`Domain`].
pub trait Algebra<D: Domain> {
    /// One or several controls.
    type Controls: Clone;
    /// Sets of states.
    type Set: Clone + Default;
    /// A set that grows until a fixpoint.
    type Growing;

    /// The program.
    fn program(&self) -> &Program<'_, D>;

    /// All states.
    fn all(&self) -> &Self::Set;

    /// The states of cubes.
    fn cubes(&self, cubes: &[StateCube<D>], budget: &Budget) -> Result<Self::Set, Exhausted>;

    /// The products of a set.
    fn products<'s>(&self, set: &'s Self::Set) -> impl Iterator<Item = (Self::Controls, &'s D)>
    where
        D: 's;

    /// The parts of a set's products at given controls.
    fn products_at<'s>(
        &self,
        set: &'s Self::Set,
        controls: &Self::Controls,
    ) -> impl Iterator<Item = (Self::Controls, &'s D)>
    where
        D: 's;

    /// Adds a product to a set.
    fn add(&self, set: &mut Self::Set, controls: Self::Controls, numbers: D);

    /// The controls at which no product of a set contains the numbers, if any.
    fn unknown(
        &self,
        set: &Self::Set,
        controls: Self::Controls,
        numbers: &D,
    ) -> Option<Self::Controls>;

    /// The states of a product outside a set, in pieces.
    fn uncovered(
        &self,
        set: &Self::Set,
        controls: &Self::Controls,
        numbers: &D,
    ) -> Vec<(Self::Controls, D)>;

    /// The predecessors of a product by a case.
    fn before_case(
        &self,
        case: usize,
        controls: &Self::Controls,
        numbers: &D,
        side: Side,
    ) -> Vec<(Self::Controls, D)>;

    /// A growing set with these states; up to this many further sets with the same control are kept
    /// apart before widening.
    fn growing(&self, start: &Self::Set, delay: usize) -> Self::Growing;

    /// Adds states, with widening; false if all of them are known.
    fn grow_by(&self, growing: &mut Self::Growing, controls: Self::Controls, numbers: D) -> bool;

    /// The next product whose predecessors were not computed.
    fn next(&self, growing: &mut Self::Growing) -> Option<(Self::Controls, D)>;

    /// The set, and the number of widenings.
    fn grown<'g>(&self, growing: &'g Self::Growing) -> (&'g Self::Set, usize);

    /// The formula of controls.
    fn formula(&self, controls: &Self::Controls) -> Term;

    /// The intersection.
    fn and(&self, a: &Self::Set, b: &Self::Set, budget: &Budget) -> Result<Self::Set, Exhausted> {
        let mut result = Self::Set::default();
        for (controls, set) in self.products(a) {
            budget.poll_for(D::EFFORT)?;
            for (both, more) in self.products_at(b, &controls) {
                if let Some(set) = set.meet(more) {
                    self.add(&mut result, both, set);
                }
            }
        }
        Ok(result)
    }

    /// The union.
    fn or(&self, a: &Self::Set, b: &Self::Set) -> Self::Set {
        let mut result = a.clone();
        for (controls, set) in self.products(b) {
            self.add(&mut result, controls, set.clone());
        }
        result
    }

    /// The difference.
    fn minus(&self, a: &Self::Set, b: &Self::Set, budget: &Budget) -> Result<Self::Set, Exhausted> {
        let mut result = Self::Set::default();
        for (controls, set) in self.products(a) {
            budget.poll_for(D::EFFORT)?;
            for (controls, piece) in self.uncovered(b, &controls, set) {
                self.add(&mut result, controls, piece);
            }
        }
        Ok(result)
    }

    /// Whether the second set is a subset of the first.
    fn includes(&self, a: &Self::Set, b: &Self::Set, budget: &Budget) -> Result<bool, Exhausted> {
        for (controls, set) in self.products(b) {
            budget.poll_for(D::EFFORT)?;
            let rest = self.unknown(a, controls, set);
            if rest.is_some_and(|rest| !self.uncovered(a, &rest, set).is_empty()) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The predecessors of a set.
    fn before(&self, set: &Self::Set, side: Side, budget: &Budget) -> Result<Self::Set, Exhausted> {
        let mut result = Self::Set::default();
        for (controls, numbers) in self.products(set) {
            budget.poll_for(self.program().cases.len() as u64 * D::EFFORT)?;
            for case in 0..self.program().cases.len() {
                for (controls, set) in self.before_case(case, &controls, numbers, side) {
                    self.add(&mut result, controls, set);
                }
            }
        }
        Ok(result)
    }

    /// Adds a set; returns false if all its states are known.
    fn grow(&self, growing: &mut Self::Growing, set: &Self::Set) -> bool {
        let mut grows = false;
        for (controls, numbers) in self.products(set) {
            grows |= self.grow_by(growing, controls, numbers.clone());
        }
        grows
    }

    /// Adds the predecessors of the set through states of another one, until a fixpoint.
    fn close(
        &self,
        growing: &mut Self::Growing,
        through: &Self::Set,
        budget: &Budget,
    ) -> Result<(), Exhausted> {
        while let Some((controls, set)) = self.next(growing) {
            budget.poll_for(self.program().cases.len() as u64 * D::EFFORT)?;
            for case in 0..self.program().cases.len() {
                for (controls, set) in self.before_case(case, &controls, &set, Side::Outside) {
                    for (both, inside) in self.products_at(through, &controls) {
                        if let Some(set) = set.meet(inside) {
                            self.grow_by(growing, both, set);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// The number of products in the representation.
    fn len(&self, set: &Self::Set) -> usize {
        self.products(set).count()
    }

    /// Whether a state of the set is found; over the integers the search may fail.
    fn has_point(&self, set: &Self::Set) -> bool {
        self.products(set)
            .any(|(_, numbers)| numbers.point().is_some())
    }

    /// The states outside of the set, as a formula.
    fn complement(&self, set: &Self::Set) -> Term {
        let program = self.program();
        let outside = self.products(set).map(|(controls, numbers)| {
            let inside = states(program, self.formula(&controls), numbers);
            program.terms.not(inside)
        });
        program.terms.and(outside)
    }
}
