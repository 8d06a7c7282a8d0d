//! The integer type: representation, conversions, order.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

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

    /// A copy in the form the big-number library works on.
    pub(super) fn to_ibig(&self) -> IBig {
        match &self.0 {
            Repr::Small(word) => IBig::from(*word),
            Repr::Big(big) => (**big).clone(),
        }
    }

    /// Runs `f` on both operands as big integers, copying neither if it is
    /// big already.
    pub(super) fn with_big<T>(a: &Int, b: &Int, f: impl FnOnce(&IBig, &IBig) -> T) -> T {
        let (a_wide, b_wide);
        let a_ref = match &a.0 {
            Repr::Big(big) => &**big,
            Repr::Small(word) => {
                a_wide = IBig::from(*word);
                &a_wide
            }
        };
        let b_ref = match &b.0 {
            Repr::Big(big) => &**big,
            Repr::Small(word) => {
                b_wide = IBig::from(*word);
                &b_wide
            }
        };
        f(a_ref, b_ref)
    }

    /// The magnitude.
    #[inline]
    #[must_use]
    pub fn abs(&self) -> Int {
        if self.is_negative() {
            -self
        } else {
            self.clone()
        }
    }

    /// -1, 0 or 1, as the value is negative, zero or positive.
    #[inline]
    #[must_use]
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
    #[must_use]
    pub fn is_zero(&self) -> bool {
        matches!(self.0, Repr::Small(0))
    }

    /// Whether the value is 1.
    #[inline]
    #[must_use]
    pub fn is_one(&self) -> bool {
        matches!(self.0, Repr::Small(1))
    }

    /// Whether the value is less than 0.
    #[inline]
    #[must_use]
    pub fn is_negative(&self) -> bool {
        self.signum() < 0
    }

    /// Whether the value is greater than 0.
    #[inline]
    #[must_use]
    pub fn is_positive(&self) -> bool {
        self.signum() > 0
    }

    /// Whether the value is a multiple of 2.
    #[inline]
    #[must_use]
    pub fn is_even(&self) -> bool {
        match &self.0 {
            Repr::Small(word) => word & 1 == 0,
            Repr::Big(big) => big.trailing_zeros() != Some(0),
        }
    }

    /// The value as an `i64`, if it fits.
    #[inline]
    #[must_use]
    pub fn to_i64(&self) -> Option<i64> {
        match self.0 {
            Repr::Small(word) => Some(word),
            Repr::Big(_) => None,
        }
    }

    /// The value as a `u32`, if it fits.
    #[inline]
    #[must_use]
    pub fn to_u32(&self) -> Option<u32> {
        self.to_i64().and_then(|word| u32::try_from(word).ok())
    }

    /// The value as a `usize`, if it fits.
    ///
    /// Values above `i64::MAX` count as not fitting: no index reaches them.
    #[inline]
    #[must_use]
    pub fn to_usize(&self) -> Option<usize> {
        self.to_i64().and_then(|word| usize::try_from(word).ok())
    }

    /// The nearest `f64`, infinite when out of its range.
    ///
    /// For display and heuristics only, never for a decision that must be
    /// right.
    #[must_use]
    pub fn to_f64(&self) -> f64 {
        match &self.0 {
            Repr::Small(word) => *word as f64,
            Repr::Big(big) => big.to_f64().value(),
        }
    }

    /// The number of bits of the magnitude; 0 for 0.
    #[must_use]
    pub fn bits(&self) -> u64 {
        match &self.0 {
            Repr::Small(word) => u64::from(64 - word.unsigned_abs().leading_zeros()),
            Repr::Big(big) => {
                let (_, words) = big.as_sign_words();
                words.last().map_or(0, |top| {
                    let width = u64::from(dashu_int::Word::BITS);
                    words.len() as u64 * width - u64::from(top.leading_zeros())
                })
            }
        }
    }
}

impl Default for Int {
    #[inline]
    fn default() -> Int {
        Int::ZERO
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

impl From<bool> for Int {
    #[inline]
    fn from(value: bool) -> Int {
        Int::small(i64::from(value))
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

impl PartialOrd for Int {
    #[inline]
    fn partial_cmp(&self, other: &Int) -> Option<Ordering> {
        Some(self.cmp(other))
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
