//! K-inductive invariants, unrolled here anew: the checker does not use the engines' unrolling.

use crate::invariant::{Checked, Checker, safe_at_locations, well_formed};
use crate::{Obligation, Outcome, refused};
use sectile_base::Budget;
use sectile_model::{Invariants, Model, Task};
use sectile_solver::{Solver, SolverError};
use sectile_terms::{Sort, Stage, Symbol, SymbolKind, Term, Terms};

/// More steps than this are not unrolled: a certificate must not make the checker run for ever.
const MOST_STEPS: u32 = 1000;

/// A model, an invariant and a property, all as formulas over one kind of state.
struct Flat {
    variables: Vec<Symbol>,
    init: Term,
    restrict: Term,
    transition: Term,
    invariant: Term,
    safe: Term,
}

/// Paper: [ShSiSt00]. Base cases 0 to `depth - 1`, the step case, and the implication.
///
/// `all` are the formulas of the locations.
pub fn check(
    task: &Task<'_>,
    claim: &Invariants,
    all: &[Term],
    solver: &mut dyn Solver,
    budget: &Budget,
) -> Result<Outcome, SolverError> {
    if claim.depth == 0 || claim.depth > MOST_STEPS {
        return Ok(refused("the depth of induction must be between 1 and 1000"));
    }
    if let Err(why) = well_formed(task, all.iter().copied().map(Some)) {
        return Ok(refused(&why));
    }
    let Some(safe) = safe_at_locations(task) else {
        return Ok(refused("invariants do not prove this kind of property"));
    };
    let flat = flatten(task.terms, task.model, all, &safe);
    let mut checker = Checker::new(task.terms, solver, budget);
    let result = obligations(task.terms, &flat, claim, &mut checker)?;
    Ok(checker.outcome(result))
}

fn obligations(
    terms: &Terms,
    flat: &Flat,
    claim: &Invariants,
    checker: &mut Checker<'_>,
) -> Checked {
    let at = |t: Term, k: u32| terms.at_step(t, k);
    let mut premises = vec![at(flat.init, 0)];
    for k in 0..claim.depth {
        let here = at(flat.invariant, k);
        if let Err(stop) = checker.implies(Obligation::Base(k), &premises, here)? {
            return Ok(Err(stop));
        }
        premises.extend([here, at(flat.transition, k)]);
    }
    let mut premises = vec![at(flat.restrict, 0)];
    for k in 0..claim.depth {
        premises.extend([at(flat.invariant, k), at(flat.transition, k)]);
    }
    if claim.simple_paths {
        premises.extend(all_different(terms, &flat.variables, claim.depth));
    }
    let after = at(flat.invariant, claim.depth);
    if let Err(stop) = checker.implies(Obligation::InductionStep, &premises, after)? {
        return Ok(Err(stop));
    }
    let premises = [flat.invariant, flat.restrict];
    checker.implies(Obligation::Property(None), &premises, flat.safe)
}

/// No two of the states 0 to `depth` are equal.
fn all_different(terms: &Terms, variables: &[Symbol], depth: u32) -> Vec<Term> {
    let differ = |i: u32, j: u32| {
        terms.or(variables.iter().map(|&v| {
            let at = |k| terms.var_at(v, Stage::At(k));
            terms.neq(at(i), at(j))
        }))
    };
    let pairs = (0..=depth).flat_map(|j| (0..j).map(move |i| (i, j)));
    pairs.map(|(i, j)| differ(i, j)).collect()
}

/// The model as a system; where there are several locations, the location is a number.
fn flatten(terms: &Terms, graph: &Model, invariants: &[Term], safe: &[Term]) -> Flat {
    if let (true, &[invariant], &[safe]) = (graph.is_system(), invariants, safe) {
        return Flat {
            variables: graph.variables.clone(),
            init: graph.init_formula(terms),
            restrict: graph.restrict_formula(terms),
            transition: graph.transition_formula(terms),
            invariant,
            safe,
        };
    }
    let place = terms.fresh("certify.location", Sort::Int, SymbolKind::State);
    let number = |l: usize| terms.int(i64::try_from(l).unwrap_or(i64::MAX));
    let here = |l: usize| terms.eq(terms.var(place), number(l));
    let there = |l: usize| terms.eq(terms.next(place), number(l));
    let edges = graph.edges.iter().map(|edge| {
        let step = graph.step_formula(terms, &edge.command);
        terms.and([here(edge.from.0), step, there(edge.to.0)])
    });
    let per_location = |list: &[Term]| {
        let parts = list.iter().enumerate();
        terms.and(parts.map(|(l, &t)| terms.implies(here(l), t)))
    };
    let last = graph.locations.len().saturating_sub(1);
    let some_location = terms.and([
        terms.ge(terms.var(place), terms.int(0)),
        terms.le(terms.var(place), number(last)),
    ]);
    Flat {
        variables: [place].iter().chain(&graph.variables).copied().collect(),
        init: terms.and([here(graph.entry.0), graph.init_formula(terms)]),
        restrict: terms.and([some_location, graph.restrict_formula(terms)]),
        transition: terms.or(edges),
        invariant: per_location(invariants),
        safe: per_location(safe),
    }
}
