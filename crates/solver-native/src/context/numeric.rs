//! Sums and numeric operators.
//!
//! Every numeric term is a sum over simplex variables. Operators other than addition get an
//! auxiliary variable; its *guard* is a literal that implies the defining constraints, and every
//! atom over the variable implies the guard whichever way it is assigned.

use super::NativeSolver;
use super::define::BOTH;
use crate::arith::Relation;
use crate::proof_log::Origin;
use crate::sat::{Guard, Lit};
use crate::simplex::ArithVar;
use sectile_base::{Int, Rat};
use sectile_terms::{Node, Sort, Term};
use std::collections::BTreeMap;

/// `constant + sum of coefficient * variable`, and the guards of the auxiliary variables in it.
#[derive(Clone, Debug, Default)]
pub(super) struct Expansion {
    pub monomials: Vec<(ArithVar, Rat)>,
    pub constant: Rat,
    pub guards: Vec<Lit>,
}

impl Expansion {
    fn variable(v: ArithVar) -> Expansion {
        Expansion {
            monomials: vec![(v, Rat::ONE)],
            ..Expansion::default()
        }
    }

    /// Adds `factor * other`.
    fn add(&mut self, other: &Expansion, factor: &Rat) {
        self.constant.add_mul_assign(&other.constant, factor);
        let mut sum: BTreeMap<ArithVar, Rat> = self.monomials.drain(..).collect();
        for (v, c) in &other.monomials {
            sum.entry(*v).or_default().add_mul_assign(c, factor);
        }
        self.monomials
            .extend(sum.into_iter().filter(|(_, c)| !c.is_zero()));
        self.guards.extend_from_slice(&other.guards);
        self.guards.sort_unstable();
        self.guards.dedup();
    }
}

