//! The rational type: representation, conversions, order.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::num::NonZeroI64;

use dashu_int::{IBig, Sign, UBig};
use dashu_ratio::RBig;

use super::int::{self, Int};
use super::word;

/// An exact rational number.
///
/// Values whose reduced numerator and denominator both fit an `i64` are held
/// inline; cloning and computing with them allocates nothing.
#[derive(Clone, PartialEq, Eq)]
pub struct Rat(pub(super) Repr);

/// How a [`Rat`] is held. `Big` never holds a value that fits `Small`.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Repr {
    /// A reduced fraction of words; the denominator is positive.
    ///
    /// The non-zero type leaves room for the tag, so that a rational takes
    /// two words and not three.
    Small { num: i64, den: NonZeroI64 },
    /// Any other value.
    Big(Box<RBig>),
}

/// The denominator of integers.
const UNIT: NonZeroI64 = NonZeroI64::new(1).expect("one is not zero");

/// Wraps a denominator.
#[inline]
pub(super) fn denominator(den: i64) -> NonZeroI64 {
    NonZeroI64::new(den).expect("a denominator is not zero")
}

impl Rat {
    /// The rational 0.
    pub const ZERO: Rat = Rat::integer(0);
    /// The rational 1.
    pub const ONE: Rat = Rat::integer(1);
    /// The rational -1.
    pub const MINUS_ONE: Rat = Rat::integer(-1);

    /// The inline form of an integer.
    #[inline]
    pub(super) const fn integer(num: i64) -> Rat {
        Rat(Repr::Small { num, den: UNIT })
    }

    /// The inline form of a reduced fraction with positive denominator.
    #[inline]
    pub(super) fn small(num: i64, den: i64) -> Rat {
        debug_assert!(den > 0 && word::gcd(num.unsigned_abs(), den.unsigned_abs()) == 1);
        let den = denominator(den);
        Rat(Repr::Small { num, den })
    }

    /// The fraction `num / den`; panics if `den` is 0.
    pub fn new(num: Int, den: Int) -> Rat {
        if let (Some(n), Some(d)) = (num.to_i64(), den.to_i64()) {
            return Rat::from_ratio(n, d);
        }
        assert!(!den.is_zero(), "rational with a zero denominator");
        let (num, den) = (num.big().into_owned(), den.big().into_owned());
        Rat::from_rbig(RBig::from_parts_signed(num, den))
    }

    /// The fraction `num / den` of words; panics if `den` is 0.
    #[inline]
    pub fn from_ratio(num: i64, den: i64) -> Rat {
        assert!(den != 0, "rational with a zero denominator");
        let shared = word::gcd(num.unsigned_abs(), den.unsigned_abs());
        let top = i128::from(num.unsigned_abs() / shared);
        let bottom = i128::from(den.unsigned_abs() / shared);
        let negative = (num < 0) != (den < 0);
        Rat::from_reduced(if negative { -top } else { top }, bottom)
    }

    /// The canonical form of a reduced fraction with positive denominator.
    #[inline]
    pub(super) fn from_reduced(num: i128, den: i128) -> Rat {
        match (i64::try_from(num), i64::try_from(den)) {
            (Ok(num), Ok(den)) => Rat::small(num, den),
            _ => Rat::big_from_reduced(num, den),
        }
    }

    /// The heap form of a fraction that does not fit words.
    #[cold]
    #[inline(never)]
    fn big_from_reduced(num: i128, den: i128) -> Rat {
        let value = RBig::from_parts(IBig::from(num), UBig::from(den.unsigned_abs()));
        Rat(Repr::Big(Box::new(value)))
    }

    /// The canonical form of a big rational.
    pub(super) fn from_rbig(value: RBig) -> Rat {
        match (
            i64::try_from(value.numerator()),
            i64::try_from(value.denominator()),
        ) {
            (Ok(num), Ok(den)) => Rat::small(num, den),
            _ => Rat(Repr::Big(Box::new(value))),
        }
    }

