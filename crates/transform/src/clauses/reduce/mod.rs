//! Reductions of clauses: fewer arguments and predicates, before a graph is built.
//!
//! | what is dropped | where |
//! |---|---|
//! | arguments that are constant or equal to others, predicates that are never derived | `constants.rs` |
//! | irrelevant arguments, predicates that no query depends on | `dead.rs` |
//!
//! The clauses keep their variables, so an instance of a reduced clause is an instance of the
//! original one. The [`Reduction`] records how to restore dropped arguments.

mod constants;
mod dead;

use crate::clauses::reduction::{PredicateFate, ReducedClause, Reduction};
use sectile_model::HornClauses;
use sectile_model::horn::{Application, Clause};
use sectile_terms::{Sort, Terms};

/// Applies all reductions that change something, in order.
pub(super) fn reduce(terms: &Terms, clauses: &HornClauses) -> Vec<Reduction> {
    let sorts = clauses.predicates.iter().map(|p| {
        let sorts = p.parameters.iter().map(|&s| terms.symbol_sort(s));
        sorts.collect::<Vec<Sort>>()
    });
    let mut sorts: Vec<Vec<Sort>> = sorts.collect();
    let mut reductions: Vec<Reduction> = Vec::new();
    type Reduce = fn(&Terms, &HornClauses, &[Vec<Sort>]) -> Reduction;
    let ways: [Reduce; 2] = [constants::reduce, dead::reduce];
    for way in ways {
        let before = reductions.last().map_or(clauses, |r| &r.after);
        let reduction = way(terms, before, &sorts);
        if changes(&reduction, before, &sorts) {
            let left = reduction.predicates.iter().zip(&sorts);
            let left =
                left.map(|(standing, all)| standing.kept().iter().map(|&i| all[i]).collect());
            sorts = left.collect();
            reductions.push(reduction);
        }
    }
    reductions
}

fn changes(reduction: &Reduction, before: &HornClauses, sorts: &[Vec<Sort>]) -> bool {
    let arguments = reduction.predicates.iter().zip(sorts);
    let mut fewer = arguments.map(|(standing, all)| standing.kept().len() < all.len());
    reduction.origins.len() < before.clauses.len() || fewer.any(|f| f)
}

/// The clauses in which predicates have only those arguments that are kept.
fn without_arguments(
    before: &HornClauses,
    predicates: Vec<PredicateFate>,
    clauses: Vec<(ReducedClause, Clause)>,
) -> Reduction {
    let kept: Vec<Vec<usize>> = predicates.iter().map(PredicateFate::kept).collect();
    let mut after = HornClauses {
        name: before.name.clone(),
        predicates: before.predicates.clone(),
        clauses: Vec::with_capacity(clauses.len()),
    };
    for (predicate, kept) in after.predicates.iter_mut().zip(&kept) {
        let all = std::mem::take(&mut predicate.parameters);
        predicate.parameters = kept.iter().map(|&i| all[i]).collect();
    }
    let mut origins = Vec::with_capacity(clauses.len());
    for (origin, mut clause) in clauses {
        for application in clause.body.iter_mut().chain(&mut clause.head) {
            let Application {
                predicate,
                arguments,
            } = application;
            *arguments = kept[*predicate].iter().map(|&i| arguments[i]).collect();
        }
        after.clauses.push(clause);
        origins.push(origin);
    }
    Reduction {
        predicates,
        origins,
        after,
    }
}
