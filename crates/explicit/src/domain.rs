//! Domains: from which values a search chooses where a model allows infinitely many.

use crate::error::ExploreError;
use sectile_base::{Int, Rat};

/// A finite set of numbers: the integers between two ends, and for reals the multiples of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Domain {
    pub(crate) low: Int,
    pub(crate) high: Int,
    /// The distance between the values of reals.
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

    /// The same ends, with reals chosen among the multiples of a positive step.
    pub fn with_step(mut self, step: Rat) -> Result<Domain, ExploreError> {
        if !step.is_positive() {
            return Err(ExploreError::EmptyDomain);
        }
        self.step = step;
        Ok(self)
    }

    /// Whether a number is between the ends.
    pub fn contains(&self, number: &Rat) -> bool {
        Rat::from(&self.low) <= *number && *number <= Rat::from(&self.high)
    }
}
