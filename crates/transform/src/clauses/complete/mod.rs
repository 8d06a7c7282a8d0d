//! Meanings of all predicates, from proofs that omit some of them.
//!
//! | what is missing | where |
//! |---|---|
//! | invariants between cut points, induction over several steps | `between.rs`, `forward.rs` |
//! | consequences of conditions over arrays | `arrays.rs` |
//! | unfolded predicates | `unfolded.rs` |
//! | inlined predicates | `levels.rs` |

mod arrays;
mod between;
mod forward;
mod levels;
mod unfolded;

pub use arrays::Detail;

use sectile_base::Budget;
use sectile_base::digraph::Digraph;
use sectile_model::horn::Interpretation;
use sectile_model::{ClauseView, HornClauses, Invariants, Model};
use sectile_solver::{Backend, Interpolation};
use sectile_terms::{Term, Terms};

/// Completes a proof about Horn clauses to an interpretation of all predicates.
pub struct Filling<'f> {
    /// The store.
    pub terms: &'f Terms,
    /// The model that the proof is about.
    pub model: &'f Model,
    /// Its clauses.
    pub view: &'f ClauseView,
    /// Makes solvers.
    pub backend: &'f dyn Backend,
    /// The precision of facts about arrays.
    pub detail: Detail,
}

impl Filling<'_> {
    /// The interpretation, and whether it must be a model of the clauses if the proof is correct.
    /// `half` limits attempts that have an alternative.
    pub fn interpretation(
        &self,
        proof: &Invariants,
        half: &Budget,
        budget: &Budget,
    ) -> Result<(Interpretation, bool), String> {
        let (terms, backend) = (self.terms, self.backend);
        if proof.is_inductive() && proof.at_all().is_none() {
            let meanings = self.view.meanings(terms, &proof.at);
            let origin = super::reduced(terms, self.model, self.view.clone());
            let fill = |clauses: &HornClauses, meanings: &[Option<Term>]| {
                self.filled(clauses, meanings, half, budget)
            };
            let found = levels::meanings(terms, &origin, &meanings, &fill);
            if found.is_ok() {
                return found;
            }
        }
        if self.model.is_linear() {
            let complete = between::invariants(terms, self.model, proof, backend, budget)?;
            let all: Vec<Option<Term>> = complete.invariants.into_iter().map(Some).collect();
            let meanings = self.view.meanings(terms, &all);
            return Ok((meanings.into_iter().flatten().collect(), complete.exact));
        }
        if !proof.is_inductive() {
            return Err("induction over several steps has no model".to_string());
        }
        let meanings = self.view.meanings(terms, &proof.at);
        self.filled(&self.view.clauses, &meanings, half, budget)
    }

    /// Meanings of all predicates of some clauses, where some are known.
    fn filled(
        &self,
        clauses: &HornClauses,
        meanings: &[Option<Term>],
        half: &Budget,
        budget: &Budget,
    ) -> Result<(Interpretation, bool), String> {
        let (terms, backend) = (self.terms, self.backend);
        let gone = in_order(clauses, meanings);
        let known = meanings.iter().map(|m| m.unwrap_or(terms.ff()));
        let mut known: Vec<Term> = known.collect();
        let mut interpretation = known.clone();
        if unfolded::meanings(terms, clauses, &gone, &mut known, backend, half).is_ok() {
            return Ok((known, true));
        }
        let mut exact = true;
        for p in gone {
            let known = &interpretation;
            let strongest =
                between::strongest(terms, clauses, p, known, backend, self.detail, budget)?;
            interpretation[p] = strongest.formula;
            exact &= strongest.exact;
        }
        Ok((interpretation, exact))
    }
}

/// The predicates without a meaning, ordered so that each depends only on earlier ones.
fn in_order(clauses: &HornClauses, meanings: &[Option<Term>]) -> Vec<usize> {
    let mut uses = Digraph::new(meanings.len());
    for clause in &clauses.clauses {
        let Some(head) = &clause.head else { continue };
        for used in &clause.body {
            if meanings[used.predicate].is_none() && meanings[head.predicate].is_none() {
                uses.add_edge(used.predicate, head.predicate);
            }
        }
    }
    let order = uses.topological_order().unwrap_or_default();
    let missing = order.into_iter().filter(|&p| meanings[p].is_none());
    missing.collect()
}

/// An interpolant of two formulas; none if they are satisfiable together.
fn separated(
    terms: &Terms,
    backend: &dyn Backend,
    both: [Term; 2],
    budget: &Budget,
) -> Result<Option<Term>, String> {
    let interpolator = backend.interpolator(terms);
    let mut interpolator = interpolator.map_err(|e| e.to_string())?;
    let found = interpolator.sequence(&both, budget);
    match found.map_err(|e| e.to_string())? {
        Interpolation::Unsat(list) => Ok(list.first().copied()),
        Interpolation::Sat(_) => Ok(None),
        Interpolation::Unknown(why) => Err(format!("interpolation: {why:?}")),
    }
}
