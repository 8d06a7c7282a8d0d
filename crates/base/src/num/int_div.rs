//! Division, divisibility and powers of [`Int`].

use dashu_int::ops::{DivRem, DivRemEuclid, ExtendedGcd, Gcd};
use dashu_int::{IBig, Sign};

use super::int::{Int, Repr};
use super::word;

/// Floor division of big integers, from the truncating one.
fn big_div_mod_floor(a: &IBig, d: &IBig) -> (IBig, IBig) {
    let (quotient, rem) = a.div_rem(d);
    if !rem.is_zero() && (rem.sign() == Sign::Negative) != (d.sign() == Sign::Negative) {
        (quotient - IBig::ONE, rem + d)
    } else {
        (quotient, rem)
    }
}

impl Int {
    /// Stops on a zero divisor with the name of the operation.
    #[inline]
    fn check_divisor(divisor: &Int, operation: &str) {
        assert!(!divisor.is_zero(), "{operation}: division by zero");
    }

    /// The greatest common divisor, never negative; `gcd(0, 0)` is 0.
    #[inline]
    #[must_use]
    pub fn gcd(&self, other: &Int) -> Int {
        if let (Repr::Small(a), Repr::Small(b)) = (&self.0, &other.0) {
            return Int::from(word::gcd(a.unsigned_abs(), b.unsigned_abs()));
        }
        Int::with_big(self, other, |a, b| Int::from_ibig(IBig::from(a.gcd(b))))
    }

    /// The least common multiple, never negative; 0 if either is 0.
    #[must_use]
    pub fn lcm(&self, other: &Int) -> Int {
        if self.is_zero() || other.is_zero() {
            return Int::ZERO;
        }
        let shared = self.gcd(other);
        (self.div_exact(&shared) * other).abs()
    }

    /// `(g, x, y)` with `self * x + other * y == g`, where `g` is the
    /// greatest common divisor and not negative.
    #[must_use]
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
    ///
    /// # Panics
    /// If the divisor is 0.
    #[inline]
    #[must_use]
    pub fn div_floor(&self, divisor: &Int) -> Int {
        Int::check_divisor(divisor, "div_floor");
        if let (Repr::Small(a), Repr::Small(d)) = (&self.0, &divisor.0)
            && let Some(quotient) = word::div_floor(*a, *d)
        {
            return Int::small(quotient);
        }
        Int::with_big(self, divisor, |a, d| {
            Int::from_ibig(big_div_mod_floor(a, d).0)
        })
    }

    /// The remainder of [`Int::div_floor`]: 0 or of the sign of the divisor.
    ///
    /// # Panics
    /// If the divisor is 0.
    #[inline]
    #[must_use]
    pub fn mod_floor(&self, divisor: &Int) -> Int {
        Int::check_divisor(divisor, "mod_floor");
        if let (Repr::Small(a), Repr::Small(d)) = (&self.0, &divisor.0) {
            return Int::small(word::mod_floor(*a, *d));
        }
        Int::with_big(self, divisor, |a, d| {
            Int::from_ibig(big_div_mod_floor(a, d).1)
        })
    }

    /// The quotient that leaves a remainder in `[0, |divisor|)`: `div` of
    /// SMT-LIB.
    ///
    /// # Panics
    /// If the divisor is 0.
    #[inline]
    #[must_use]
    pub fn div_euclid(&self, divisor: &Int) -> Int {
        Int::check_divisor(divisor, "div_euclid");
        if let (Repr::Small(a), Repr::Small(d)) = (&self.0, &divisor.0)
            && let Some(quotient) = a.checked_div_euclid(*d)
        {
            return Int::small(quotient);
        }
        Int::with_big(self, divisor, |a, d| Int::from_ibig(a.div_rem_euclid(d).0))
    }

    /// The remainder in `[0, |divisor|)`: `mod` of SMT-LIB.
    ///
    /// # Panics
    /// If the divisor is 0.
    #[inline]
    #[must_use]
    pub fn rem_euclid(&self, divisor: &Int) -> Int {
        Int::check_divisor(divisor, "rem_euclid");
        if let (Repr::Small(a), Repr::Small(d)) = (&self.0, &divisor.0) {
            return Int::small(a.wrapping_rem_euclid(*d));
        }
        Int::with_big(self, divisor, |a, d| {
            Int::from_ibig(IBig::from(a.div_rem_euclid(d).1))
        })
    }

    /// The quotient of a division known to leave no remainder.
    ///
    /// # Panics
    /// If the divisor is 0; in debug builds, also if there is a remainder.
    #[inline]
    #[must_use]
    pub fn div_exact(&self, divisor: &Int) -> Int {
        Int::check_divisor(divisor, "div_exact");
        debug_assert!(
            divisor.divides(self),
            "div_exact: {divisor} does not divide {self}"
        );
        if let (Repr::Small(a), Repr::Small(d)) = (&self.0, &divisor.0)
            && let Some(quotient) = a.checked_div(*d)
        {
            return Int::small(quotient);
        }
        Int::with_big(self, divisor, |a, d| Int::from_ibig(a / d))
    }

    /// Whether `self` divides `other`. Zero divides only zero.
    #[inline]
    #[must_use]
    pub fn divides(&self, other: &Int) -> bool {
        match (&self.0, &other.0) {
            (Repr::Small(0), _) => other.is_zero(),
            (Repr::Small(d), Repr::Small(a)) => a.wrapping_rem(*d) == 0,
            _ => Int::with_big(self, other, |d, a| (a % d).is_zero()),
        }
    }

    /// The value raised to a power; the zeroth power is 1, also of 0.
    #[must_use]
    pub fn pow(&self, exponent: u32) -> Int {
        if let Repr::Small(base) = self.0
            && let Some(power) = base.checked_pow(exponent)
        {
            return Int::small(power);
        }
        Int::from_ibig(self.to_ibig().pow(exponent as usize))
    }
}
