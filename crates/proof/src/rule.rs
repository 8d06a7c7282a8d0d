//! The rules by which theories justify clauses.
//!
//! A rule of a new theory is a variant of [`Rule`], a line in each table here, and a function that
//! checks it in the file of the theory. The text, the shape check and the replay follow.

use crate::error::Fault;
use crate::meaning::{Clause, Lit, Meanings};
use crate::{arithmetic, array, enumeration, function};
use sectile_base::Rat;
use sectile_terms::Term;

/// A rule of a theory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Rule {
    /// An equality is two bounds.
    Trichotomy,
    /// Positive coefficients of the negated literals, whose sum is contradictory.
    Farkas,
    /// Multipliers of equations `t = c`, each given by the negated literals `t <= c` (where the
    /// multiplier stands) and `t >= c` (zero). The combination has integer coefficients on integer
    /// variables, none on reals, and a right-hand side that is not an integer.
    Divisibility,
    /// Two values of an enumeration differ.
    Distinct,
    /// A variable has one of the values of its enumeration.
    Exhaustive,
    /// An axiom about an array, or about an equality of arrays, at an index, and at a second one
    /// that may be the same: see [`array_axioms`](crate::array_axioms).
    Element,
    /// Two applications of one function, as terms: some arguments differ, or the results are equal.
    Congruence,
}

/// The arguments of a rule besides the clause.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arguments {
    /// One number for each literal, in the order of the literals.
    NumberPerLiteral,
    /// This many terms.
    Terms(usize),
}

impl Rule {
    /// All rules.
    pub const ALL: [Rule; 7] = [
        Rule::Trichotomy,
        Rule::Farkas,
        Rule::Divisibility,
        Rule::Distinct,
        Rule::Exhaustive,
        Rule::Element,
        Rule::Congruence,
    ];

    /// The name in the text format.
    pub fn name(self) -> &'static str {
        match self {
            Rule::Trichotomy => "trichotomy",
            Rule::Farkas => "farkas",
            Rule::Divisibility => "divisibility",
            Rule::Distinct => "distinct",
            Rule::Exhaustive => "exhaustive",
            Rule::Element => "element",
            Rule::Congruence => "congruence",
        }
    }

    /// Its arguments.
    pub fn arguments(self) -> Arguments {
        match self {
            Rule::Farkas | Rule::Divisibility => Arguments::NumberPerLiteral,
            Rule::Trichotomy | Rule::Distinct | Rule::Exhaustive => Arguments::Terms(0),
            Rule::Congruence => Arguments::Terms(2),
            Rule::Element => Arguments::Terms(3),
        }
    }
}

/// A rule with its arguments: why a clause is valid in a theory.
#[derive(Clone, PartialEq, Debug)]
pub struct Lemma {
    /// The rule.
    pub rule: Rule,
    /// Its numbers.
    pub numbers: Box<[Rat]>,
    /// Its terms.
    pub terms: Box<[Term]>,
}

impl Lemma {
    /// A rule without arguments.
    pub fn plain(rule: Rule) -> Lemma {
        Lemma::with_numbers(rule, Vec::new())
    }

    /// A rule with numbers.
    pub fn with_numbers(rule: Rule, numbers: impl Into<Box<[Rat]>>) -> Lemma {
        Lemma {
            rule,
            numbers: numbers.into(),
            terms: Box::default(),
        }
    }

    /// A rule with terms.
    pub fn with_terms(rule: Rule, terms: impl Into<Box<[Term]>>) -> Lemma {
        Lemma {
            rule,
            numbers: Box::default(),
            terms: terms.into(),
        }
    }

    /// Whether the clause has as many literals, and the rule as many arguments, as it should.
    pub(crate) fn check_count(&self, literals: usize) -> Result<(), Fault> {
        let (numbers, terms) = match self.rule.arguments() {
            Arguments::NumberPerLiteral => (literals, 0),
            Arguments::Terms(count) => (0, count),
        };
        let right = self.numbers.len() == numbers && self.terms.len() == terms;
        right.then_some(()).ok_or(Fault::WrongCount)
    }

    /// Whether the rule gives the clause, whose literals are listed in the order of the numbers.
    pub(crate) fn check(
        &self,
        m: &mut Meanings<'_>,
        lits: &[Lit],
        clause: &Clause,
    ) -> Result<(), Fault> {
        let holds = match self.rule {
            Rule::Trichotomy => arithmetic::trichotomy(m, clause),
            Rule::Farkas => return arithmetic::farkas(m, lits, &self.numbers),
            Rule::Divisibility => return arithmetic::divisibility(m, lits, &self.numbers),
            Rule::Distinct => enumeration::distinct(m, clause),
            Rule::Exhaustive => enumeration::exhaustive(m, clause),
            Rule::Element => array::element(m, &self.terms, clause)?,
            Rule::Congruence => function::congruence(m, &self.terms, clause)?,
        };
        holds.then_some(()).ok_or(Fault::NotInstance(self.rule))
    }
}
