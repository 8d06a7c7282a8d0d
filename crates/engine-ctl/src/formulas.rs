//! Converts sets of states to formulas.

use sectile_base::Rat;
use sectile_domains::domain::Domain;
use sectile_domains::guarded::program::Program;
use sectile_domains::linear::{Constraint, Numbers, Relation};
use sectile_terms::{Linear, Sort, Term};

/// The formula that the discrete variables have the given values.
pub fn control_formula<D: Domain>(program: &Program<'_, D>, control: &[u8]) -> Term {
    let terms = program.terms;
    let values = program.control.iter().zip(control);
    terms.and(values.map(|(&symbol, &value)| {
        let value = program.discrete_term(symbol, u32::from(value));
        terms.eq(terms.var(symbol), value)
    }))
}

/// The conjunction of a condition on discrete variables and the constraints of a set.
pub fn states<D: Domain>(program: &Program<'_, D>, discrete: Term, set: &D) -> Term {
    let constraints = set.constraints();
    let numeric = constraints.iter().map(|c| comparison(program, c));
    program.terms.and(std::iter::once(discrete).chain(numeric))
}

/// A number of the domain as a term.
pub fn number<D: Domain>(program: &Program<'_, D>, scaled: &Rat) -> Term {
    let number = scaled / &Rat::from(&program.scale);
    program
        .terms
        .sum(Linear::constant_only(number), sort(program))
}

fn sort<D: Domain>(program: &Program<'_, D>) -> Sort {
    match program.numbers {
        Numbers::Integers => Sort::Int,
        Numbers::Reals => Sort::Real,
    }
}

fn comparison<D: Domain>(program: &Program<'_, D>, constraint: &Constraint) -> Term {
    let terms = program.terms;
    let mut sum = Linear::constant_only(Rat::ZERO);
    for (symbol, c) in program.numeric.iter().zip(&constraint.coefficients) {
        if !c.is_zero() {
            sum.add_term(terms.var(*symbol), &Rat::from(c));
        }
    }
    let left = terms.sum(sum, sort(program));
    let right = number(program, &Rat::from(&constraint.bound));
    match constraint.relation {
        Relation::Equal => terms.eq(left, right),
        Relation::AtMost => terms.le(left, right),
        Relation::Below => terms.lt(left, right),
    }
}
