//! Numbers of the form `r + k * delta` for a positive infinitesimal `delta`.

use sectile_base::{Int, Rat};
use std::cmp::Ordering;
use std::fmt;

/// A rational plus a multiple of an infinitesimal; strict bounds are weak bounds on these.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Delta {
    pub real: Rat,
    /// The coefficient of the infinitesimal.
    pub delta: Rat,
}

impl Delta {
    pub const ZERO: Delta = Delta {
        real: Rat::ZERO,
        delta: Rat::ZERO,
    };

    #[inline]
    pub fn from_rat(real: Rat) -> Delta {
        Delta {
            real,
            delta: Rat::ZERO,
        }
    }

    #[inline]
    pub fn new(real: Rat, delta: Rat) -> Delta {
        Delta { real, delta }
    }

    /// Whether the value is an integer without infinitesimal part.
    #[inline]
    pub fn is_int(&self) -> bool {
        self.real.is_int() && self.delta.is_zero()
    }

    #[inline]
    pub fn add_mul(&mut self, other: &Delta, factor: &Rat) {
        self.real.add_mul_assign(&other.real, factor);
        if !other.delta.is_zero() {
            self.delta.add_mul_assign(&other.delta, factor);
        }
    }

    #[inline]
    pub fn add(&mut self, other: &Delta) {
        self.real += &other.real;
        if !other.delta.is_zero() {
            self.delta += &other.delta;
        }
    }

    #[inline]
    pub fn minus(&self, other: &Delta) -> Delta {
        let delta = if other.delta.is_zero() {
            self.delta.clone()
        } else {
            &self.delta - &other.delta
        };
        Delta {
            real: &self.real - &other.real,
            delta,
        }
    }

    #[inline]
    pub fn times(&self, factor: &Rat) -> Delta {
        let delta = if self.delta.is_zero() {
            Rat::ZERO
        } else {
            &self.delta * factor
        };
        Delta {
            real: &self.real * factor,
            delta,
        }
    }

    /// The largest integer that is not larger.
    pub fn floor(&self) -> Int {
        let floor = self.real.floor();
        if self.delta.is_negative() && self.real.is_int() {
            floor - Int::ONE
        } else {
            floor
        }
    }

    /// The smallest integer that is not smaller.
    pub fn ceil(&self) -> Int {
        let ceil = self.real.ceil();
        if self.delta.is_positive() && self.real.is_int() {
            ceil + Int::ONE
        } else {
            ceil
        }
    }
}

impl Ord for Delta {
    #[inline]
    fn cmp(&self, other: &Delta) -> Ordering {
        self.real
            .cmp(&other.real)
            .then_with(|| self.delta.cmp(&other.delta))
    }
}

impl PartialOrd for Delta {
    #[inline]
    fn partial_cmp(&self, other: &Delta) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Debug for Delta {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.delta.is_zero() {
            write!(f, "{}", self.real)
        } else {
            write!(f, "{}+{}d", self.real, self.delta)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_sees_the_infinitesimal() {
        let below = Delta::new(Rat::from(3), Rat::MINUS_ONE);
        let above = Delta::new(Rat::from(3), Rat::ONE);
        assert_eq!(below.floor(), Int::from(2));
        assert_eq!(below.ceil(), Int::from(3));
        assert_eq!(above.floor(), Int::from(3));
        assert_eq!(above.ceil(), Int::from(4));
        assert!(below < Delta::from_rat(Rat::from(3)) && Delta::from_rat(Rat::from(3)) < above);
    }
}
