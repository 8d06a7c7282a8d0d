//! Analyses the form of constraints: what a formula determines about an unknown.

use sectile_base::{Int, Rat};
use sectile_terms::{Linear, Node, Sort, Term, Terms};

/// The cases of a formula that is a disjunction, or equivalent to one.
pub(crate) fn alternatives(terms: &Terms, t: Term) -> Option<Vec<Term>> {
    let (inner, negated) = terms.strip_not(t);
    let sign = |p: Term| if negated { terms.not(p) } else { p };
    match *terms.node(inner) {
        Node::Or(ref list) if !negated => Some(list.to_vec()),
        Node::And(ref list) if negated => Some(list.iter().map(|&p| terms.not(p)).collect()),
        Node::Ite(c, a, b) => Some(vec![
            terms.and2(c, sign(a)),
            terms.and2(terms.not(c), sign(b)),
        ]),
        Node::Eq(a, b) if terms.sort(a) == Sort::Bool => Some(vec![
            terms.and2(a, sign(b)),
            terms.and2(terms.not(a), sign(terms.not(b))),
        ]),
        _ => None,
    }
}

/// `unknown = value / divisor`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Equation {
    /// The variable that is determined.
    pub unknown: Term,
    /// Its value, before the division.
    pub value: Term,
    /// A positive integer.
    pub divisor: Int,
}

/// The equations by which a conjunct determines a variable, for any variable.
///
/// The caller decides which variables are unknown and whether the value is known.
pub(crate) fn equations(terms: &Terms, t: Term) -> Vec<Equation> {
    let simple = |unknown: Term, value: Term| Equation {
        unknown,
        value,
        divisor: Int::ONE,
    };
    let is_var = |t: Term| matches!(terms.node(t), Node::Var(..));
    let (inner, negated) = terms.strip_not(t);
    match *terms.node(inner) {
        Node::Var(..) => vec![simple(inner, terms.bool(!negated))],
        Node::Eq(a, b) if !negated || terms.sort(a) == Sort::Bool => {
            let sign = |p: Term| if negated { terms.not(p) } else { p };
            let both = [(a, b), (b, a)];
            let solved = both.into_iter().filter(|(x, _)| is_var(*x));
            solved.map(|(x, value)| simple(x, sign(value))).collect()
        }
        Node::Zero(sum) if !negated => linear_equations(terms, sum),
        _ => Vec::new(),
    }
}

/// `sum = 0` solved for every variable; equations without division come first.
fn linear_equations(terms: &Terms, sum: Term) -> Vec<Equation> {
    let linear = terms.linear(sum);
    let sort = terms.sort(sum);
    let mut found = Vec::new();
    for (m, c) in linear.monomials() {
        let Some(unknown) = variable(terms, *m) else {
            continue;
        };
        // The coefficients of an atom are integers: c*x + rest = 0 is x = (-rest) / c.
        let mut rest = linear.clone();
        rest.add_term(*m, &-c);
        rest.scale(&Rat::from(if c.is_negative() { 1 } else { -1 }));
        found.push(Equation {
            unknown,
            value: terms.sum(rest, sort),
            divisor: c.abs().numer(),
        });
    }
    found.sort_by_key(|e| !e.divisor.is_one());
    found
}

/// The variable in a summand, which may be converted to a real.
pub(crate) fn variable(terms: &Terms, t: Term) -> Option<Term> {
    match terms.node(t) {
        Node::Var(..) => Some(t),
        Node::ToReal(inner) => matches!(terms.node(*inner), Node::Var(..)).then_some(*inner),
        _ => None,
    }
}

/// The relation of a sum to zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Relation {
    /// Equal.
    Zero,
    /// Not greater.
    NonPositive,
    /// Less.
    Negative,
}

/// A linear constraint: a sum and its relation to zero.
#[derive(Clone, Debug)]
pub(crate) struct Inequality {
    /// The sum.
    pub linear: Linear,
    /// The sort of the sum.
    pub sort: Sort,
    /// Its relation to zero.
    pub relation: Relation,
}

/// The linear constraint of a conjunct, if it is one.
pub(crate) fn inequality(terms: &Terms, t: Term) -> Option<Inequality> {
    let (inner, negated) = terms.strip_not(t);
    let (sum, relation) = match (terms.node(inner), negated) {
        (Node::Zero(s), false) => (*s, Relation::Zero),
        (Node::NonPos(s), false) => (*s, Relation::NonPositive),
        (Node::Neg(s), false) => (*s, Relation::Negative),
        // not (s <= 0) is -s < 0, and not (s < 0) is -s <= 0.
        (Node::NonPos(s), true) => (terms.neg(*s), Relation::Negative),
        (Node::Neg(s), true) => (terms.neg(*s), Relation::NonPositive),
        _ => return None,
    };
    Some(Inequality {
        linear: terms.linear(sum),
        sort: terms.sort(sum),
        relation,
    })
}

/// The integer range of a variable that constant bounds among the conjuncts imply.
pub(crate) fn constant_range(terms: &Terms, conjuncts: &[Term], var: Term) -> Option<(Int, Int)> {
    let (mut low, mut high): (Option<Int>, Option<Int>) = (None, None);
    for &t in conjuncts {
        let Some(bound) = inequality(terms, t) else {
            continue;
        };
        let [(m, c)] = bound.linear.monomials() else {
            continue;
        };
        if *m != var {
            continue;
        }
        let limit = &-bound.linear.constant() / c;
        let strict = bound.relation == Relation::Negative;
        if bound.relation == Relation::Zero || !c.is_negative() {
            let limit = upper(&limit, strict);
            high = Some(high.map_or(limit.clone(), |h| h.min(limit)));
        }
        if bound.relation == Relation::Zero || c.is_negative() {
            let limit = lower(&limit, strict);
            low = Some(low.map_or(limit.clone(), |l| l.max(limit)));
        }
    }
    Some((low?, high?))
}

/// The largest integer that is at most (`strict`: below) a number.
pub(crate) fn upper(limit: &Rat, strict: bool) -> Int {
    if strict && limit.is_int() {
        &limit.floor() - &Int::ONE
    } else {
        limit.floor()
    }
}

/// The smallest integer that is at least (`strict`: above) a number.
pub(crate) fn lower(limit: &Rat, strict: bool) -> Int {
    if strict && limit.is_int() {
        &limit.ceil() + &Int::ONE
    } else {
        limit.ceil()
    }
}
