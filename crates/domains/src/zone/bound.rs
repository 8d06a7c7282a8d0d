//! Bounds of differences.

use sectile_base::Int;
use std::cmp::Ordering;

/// An upper bound of a difference of two variables.
///
/// Bounds are ordered by what they allow: `< 3` is smaller than `<= 3`, and nothing is larger than
/// no bound at all.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Bound {
    /// Below this number.
    Below(Int),
    /// At most this number.
    AtMost(Int),
    /// No bound.
    Infinite,
}

impl Bound {
    /// The bound `<= 0`.
    pub const ZERO: Bound = Bound::AtMost(Int::ZERO);

    /// The number, if there is one.
    pub fn value(&self) -> Option<&Int> {
        match self {
            Bound::Below(v) | Bound::AtMost(v) => Some(v),
            Bound::Infinite => None,
        }
    }

    /// Whether the number itself is excluded.
    pub fn is_strict(&self) -> bool {
        matches!(self, Bound::Below(_))
    }

    /// The bound of a sum of two differences.
    pub fn plus(&self, other: &Bound) -> Bound {
        match (self, other) {
            (Bound::AtMost(a), Bound::AtMost(b)) => Bound::AtMost(a + b),
            (Bound::Infinite, _) | (_, Bound::Infinite) => Bound::Infinite,
            (Bound::AtMost(a) | Bound::Below(a), Bound::AtMost(b) | Bound::Below(b)) => {
                Bound::Below(a + b)
            }
        }
    }

    /// The bound of a difference that is larger by a number.
    pub fn shifted(&self, by: &Int) -> Bound {
        match self {
            Bound::AtMost(a) => Bound::AtMost(a + by),
            Bound::Below(a) => Bound::Below(a + by),
            Bound::Infinite => Bound::Infinite,
        }
    }

    /// The bound of the opposite difference where this one is exceeded; none where it cannot be.
    pub fn exceeded(&self) -> Option<Bound> {
        match self {
            Bound::AtMost(a) => Some(Bound::Below(-a)),
            Bound::Below(a) => Some(Bound::AtMost(-a)),
            Bound::Infinite => None,
        }
    }

    /// The bound on integers: `< 3` is `<= 2`.
    pub fn tightened(self) -> Bound {
        match self {
            Bound::Below(a) => Bound::AtMost(&a - &Int::ONE),
            other => other,
        }
    }
}

impl Ord for Bound {
    fn cmp(&self, other: &Bound) -> Ordering {
        match (self.value(), other.value()) {
            (Some(a), Some(b)) => a.cmp(b).then(other.is_strict().cmp(&self.is_strict())),
            (None, None) => Ordering::Equal,
            (None, Some(_)) => Ordering::Greater,
            (Some(_), None) => Ordering::Less,
        }
    }
}

impl PartialOrd for Bound {
    fn partial_cmp(&self, other: &Bound) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
