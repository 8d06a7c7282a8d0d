//! What partial interpolants of arithmetic lemmas are made of: inequalities and congruences over
//! the numeric variables of a refutation.

use crate::refutation::{ProofAtom, ProofLit, Refutation};
use sectile_base::{Int, Rat};
use sectile_terms::{Linear, Sort, Term, Terms};
use std::collections::BTreeMap;

/// `sum of coefficient * variable <= bound`, or `<` if strict. Variables are numbers into
/// [`Refutation::variables`].
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Inequality {
    pub sum: Vec<(u32, Rat)>,
    pub bound: Rat,
    pub strict: bool,
}

impl Inequality {
    /// What the negation of a literal says; `None` if the literal is not a bound.
    pub fn negated(refutation: &Refutation, lit: ProofLit) -> Option<Inequality> {
        let ProofAtom::Bound {
            sum,
            bound,
            strict,
            integral,
        } = &refutation.atoms[lit.atom as usize]
        else {
            return None;
        };
        if !lit.positive {
            return Some(Inequality {
                sum: sum.iter().map(|(v, c)| (*v, Rat::from(c))).collect(),
                bound: bound.clone(),
                strict: *strict,
            });
        }
        // Not (t <= c): over the integers -t <= -(c + 1), over the reals -t < -c.
        let next = if *integral { Rat::ONE } else { Rat::ZERO };
        Some(Inequality {
            sum: sum.iter().map(|(v, c)| (*v, -Rat::from(c))).collect(),
            bound: -(bound + &next),
            strict: !*integral && !*strict,
        })
    }

    /// Adds a positive multiple of another inequality.
    pub fn add(&mut self, other: &Inequality, factor: &Rat) {
        if factor.is_zero() {
            return;
        }
        self.bound.add_mul_assign(&other.bound, factor);
        self.strict |= other.strict;
        let mut sum: BTreeMap<u32, Rat> = self.sum.drain(..).collect();
        for (v, c) in &other.sum {
            sum.entry(*v).or_default().add_mul_assign(c, factor);
        }
        self.sum
            .extend(sum.into_iter().filter(|(_, c)| !c.is_zero()));
    }

    /// The complement: `sum > bound`.
    pub fn complement(&self) -> Inequality {
        Inequality {
            sum: self.sum.iter().map(|(v, c)| (*v, -c)).collect(),
            bound: -&self.bound,
            strict: !self.strict,
        }
    }

    /// The same with coprime integer coefficients, so that equal half-spaces are equal.
    pub fn normalised(mut self) -> Inequality {
        self.sum.sort_unstable_by_key(|m| m.0);
        let factor = primitive_factor(self.sum.iter().map(|m| &m.1));
        if !factor.is_one() {
            for (_, c) in &mut self.sum {
                *c *= &factor;
            }
            self.bound *= &factor;
        }
        self
    }

    pub fn coefficient(&self, v: u32) -> Rat {
        let found = self.sum.iter().find(|m| m.0 == v);
        found.map_or(Rat::ZERO, |m| m.1.clone())
    }

    fn constant(&self) -> Option<bool> {
        self.sum.is_empty().then(|| {
            if self.strict {
                self.bound.is_positive()
            } else {
                !self.bound.is_negative()
            }
        })
    }
}

/// The positive factor that makes rationals coprime integers; one if there are none.
fn primitive_factor<'a>(list: impl Iterator<Item = &'a Rat>) -> Rat {
    let mut numerators = Int::ZERO;
    let mut denominators = Int::ONE;
    for c in list {
        numerators = numerators.gcd(&c.numer());
        denominators = denominators.lcm(&c.denom());
    }
    if numerators.is_zero() {
        return Rat::ONE;
    }
    Rat::new(denominators, numerators)
}

/// `sum of coefficient * variable - constant` is an integer.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Congruence {
    pub sum: Vec<(u32, Rat)>,
    pub constant: Rat,
}

impl Congruence {
    fn fixed(&self) -> Option<bool> {
        self.sum.is_empty().then(|| self.constant.is_int())
    }
}

/// A leaf of a partial interpolant.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Fact {
    /// A bound on a sum.
    Inequality(Inequality),
    /// A sum is an integer.
    Congruence(Congruence),
}

impl Fact {
    /// The truth value of a fact that mentions nothing.
    pub fn constant(&self) -> Option<bool> {
        match self {
            Fact::Inequality(i) => i.constant(),
            Fact::Congruence(c) => c.fixed(),
        }
    }

    pub fn term(&self, terms: &Terms, refutation: &Refutation) -> Term {
        match self {
            Fact::Inequality(i) => {
                let sum = named(refutation, &i.sum);
                inequality_term(terms, &sum, &i.bound, i.strict)
            }
            Fact::Congruence(c) => {
                let sum = named(refutation, &c.sum);
                congruence_term(terms, &sum, &c.constant)
            }
        }
    }
}

fn named(refutation: &Refutation, sum: &[(u32, Rat)]) -> Vec<(Term, Rat)> {
    let variable = |v: u32| refutation.variables[v as usize];
    sum.iter().map(|(v, c)| (variable(*v), c.clone())).collect()
}

