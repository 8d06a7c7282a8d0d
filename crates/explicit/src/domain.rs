//! Domains: the values that a search tries if a model allows infinitely many.

use crate::error::ExploreError;
use sectile_base::{Int, Rat};

/// A finite set of numbers: the integers of a range, and for reals the multiples of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Domain {
    pub(crate) low: Int,
    pub(crate) high: Int,
    /// The distance between values of reals.
    pub(crate) step: Rat,
}

impl Domain {
    /// The integers from `low` to `high`.
    pub fn new(low: Int, high: Int) -> Result<Domain, ExploreError> {
        if low > high {
            return Err(ExploreError::EmptyDomain);
        }
        Ok(Domain {
            low,
            high,
            step: Rat::ONE,
        })
    }

    /// The same range, with a positive step for the values of reals.
    pub fn with_step(mut self, step: Rat) -> Result<Domain, ExploreError> {
        if !step.is_positive() {
            return Err(ExploreError::EmptyDomain);
        }
        self.step = step;
        Ok(self)
    }

    /// Whether a number is in the range.
    pub fn contains(&self, number: &Rat) -> bool {
        Rat::from(&self.low) <= *number && *number <= Rat::from(&self.high)
    }
}
