//! Builders of comparisons of numbers.

use crate::linear::Linear;
use crate::node::{Node, Term};
use crate::sorts::Sort;
use crate::store::Terms;
use sectile_base::Rat;

/// How a sum is compared with zero.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Relation {
    Equal,
    AtMost,
    Below,
}

impl Terms {
    /// `a <= b`.
    pub fn le(&self, a: Term, b: Term) -> Term {
        self.atom(self.difference(a, b), self.sort(a), Relation::AtMost)
    }

    /// `a < b`.
    pub fn lt(&self, a: Term, b: Term) -> Term {
        self.atom(self.difference(a, b), self.sort(a), Relation::Below)
    }

    /// `a >= b`.
    pub fn ge(&self, a: Term, b: Term) -> Term {
        self.le(b, a)
    }

    /// `a > b`.
    pub fn gt(&self, a: Term, b: Term) -> Term {
        self.lt(b, a)
    }

    /// `a = b` for numbers.
    pub(crate) fn eq_numeric(&self, a: Term, b: Term) -> Term {
        self.atom(self.difference(a, b), self.sort(a), Relation::Equal)
    }

    /// `t = 0`.
    pub fn eq_zero(&self, t: Term) -> Term {
        self.atom(self.linear(t), self.sort(t), Relation::Equal)
    }

    /// `t <= 0`.
    pub fn non_pos(&self, t: Term) -> Term {
        self.atom(self.linear(t), self.sort(t), Relation::AtMost)
    }

    /// `t < 0`.
    pub fn negative(&self, t: Term) -> Term {
        self.atom(self.linear(t), self.sort(t), Relation::Below)
    }

    /// The comparison of a sum with zero, in normal form.
    fn atom(&self, linear: Linear, sort: Sort, relation: Relation) -> Term {
        debug_assert!(sort.is_numeric());
        if linear.is_constant() {
            let constant = linear.constant();
            return self.bool(match relation {
                Relation::Equal => constant.is_zero(),
                Relation::AtMost => !constant.is_positive(),
                Relation::Below => constant.is_negative(),
            });
        }
        // A real sum over integers only is compared as an integer sum, and so tightened.
        let integer = (sort == Sort::Real).then(|| self.over_integers(&linear));
        let (mut linear, sort) = match integer.flatten() {
            Some(integer) => (integer, Sort::Int),
            None => (linear, sort),
        };
        linear.scale(&linear.primitive_factor());
        match (sort, relation) {
            (_, Relation::Equal) => self.equal_zero(linear, sort),
            (Sort::Int, _) => self.integer_bound(linear, relation),
            _ => self.real_bound(linear, relation),
        }
    }

    /// `linear = 0`, for coprime coefficients.
    fn equal_zero(&self, mut linear: Linear, sort: Sort) -> Term {
        if sort == Sort::Int && !linear.constant().is_int() {
            return self.ff();
        }
        if linear.monomials()[0].1.is_negative() {
            linear.scale(&Rat::MINUS_ONE);
        }
        self.intern(Node::Zero(self.leaf_sum(linear, sort)), Sort::Bool)
    }

    /// `linear <= 0` or `linear < 0` over the integers, for coprime coefficients.
    fn integer_bound(&self, mut linear: Linear, relation: Relation) -> Term {
        // With an integer t: t + c <= 0 is t + ceil(c) <= 0, and t + c < 0 is t + floor(c) + 1 <= 0.
        let rounded = match relation {
            Relation::Below => &Rat::from(linear.constant().floor()) + &Rat::ONE,
            _ => Rat::from(linear.constant().ceil()),
        };
        linear.add_constant(&(&rounded - linear.constant()));
        let flipped = linear.monomials()[0].1.is_negative();
        if flipped {
            // -t <= 0 is the complement of t < 0, that is, of t + 1 <= 0.
            linear.scale(&Rat::MINUS_ONE);
            linear.add_constant(&Rat::ONE);
        }
        let atom = Node::NonPos(self.leaf_sum(linear, Sort::Int));
        let atom = self.intern(atom, Sort::Bool);
        if flipped { self.not(atom) } else { atom }
    }

    /// `linear <= 0` or `linear < 0` over the reals, for coprime coefficients.
    fn real_bound(&self, mut linear: Linear, relation: Relation) -> Term {
        let flipped = linear.monomials()[0].1.is_negative();
        if flipped {
            linear.scale(&Rat::MINUS_ONE);
        }
        // -t <= 0 is the complement of t < 0, and -t < 0 that of t <= 0.
        let strict = (relation == Relation::Below) != flipped;
        let sum = self.leaf_sum(linear, Sort::Real);
        let node = if strict { Node::Neg } else { Node::NonPos };
        let atom = self.intern(node(sum), Sort::Bool);
        if flipped { self.not(atom) } else { atom }
    }

    /// A real sum of converted integers only, as a sum of those integers with the same value.
    ///
    /// Its coefficients and its constant may be fractions.
    pub fn over_integers(&self, linear: &Linear) -> Option<Linear> {
        let inner = |m: &(Term, Rat)| match self.node(m.0) {
            Node::ToReal(inner) => Some((*inner, m.1.clone())),
            _ => None,
        };
        // Most sums start with another kind of term: nothing is allocated for them.
        inner(linear.monomials().first()?)?;
        let monomials: Option<Vec<(Term, Rat)>> = linear.monomials().iter().map(inner).collect();
        Some(Linear::from_monomials(
            linear.constant().clone(),
            monomials?,
        ))
    }
}
