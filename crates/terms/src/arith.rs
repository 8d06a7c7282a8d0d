//! Builders of numeric terms and atoms.

use crate::linear::Linear;
use crate::node::{Node, Term};
use crate::sort::Sort;
use crate::store::Terms;
use sectile_base::{Int, Rat};

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

    /// Addition.
    pub fn add(&self, a: Term, b: Term) -> Term {
        self.add_scaled(a, b, &Rat::ONE)
    }

    /// Subtraction.
    pub fn sub(&self, a: Term, b: Term) -> Term {
        self.add_scaled(a, b, &Rat::from(-1))
    }

    fn add_scaled(&self, a: Term, b: Term, factor: &Rat) -> Term {
        let sort = self.sort(a);
        debug_assert!(sort == self.sort(b) && sort.is_numeric());
        let mut sum = self.linear(a);
        match self.node(b) {
            Node::Sum(linear) => sum.add_scaled(linear, factor),
            _ => sum.add_scaled(&self.linear(b), factor),
        }
        self.sum(sum, sort)
    }

    /// The sum of many terms of one sort; zero of that sort if there is none.
    pub fn add_all(&self, list: impl IntoIterator<Item = Term>, sort: Sort) -> Term {
        let mut sum = Linear::default();
        for t in list {
            sum.add_scaled(&self.linear(t), &Rat::ONE);
        }
        self.sum(sum, sort)
    }

    /// The negative of a number.
    pub fn neg(&self, a: Term) -> Term {
        self.scale(a, &Rat::from(-1))
    }

    /// A multiple. A fractional factor of an integer term is the caller's mistake.
    pub fn scale(&self, a: Term, factor: &Rat) -> Term {
        debug_assert!(self.sort(a) == Sort::Real || factor.is_int());
        let mut sum = self.linear(a);
        sum.scale(factor);
        self.sum(sum, self.sort(a))
    }

    /// The product, where one factor is a number; `None` where the product is not linear.
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
        match self.as_number(a) {
            Some(value) => self.int_number(value.numer().div_euclid(divisor)),
            None => self.intern(Node::Div(a, divisor.clone()), Sort::Int),
        }
    }

    /// Integer remainder by a constant that is not zero; never negative.
    pub fn modulo(&self, a: Term, divisor: &Int) -> Term {
        debug_assert!(self.sort(a) == Sort::Int && !divisor.is_zero());
        let divisor = divisor.abs();
        if divisor.is_one() {
            return self.int(0);
        }
        // Multiples of the divisor do not change the remainder.
        let mut reduced = Linear::default();
        let linear = self.linear(a);
        reduced.add_constant(&Rat::from(linear.constant().numer().rem_euclid(&divisor)));
        for (t, c) in linear.monomials() {
            reduced.add_term(*t, &Rat::from(c.numer().rem_euclid(&divisor)));
        }
        let a = self.sum(reduced, Sort::Int);
        match self.as_number(a) {
            Some(value) => self.int_number(value.numer().rem_euclid(&divisor)),
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
        let difference = self.sub(a, b);
        if let Some(d) = self.as_number(difference) {
            return if d.is_negative() == smaller { a } else { b };
        }
        let (a, b) = (a.min(b), a.max(b));
        let node = if smaller {
            Node::Min(a, b)
        } else {
            Node::Max(a, b)
        };
        self.intern(node, self.sort(a))
    }

    /// An integer term as a real; distributes over sums, so that reals are sums of such leaves.
    pub fn to_real(&self, a: Term) -> Term {
        debug_assert_eq!(self.sort(a), Sort::Int);
        let linear = self.linear(a);
        let mut real = Linear::constant_only(linear.constant().clone());
        for (t, c) in linear.monomials() {
            real.add_term(self.intern(Node::ToReal(*t), Sort::Real), c);
        }
        self.sum(real, Sort::Real)
    }

    /// The largest integer not larger than a real.
    pub fn floor(&self, a: Term) -> Term {
        debug_assert_eq!(self.sort(a), Sort::Real);
        match self.node(a) {
            Node::Number(value) => self.int_number(value.floor()),
            Node::ToReal(inner) => *inner,
            _ => self.intern(Node::Floor(a), Sort::Int),
        }
    }

    /// `a <= b`.
    pub fn le(&self, a: Term, b: Term) -> Term {
        self.non_pos(self.sub(a, b))
    }

    /// `a < b`.
    pub fn lt(&self, a: Term, b: Term) -> Term {
        self.negative(self.sub(a, b))
    }

    /// `a >= b`.
    pub fn ge(&self, a: Term, b: Term) -> Term {
        self.le(b, a)
    }

    /// `a > b`.
    pub fn gt(&self, a: Term, b: Term) -> Term {
        self.lt(b, a)
    }

    /// `t = 0`.
    pub fn eq_zero(&self, t: Term) -> Term {
        if let Some(value) = self.as_number(t) {
            return self.bool(value.is_zero());
        }
        if let Some(i) = self.all_integer(t) {
            return self.eq_zero(i);
        }
        let mut linear = self.linear(t);
        let factor = linear.primitive_factor();
        linear.scale(&factor);
        if linear.monomials()[0].1.is_negative() {
            linear.scale(&Rat::from(-1));
        }
        let sort = self.sort(t);
        if sort == Sort::Int && !linear.constant().is_int() {
            return self.ff();
        }
        self.intern(Node::Zero(self.sum(linear, sort)), Sort::Bool)
    }

    /// `t <= 0`.
    pub fn non_pos(&self, t: Term) -> Term {
        if let Some(value) = self.as_number(t) {
            return self.bool(!value.is_positive());
        }
        if let Some(i) = self.all_integer(t) {
            return self.non_pos(i);
        }
        self.bound(t, false)
    }

    /// `t < 0`.
    pub fn negative(&self, t: Term) -> Term {
        if let Some(value) = self.as_number(t) {
            return self.bool(value.is_negative());
        }
        match self.sort(t) {
            Sort::Int => self.non_pos(self.add(t, self.int(1))),
            _ => match self.all_integer(t) {
                Some(i) => self.negative(i),
                None => self.bound(t, true),
            },
        }
    }

    /// The atom `t <= 0` or `t < 0` (`strict`, reals only) in normal form.
    fn bound(&self, t: Term, strict: bool) -> Term {
        let sort = self.sort(t);
        let mut linear = self.linear(t);
        let factor = linear.primitive_factor();
        linear.scale(&factor);
        let flipped = linear.monomials()[0].1.is_negative();
        if sort == Sort::Int {
            // a*x + c <= 0 with integer a*x is a*x + ceil(c) <= 0.
            let rounded = &Rat::from(linear.constant().ceil()) - linear.constant();
            linear.add_constant(&rounded);
        }
        if !flipped {
            let node = if strict { Node::Neg } else { Node::NonPos };
            return self.intern(node(self.sum(linear, sort)), Sort::Bool);
        }
        linear.scale(&Rat::from(-1));
        // Now the atom says `linear >= 0` (or `> 0`): the complement of `linear < 0` (`<= 0`).
        let complement = if sort == Sort::Int {
            linear.add_constant(&Rat::ONE);
            Node::NonPos(self.sum(linear, sort))
        } else if strict {
            Node::NonPos(self.sum(linear, sort))
        } else {
            Node::Neg(self.sum(linear, sort))
        };
        self.not(self.intern(complement, Sort::Bool))
    }

    /// A real sum over integers only, scaled to an integer sum with the same sign.
    ///
    /// The constant may be a fraction; it is cleared by the scaling too.
    fn all_integer(&self, t: Term) -> Option<Term> {
        if self.sort(t) != Sort::Real {
            return None;
        }
        let linear = self.linear(t);
        let mut factor = linear.constant().denom();
        for (m, c) in linear.monomials() {
            if !matches!(self.node(*m), Node::ToReal(_)) {
                return None;
            }
            factor = factor.lcm(&c.denom());
        }
        let factor = Rat::from(factor);
        let mut integer = Linear::constant_only(linear.constant() * &factor);
        for (m, c) in linear.monomials() {
            if let Node::ToReal(inner) = self.node(*m) {
                integer.add_term(*inner, &(c * &factor));
            }
        }
        Some(self.sum(integer, Sort::Int))
    }
}
