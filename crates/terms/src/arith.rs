//! Builders of numeric terms and atoms.

use crate::linear::Linear;
use crate::node::{Node, Term};
use crate::sorts::Sort;
use crate::store::Terms;
use sectile_base::{Int, Rat};

/// Maximum number of bits of a factor, more than a million digits: larger numbers are not
/// multiplied.
const MOST_BITS: u64 = 1 << 22;

impl Terms {
    /// A small integer.
    pub fn int(&self, value: i64) -> Term {
        self.number(Rat::from(value), Sort::Int)
    }

    /// A number of sort `Int` or `Real`.
    pub fn number(&self, value: Rat, sort: Sort) -> Term {
        debug_assert!(sort == Sort::Real || (sort == Sort::Int && value.is_int()));
        self.intern(Node::Number(value), sort)
    }

    /// The number that a term is, if it is one.
    pub fn as_number(&self, term: Term) -> Option<&Rat> {
        match self.node(term) {
            Node::Number(value) => Some(value),
            _ => None,
        }
    }

    /// A numeric term as a linear sum.
    pub fn linear(&self, term: Term) -> Linear {
        match self.node(term) {
            Node::Number(value) => Linear::constant_only(value.clone()),
            Node::Sum(linear) => linear.clone(),
            _ => Linear::term(term),
        }
    }

    /// The term of a linear sum. All its terms must have the given sort.
    pub fn sum(&self, linear: Linear, sort: Sort) -> Term {
        let nested = |m: &(Term, Rat)| matches!(self.node(m.0), Node::Sum(_) | Node::Number(_));
        if linear.monomials().iter().any(nested) {
            return self.rebuild_sum(&linear, sort, |t| t);
        }
        self.leaf_sum(linear, sort)
    }

    /// The term of a linear sum whose summands are neither sums nor numbers.
    pub(crate) fn leaf_sum(&self, linear: Linear, sort: Sort) -> Term {
        debug_assert!(linear.monomials().iter().all(|m| self.sort(m.0) == sort));
        if linear.is_constant() {
            return self.number(linear.constant().clone(), sort);
        }
        if let [(only, c)] = linear.monomials()
            && c.is_one()
            && linear.constant().is_zero()
        {
            return *only;
        }
        self.intern(Node::Sum(linear), sort)
    }

    /// The same sum over other terms.
    pub(crate) fn rebuild_sum(
        &self,
        sum: &Linear,
        sort: Sort,
        mut map: impl FnMut(Term) -> Term,
    ) -> Term {
        let mut constant = sum.constant().clone();
        let mut monomials = Vec::with_capacity(sum.monomials().len());
        for (t, c) in sum.monomials() {
            let image = map(*t);
            match self.node(image) {
                Node::Sum(inner) => {
                    constant.add_mul_assign(inner.constant(), c);
                    monomials.extend(inner.monomials().iter().map(|(t, d)| (*t, c * d)));
                }
                Node::Number(value) => constant.add_mul_assign(value, c),
                _ => monomials.push((image, c.clone())),
            }
        }
        self.leaf_sum(Linear::from_monomials(constant, monomials), sort)
    }

    /// Adds `factor * t` to a sum.
    fn accumulate(&self, sum: &mut Linear, t: Term, factor: &Rat) {
        match self.node(t) {
            Node::Sum(linear) => sum.add_scaled(linear, factor),
            Node::Number(value) => sum.add_constant(&(value * factor)),
            _ => sum.add_term(t, factor),
        }
    }

    /// `a - b` as a sum, without creating a term for it.
    pub(crate) fn difference(&self, a: Term, b: Term) -> Linear {
        debug_assert!(self.sort(a) == self.sort(b) && self.sort(a).is_numeric());
        let mut difference = self.linear(a);
        self.accumulate(&mut difference, b, &Rat::MINUS_ONE);
        difference
    }

    /// Addition. [`Terms::add_all`] is better for many terms: every intermediate sum of a chain of
    /// additions is a term that lists all its parts.
    pub fn add(&self, a: Term, b: Term) -> Term {
        debug_assert!(self.sort(a) == self.sort(b) && self.sort(a).is_numeric());
        let mut sum = self.linear(a);
        self.accumulate(&mut sum, b, &Rat::ONE);
        self.leaf_sum(sum, self.sort(a))
    }

    /// Subtraction.
    pub fn sub(&self, a: Term, b: Term) -> Term {
        self.leaf_sum(self.difference(a, b), self.sort(a))
    }

    /// The sum of many terms of one sort; zero of that sort if there is none.
    pub fn add_all(&self, list: impl IntoIterator<Item = Term>, sort: Sort) -> Term {
        let mut constant = Rat::ZERO;
        let mut monomials = Vec::new();
        for t in list {
            debug_assert_eq!(self.sort(t), sort);
            match self.node(t) {
                Node::Sum(linear) => {
                    constant += linear.constant();
                    monomials.extend_from_slice(linear.monomials());
                }
                Node::Number(value) => constant += value,
                _ => monomials.push((t, Rat::ONE)),
            }
        }
        self.leaf_sum(Linear::from_monomials(constant, monomials), sort)
    }

    /// The negative of a number.
    pub fn neg(&self, a: Term) -> Term {
        self.scale(a, &Rat::MINUS_ONE)
    }

    /// A multiple. An integer term must not be given a fractional factor.
    pub fn scale(&self, a: Term, factor: &Rat) -> Term {
        debug_assert!(self.sort(a) == Sort::Real || factor.is_int());
        if factor.is_one() {
            return a;
        }
        let mut sum = self.linear(a);
        sum.scale(factor);
        self.leaf_sum(sum, self.sort(a))
    }