fn all_integers(terms: &Terms, sum: &[(Term, Rat)]) -> bool {
    sum.iter().all(|(t, _)| terms.sort(*t) == Sort::Int)
}

/// A sum over numeric terms, some of which may be integers, as a real term.
fn real_sum(terms: &Terms, sum: &[(Term, Rat)], constant: &Rat) -> Term {
    let mut linear = Linear::constant_only(constant.clone());
    for (t, c) in sum {
        let t = match terms.sort(*t) {
            Sort::Int => terms.to_real(*t),
            _ => *t,
        };
        linear.add_scaled(&terms.linear(t), c);
    }
    terms.sum(linear, Sort::Real)
}

/// `sum <= bound` (or `<`), rounded if all terms are integers.
pub(crate) fn inequality_term(
    terms: &Terms,
    sum: &[(Term, Rat)],
    bound: &Rat,
    strict: bool,
) -> Term {
    if !all_integers(terms, sum) || sum.is_empty() {
        let t = real_sum(terms, sum, &-bound);
        return if strict {
            terms.negative(t)
        } else {
            terms.non_pos(t)
        };
    }
    let factor = primitive_factor(sum.iter().map(|m| &m.1));
    let bound = bound * &factor;
    // An integer below a bound is at most the largest integer below it.
    let limit = if strict {
        bound.ceil() - Int::ONE
    } else {
        bound.floor()
    };
    let mut linear = Linear::constant_only(-Rat::from(limit));
    for (t, c) in sum {
        linear.add_scaled(&terms.linear(*t), &(c * &factor));
    }
    terms.non_pos(terms.sum(linear, Sort::Int))
}

/// `sum - constant` is an integer.
fn congruence_term(terms: &Terms, sum: &[(Term, Rat)], constant: &Rat) -> Term {
    if !all_integers(terms, sum) {
        let t = real_sum(terms, sum, &-constant);
        return terms.eq(terms.to_real(terms.floor(t)), t);
    }
    let mut modulus = Int::ONE;
    for (_, c) in sum {
        modulus = modulus.lcm(&c.denom());
    }
    let scaled = constant * &Rat::from(&modulus);
    let Some(rest) = scaled.to_int() else {
        // Multiples of 1/modulus never meet the constant.
        return terms.ff();
    };
    let mut linear = Linear::constant_only(-Rat::from(rest));
    for (t, c) in sum {
        linear.add_scaled(&terms.linear(*t), &(c * &Rat::from(&modulus)));
    }
    terms.divides(&modulus, terms.sum(linear, Sort::Int))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sectile_terms::SymbolKind;

    fn variable(terms: &Terms, name: &str, sort: Sort) -> Term {
        let symbol = terms.declare(name, sort, SymbolKind::State);
        terms.var(symbol.expect("names are new"))
    }

    #[test]
    fn integer_inequalities_are_rounded() {
        let terms = Terms::new();
        let (x, y) = (
            variable(&terms, "x", Sort::Int),
            variable(&terms, "y", Sort::Int),
        );
        let half = Rat::from_ratio(1, 2);
        // x/2 + y/2 <= 5/4 is x + y <= 2, and strictly below 1 it is x + y <= 1.
        let sum = [(x, half.clone()), (y, half)];
        let both = terms.add(x, y);
        let found = inequality_term(&terms, &sum, &Rat::from_ratio(5, 4), false);
        assert_eq!(found, terms.le(both, terms.int(2)));
        let found = inequality_term(&terms, &sum, &Rat::ONE, true);
        assert_eq!(found, terms.le(both, terms.int(1)));
    }

    #[test]
    fn congruences_become_divisibility() {
        let terms = Terms::new();
        let x = variable(&terms, "x", Sort::Int);
        let r = variable(&terms, "r", Sort::Real);
        let third = Rat::from_ratio(1, 3);
        let found = congruence_term(&terms, &[(x, third.clone())], &Rat::from_ratio(2, 3));
        let shifted = terms.sub(x, terms.int(2));
        assert_eq!(found, terms.divides(&Int::from(3), shifted));
        let never = congruence_term(&terms, &[(x, third)], &Rat::from_ratio(1, 2));
        assert_eq!(never, terms.ff());
        let whole = congruence_term(&terms, &[(r, Rat::ONE)], &Rat::ZERO);
        assert_eq!(whole, terms.eq(terms.to_real(terms.floor(r)), r));
    }

    #[test]
    fn complements_are_complements() {
        let inequality = Inequality {
            sum: vec![(0, Rat::from(2)), (1, Rat::from(-4))],
            bound: Rat::from(3),
            strict: false,
        };
        let complement = inequality.complement();
        assert_eq!(complement.complement(), inequality);
        assert!(complement.strict);
        let normal = inequality.normalised();
        assert_eq!(normal.bound, Rat::from_ratio(3, 2));
        assert_eq!(normal.coefficient(1), Rat::from(-2));
    }
}
