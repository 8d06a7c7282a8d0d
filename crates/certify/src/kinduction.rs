//! K-inductive invariants, unrolled here anew: the checker does not use the engines' unrolling.

use crate::invariant::{Checked, Checker, is_state_formula, safe_at_locations, safe_states};
use crate::{Obligation, Outcome, refused};
use sectile_base::Budget;
use sectile_model::{Model, ProgramGraph, Task};
use sectile_solver::{Solver, SolverError};
use sectile_terms::{Sort, Stage, Symbol, SymbolKind, Term, Terms};

/// More steps than this are not unrolled: a certificate must not make the checker run for ever.
const MOST_STEPS: u32 = 1000;

/// What is to be checked.
#[derive(Clone, Copy)]
pub struct Induction<'c> {
    /// The formula, or one for every location.
    pub invariants: &'c [Term],
    /// How many steps back are looked at.
    pub depth: u32,
    /// Whether runs with repeated states are left out.
    pub simple_paths: bool,
}

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
pub fn check(
    task: &Task<'_>,
    claim: Induction<'_>,
    solver: &mut dyn Solver,
    budget: &Budget,
) -> Result<Outcome, SolverError> {
    if claim.depth == 0 || claim.depth > MOST_STEPS {
        return Ok(refused("the depth of induction must be between 1 and 1000"));
    }
    let flat = match flatten(task, claim.invariants) {
        Ok(flat) => flat,
        Err(why) => return Ok(refused(&why)),
    };
    let mut checker = Checker::new(task.terms, solver, budget);
    let result = obligations(task.terms, &flat, claim, &mut checker)?;
    Ok(checker.outcome(result))
}

fn obligations(
    terms: &Terms,
    flat: &Flat,
    claim: Induction<'_>,
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

fn flatten(task: &Task<'_>, invariants: &[Term]) -> Result<Flat, String> {
    let terms = task.terms;
    for &invariant in invariants {
        is_state_formula(task, invariant)?;
    }
    let wrong_kind = || "an invariant does not prove this kind of property".to_string();
    match task.model {
        Model::System(system) => {
            let &[invariant] = invariants else {
                return Err("a system needs exactly one invariant".to_string());
            };
            Ok(Flat {
                variables: system.variables.clone(),
                init: system.init_formula(terms),
                restrict: system.restrict_formula(terms),
                transition: system.transition_formula(terms),
                invariant,
                safe: safe_states(terms, &task.property.kind).ok_or_else(wrong_kind)?,
            })
        }
        Model::Graph(graph) => {
            if invariants.len() != graph.locations.len() {
                return Err("there must be one invariant for every location".to_string());
            }
            let safe = safe_at_locations(task, graph.locations.len()).ok_or_else(wrong_kind)?;
            Ok(flatten_graph(terms, graph, invariants, &safe))
        }
    }
}

/// The graph as a system whose location is a number.
fn flatten_graph(terms: &Terms, graph: &ProgramGraph, invariants: &[Term], safe: &[Term]) -> Flat {
    let place = terms.fresh("certify.location", Sort::Int, SymbolKind::State);
    let number = |l: usize| terms.int(i64::try_from(l).unwrap_or(i64::MAX));
    let here = |l: usize| terms.eq(terms.var(place), number(l));
    let there = |l: usize| terms.eq(terms.next(place), number(l));
    let edges = graph.edges.iter().map(|edge| {
        let step = graph.step_formula(terms, edge);
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
