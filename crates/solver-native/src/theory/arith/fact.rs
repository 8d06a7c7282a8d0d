//! Facts in partial interpolants of arithmetic lemmas: inequalities and congruences over the
//! numeric variables of a refutation.

use crate::refutation::{ProofAtom, ProofLit, Refutation};
use sectile_base::{Int, Rat};
use sectile_terms::{Linear, Sort, Term, Terms};

/// `sum <= 0`, or `sum < 0` if strict. Variables are numbers into [`Refutation::variables`].
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Inequality {
    pub sum: Linear<u32>,
    pub strict: bool,
}

impl Inequality {
    /// The negation of a literal; `None` if the literal is not a bound.
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
        let monomials = sum.iter().map(|(v, c)| (*v, Rat::from(c)));
        let own = Inequality {
            sum: Linear::from_monomials(-bound, monomials.collect()),
            strict: *strict,
        };
        if !lit.positive {
            return Some(own);
        }
        let mut complement = own.complement();
        if *integral {
            // Between two integers there is nothing: -t < 0 is -t + 1 <= 0.
            complement.sum.add_constant(&Rat::ONE);
            complement.strict = false;
        }
        Some(complement)
    }

    /// Adds a positive multiple of another inequality.
    pub fn add(&mut self, other: &Inequality, factor: &Rat) {
        if !factor.is_zero() {
            self.sum.add_scaled(&other.sum, factor);
            self.strict |= other.strict;
        }
    }

    /// The complement: `sum > 0`.
    pub fn complement(&self) -> Inequality {
        let mut sum = self.sum.clone();
        sum.scale(&Rat::MINUS_ONE);
        Inequality {
            sum,
            strict: !self.strict,
        }
    }

    /// The same with coprime integer coefficients, so that equal half-spaces are equal.
    pub fn normalised(mut self) -> Inequality {
        self.sum.scale(&self.sum.primitive_factor());
        self
    }
}

/// A leaf of a partial interpolant.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Fact {
    /// A bound on a sum.
    Inequality(Inequality),
    /// A sum is an integer.
    Congruence(Linear<u32>),
}

impl Fact {
    /// The truth value of a fact without variables.
    pub fn constant(&self) -> Option<bool> {
        let (Fact::Inequality(Inequality { sum, .. }) | Fact::Congruence(sum)) = self;
        let constant = sum.is_constant().then(|| sum.constant())?;
        Some(match self {
            Fact::Inequality(i) if i.strict => constant.is_negative(),
            Fact::Inequality(_) => !constant.is_positive(),
            Fact::Congruence(_) => constant.is_int(),
        })
    }

    pub fn term(&self, terms: &Terms, refutation: &Refutation) -> Term {
        let named = |sum: &Linear<u32>| {
            let variable = |v: u32| refutation.variables[v as usize];
            let monomials = sum.monomials().iter();
            let named = monomials.map(|(v, c)| (variable(*v), c.clone()));
            Linear::from_monomials(sum.constant().clone(), named.collect())
        };
        match self {
            Fact::Inequality(i) => inequality_term(terms, named(&i.sum), i.strict),
            Fact::Congruence(sum) => congruence_term(terms, named(sum)),
        }
    }
}

fn all_integers(terms: &Terms, sum: &Linear) -> bool {
    let mut leaves = sum.monomials().iter();
    leaves.all(|(t, _)| terms.sort(*t) == Sort::Int)
}

/// A sum over numeric terms, some of which may be integers, as a real term.
fn real_sum(terms: &Terms, sum: &Linear) -> Term {
    let real = |t: Term| match terms.sort(t) {
        Sort::Int => terms.to_real(t),
        _ => t,
    };
    let monomials = sum.monomials().iter().map(|(t, c)| (real(*t), c.clone()));
    let sum = Linear::from_monomials(sum.constant().clone(), monomials.collect());
    terms.sum(sum, Sort::Real)
}

