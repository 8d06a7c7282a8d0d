//! The data of a refutation: atoms, clauses and their reasons.
//!
//! A refutation is self-contained: variables and atoms are given as terms of one store.

use crate::rule::Lemma;
use sectile_base::{Int, Rat};
use sectile_terms::{Linear, Sort, Term, Terms};
use std::collections::BTreeSet;

/// A literal of a refutation: an atom by its number, and a sign.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ProofLit {
    /// Index into [`Refutation::atoms`].
    pub atom: u32,
    /// False for the negation.
    pub positive: bool,
}

impl std::ops::Not for ProofLit {
    type Output = ProofLit;

    fn not(self) -> ProofLit {
        ProofLit {
            positive: !self.positive,
            ..self
        }
    }
}

/// The meaning of an atom.
#[derive(Clone, PartialEq, Debug)]
pub enum ProofAtom {
    /// A Boolean variable, an equality, or a formula named by a definition.
    Formula(Term),
    /// `sum <= bound`, or `sum < bound` if strict. If the sum is integral, so is the bound, and
    /// the negation says `sum >= bound + 1`.
    Bound {
        /// Coprime integer coefficients of [`Refutation::variables`], by their number.
        sum: Vec<(u32, Int)>,
        /// The limit.
        bound: Rat,
        /// Whether equality is excluded.
        strict: bool,
        /// Whether all variables of the sum are integers.
        integral: bool,
    },
}

/// The source of an asserted clause.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Source {
    /// The assertion with this partition number.
    Assertion(u32),
    /// The assumption at this position of the check.
    Assumption(u32),
}

/// Why a clause holds.
#[derive(Clone, PartialEq, Debug)]
pub enum Inference {
    /// A disjunct of a conjunct of what was asserted or assumed.
    Input(Source),
    /// One clause of the definition of a term: a Boolean operator named by its atom, or a numeric
    /// operator that is one of the variables.
    Definition(Term),
    /// A theory lemma.
    Lemma(Lemma),
    /// The resolvent of earlier steps, in order: the first is the start, each further one clashes
    /// with the running clause in exactly one literal.
    Resolution(Vec<u32>),
}

/// One clause with its justification.
#[derive(Clone, PartialEq, Debug)]
pub struct ProofStep {
    /// The clause; the numbers of a lemma follow its order.
    pub clause: Vec<ProofLit>,
    /// Why it holds.
    pub inference: Inference,
}

/// A derivation of the empty clause. The last step is the empty clause.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Refutation {
    /// Numeric variables: variables of the input and operators (`ite`, `div`, ...) that have their
    /// own variable.
    pub variables: Vec<Term>,
    /// Atoms.
    pub atoms: Vec<ProofAtom>,
    /// Steps, antecedents first.
    pub steps: Vec<ProofStep>,
}

impl Refutation {
    /// The term of a literal.
    ///
    /// # Panics
    /// If the refutation is malformed: [`replay`](crate::replay) and [`claims`](crate::claims)
    /// tell.
    pub fn literal_term(&self, terms: &Terms, lit: ProofLit) -> Term {
        let term = match &self.atoms[lit.atom as usize] {
            ProofAtom::Formula(t) => *t,
            ProofAtom::Bound {
                sum,
                bound,
                strict,
                integral,
            } => {
                let sort = if *integral { Sort::Int } else { Sort::Real };
                let mut linear = Linear::constant_only(-bound);
                for (v, c) in sum {
                    let mut variable = self.variables[*v as usize];
                    if sort == Sort::Real && terms.sort(variable) == Sort::Int {
                        variable = terms.to_real(variable);
                    }
                    linear.add_scaled(&terms.linear(variable), &Rat::from(c));
                }
                let t = terms.sum(linear, sort);
                if *strict {
                    terms.negative(t)
                } else {
                    terms.non_pos(t)
                }
            }
        };
        if lit.positive { term } else { terms.not(term) }
    }

    /// The assertions and assumptions that were used.
    pub fn sources(&self) -> BTreeSet<Source> {
        let sources = self.steps.iter().filter_map(|s| match s.inference {
            Inference::Input(source) => Some(source),
            _ => None,
        });
        sources.collect()
    }
}
