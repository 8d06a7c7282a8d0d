//! Represents variables by quotients and remainders: `x` is `k q + j` if its remainder is `j`.
//!
//! The quotient `q` replaces the variable, so that every state of the new system is one of the old
//! system: the Booleans always agree with the number.

use super::Residue;
use sectile_base::{Int, Rat};
use sectile_terms::{Stage, Substitution, Symbol, Term, Terms};
use std::collections::BTreeMap;

/// The replacements of variables.
#[derive(Default)]
pub(super) struct Numbers {
    symbols: BTreeMap<Symbol, Symbol>,
    meaning: Substitution,
}

impl Numbers {
    /// For the residues that have a quotient.
    pub(super) fn new(terms: &Terms, residues: &[Residue]) -> Numbers {
        let mut numbers = Numbers::default();
        for residue in residues {
            let Some(quotient) = residue.quotient else {
                continue;
            };
            numbers.symbols.insert(residue.variable, quotient);
            for stage in [Stage::Now, Stage::Next] {
                let number = number(terms, residue, terms.var_at(quotient, stage), stage);
                let variable = terms.var_at(residue.variable, stage);
                numbers.meaning.insert(variable, number);
            }
        }
        numbers
    }

    /// A term expressed by the quotients.
    pub(super) fn told(&self, terms: &Terms, t: Term) -> Term {
        match self.symbols.is_empty() {
            true => t,
            false => terms.substitute(t, &self.meaning),
        }
    }

    /// Replaces the variables by their quotients.
    pub(super) fn replace(&self, variables: &mut [Symbol]) {
        for variable in variables {
            if let Some(quotient) = self.symbols.get(variable) {
                *variable = *quotient;
            }
        }
    }
}

/// The number with a quotient and the remainder given by the Booleans.
fn number(terms: &Terms, residue: &Residue, quotient: Term, stage: Stage) -> Term {
    let k = residue.bits.len();
    let multiple = terms.scale(quotient, &Rat::from(k as i64));
    let with = |remainder: usize| terms.add(multiple, terms.int(remainder as i64));
    let bits = residue.bits.iter().enumerate();
    bits.rev().skip(1).fold(with(k - 1), |rest, (j, &bit)| {
        terms.ite(terms.var_at(bit, stage), with(j), rest)
    })
}

/// The number with a quotient and a remainder.
pub(super) fn joined(quotient: &Int, remainder: usize, modulus: usize) -> Int {
    let (k, j) = (Int::from(modulus as i64), Int::from(remainder as i64));
    &(&k * quotient) + &j
}
