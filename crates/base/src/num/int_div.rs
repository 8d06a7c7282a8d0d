//! Division, divisibility and powers of [`Int`]. A divisor that is 0 makes a division panic.

use dashu_int::IBig;
use dashu_int::ops::{DivRem, DivRemEuclid, ExtendedGcd, Gcd};

use super::int::{Int, Repr};
use super::word;

impl Int {
    /// A quotient or remainder: by machine arithmetic if the result fits a word, else by `big`.
    #[inline]
    fn divided(
        &self,
        divisor: &Int,
        operation: &str,
        word: impl FnOnce(i64, i64) -> Option<i64>,
        big: impl FnOnce(&IBig, &IBig) -> IBig,
    ) -> Int {
        assert!(!divisor.is_zero(), "{operation}: division by zero");
        if let (Repr::Small(a), Repr::Small(d)) = (&self.0, &divisor.0)
            && let Some(result) = word(*a, *d)
        {
            return Int::small(result);
        }
        Int::from_ibig(Int::with_big(self, divisor, big))
    }

    /// The greatest common divisor, never negative; `gcd(0, 0)` is 0.
    #[inline]
    pub fn gcd(&self, other: &Int) -> Int {
        if let (Repr::Small(a), Repr::Small(b)) = (&self.0, &other.0) {
            return Int::from(word::gcd(a.unsigned_abs(), b.unsigned_abs()));
        }
        Int::with_big(self, other, |a, b| Int::from_ibig(IBig::from(a.gcd(b))))
    }

    /// The least common multiple, never negative; 0 if either is 0.
    pub fn lcm(&self, other: &Int) -> Int {
        if self.is_zero() || other.is_zero() {
            return Int::ZERO;
        }
        let shared = self.gcd(other);
        (self.div_exact(&shared) * other).abs()
    }

    /// `(g, x, y)` with `self * x + other * y == g`, where `g` is the
    /// greatest common divisor and not negative.
    pub fn extended_gcd(&self, other: &Int) -> (Int, Int, Int) {
        if let (Repr::Small(a), Repr::Small(b)) = (&self.0, &other.0) {
            let (g, x, y) = word::extended_gcd(*a, *b);
            return (Int::from(g), Int::from(x), Int::from(y));
        }
        Int::with_big(self, other, |a, b| {
            let (g, x, y) = a.gcd_ext(b);
            let gcd = Int::from_ibig(IBig::from(g));
            (gcd, Int::from_ibig(x), Int::from_ibig(y))
        })
    }

    /// The quotient rounded towards negative infinity.
    #[inline]
    pub fn div_floor(&self, divisor: &Int) -> Int {
        self.divided(divisor, "div_floor", word::div_floor, |a, d| {
            let (quotient, rem) = a.div_rem(d);
            let is_above = !rem.is_zero() && rem.sign() != d.sign();
            quotient - IBig::from(u8::from(is_above))
        })
    }

    /// The quotient that leaves a remainder in `[0, |divisor|)`: `div` of SMT-LIB.
    #[inline]
    pub fn div_euclid(&self, divisor: &Int) -> Int {
        let big = |a: &IBig, d: &IBig| a.div_rem_euclid(d).0;
        self.divided(divisor, "div_euclid", i64::checked_div_euclid, big)
    }

    /// The remainder in `[0, |divisor|)`: `mod` of SMT-LIB.
    #[inline]
    pub fn rem_euclid(&self, divisor: &Int) -> Int {
        let word = |a: i64, d: i64| Some(a.wrapping_rem_euclid(d));
        let big = |a: &IBig, d: &IBig| IBig::from(a.div_rem_euclid(d).1);
        self.divided(divisor, "rem_euclid", word, big)
    }

    /// The quotient of a division known to leave no remainder; debug builds check that.
    #[inline]
    pub fn div_exact(&self, divisor: &Int) -> Int {
        debug_assert!(
            divisor.divides(self),
            "div_exact: {divisor} does not divide {self}"
        );
        self.divided(divisor, "div_exact", i64::checked_div, |a, d| a / d)
    }

    /// Whether `self` divides `other`. Zero divides only zero.
    #[inline]
    pub fn divides(&self, other: &Int) -> bool {
        match (&self.0, &other.0) {
            (Repr::Small(0), _) => other.is_zero(),
            (Repr::Small(d), Repr::Small(a)) => a.wrapping_rem(*d) == 0,
            _ => Int::with_big(self, other, |d, a| (a % d).is_zero()),
        }
    }

    /// The value raised to a power; the zeroth power is 1, also of 0.
    pub fn pow(&self, exponent: u32) -> Int {
        if let Repr::Small(base) = self.0
            && let Some(power) = base.checked_pow(exponent)
        {
            return Int::small(power);
        }
        Int::from_ibig(self.big().pow(exponent as usize))
    }
}
