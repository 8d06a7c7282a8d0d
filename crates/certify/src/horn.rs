//! Evidence about Horn clauses: interpretations of the predicates, and derivations of `false`.

use crate::invariant::{Checked, Checker};
use crate::{Obligation, Outcome, Refusal, refused};
use sectile_base::Budget;
use sectile_model::HornClauses;
use sectile_model::horn::{Application, Clause, Derivation, Instance, applied};
use sectile_solver::{Solver, SolverError};
use sectile_terms::{Stage, Term, Terms, Value};

/// Whether an interpretation makes every clause true: one obligation a clause. `solver` must be
/// fresh.
pub fn check_interpretation(
    terms: &Terms,
    clauses: &HornClauses,
    interpretation: &[Term],
    solver: &mut dyn Solver,
    budget: &Budget,
) -> Result<Outcome, SolverError> {
    if interpretation.len() != clauses.predicates.len() {
        return Ok(refused("there must be one formula for every predicate"));
    }
    for (predicate, &formula) in clauses.predicates.iter().zip(interpretation) {
        let own = |s| predicate.parameters.contains(&s);
        let variables = terms.free_vars(formula);
        if variables.iter().any(|v| v.1 != Stage::Now || !own(v.0)) {
            let name = &predicate.name;
            let why = format!("the formula of `{name}` mentions what is no argument of it");
            return Ok(refused(&why));
        }
    }
    let mut checker = Checker::new(terms, solver, budget);
    let mut run = || -> Checked {
        for (k, clause) in clauses.clauses.iter().enumerate() {
            let meaning = |a: &Application| applied(terms, clauses, interpretation, a);
            let mut premises: Vec<Term> = clause.body.iter().map(meaning).collect();
            premises.extend(&clause.constraint);
            let head = clause.head.as_ref().map_or_else(|| terms.ff(), meaning);
            let obligation = Obligation::Consecution(format!("clause {}", k + 1));
            if let Err(stop) = checker.implies(obligation, &premises, head)? {
                return Ok(Err(stop));
            }
        }
        Ok(Ok(()))
    };
    let result = run()?;
    Ok(checker.outcome(result))
}

/// Whether a derivation derives `false`. It is replayed by evaluation alone.
pub fn check_derivation(terms: &Terms, clauses: &HornClauses, derivation: &Derivation) -> Outcome {
    for (k, instance) in derivation.instances.iter().enumerate() {
        if let Err(because) = check_instance(terms, clauses, &derivation.instances, k, instance) {
            let obligation = Obligation::Step(k + 1);
            return Outcome::Refused(Refusal {
                obligation,
                because,
            });
        }
    }
    let last = derivation.instances.last();
    let last = last.and_then(|i| clauses.clauses.get(i.clause));
    if last.is_none_or(|c| c.head.is_some()) {
        return Outcome::Refused(Refusal {
            obligation: Obligation::End,
            because: "the derivation does not end with a query".to_string(),
        });
    }
    Outcome::Accepted {
        obligations: derivation.instances.len() + 1,
    }
}

fn check_instance(
    terms: &Terms,
    clauses: &HornClauses,
    all: &[Instance],
    position: usize,
    instance: &Instance,
) -> Result<(), String> {
    let clause = clauses.clauses.get(instance.clause);
    let clause = clause.ok_or("there is no such clause")?;
    sorts_fit(terms, clause, &instance.values)?;
    for &c in &clause.constraint {
        if instance.value(terms, clauses, c) != Some(Value::Bool(true)) {
            return Err("a condition of the clause is false".to_string());
        }
    }
    if instance.premises.len() != clause.body.len() {
        return Err("the number of premises is wrong".to_string());
    }
    for (body, &premise) in clause.body.iter().zip(&instance.premises) {
        let earlier = all.get(premise).filter(|_| premise < position);
        let earlier = earlier.ok_or("a premise does not come before it")?;
        let head = clauses.clauses.get(earlier.clause);
        let head = head.and_then(|c| c.head.as_ref());
        let head = head.ok_or("a premise derives no predicate")?;
        let wanted = instance.arguments(terms, clauses, body);
        let found = earlier.arguments(terms, clauses, head);
        if head.predicate != body.predicate || wanted.is_none() || wanted != found {
            return Err("a premise derives something else".to_string());
        }
    }
    Ok(())
}

fn sorts_fit(terms: &Terms, clause: &Clause, values: &[Value]) -> Result<(), String> {
    let sorts = clause.variables.iter().map(|&v| terms.symbol_sort(v));
    let fit = clause.variables.len() == values.len()
        && sorts.zip(values).all(|(sort, value)| value.sort() == sort);
    match fit {
        true => Ok(()),
        false => Err("the values do not fit the variables of the clause".to_string()),
    }
}
