//! Divisions of numbers with known bounds: a case for every quotient.

use super::small;
use rustc_hash::FxHashMap;
use sectile_base::{Int, Rat};
use sectile_model::Model;
use sectile_terms::{Linear, Node, Sort, Symbol, Term, Terms};

/// Maximum number of quotients, or values of a variable, for cases; beyond that Booleans are used.
const MOST_CASES: i64 = 32;

/// The smallest and the largest value of a term.
type Interval = (Int, Int);

/// Bounds of the variables of a system, and of terms over them.
pub(super) struct Bounds<'b> {
    terms: &'b Terms,
    variables: FxHashMap<Symbol, Interval>,
    known: FxHashMap<Term, Option<Interval>>,
}

impl<'b> Bounds<'b> {
    /// The bounds from the ranges of a system.
    pub(super) fn new(terms: &'b Terms, model: &Model) -> Bounds<'b> {
        let (mut low, mut high) = (FxHashMap::default(), FxHashMap::default());
        for part in model.restrict.iter().flat_map(|&t| terms.conjuncts(t)) {
            if let Some((x, bound, is_upper)) = bound_of(terms, part) {
                let side = if is_upper { &mut high } else { &mut low };
                side.insert(x, bound);
            }
        }
        let both = low.into_iter();
        let both = both.filter_map(|(x, low)| Some((x, (low, high.get(&x)?.clone()))));
        Bounds {
            terms,
            variables: both.collect(),
            known: FxHashMap::default(),
        }
    }

    /// The smallest and largest quotient of a division, if there are few.
    pub(super) fn quotients(&mut self, division: Term) -> Option<(i64, i64)> {
        let (Node::Mod(a, k) | Node::Div(a, k)) = self.terms.node(division) else {
            return None;
        };
        let (low, high) = self.of(*a)?;
        let (low, high) = (low.div_euclid(k).to_i64()?, high.div_euclid(k).to_i64()?);
        (high.checked_sub(low)? < MOST_CASES).then_some((low, high))
    }

    /// The smallest and largest value of a variable, if there are few.
    pub(super) fn values(&self, variable: Symbol) -> Option<(i64, i64)> {
        let (low, high) = self.variables.get(&variable)?;
        let (low, high) = (low.to_i64()?, high.to_i64()?);
        (high.checked_sub(low)? < MOST_CASES).then_some((low, high))
    }

    fn of(&mut self, t: Term) -> Option<Interval> {
        let known = |t: Term| self.known.contains_key(&t);
        for next in self.terms.post_order_unless(&[t], known) {
            let interval = self.join(next);
            self.known.insert(next, interval);
        }
        self.known.get(&t).cloned().flatten()
    }

    /// The bounds of a term whose arguments are known.
    fn join(&self, t: Term) -> Option<Interval> {
        let of = |t: &Term| self.known.get(t).cloned().flatten();
        match self.terms.node(t) {
            Node::Number(n) => n.to_int().map(|n| (n.clone(), n)),
            Node::Var(x, _) => self.variables.get(x).cloned(),
            Node::Sum(sum) => {
                let constant = sum.constant().to_int()?;
                let (mut low, mut high) = (constant.clone(), constant);
                for (m, c) in sum.monomials() {
                    let (c, (least, most)) = (c.to_int()?, of(m)?);
                    let (first, last) = match c.is_negative() {
                        true => (most, least),
                        false => (least, most),
                    };
                    low += &(&c * &first);
                    high += &(&c * &last);
                }
                Some((low, high))
            }
            Node::Ite(_, a, b) | Node::Min(a, b) | Node::Max(a, b) => {
                let ((a, b), (c, d)) = (of(a)?, of(b)?);
                Some((a.min(c), b.max(d)))
            }
            Node::Mod(_, k) => Some((Int::ZERO, k - &Int::ONE)),
            Node::Div(a, k) => of(a).map(|(low, high)| (low.div_euclid(k), high.div_euclid(k))),
            _ => None,
        }
    }
}

/// The variable of a formula that is a bound, with the bound, and whether it is the upper one.
fn bound_of(terms: &Terms, formula: Term) -> Option<(Symbol, Int, bool)> {
    let (atom, negated) = terms.strip_not(formula);
    let Node::NonPos(sum) = *terms.node(atom) else {
        return None;
    };
    let linear = terms.linear(sum);
    let [(only, c)] = linear.monomials() else {
        return None;
    };
    let Node::Var(x, _) = terms.node(*only) else {
        return None;
    };
    // c x + d <= 0 or, negated, c x + d >= 1.
    let beyond = if negated { Rat::ONE } else { Rat::ZERO };
    let end = &(&beyond - linear.constant()) / c;
    let is_upper = c.is_positive() != negated;
    let end = if is_upper { end.floor() } else { end.ceil() };
    (terms.symbol_sort(*x) == Sort::Int).then_some((*x, end, is_upper))
}

/// A remainder or a quotient by cases, for a number with these quotients. `a` is the number with
/// inner divisions replaced.
pub(super) fn by_cases(
    terms: &Terms,
    division: Term,
    a: Term,
    (low, high): (i64, i64),
) -> Result<Term, String> {
    let (Node::Mod(_, k) | Node::Div(_, k)) = terms.node(division) else {
        return Ok(division);
    };
    let k = i64::try_from(small(k)?).unwrap_or(i64::MAX);
    let number = |n: i64| Linear::constant_only(Rat::from(Int::from(n)));
    let int = |n: i64| terms.sum(number(n), Sort::Int);
    let value = |q: i64| match terms.node(division) {
        Node::Mod(..) => terms.sub(a, int(q * k)),
        _ => int(q),
    };
    let mut result = value(high);
    for q in (low..high).rev() {
        let here = terms.le(a, int(q * k + k - 1));
        result = terms.ite(here, value(q), result);
    }
    Ok(result)
}