    /// Whether two numbers are too large to be multiplied. No input needs this many digits, and a
    /// few repeated products would exceed any time limit.
    pub fn is_large_product(&self, a: Term, b: Term) -> bool {
        let bits = |t| {
            self.as_number(t)
                .map(|r| r.numer().bits() + r.denom().bits())
        };
        matches!((bits(a), bits(b)), (Some(a), Some(b)) if a + b > MOST_BITS)
    }

    /// The product, if one factor is a number; `None` if the product is not linear.
    pub fn mul(&self, a: Term, b: Term) -> Option<Term> {
        debug_assert_eq!(self.sort(a), self.sort(b));
        if let Some(factor) = self.as_number(a) {
            return Some(self.scale(b, factor));
        }
        self.as_number(b).map(|factor| self.scale(a, factor))
    }

    /// Integer division by a constant that is not zero, with a remainder that is not negative.
    pub fn div(&self, a: Term, divisor: &Int) -> Term {
        debug_assert!(self.sort(a) == Sort::Int && !divisor.is_zero());
        if divisor.is_negative() {
            return self.neg(self.div(a, &-divisor));
        }
        if divisor.is_one() {
            return a;
        }
        if let Some(value) = self.as_number(a) {
            return self.int_number(value.numer().div_euclid(divisor));
        }
        match self.multiple(a, divisor) {
            Some(quotient) => quotient,
            None => self.intern(Node::Div(a, divisor.clone()), Sort::Int),
        }
    }

    /// The quotient of a sum all of whose terms are multiples of a number.
    fn multiple(&self, a: Term, divisor: &Int) -> Option<Term> {
        let mut linear = self.linear(a);
        linear.scale(&(Rat::ONE / Rat::from(divisor.clone())));
        // The remaining constant is less than one.
        let constant = linear.constant().clone();
        linear.add_constant(&-constant.clone());
        linear.add_constant(&Rat::from(constant.floor()));
        let is_whole = linear.monomials().iter().all(|m| m.1.is_int());
        is_whole.then(|| self.leaf_sum(linear, Sort::Int))
    }

    /// Integer remainder by a constant that is not zero; never negative.
    pub fn modulo(&self, a: Term, divisor: &Int) -> Term {
        debug_assert!(self.sort(a) == Sort::Int && !divisor.is_zero());
        let divisor = divisor.abs();
        if divisor.is_one() {
            return self.int(0);
        }
        // Multiples of the divisor do not change the remainder.
        let linear = self.linear(a);
        let reduced = |c: &Rat| Rat::from(c.numer().rem_euclid(&divisor));
        let monomials = linear.monomials().iter();
        let monomials = monomials.map(|(t, c)| (*t, reduced(c))).collect();
        let reduced = Linear::from_monomials(reduced(linear.constant()), monomials);
        let a = self.leaf_sum(reduced, Sort::Int);
        match self.as_number(a) {
            Some(_) => a,
            None => self.intern(Node::Mod(a, divisor), Sort::Int),
        }
    }

    fn int_number(&self, value: Int) -> Term {
        self.number(Rat::from(value), Sort::Int)
    }

    /// Whether a constant divides an integer term.
    pub fn divides(&self, divisor: &Int, a: Term) -> Term {
        self.eq_zero(self.modulo(a, divisor))
    }

    /// Absolute value.
    pub fn abs(&self, a: Term) -> Term {
        match self.as_number(a) {
            Some(value) => self.number(value.abs(), self.sort(a)),
            None => self.intern(Node::Abs(a), self.sort(a)),
        }
    }

    /// The smaller of two.
    pub fn min(&self, a: Term, b: Term) -> Term {
        self.extremum(a, b, true)
    }

    /// The larger of two.
    pub fn max(&self, a: Term, b: Term) -> Term {
        self.extremum(a, b, false)
    }

    fn extremum(&self, a: Term, b: Term, smaller: bool) -> Term {
        debug_assert_eq!(self.sort(a), self.sort(b));
        if a == b {
            return a;
        }
        let difference = self.difference(a, b);
        if difference.is_constant() {
            let first_is_less = difference.constant().is_negative();
            return if first_is_less == smaller { a } else { b };
        }
        let (a, b) = (a.min(b), a.max(b));
        let node = if smaller { Node::Min } else { Node::Max };
        self.intern(node(a, b), self.sort(a))
    }

    /// An integer term as a real; distributes over sums, so that reals are sums of such leaves.
    pub fn to_real(&self, a: Term) -> Term {
        debug_assert_eq!(self.sort(a), Sort::Int);
        let linear = self.linear(a);
        let monomials = linear.monomials().iter();
        let real = |leaf: Term| self.intern(Node::ToReal(leaf), Sort::Real);
        let converted = monomials.map(|(t, c)| (real(*t), c.clone())).collect();
        let sum = Linear::from_monomials(linear.constant().clone(), converted);
        self.leaf_sum(sum, Sort::Real)
    }

    /// The largest integer not larger than a real.
    pub fn floor(&self, a: Term) -> Term {
        debug_assert_eq!(self.sort(a), Sort::Real);
        let linear = self.linear(a);
        if linear.is_constant() {
            return self.int_number(linear.constant().floor());
        }
        // A sum that is an integer except for its constant is rounded by rounding the constant.
        let integral = linear.monomials().iter().all(|(_, c)| c.is_int());
        if integral && let Some(mut integer) = self.over_integers(&linear) {
            let rounded = Rat::from(linear.constant().floor());
            integer.add_constant(&(&rounded - linear.constant()));
            return self.leaf_sum(integer, Sort::Int);
        }
        self.intern(Node::Floor(a), Sort::Int)
    }
}
