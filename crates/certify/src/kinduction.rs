//! Checks K-inductive invariants. The unrolling is independent of the engines' one.

use crate::Obligation;
use crate::checker::{Checked, Checker, Stop};
use crate::invariant::well_formed;
use sectile_model::{Invariants, Task};
use sectile_terms::{Sort, Stage, Symbol, SymbolKind, Term, Terms};

/// Maximum number of unrolled steps: a certificate must not keep the checker busy for ever.
const MOST_STEPS: u32 = 1000;

/// Paper: [ShSiSt00]. Base cases 0 to `depth - 1`, the step case, and the implication.
///
/// The model is treated as a system: if there are several locations, the location is a number.
pub fn check(task: &Task<'_>, claim: &Invariants, checker: &mut Checker<'_>) -> Checked {
    let (terms, model) = (task.terms, task.model);
    if claim.depth == 0 || claim.depth > MOST_STEPS {
        let because = "the depth of induction must be between 1 and 1000";
        return Err(Stop::shape(because));
    }
    let safe = well_formed(task, &claim.at)?;
    let Some(all) = claim.at_all() else {
        let because = "induction over several steps needs an invariant for every location";
        return Err(Stop::shape(because));
    };
    if !terms.bound_symbols(&all).is_empty() {
        let because = "induction over several steps does not take bound symbols";
        return Err(Stop::shape(because));
    }
    let place = terms.fresh("certify.location", Sort::Int, SymbolKind::State);
    let is_at = |variable: Term, l: usize| match model.is_system() {
        true => terms.tt(),
        false => terms.eq(variable, terms.int(i64::try_from(l).unwrap_or(i64::MAX))),
    };
    let here = |l: usize| is_at(terms.var(place), l);
    let everywhere = |list: &[Term]| {
        let parts = list.iter().enumerate();
        terms.and(parts.map(|(l, &t)| terms.implies(here(l), t)))
    };
    let steps = model.edges.iter().map(|edge| {
        let step = model.step_formula(terms, &edge.command);
        let there = is_at(terms.next(place), edge.to.0);
        terms.and([here(edge.from.0), step, there])
    });
    let transition = terms.or(steps);
    let init = terms.and([here(model.entry.0), model.init_formula(terms)]);
    let restrict = model.restrict_formula(terms);
    let invariant = everywhere(&all);

    let at = |t: Term, k: u32| terms.at_step(t, k);
    let mut premises = vec![at(init, 0)];
    for k in 0..claim.depth {
        let here = at(invariant, k);
        checker.implies(Obligation::Base(k), &premises, here)?;
        premises.extend([here, at(transition, k)]);
    }
    let mut premises = vec![at(restrict, 0)];
    for k in 0..claim.depth {
        premises.extend([at(invariant, k), at(transition, k)]);
    }
    let mut differing = Vec::new();
    if claim.simple_paths {
        let own = (!model.is_system()).then_some(place);
        let variables: Vec<Symbol> = own.into_iter().chain(model.variables.clone()).collect();
        differing = all_different(terms, &variables, claim.depth);
    }
    let after = at(invariant, claim.depth);
    checker.implies_lazily(Obligation::InductionStep, &premises, &differing, after)?;
    let premises = [invariant, restrict];
    checker.implies(Obligation::Property(None), &premises, everywhere(&safe))
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
