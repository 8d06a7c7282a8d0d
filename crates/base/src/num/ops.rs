//! Operators of [`Int`], and the forwarding shared with [`super::Rat`].

use std::iter::Sum;
use std::ops::{Add, AddAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use dashu_int::IBig;

use super::int::{Int, Repr};

/// Derives the owned and mixed forms of an operator from `Trait<&T> for &T`
/// and `TraitAssign<&T> for T`. Owned left operands are reused in place.
macro_rules! forward_binary {
    ($type:ty, $op:ident, $method:ident, $assign:ident, $assign_method:ident) => {
        impl $op<$type> for $type {
            type Output = $type;
            #[inline]
            fn $method(mut self, rhs: $type) -> $type {
                $assign::$assign_method(&mut self, &rhs);
                self
            }
        }
        impl $op<&$type> for $type {
            type Output = $type;
            #[inline]
            fn $method(mut self, rhs: &$type) -> $type {
                $assign::$assign_method(&mut self, rhs);
                self
            }
        }
        impl $op<$type> for &$type {
            type Output = $type;
            #[inline]
            fn $method(self, rhs: $type) -> $type {
                $op::$method(self, &rhs)
            }
        }
        impl $assign<$type> for $type {
            #[inline]
            fn $assign_method(&mut self, rhs: $type) {
                $assign::$assign_method(self, &rhs);
            }
        }
    };
}

/// What both types have on top of their own `signum`, `Neg`, `Ord` and `AddAssign`.
macro_rules! number {
    ($type:ty) => {
        impl $type {
            /// The magnitude.
            #[inline]
            pub fn abs(&self) -> $type {
                if self.is_negative() {
                    -self
                } else {
                    self.clone()
                }
            }

            /// Whether the value is less than 0.
            #[inline]
            pub fn is_negative(&self) -> bool {
                self.signum() < 0
            }

            /// Whether the value is greater than 0.
            #[inline]
            pub fn is_positive(&self) -> bool {
                self.signum() > 0
            }
        }
        impl Default for $type {
            #[inline]
            fn default() -> $type {
                <$type>::ZERO
            }
        }
        impl PartialOrd for $type {
            #[inline]
            fn partial_cmp(&self, other: &$type) -> Option<std::cmp::Ordering> {
                Some(self.cmp(other))
            }
        }
        impl std::fmt::Debug for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Display::fmt(self, f)
            }
        }
        impl Sum for $type {
            fn sum<I: Iterator<Item = $type>>(iter: I) -> $type {
                iter.fold(<$type>::ZERO, |total, item| total + item)
            }
        }
        impl<'a> Sum<&'a $type> for $type {
            fn sum<I: Iterator<Item = &'a $type>>(iter: I) -> $type {
                iter.fold(<$type>::ZERO, |total, item| total + item)
            }
        }
    };
}

pub(super) use {forward_binary, number};

/// The result of an operation that overflowed a word or met a big operand.
#[cold]
#[inline(never)]
fn wide(a: &Int, b: &Int, f: impl FnOnce(&IBig, &IBig) -> IBig) -> Int {
    Int::from_ibig(Int::with_big(a, b, f))
}

impl Int {
    /// Updates in place. When the left side is big already, its storage is
    /// reused; the result may still have shrunk to a word.
    #[cold]
    #[inline(never)]
    fn assign_wide(&mut self, rhs: &Int, f: impl FnOnce(&mut IBig, &IBig)) {
        let mut left = match std::mem::replace(&mut self.0, Repr::Small(0)) {
            Repr::Small(word) => IBig::from(word),
            Repr::Big(big) => *big,
        };
        f(&mut left, &rhs.big());
        *self = Int::from_ibig(left);
    }

    /// Adds `a * b` to the value.
    #[inline]
    pub fn add_mul_assign(&mut self, a: &Int, b: &Int) {
        if let (Repr::Small(total), Repr::Small(x), Repr::Small(y)) = (&mut self.0, &a.0, &b.0)
            && let Some(sum) = x.checked_mul(*y).and_then(|p| total.checked_add(p))
        {
            *total = sum;
            return;
        }
        *self += &(a * b);
    }
}

/// Defines one ring operator on references and its assigning form.
macro_rules! int_operator {
    ($op:ident, $method:ident, $assign:ident, $assign_method:ident, $checked:ident) => {
        impl $op<&Int> for &Int {
            type Output = Int;
            #[inline]
            fn $method(self, rhs: &Int) -> Int {
                if let (Repr::Small(a), Repr::Small(b)) = (&self.0, &rhs.0) {
                    if let Some(word) = a.$checked(*b) {
                        return Int::small(word);
                    }
                }
                wide(self, rhs, |a, b| $op::$method(a, b))
            }
        }
        impl $assign<&Int> for Int {
            #[inline]
            fn $assign_method(&mut self, rhs: &Int) {
                if let (Repr::Small(a), Repr::Small(b)) = (&mut self.0, &rhs.0) {
                    if let Some(word) = a.$checked(*b) {
                        *a = word;
                        return;
                    }
                }
                self.assign_wide(rhs, |a, b| $assign::$assign_method(a, b));
            }
        }
        forward_binary!(Int, $op, $method, $assign, $assign_method);
    };
}

int_operator!(Add, add, AddAssign, add_assign, checked_add);
int_operator!(Sub, sub, SubAssign, sub_assign, checked_sub);
int_operator!(Mul, mul, MulAssign, mul_assign, checked_mul);
number!(Int);

impl Neg for &Int {
    type Output = Int;
    #[inline]
    fn neg(self) -> Int {
        match &self.0 {
            Repr::Small(word) => match word.checked_neg() {
                Some(negated) => Int::small(negated),
                None => Int::from(-i128::from(*word)),
            },
            Repr::Big(big) => Int::from_ibig(-&**big),
        }
    }
}

impl Neg for Int {
    type Output = Int;
    #[inline]
    fn neg(self) -> Int {
        match self.0 {
            Repr::Big(big) => Int::from_ibig(-*big),
            Repr::Small(_) => -&self,
        }
    }
}