impl NativeSolver<'_> {
    /// A numeric term whose operators are encoded, as a sum of variables.
    pub(super) fn expand(&self, t: Term) -> Expansion {
        let mut result = Expansion::default();
        match self.terms.node(t) {
            Node::Number(value) => result.constant = value.clone(),
            Node::Sum(linear) => {
                result.constant = linear.constant().clone();
                for (leaf, c) in linear.monomials() {
                    result.add(self.leaf(*leaf), c);
                }
            }
            _ => result = self.leaf(t).clone(),
        }
        result
    }

    fn leaf(&self, t: Term) -> &Expansion {
        self.leaves
            .get(&t)
            .expect("operators are encoded before the sums they occur in")
    }

    /// The term of the integer quotient.
    pub(super) fn quotient(&mut self, a: Term, d: &Int) -> Term {
        let terms = self.terms;
        *self
            .quotients
            .entry((a, d.clone()))
            .or_insert_with(|| terms.div(a, d))
    }

    /// `abs`, `min` and `max` as condition, value if it holds, value if it does not.
    pub(super) fn choice(&self, t: Term) -> (Term, Term, Term) {
        let terms = self.terms;
        match terms.node(t) {
            Node::Abs(a) => (terms.non_pos(*a), terms.neg(*a), *a),
            Node::Min(a, b) => (terms.le(*a, *b), *a, *b),
            Node::Max(a, b) => (terms.le(*a, *b), *b, *a),
            Node::Ite(c, a, b) => (*c, *a, *b),
            _ => unreachable!("only operators that choose between two values are asked for"),
        }
    }

    /// The sum for an operator whose arguments are encoded.
    pub(super) fn expand_leaf(&mut self, t: Term) -> Expansion {
        match self.terms.node(t) {
            Node::Var(..) | Node::Select(..) | Node::Difference(..) => {
                Expansion::variable(self.new_variable(t))
            }
            Node::ToReal(a) => self.expand(*a),
            Node::Mod(a, d) => {
                let quotient = self.quotient(*a, d);
                let mut sum = self.expand(*a);
                sum.add(&self.expand(quotient), &-Rat::from(d));
                sum
            }
            Node::Div(a, d) => {
                let a = self.expand(*a);
                self.define_quotient(
                    t,
                    &a,
                    &Rat::from(d),
                    Relation::NonPositive,
                    &Rat::from(d - Int::ONE),
                )
            }
            Node::Floor(a) => {
                let a = self.expand(*a);
                self.define_quotient(t, &a, &Rat::ONE, Relation::Negative, &Rat::ONE)
            }
            Node::Ite(..) | Node::Abs(_) | Node::Min(..) | Node::Max(..) => {
                self.define_numeric_choice(t)
            }
            _ => self.expand(t),
        }
    }

    fn new_variable(&mut self, t: Term) -> ArithVar {
        let is_int = self.terms.sort(t) == Sort::Int;
        let v = self.sat.theory.new_variable(is_int);
        if self.variable_terms.len() <= v.index() {
            self.variable_terms.resize(v.index() + 1, None);
        }
        self.variable_terms[v.index()] = Some(t);
        v
    }

    pub(super) fn compare(&mut self, sum: &Expansion, relation: Relation) -> Lit {
        if sum.monomials.is_empty() {
            let holds = match relation {
                Relation::NonPositive => !sum.constant.is_positive(),
                Relation::Negative => sum.constant.is_negative(),
                Relation::NonNegative => !sum.constant.is_negative(),
            };
            return if holds {
                self.true_literal
            } else {
                !self.true_literal
            };
        }
        let (theory, exchange) = self.sat.theory_and_exchange();
        let lit = theory.literal(&sum.monomials, &sum.constant, relation, exchange);
        self.sat.adopt_atoms();
        lit
    }

    /// A new variable with its guard, which implies the guards of the given sums.
    fn auxiliary(&mut self, t: Term, sums: &[&Expansion]) -> (Expansion, Lit) {
        let mut own = Expansion::variable(self.new_variable(t));
        let guard = self.sat.new_var().positive();
        own.guards.push(guard);
        let below = sums.iter().flat_map(|s| s.guards.iter().copied());
        self.interest.add(guard, below);
        for inner in sums.iter().flat_map(|s| &s.guards) {
            self.sat
                .add_clause(&[!guard, *inner], Guard::Never, Origin::Definition(t));
        }
        (own, guard)
    }

    /// The integer `q` with `0 <= a - d * q` and `a - d * q - limit` in the given relation to 0.
    fn define_quotient(
        &mut self,
        t: Term,
        a: &Expansion,
        d: &Rat,
        relation: Relation,
        limit: &Rat,
    ) -> Expansion {
        let (own, guard) = self.auxiliary(t, &[a]);
        let mut rest = a.clone();
        rest.add(&own, &-d);
        let low = self.compare(&rest, Relation::NonNegative);
        rest.constant -= limit;
        let high = self.compare(&rest, relation);
        self.interest.add(guard, [low, high]);
        for bound in [low, high] {
            self.sat
                .add_clause(&[!guard, bound], Guard::When(guard), Origin::Definition(t));
        }
        own
    }

    /// The variable is one of two sums, by a condition.
    fn define_numeric_choice(&mut self, t: Term) -> Expansion {
        let (condition, a, b) = self.choice(t);
        let (a, b) = (self.expand(a), self.expand(b));
        let (own, guard) = self.auxiliary(t, &[&a, &b]);
        self.require(condition, BOTH);
        let c = self.literal(condition);
        self.interest.add(guard, [c]);
        for (condition, value) in [(c, &a), (!c, &b)] {
            let mut difference = own.clone();
            difference.add(value, &Rat::MINUS_ONE);
            for relation in [Relation::NonPositive, Relation::NonNegative] {
                let side = self.compare(&difference, relation);
                self.interest.add(guard, [side]);
                self.sat.add_clause(
                    &[!guard, !condition, side],
                    Guard::When(guard),
                    Origin::Definition(t),
                );
            }
        }
        own
    }
}