    /// The form the big-number library works on; copied unless it is big already.
    fn big(&self) -> Cow<'_, RBig> {
        match &self.0 {
            Repr::Small { num, den } if *den == UNIT => Cow::Owned(RBig::from(*num)),
            Repr::Small { num, den } => {
                let den = UBig::from(den.get().unsigned_abs());
                Cow::Owned(RBig::from_parts(IBig::from(*num), den))
            }
            Repr::Big(big) => Cow::Borrowed(big),
        }
    }

    /// Runs `f` on both operands as big rationals.
    pub(super) fn with_big<T>(a: &Rat, b: &Rat, f: impl FnOnce(&RBig, &RBig) -> T) -> T {
        f(&a.big(), &b.big())
    }

    /// -1, 0 or 1, as the value is negative, zero or positive.
    #[inline]
    pub fn signum(&self) -> i32 {
        match &self.0 {
            Repr::Small { num, .. } => i32::from(*num > 0) - i32::from(*num < 0),
            Repr::Big(big) => match big.numerator().sign() {
                Sign::Positive => 1,
                Sign::Negative => -1,
            },
        }
    }

    /// Whether the value is 0.
    #[inline]
    pub fn is_zero(&self) -> bool {
        matches!(self.0, Repr::Small { num: 0, .. })
    }

    /// Whether the value is 1.
    #[inline]
    pub fn is_one(&self) -> bool {
        matches!(self.0, Repr::Small { num: 1, den } if den == UNIT)
    }

    /// Whether the value is an integer.
    #[inline]
    pub fn is_int(&self) -> bool {
        match &self.0 {
            Repr::Small { den, .. } => *den == UNIT,
            Repr::Big(big) => big.is_int(),
        }
    }

    /// The numerator of the reduced fraction; it carries the sign.
    #[inline]
    pub fn numer(&self) -> Int {
        match &self.0 {
            Repr::Small { num, .. } => Int::small(*num),
            Repr::Big(big) => Int::from_ibig(big.numerator().clone()),
        }
    }

    /// The denominator of the reduced fraction, always positive.
    #[inline]
    pub fn denom(&self) -> Int {
        match &self.0 {
            Repr::Small { den, .. } => Int::small(den.get()),
            Repr::Big(big) => Int::from_ibig(IBig::from(big.denominator().clone())),
        }
    }

    /// The greatest integer not above the value.
    #[inline]
    pub fn floor(&self) -> Int {
        match &self.0 {
            // A positive divisor makes Euclidean division round down.
            Repr::Small { num, den } => Int::small(num.div_euclid(den.get())),
            Repr::Big(big) => Int::from_ibig(big.floor()),
        }
    }

    /// The least integer not below the value.
    #[inline]
    pub fn ceil(&self) -> Int {
        match &self.0 {
            Repr::Small { num, den } => {
                let below = num.div_euclid(den.get());
                // Only integers reach i64::MAX, and they are not raised.
                Int::small(below + i64::from(*den != UNIT))
            }
            Repr::Big(big) => Int::from_ibig(big.ceil()),
        }
    }

    /// The value as an integer, if it is one.
    #[inline]
    pub fn to_int(&self) -> Option<Int> {
        self.is_int().then(|| self.numer())
    }

    /// The value as an `i64`, if it is an integer that fits.
    #[inline]
    pub fn to_i64(&self) -> Option<i64> {
        match self.0 {
            Repr::Small { num, den } if den == UNIT => Some(num),
            _ => None,
        }
    }
}

impl From<i64> for Rat {
    #[inline]
    fn from(value: i64) -> Rat {
        Rat::integer(value)
    }
}

impl From<i32> for Rat {
    #[inline]
    fn from(value: i32) -> Rat {
        Rat::integer(i64::from(value))
    }
}

impl From<Int> for Rat {
    #[inline]
    fn from(value: Int) -> Rat {
        match value.0 {
            int::Repr::Small(num) => Rat::integer(num),
            int::Repr::Big(big) => Rat(Repr::Big(Box::new(RBig::from(*big)))),
        }
    }
}

impl From<&Int> for Rat {
    #[inline]
    fn from(value: &Int) -> Rat {
        match value.to_i64() {
            Some(num) => Rat::integer(num),
            None => Rat::from(value.clone()),
        }
    }
}

impl Ord for Rat {
    #[inline]
    fn cmp(&self, other: &Rat) -> Ordering {
        match (&self.0, &other.0) {
            (Repr::Small { num: a, den: b }, Repr::Small { num: c, den: d }) => {
                if b == d {
                    return a.cmp(c);
                }
                let left = i128::from(*a) * i128::from(d.get());
                left.cmp(&(i128::from(*c) * i128::from(b.get())))
            }
            _ => self
                .signum()
                .cmp(&other.signum())
                .then_with(|| Rat::with_big(self, other, RBig::cmp)),
        }
    }
}

impl Hash for Rat {
    // By hand rather than derived: see the same for `Int`.
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        match &self.0 {
            Repr::Small { num, den } => {
                state.write_i64(*num);
                state.write_i64(den.get());
            }
            Repr::Big(big) => big.hash(state),
        }
    }
}
