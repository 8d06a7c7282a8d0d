//! Formulas as sets of states, and terms as a set for each of their values.

use super::{Finite, NotFinite};
use sectile_base::Rat;
use sectile_base::bdd::Bdd;
use sectile_terms::{Linear, Node, Stage, Symbol, Term, Value};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Maximum number of values of a term.
const MOST_CASES: usize = 4096;

/// Maximum number of pairs of values when two terms are added.
const MOST_PAIRS: usize = 1 << 16;

/// The meaning of a term: the set where it holds, or a set for each value. Values of enumerations
/// are numbers.
#[derive(Clone)]
pub(super) enum Meaning {
    Truth(Bdd),
    Cases(Rc<Cases>),
}

pub(super) type Cases = BTreeMap<Rat, Bdd>;

/// The number for a value that is not Boolean.
pub(super) fn number_of(value: &Value) -> Option<Rat> {
    match value {
        Value::Enum(_, k) => Some(Rat::from(i64::from(*k))),
        other => other.as_rat(),
    }
}

impl Finite<'_> {
    /// The set where a formula over current values, next values and inputs holds.
    pub(super) fn set(&mut self, formula: Term) -> Result<Bdd, NotFinite> {
        match self.meaning(formula)? {
            Meaning::Truth(set) => Ok(set),
            Meaning::Cases(_) => Err(unsupported("a number is no formula")),
        }
    }

    /// The meaning of a term.
    pub(super) fn meaning(&mut self, term: Term) -> Result<Meaning, NotFinite> {
        let meanings = &self.meanings;
        let order = self
            .terms
            .post_order_unless(&[term], |t| meanings.contains_key(&t));
        for t in order {
            let meaning = self.of_node(t)?;
            self.meanings.insert(t, meaning);
            if self.manager.is_full() {
                return Err(NotFinite::TooLarge);
            }
        }
        Ok(self.meanings[&term].clone())
    }

    /// The meaning of a term, given those of its arguments.
    fn of_node(&mut self, t: Term) -> Result<Meaning, NotFinite> {
        let terms = self.terms;
        let truth = |set| Ok(Meaning::Truth(set));
        match terms.node(t) {
            Node::Bool(b) => truth(self.manager.constant(*b)),
            Node::Number(r) => Ok(always(r.clone())),
            Node::Variant(_, k) => Ok(always(Rat::from(i64::from(*k)))),
            Node::Var(symbol, stage) => self.of_variable(*symbol, *stage),
            Node::Not(a) => {
                let a = self.truth(*a)?;
                truth(self.manager.not(a))
            }
            Node::And(list) => {
                let mut set = Bdd::TRUE;
                for &part in list {
                    let part = self.truth(part)?;
                    set = self.manager.and(set, part);
                }
                truth(set)
            }
            Node::Or(list) => {
                let mut set = Bdd::FALSE;
                for &part in list {
                    let part = self.truth(part)?;
                    set = self.manager.or(set, part);
                }
                truth(set)
            }
            Node::Ite(c, a, b) => {
                let c = self.truth(*c)?;
                match (self.meanings[a].clone(), self.meanings[b].clone()) {
                    (Meaning::Truth(a), Meaning::Truth(b)) => truth(self.manager.ite(c, a, b)),
                    (Meaning::Cases(a), Meaning::Cases(b)) => self.chosen(c, &a, &b),
                    _ => Err(unsupported("a choice between different sorts")),
                }
            }
            Node::Eq(a, b) => match (self.meanings[a].clone(), self.meanings[b].clone()) {
                (Meaning::Truth(a), Meaning::Truth(b)) => truth(self.manager.iff(a, b)),
                (Meaning::Cases(a), Meaning::Cases(b)) => {
                    let mut set = Bdd::FALSE;
                    for (value, &here) in a.iter() {
                        if let Some(&there) = b.get(value) {
                            let both = self.manager.and(here, there);
                            set = self.manager.or(set, both);
                        }
                    }
                    truth(set)
                }
                _ => Err(unsupported("an equation between different sorts")),
            },
            Node::Zero(a) => self.where_value(*a, Rat::is_zero),
            Node::NonPos(a) => self.where_value(*a, |r| !r.is_positive()),
            Node::Neg(a) => self.where_value(*a, Rat::is_negative),
            Node::Sum(linear) => self.sum(linear),
            Node::Div(a, d) => {
                let d = Rat::from(d);
                self.mapped(*a, |r| quotient(r, &d))
            }
            Node::Mod(a, d) => {
                let d = Rat::from(d);
                self.mapped(*a, |r| r - &(&quotient(r, &d) * &d))
            }
            Node::Abs(a) => self.mapped(*a, |r| if r.is_negative() { -r } else { r.clone() }),
            Node::ToReal(a) => self.mapped(*a, Rat::clone),
            Node::Floor(a) => self.mapped(*a, |r| Rat::from(&r.floor())),
            Node::Min(a, b) => self.combined(*a, *b, |x, y| x.min(y).clone()),
            Node::Max(a, b) => self.combined(*a, *b, |x, y| x.max(y).clone()),
            Node::Select(..) | Node::Store(..) | Node::Filled(..) | Node::Difference(..) => {
                Err(unsupported("decision diagrams do not support arrays"))
            }
        }
    }

    fn of_variable(&mut self, symbol: Symbol, stage: Stage) -> Result<Meaning, NotFinite> {
        let next = stage == Stage::Next;
        let known = self.places.get(&symbol);
        let Some(&place) = known.filter(|_| matches!(stage, Stage::Now | Stage::Next)) else {
            return Err(unsupported("a formula is about something else"));
        };
        let Finite {
            variables,
            space,
            manager,
            ..
        } = self;
        let values = &variables[place].values;
        let mut cases = Cases::new();
        for (k, value) in values.iter().enumerate() {
            let here = space.value(manager, place, k, next);
            match value {
                Value::Bool(true) => return Ok(Meaning::Truth(here)),
                Value::Bool(false) => {}
                other => {
                    let number = number_of(other).ok_or_else(|| unsupported("an odd value"))?;
                    cases.insert(number, here);
                }
            }
        }
        Ok(Meaning::Cases(Rc::new(cases)))
    }

    fn truth(&self, t: Term) -> Result<Bdd, NotFinite> {
        match &self.meanings[&t] {
            Meaning::Truth(set) => Ok(*set),
            Meaning::Cases(_) => Err(unsupported("a number is no formula")),
        }
    }

    pub(super) fn cases_of(&self, t: Term) -> Result<Rc<Cases>, NotFinite> {
        match &self.meanings[&t] {
            Meaning::Cases(cases) => Ok(cases.clone()),
            Meaning::Truth(_) => Err(unsupported("a formula is no number")),
        }
    }

    /// The set where a number satisfies a condition.
    fn where_value(&mut self, t: Term, fits: impl Fn(&Rat) -> bool) -> Result<Meaning, NotFinite> {
        let cases = self.cases_of(t)?;
        let fitting = cases.iter().filter(|(value, _)| fits(value));
        let sets: Vec<Bdd> = fitting.map(|(_, &set)| set).collect();
        Ok(Meaning::Truth(self.manager.or_all(sets)))
    }

    fn chosen(&mut self, c: Bdd, a: &Cases, b: &Cases) -> Result<Meaning, NotFinite> {
        let mut found = Cases::new();
        for (value, &set) in a {
            let set = self.manager.and(set, c);
            self.note(&mut found, value.clone(), set)?;
        }
        for (value, &set) in b {
            let set = self.manager.minus(set, c);
            self.note(&mut found, value.clone(), set)?;
        }
        Ok(Meaning::Cases(Rc::new(found)))
    }

    /// Adds a set of states in which the term has this value.
    fn note(&mut self, cases: &mut Cases, value: Rat, set: Bdd) -> Result<(), NotFinite> {
        if set == Bdd::FALSE {
            return Ok(());
        }
        let known = cases.get(&value).copied().unwrap_or(Bdd::FALSE);
        cases.insert(value, self.manager.or(known, set));
        match cases.len() > MOST_CASES {
            true => Err(NotFinite::TooLarge),
            false => Ok(()),
        }
    }

    fn mapped(&mut self, t: Term, f: impl Fn(&Rat) -> Rat) -> Result<Meaning, NotFinite> {
        let mut found = Cases::new();
        for (value, &set) in self.cases_of(t)?.iter() {
            self.note(&mut found, f(value), set)?;
        }
        Ok(Meaning::Cases(Rc::new(found)))
    }

    fn combined(
        &mut self,
        a: Term,
        b: Term,
        f: impl Fn(&Rat, &Rat) -> Rat,
    ) -> Result<Meaning, NotFinite> {
        let (a, b) = (self.cases_of(a)?, self.cases_of(b)?);
        self.product(&a, &b, f)
            .map(|cases| Meaning::Cases(Rc::new(cases)))
    }

    fn product(
        &mut self,
        a: &Cases,
        b: &Cases,
        f: impl Fn(&Rat, &Rat) -> Rat,
    ) -> Result<Cases, NotFinite> {
        if a.len().saturating_mul(b.len()) > MOST_PAIRS {
            return Err(NotFinite::TooLarge);
        }
        let mut found = Cases::new();
        for (x, &here) in a {
            for (y, &there) in b {
                let both = self.manager.and(here, there);
                self.note(&mut found, f(x, y), both)?;
            }
        }
        Ok(found)
    }

    fn sum(&mut self, linear: &Linear) -> Result<Meaning, NotFinite> {
        let mut sum: Cases = [(linear.constant().clone(), Bdd::TRUE)].into();
        for (t, factor) in linear.monomials() {
            let cases = self.cases_of(*t)?;
            sum = self.product(&sum, &cases, |x, y| x + &(y * factor))?;
        }
        Ok(Meaning::Cases(Rc::new(sum)))
    }
}

/// The meaning of a constant.
fn always(value: Rat) -> Meaning {
    Meaning::Cases(Rc::new([(value, Bdd::TRUE)].into()))
}

/// The quotient whose remainder is not negative.
fn quotient(dividend: &Rat, divisor: &Rat) -> Rat {
    let exact = dividend / divisor;
    match divisor.is_negative() {
        true => -Rat::from(&(-exact).floor()),
        false => Rat::from(&exact.floor()),
    }
}

fn unsupported(why: &str) -> NotFinite {
    NotFinite::Unsupported(why.to_string())
}
