//! Linear sums of terms.

use crate::node::Term;
use sectile_base::{Int, Rat};

/// `constant + sum of coefficient * term`, with terms in increasing order and no zero coefficient.
/// Solvers use it with their own variables.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Linear<K = Term> {
    constant: Rat,
    monomials: Vec<(K, Rat)>,
}

impl<K> Default for Linear<K> {
    fn default() -> Linear<K> {
        Linear {
            constant: Rat::ZERO,
            monomials: Vec::new(),
        }
    }
}

impl<K: Copy + Ord> Linear<K> {
    /// A constant sum.
    pub fn constant_only(constant: Rat) -> Linear<K> {
        Linear {
            constant,
            monomials: Vec::new(),
        }
    }

    /// One term with coefficient one.
    pub fn term(term: K) -> Linear<K> {
        Linear {
            constant: Rat::ZERO,
            monomials: vec![(term, Rat::ONE)],
        }
    }

    /// A sum of terms in any order; the same term may occur several times.
    ///
    /// Adding many terms one by one to a long sum moves its tail every time; this sorts once.
    pub fn from_monomials(constant: Rat, mut monomials: Vec<(K, Rat)>) -> Linear<K> {
        if !monomials.is_sorted_by(|a, b| a.0 < b.0) {
            monomials.sort_unstable_by_key(|m| m.0);
            monomials.dedup_by(|later, kept| {
                let same = later.0 == kept.0;
                if same {
                    kept.1 += &later.1;
                }
                same
            });
        }
        monomials.retain(|m| !m.1.is_zero());
        Linear {
            constant,
            monomials,
        }
    }

    /// The constant.
    pub fn constant(&self) -> &Rat {
        &self.constant
    }

    /// Terms with their coefficients, in increasing order of terms.
    pub fn monomials(&self) -> &[(K, Rat)] {
        &self.monomials
    }

    /// Whether there is no term.
    pub fn is_constant(&self) -> bool {
        self.monomials.is_empty()
    }

    /// The coefficient of a term, zero if it does not occur.
    pub fn coefficient(&self, term: K) -> Rat {
        match self.monomials.binary_search_by_key(&term, |m| m.0) {
            Ok(i) => self.monomials[i].1.clone(),
            Err(_) => Rat::ZERO,
        }
    }

    /// Adds a constant.
    pub fn add_constant(&mut self, c: &Rat) {
        self.constant += c;
    }

    /// Adds `factor * other`.
    pub fn add_scaled(&mut self, other: &Linear<K>, factor: &Rat) {
        if factor.is_zero() {
            return;
        }
        self.constant.add_mul_assign(&other.constant, factor);
        match other.monomials.as_slice() {
            [] => return,
            [(term, c)] => return self.add_term(*term, &(c * factor)),
            _ => {}
        }
        let mine = std::mem::take(&mut self.monomials);
        self.monomials.reserve(mine.len() + other.monomials.len());
        let mut left = mine.into_iter().peekable();
        for (term, c) in &other.monomials {
            while let Some(m) = left.next_if(|m| m.0 < *term) {
                self.monomials.push(m);
            }
            let mut sum = left
                .next_if(|m| m.0 == *term)
                .map_or(Rat::ZERO, |(_, own)| own);
            sum.add_mul_assign(c, factor);
            if !sum.is_zero() {
                self.monomials.push((*term, sum));
            }
        }
        self.monomials.extend(left);
    }

    /// Adds `factor * term`.
    pub fn add_term(&mut self, term: K, factor: &Rat) {
        if factor.is_zero() {
            return;
        }
        match self.monomials.binary_search_by_key(&term, |m| m.0) {
            Ok(i) => {
                self.monomials[i].1 += factor;
                if self.monomials[i].1.is_zero() {
                    self.monomials.remove(i);
                }
            }
            Err(i) => self.monomials.insert(i, (term, factor.clone())),
        }
    }

    /// Multiplies everything by a factor.
    pub fn scale(&mut self, factor: &Rat) {
        if factor.is_zero() {
            *self = Linear::default();
            return;
        }
        if factor.is_one() {
            return;
        }
        self.constant = &self.constant * factor;
        for (_, c) in &mut self.monomials {
            *c = &*c * factor;
        }
    }

    /// The positive factor that makes all coefficients (not the constant) coprime integers.
    pub fn primitive_factor(&self) -> Rat {
        let mut numerators = Int::ZERO;
        let mut denominators = Int::ONE;
        for (_, c) in &self.monomials {
            if c.is_int() && numerators.is_one() {
                continue;
            }
            numerators = numerators.gcd(&c.numer());
            denominators = denominators.lcm(&c.denom());
        }
        if numerators.is_zero() || (numerators.is_one() && denominators.is_one()) {
            return Rat::ONE;
        }
        Rat::new(denominators, numerators)
    }
}