/// `sum <= 0` (or `<`), rounded if all terms are integers.
pub(crate) fn inequality_term(terms: &Terms, mut sum: Linear, strict: bool) -> Term {
    if !all_integers(terms, &sum) || sum.is_constant() {
        let t = real_sum(terms, &sum);
        return if strict {
            terms.negative(t)
        } else {
            terms.non_pos(t)
        };
    }
    sum.scale(&sum.primitive_factor());
    // An integer below a bound is at most the largest integer below it.
    let rounded = if strict {
        sum.constant().floor() + Int::ONE
    } else {
        sum.constant().ceil()
    };
    sum.add_constant(&(Rat::from(rounded) - sum.constant()));
    terms.non_pos(terms.sum(sum, Sort::Int))
}

/// `sum` is an integer.
fn congruence_term(terms: &Terms, mut sum: Linear) -> Term {
    if !all_integers(terms, &sum) {
        let t = real_sum(terms, &sum);
        return terms.eq(terms.to_real(terms.floor(t)), t);
    }
    let denominators = sum.monomials().iter().map(|(_, c)| c.denom());
    let modulus = denominators.fold(Int::ONE, |lcm, d| lcm.lcm(&d));
    sum.scale(&Rat::from(&modulus));
    if !sum.constant().is_int() {
        // Multiples of 1/modulus never meet the constant.
        return terms.ff();
    }
    terms.divides(&modulus, terms.sum(sum, Sort::Int))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sectile_terms::SymbolKind;

    fn variable(terms: &Terms, name: &str, sort: Sort) -> Term {
        terms.var(terms.fresh(name, sort, SymbolKind::State))
    }

    #[test]
    fn integer_inequalities_are_rounded() {
        let terms = Terms::new();
        let [x, y] = ["x", "y"].map(|name| variable(&terms, name, Sort::Int));
        let half = Rat::from_ratio(1, 2);
        // x/2 + y/2 <= 5/4 is x + y <= 2, and strictly below 1 it is x + y <= 1.
        let sum = |limit: Rat| {
            let monomials = vec![(x, half.clone()), (y, half.clone())];
            Linear::from_monomials(-limit, monomials)
        };
        let both = terms.add(x, y);
        let found = inequality_term(&terms, sum(Rat::from_ratio(5, 4)), false);
        assert_eq!(found, terms.le(both, terms.int(2)));
        let found = inequality_term(&terms, sum(Rat::ONE), true);
        assert_eq!(found, terms.le(both, terms.int(1)));
    }

    #[test]
    fn congruences_become_divisibility() {
        let terms = Terms::new();
        let x = variable(&terms, "x", Sort::Int);
        let r = variable(&terms, "r", Sort::Real);
        let sum = |t: Term, factor: Rat, constant: Rat| {
            congruence_term(&terms, Linear::from_monomials(-constant, vec![(t, factor)]))
        };
        let third = Rat::from_ratio(1, 3);
        let found = sum(x, third.clone(), Rat::from_ratio(2, 3));
        let shifted = terms.sub(x, terms.int(2));
        assert_eq!(found, terms.divides(&Int::from(3), shifted));
        assert_eq!(sum(x, third, Rat::from_ratio(1, 2)), terms.ff());
        let whole = sum(r, Rat::ONE, Rat::ZERO);
        assert_eq!(whole, terms.eq(terms.to_real(terms.floor(r)), r));
    }

    #[test]
    fn complements_are_complements() {
        let monomials = vec![(0, Rat::from(2)), (1, Rat::from(-4))];
        let inequality = Inequality {
            sum: Linear::from_monomials(Rat::from(-3), monomials),
            strict: false,
        };
        let complement = inequality.complement();
        assert_eq!(complement.complement(), inequality);
        assert!(complement.strict);
        let normal = inequality.normalised();
        assert_eq!(*normal.sum.constant(), Rat::from_ratio(-3, 2));
        assert_eq!(normal.sum.coefficient(1), Rat::from(-2));
    }
}
