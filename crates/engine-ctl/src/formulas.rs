//! Sets of states as formulas.

use sectile_base::Rat;
use sectile_domains::domain::Domain;
use sectile_domains::guarded::program::Program;
use sectile_domains::linear::{Constraint, Numbers, Relation};
use sectile_terms::{Linear, Sort, Term};

/// What the discrete variables satisfy, and the numbers of a set.
pub fn state_formula<D: Domain>(program: &Program<'_, D>, discrete: Term, set: &D) -> Term {
    let constraints = set.constraints();
    let numeric = constraints.iter().map(|c| comparison(program, c));
    let parts: Vec<Term> = std::iter::once(discrete).chain(numeric).collect();
    program.terms.and(parts)
}

fn comparison<D: Domain>(program: &Program<'_, D>, constraint: &Constraint) -> Term {
    let terms = program.terms;
    let sort = match program.numbers {
        Numbers::Integers => Sort::Int,
        Numbers::Reals => Sort::Real,
    };
    let scale = Rat::from(&program.scale);
    let bound = &Rat::from(&constraint.bound) / &scale;
    let mut sum = Linear::constant_only(Rat::ZERO);
    for (symbol, c) in program.numeric.iter().zip(&constraint.coefficients) {
        if !c.is_zero() {
            sum.add_term(terms.var(*symbol), &Rat::from(c));
        }
    }
    let left = terms.sum(sum, sort);
    let right = terms.sum(Linear::constant_only(bound), sort);
    match constraint.relation {
        Relation::Equal => terms.eq(left, right),
        Relation::AtMost => terms.le(left, right),
        Relation::Below => terms.lt(left, right),
    }
}
