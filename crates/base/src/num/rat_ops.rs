//! Operators of [`Rat`].
//!
//! Fractions of words are combined with Knuth's method (TAOCP 4.5.1): common
//! factors are taken out of the operands, so that results come out reduced
//! and greatest common divisors are only ever taken of words.

use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use dashu_ratio::RBig;

use super::ops::{forward_binary, number};
use super::rat::{Rat, Repr, denominator};
use super::word;

/// A reduced fraction of words with positive denominator.
type Words = (i64, i64);

/// A reduced fraction with positive denominator that may exceed words.
type Wide = (i128, i128);

/// Greatest common divisor of a word and a positive word, as a positive word.
#[inline]
fn gcd_with(num: i64, den: i64) -> i64 {
    // At most `den`, so the conversion cannot wrap.
    word::gcd(num.unsigned_abs(), den.unsigned_abs()) as i64
}

/// A fraction of words in lowest terms. Most are, hence the test: it is
/// cheaper than two divisions by one.
#[inline]
fn reduce(num: i64, den: i64) -> Words {
    match gcd_with(num, den) {
        1 => (num, den),
        shared => (num / shared, den / shared),
    }
}

/// `a/b + c/d`, or `a/b - c/d` if `SUB`.
#[inline]
fn add_words<const SUB: bool>((a, b): Words, (c, d): Words) -> Wide {
    let shared = gcd_with(b, d);
    if shared == 1 {
        let num = cross::<SUB>((a, d), (c, b));
        return (num, i128::from(b) * i128::from(d));
    }
    let b_rest = b / shared;
    let num = cross::<SUB>((a, d / shared), (c, b_rest));
    let factor = match i64::try_from(num) {
        Ok(short) => gcd_with(short, shared),
        Err(_) => gcd_with((num % i128::from(shared)) as i64, shared),
    };
    if factor == 1 {
        return (num, i128::from(b_rest) * i128::from(d));
    }
    let reduced = match i64::try_from(num) {
        Ok(short) => i128::from(short / factor),
        Err(_) => num / i128::from(factor),
    };
    (reduced, i128::from(b_rest) * i128::from(d / factor))
}

/// `a*d + c*b` or, if `SUB`, `a*d - c*b`. Both products stay below 2^126 in
/// magnitude, as denominators are below 2^63, so nothing overflows.
#[inline]
fn cross<const SUB: bool>((a, d): (i64, i64), (c, b): (i64, i64)) -> i128 {
    let left = i128::from(a) * i128::from(d);
    let right = i128::from(c) * i128::from(b);
    if SUB { left - right } else { left + right }
}

/// `a/b * c/d`.
#[inline]
fn mul_words((a, b): Words, (c, d): Words) -> Wide {
    let ((a, d), (c, b)) = (reduce(a, d), reduce(c, b));
    (i128::from(a) * i128::from(c), i128::from(b) * i128::from(d))
}

/// `(a/b) / (c/d)`, for `c` not zero.
#[inline]
fn div_words((a, b): Words, (c, d): Words) -> Wide {
    // Magnitudes, because that of i64::MIN is not an i64; the sign comes last.
    let (top, bottom) = (a.unsigned_abs(), c.unsigned_abs());
    let left = word::gcd(top, bottom);
    let right = gcd_with(d, b);
    let num = i128::from(top / left) * i128::from(d / right);
    let den = i128::from(bottom / left) * i128::from(b / right);
    (if (a < 0) != (c < 0) { -num } else { num }, den)
}

impl Rat {
    /// The parts of an inline value.
    #[inline]
    fn words(&self) -> Option<Words> {
        match &self.0 {
            Repr::Small { num, den } => Some((*num, den.get())),
            Repr::Big(_) => None,
        }
    }

    /// Replaces the value by a reduced fraction.
    #[inline]
    fn store(&mut self, (num, den): Wide) {
        if let (Repr::Small { num: n, den: d }, Ok(top), Ok(bottom)) =
            (&mut self.0, i64::try_from(num), i64::try_from(den))
        {
            // Written through the references: no old value to drop.
            *n = top;
            *d = denominator(bottom);
            return;
        }
        *self = Rat::from_reduced(num, den);
    }

    /// Replaces the value by `f(self, rhs)` computed on big rationals.
    #[cold]
    #[inline(never)]
    fn assign_big(&mut self, rhs: &Rat, f: impl FnOnce(&RBig, &RBig) -> RBig) {
        *self = Rat::from_rbig(Rat::with_big(self, rhs, f));
    }

    /// Adds `a * b` to the value; the inner step of pivoting.
    #[inline]
    pub fn add_mul_assign(&mut self, a: &Rat, b: &Rat) {
        self.fused::<false>(a, b);
    }

