//! The integer type: representation, conversions, order.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

use dashu_int::ops::BitTest as _;
use dashu_int::{IBig, Sign};

/// An exact integer of any size.
///
/// Values that fit an `i64` are held inline; cloning and computing with them
/// allocates nothing.
#[derive(Clone, PartialEq, Eq)]
pub struct Int(pub(super) Repr);

/// How an [`Int`] is held. `Big` never holds a value that fits an `i64`.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Repr {
    /// A value that fits a word.
    Small(i64),
    /// A value that does not.
    Big(Box<IBig>),
}

impl Int {
    /// The integer 0.
    pub const ZERO: Int = Int::small(0);
    /// The integer 1.
    pub const ONE: Int = Int::small(1);
    /// The integer -1.
    pub const MINUS_ONE: Int = Int::small(-1);

    /// The inline form of a word.
    #[inline]
    pub(super) const fn small(value: i64) -> Int {
        Int(Repr::Small(value))
    }

    /// The canonical form of a big integer.
    pub(super) fn from_ibig(value: IBig) -> Int {
        match i64::try_from(&value) {
            Ok(word) => Int::small(word),
            Err(_) => Int(Repr::Big(Box::new(value))),
        }
    }

    /// The form the big-number library works on; copied unless it is big already.
    pub(super) fn big(&self) -> Cow<'_, IBig> {
        match &self.0 {
            Repr::Small(word) => Cow::Owned(IBig::from(*word)),
            Repr::Big(big) => Cow::Borrowed(big),
        }
    }

    /// Runs `f` on both operands as big integers.
    pub(super) fn with_big<T>(a: &Int, b: &Int, f: impl FnOnce(&IBig, &IBig) -> T) -> T {
        f(&a.big(), &b.big())
    }

    /// -1, 0 or 1, as the value is negative, zero or positive.
    #[inline]
    pub fn signum(&self) -> i32 {
        match &self.0 {
            Repr::Small(word) => i32::from(*word > 0) - i32::from(*word < 0),
            Repr::Big(big) => match big.sign() {
                Sign::Positive => 1,
                Sign::Negative => -1,
            },
        }
    }

    /// Whether the value is 0.
    #[inline]
    pub fn is_zero(&self) -> bool {
        matches!(self.0, Repr::Small(0))
    }

    /// Whether the value is 1.
    #[inline]
    pub fn is_one(&self) -> bool {
        matches!(self.0, Repr::Small(1))
    }

    /// The value as an `i64`, if it fits.
    #[inline]
    pub fn to_i64(&self) -> Option<i64> {
        match self.0 {
            Repr::Small(word) => Some(word),
            Repr::Big(_) => None,
        }
    }

    /// The value as a `usize`, if it fits and is no more than `i64::MAX`.
    #[inline]
    pub fn to_usize(&self) -> Option<usize> {
        self.to_i64().and_then(|word| usize::try_from(word).ok())
    }

    /// The number of bits of the magnitude; 0 for 0.
    pub fn bits(&self) -> u64 {
        match &self.0 {
            Repr::Small(word) => u64::from(64 - word.unsigned_abs().leading_zeros()),
            Repr::Big(big) => big.bit_len() as u64,
        }
    }
}

impl From<i64> for Int {
    #[inline]
    fn from(value: i64) -> Int {
        Int::small(value)
    }
}

impl From<i32> for Int {
    #[inline]
    fn from(value: i32) -> Int {
        Int::small(i64::from(value))
    }
}

impl From<u32> for Int {
    #[inline]
    fn from(value: u32) -> Int {
        Int::small(i64::from(value))
    }
}

impl From<i128> for Int {
    #[inline]
    fn from(value: i128) -> Int {
        match i64::try_from(value) {
            Ok(word) => Int::small(word),
            Err(_) => Int(Repr::Big(Box::new(IBig::from(value)))),
        }
    }
}

impl From<u64> for Int {
    #[inline]
    fn from(value: u64) -> Int {
        Int::from(i128::from(value))
    }
}

impl From<usize> for Int {
    #[inline]
    fn from(value: usize) -> Int {
        Int::from(value as u64)
    }
}

impl Ord for Int {
    #[inline]
    fn cmp(&self, other: &Int) -> Ordering {
        match (&self.0, &other.0) {
            (Repr::Small(a), Repr::Small(b)) => a.cmp(b),
            (Repr::Big(a), Repr::Big(b)) => a.cmp(b),
            // A big value lies beyond every word, on the side of its sign.
            (Repr::Small(_), Repr::Big(_)) => 0.cmp(&other.signum()),
            (Repr::Big(_), Repr::Small(_)) => self.signum().cmp(&0),
        }
    }
}

impl Hash for Int {
    // By hand rather than derived: the form is canonical, so the tag adds
    // nothing and the common case can hash a single word.
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        match &self.0 {
            Repr::Small(word) => state.write_i64(*word),
            Repr::Big(big) => big.hash(state),
        }
    }
}
