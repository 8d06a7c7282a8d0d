//! Meanings of inlined predicates, computed level by level.
//!
//! Clauses as read have many irrelevant arguments. So the meanings from a proof are carried forward
//! through the simplification steps; on the way back, each step fills in the missing meanings with
//! the clauses that it changed, which are small.

use super::super::back::Origin;
use super::super::reduction::{Argument, PredicateFate, Reduction};
use super::super::steps::Step;
use sectile_model::HornClauses;
use sectile_model::horn::Interpretation;
use sectile_terms::{Stage, Substitution, Term, Terms};

/// Fills in the missing meanings of predicates of some clauses; also returns whether they must be
/// correct.
pub(super) type Fill<'f> =
    &'f dyn Fn(&HornClauses, &[Option<Term>]) -> Result<(Interpretation, bool), String>;

/// Meanings of all predicates as read, where `given` are the meanings from a proof.
pub(super) fn meanings(
    terms: &Terms,
    origin: &Origin,
    given: &[Option<Term>],
    fill: Fill<'_>,
) -> Result<(Interpretation, bool), String> {
    let mut current = given.to_vec();
    for (i, step) in origin.steps.iter().enumerate() {
        current = forward(terms, origin.before(i), step, &current);
    }
    let simple = &origin.simple;
    for &p in &origin.unfolded {
        current[p] = None;
    }
    let mut exact = true;
    let mut filled = |clauses: &HornClauses, meanings: Vec<Option<Term>>, gone: &[usize]| {
        let known = known(terms, clauses, meanings, gone)?;
        if gone.is_empty() {
            return Ok::<_, String>(known);
        }
        let (all, is_exact) = fill(clauses, &known)?;
        exact &= is_exact;
        Ok(all.into_iter().map(Some).collect())
    };
    current = filled(simple, current, &origin.unfolded)?;
    for (i, step) in origin.steps.iter().enumerate().rev() {
        let before = origin.before(i);
        let told = step.interpretation(terms, before, &current);
        current = match step {
            Step::Reduction(_) => told,
            Step::Rewriting(r) => filled(before, told, &r.inlined)?,
        };
    }
    let all = current.into_iter().map(|m| m.unwrap_or(terms.ff()));
    Ok((all.collect(), exact))
}

/// Maps meanings of the predicates before a step to meanings after it.
fn forward(
    terms: &Terms,
    before: &HornClauses,
    step: &Step,
    meanings: &[Option<Term>],
) -> Vec<Option<Term>> {
    match step {
        Step::Reduction(r) => forward_reduced(terms, before, r, meanings),
        Step::Rewriting(r) => {
            let mut all = meanings.to_vec();
            r.inlined.iter().for_each(|&p| all[p] = None);
            all
        }
    }
}

/// The same for a reduction: dropped arguments are replaced by their known values.
fn forward_reduced(
    terms: &Terms,
    before: &HornClauses,
    reduction: &Reduction,
    meanings: &[Option<Term>],
) -> Vec<Option<Term>> {
    let all = reduction.predicates.iter().zip(meanings).enumerate();
    let told = all.map(|(p, (standing, meaning))| {
        let PredicateFate::Used(arguments) = standing else {
            return None;
        };
        let parameters = &before.predicates[p].parameters;
        let mut values = Substitution::default();
        for (argument, &parameter) in arguments.iter().zip(parameters) {
            let value = match *argument {
                Argument::Kept | Argument::Dead => continue,
                Argument::Constant(value) => value,
                Argument::Same(j) => terms.var(parameters[j]),
            };
            values.insert(terms.var(parameter), value);
        }
        meaning.map(|m| terms.substitute(m, &values))
    });
    told.collect()
}

/// The known meanings, without those of the predicates in `gone`. Fails if one is missing, or
/// mentions an argument that the predicate does not have.
fn known(
    terms: &Terms,
    clauses: &HornClauses,
    meanings: Vec<Option<Term>>,
    gone: &[usize],
) -> Result<Vec<Option<Term>>, String> {
    let mut used = vec![false; clauses.predicates.len()];
    for clause in &clauses.clauses {
        let applications = clause.body.iter().chain(&clause.head);
        applications.for_each(|a| used[a.predicate] = true);
    }
    let meaning = |(p, meaning): (usize, Option<Term>)| {
        if gone.contains(&p) {
            return Ok(None);
        }
        if !used[p] {
            return Ok(Some(meaning.unwrap_or(terms.ff())));
        }
        let meaning = meaning.ok_or("a meaning is missing")?;
        let own = &clauses.predicates[p].parameters;
        let foreign = |(s, stage): &(_, Stage)| *stage != Stage::Now || !own.contains(s);
        match terms.free_vars(meaning).iter().any(foreign) {
            true => Err("a meaning mentions arguments that were dropped".to_string()),
            false => Ok(Some(meaning)),
        }
    };
    meanings.into_iter().enumerate().map(meaning).collect()
}