    /// Subtracts `a * b` from the value.
    #[inline]
    pub fn sub_mul_assign(&mut self, a: &Rat, b: &Rat) {
        self.fused::<true>(a, b);
    }

    #[inline]
    fn fused<const SUB: bool>(&mut self, a: &Rat, b: &Rat) {
        if !self.fused_integers::<SUB>(a, b) {
            self.fused_fractions::<SUB>(a, b);
        }
    }

    /// The fused step on integers that fit words; false, with nothing done,
    /// if the operands or the result are of another kind.
    #[inline]
    fn fused_integers<const SUB: bool>(&mut self, a: &Rat, b: &Rat) -> bool {
        let (Repr::Small { num, den }, Some(x), Some(y)) = (&mut self.0, a.words(), b.words())
        else {
            return false;
        };
        // Positive words are all one exactly if the union of their bits is.
        if den.get() | x.1 | y.1 != 1 {
            return false;
        }
        let total = x.0.checked_mul(y.0).and_then(|product| {
            if SUB {
                num.checked_sub(product)
            } else {
                num.checked_add(product)
            }
        });
        if let Some(total) = total {
            *num = total;
        }
        total.is_some()
    }

    /// The fused step on anything but integers that fit words.
    fn fused_fractions<const SUB: bool>(&mut self, a: &Rat, b: &Rat) {
        if let (Some(total), Some(x), Some(y)) = (self.words(), a.words(), b.words()) {
            let (num, den) = mul_words(x, y);
            if let (Ok(num), Ok(den)) = (i64::try_from(num), i64::try_from(den)) {
                self.store(add_words::<SUB>(total, (num, den)));
                return;
            }
        }
        let product = a * b;
        if SUB {
            *self -= &product;
        } else {
            *self += &product;
        }
    }

    /// The reciprocal; panics on 0.
    #[inline]
    pub fn recip(&self) -> Rat {
        Rat::ONE / self
    }
}

impl AddAssign<&Rat> for Rat {
    #[inline]
    fn add_assign(&mut self, rhs: &Rat) {
        if let (Some(x), Some(y)) = (self.words(), rhs.words()) {
            self.store(add_words::<false>(x, y));
        } else {
            self.assign_big(rhs, |a, b| a + b);
        }
    }
}

impl SubAssign<&Rat> for Rat {
    #[inline]
    fn sub_assign(&mut self, rhs: &Rat) {
        if let (Some(x), Some(y)) = (self.words(), rhs.words()) {
            self.store(add_words::<true>(x, y));
        } else {
            self.assign_big(rhs, |a, b| a - b);
        }
    }
}

impl MulAssign<&Rat> for Rat {
    #[inline]
    fn mul_assign(&mut self, rhs: &Rat) {
        if let (Some(x), Some(y)) = (self.words(), rhs.words()) {
            self.store(mul_words(x, y));
        } else {
            self.assign_big(rhs, |a, b| a * b);
        }
    }
}

impl DivAssign<&Rat> for Rat {
    #[inline]
    fn div_assign(&mut self, rhs: &Rat) {
        assert!(!rhs.is_zero(), "division of a rational by zero");
        if let (Some(x), Some(y)) = (self.words(), rhs.words()) {
            self.store(div_words(x, y));
        } else {
            self.assign_big(rhs, |a, b| a / b);
        }
    }
}

/// Defines an operator on references by its assigning form.
macro_rules! rat_operator {
    ($op:ident, $method:ident, $assign:ident, $assign_method:ident) => {
        impl $op<&Rat> for &Rat {
            type Output = Rat;
            #[inline]
            fn $method(self, rhs: &Rat) -> Rat {
                let mut result = self.clone();
                $assign::$assign_method(&mut result, rhs);
                result
            }
        }
        forward_binary!(Rat, $op, $method, $assign, $assign_method);
    };
}

rat_operator!(Add, add, AddAssign, add_assign);
rat_operator!(Sub, sub, SubAssign, sub_assign);
rat_operator!(Mul, mul, MulAssign, mul_assign);
rat_operator!(Div, div, DivAssign, div_assign);
number!(Rat);

impl Neg for &Rat {
    type Output = Rat;
    #[inline]
    fn neg(self) -> Rat {
        match &self.0 {
            Repr::Small { num, den } => match num.checked_neg() {
                Some(num) => Rat(Repr::Small { num, den: *den }),
                None => Rat::from_reduced(-i128::from(*num), i128::from(den.get())),
            },
            Repr::Big(big) => Rat::from_rbig(-&**big),
        }
    }
}

impl Neg for Rat {
    type Output = Rat;
    #[inline]
    fn neg(self) -> Rat {
        match self.0 {
            Repr::Big(big) => Rat::from_rbig(-*big),
            Repr::Small { .. } => -&self,
        }
    }
}
