//! Leaves of partial interpolants: literals of the refutation, and contributions of theories.

use super::method::Arithmetic;
use super::spans::Span;
use crate::refutation::{ProofLit, Refutation};
use crate::theory::arith;
use sectile_terms::{Term, Terms};

/// A leaf of a partial interpolant.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Leaf {
    Literal(ProofLit),
    Arithmetic(arith::Fact),
}

impl Leaf {
    /// The truth value of a leaf without variables.
    pub fn constant(&self) -> Option<bool> {
        match self {
            Leaf::Literal(_) => None,
            Leaf::Arithmetic(fact) => fact.constant(),
        }
    }

    pub fn term(&self, terms: &Terms, refutation: &Refutation) -> Term {
        match self {
            Leaf::Literal(lit) => refutation.literal_term(terms, *lit),
            Leaf::Arithmetic(fact) => fact.term(terms, refutation),
        }
    }
}

/// The partial interpolant of a lemma at one cut.
pub(crate) struct PartialInterpolant {
    /// Whether it is the conjunction of the leaves, or their disjunction.
    pub conjunction: bool,
    pub leaves: Vec<Leaf>,
}

/// A lemma is malformed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Malformed;

/// The data for interpolating lemmas of a theory.
pub(crate) struct Cuts<'a> {
    pub refutation: &'a Refutation,
    /// By variable of the refutation.
    pub variables: &'a [Span],
    /// The number of cuts.
    pub count: u32,
    pub arithmetic: Arithmetic,
    /// By atom of the refutation: the cut from which it is coloured as coming before.
    pub passes: &'a [u32],
}

impl Cuts<'_> {
    /// The cut from which a literal is coloured as coming before it.
    pub fn passes(&self, lit: ProofLit) -> u32 {
        self.passes[lit.atom as usize]
    }
}
