//! Projection of a rule under values of its variables to the arguments of one of its predicates.

use super::search::no_value;
use crate::rule::Rules;
use sectile_engine::{Run, Stop};
use sectile_model::horn::Application;
use sectile_solver::{Assignment, SolverError};
use sectile_solver_native::project::{implicant, mbp};
use sectile_terms::{Stage, Term, Value, evaluate};

/// A variable is looked for in every literal before it is eliminated: this many such looks are one unit of
/// work.
const LOOKS: u64 = 2000;

/// The parameters of the predicate that is projected to.
const GOAL: Stage = Stage::At(0);

/// Literals over the parameters of a predicate, true of the arguments that it has under the values,
/// such that all arguments they are true of make the parts true for some values of the variables.
pub(super) fn projected(
    rules: Rules<'_>,
    parts: impl IntoIterator<Item = Term>,
    onto: &Application,
    values: &Assignment,
    run: &Run<'_>,
) -> Result<Vec<Term>, Stop> {
    let terms = rules.terms;
    let mut model = values.clone();
    let mut parts: Vec<Term> = parts.into_iter().collect();
    let parameters = &rules.clauses.predicates[onto.predicate].parameters;
    for (&parameter, &argument) in parameters.iter().zip(&onto.arguments) {
        parts.push(terms.eq(terms.var_at(parameter, GOAL), argument));
        let value: Value = evaluate(terms, argument, values).map_err(no_value)?;
        model.set(parameter, GOAL, value);
    }
    let whole = terms.and(parts);
    let literals = implicant(terms, whole, &model).map_err(unprojectable)?;
    let gone = terms.free_vars_of(&literals).into_iter();
    let mut gone: Vec<_> = gone.filter(|&(_, stage)| stage != GOAL).collect();
    gone.sort();
    let (variables, count) = (gone.len() as u64, literals.len() as u64);
    run.budget.poll_for(variables * variables * count / LOOKS)?;
    let left = mbp(terms, &literals, &gone, &model).map_err(unprojectable)?;
    let now = |t: Term| terms.restage(t, |_, _| Stage::Now);
    Ok(left.into_iter().map(now).collect())
}

/// What cannot be projected is outside the method.
fn unprojectable(error: SolverError) -> Stop {
    match error {
        SolverError::Unsupported(what) => Stop::incomplete(format!("no projection of {what}")),
        broken => broken.into(),
    }
}
