//! Forms and atoms: made once, found again by their canonical shape.

use super::{Arith, Atom, FormInfo};
use crate::sat::{Exchange, Lit, Var};
use crate::simplex::{ArithVar, Delta};
use sectile_base::{Int, Rat};
use sectile_terms::Linear;

/// How a sum is compared with zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Relation {
    NonPositive,
    Negative,
    NonNegative,
}

impl Arith {
    /// Makes a structural variable.
    pub fn new_variable(&mut self, is_int: bool) -> ArithVar {
        self.forms.push(FormInfo {
            is_int,
            ..FormInfo::default()
        });
        self.simplex.new_var(is_int)
    }

    pub fn is_int(&self, form: ArithVar) -> bool {
        self.forms[form.index()].is_int
    }

    /// The sum that a form stands for, or nothing if it is a variable.
    pub fn definition(&self, form: ArithVar) -> Option<&[(ArithVar, Int)]> {
        self.forms[form.index()].definition.as_deref()
    }

    /// The form of a sum without its constant, and the factor `f` with `sum = f * form`. The sum
    /// has a variable.
    pub fn form(&mut self, sum: &Linear<ArithVar>) -> (ArithVar, Rat) {
        let monomials = sum.monomials();
        let mut scale = sum.primitive_factor();
        if monomials[0].1.is_negative() {
            scale = -scale;
        }
        let factor = scale.recip();
        if let [(v, _)] = monomials {
            return (*v, factor);
        }
        let primitive = monomials.iter().map(|(v, c)| (*v, (c * &scale).numer()));
        let primitive: Box<[(ArithVar, Int)]> = primitive.collect();
        let form = match self.form_index.get(&primitive) {
            Some(form) => *form,
            None => self.define(primitive),
        };
        (form, factor)
    }

    fn define(&mut self, primitive: Box<[(ArithVar, Int)]>) -> ArithVar {
        let is_int = primitive.iter().all(|(v, _)| self.is_int(*v));
        let form = self.simplex.new_var(is_int);
        self.forms.push(FormInfo {
            definition: Some(primitive.clone()),
            is_int,
            ..FormInfo::default()
        });
        self.form_index.insert(primitive, form);
        form
    }

    /// The literal that says `form <= bound`.
    pub fn upper_literal(&mut self, form: ArithVar, bound: Delta, exchange: &mut Exchange) -> Lit {
        let bound = if self.is_int(form) && !bound.is_int() {
            Delta::from_rat(Rat::from(bound.floor()))
        } else {
            bound
        };
        let list = &self.forms[form.index()].atoms;
        let position = list.partition_point(|&i| self.atoms[i as usize].upper < bound);
        if let Some(&i) = list.get(position)
            && self.atoms[i as usize].upper == bound
        {
            return self.atoms[i as usize].var.positive();
        }
        let var = exchange.fresh_atom();
        self.insert_atom(form, bound, var, position);
        var.positive()
    }

    fn insert_atom(&mut self, form: ArithVar, upper: Delta, var: Var, position: usize) {
        let lower = if self.is_int(form) {
            Delta::from_rat(&upper.real + Rat::ONE)
        } else {
            Delta::new(upper.real.clone(), &upper.delta + Rat::ONE)
        };
        let index = u32::try_from(self.atoms.len()).expect("fewer than 2^32 atoms");
        self.atoms.push(Atom {
            form,
            upper,
            lower,
            var,
            position: position as u32,
            of_interest: false,
        });
        if self.atom_of.len() <= var.index() {
            self.atom_of.resize(var.index() + 1, u32::MAX);
        }
        self.atom_of[var.index()] = index;
        let list = &mut self.forms[form.index()].atoms;
        list.insert(position, index);
        for (k, &i) in list.iter().enumerate().skip(position + 1) {
            self.atoms[i as usize].position = k as u32;
        }
    }

    /// The literal that compares a sum with zero.
    pub fn literal(
        &mut self,
        sum: &Linear<ArithVar>,
        relation: Relation,
        exchange: &mut Exchange,
    ) -> Lit {
        let (form, factor) = self.form(sum);
        let limit = -(sum.constant() / &factor);
        // With a negative factor the form is compared the other way round. That it is at least
        // the limit, or more, is the negation of an upper bound.
        let (strict, negated) = match (relation, factor.is_negative()) {
            (Relation::NonPositive, false) | (Relation::NonNegative, true) => (false, false),
            (Relation::Negative, false) => (true, false),
            (Relation::NonNegative, false) | (Relation::NonPositive, true) => (true, true),
            (Relation::Negative, true) => (false, true),
        };
        let delta = if strict { Rat::MINUS_ONE } else { Rat::ZERO };
        let lit = self.upper_literal(form, Delta::new(limit, delta), exchange);
        if negated { !lit } else { lit }
    }
}
