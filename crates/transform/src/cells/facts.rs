//! Facts about cells, proved before an engine starts.

use sectile_base::Budget;
use sectile_engine::{EngineError, Guess, InductiveSteps, Proof, inductive_part};
use sectile_model::{Certificate, LocationId, Model, PropertyKind, Task};
use sectile_solver::Solver;
use sectile_terms::{Term, Terms};
use std::time::Duration;

/// The maximum time for finding out which facts are needed.
const LONGEST: Duration = Duration::from_millis(1200);

/// Formulas at each location that are inductive together.
#[derive(Clone, Default)]
pub(crate) struct Facts {
    list: Vec<Vec<Term>>,
    /// A proof of the property by these facts alone, if there is one.
    pub proof: Option<Certificate>,
}

impl Facts {
    /// The inductive candidates, within the budget; none if it does not suffice.
    pub(crate) fn among(
        guesses: &[Term],
        terms: &Terms,
        model: &Model,
        solver: &mut dyn Solver,
        budget: &Budget,
    ) -> Result<Facts, EngineError> {
        // No facts are needed at locations without outgoing edges.
        let is_left = |l: usize| model.edges_from(LocationId(l)).next().is_some();
        let all = |l: usize| {
            let guesses = guesses.iter().filter(|_| is_left(l));
            guesses.map(|&g| Guess::alone(g)).collect()
        };
        let steps = steps(terms, model).into_iter();
        let steps = InductiveSteps {
            entry: model.entry.0,
            init: model.init_formula(terms),
            list: steps.map(|(from, to, t)| (from, to, vec![t])).collect(),
            before: &|t| t,
            after: &|t| terms.prime(t),
        };
        let all = (0..model.locations.len()).map(all).collect();
        let found = inductive_part(terms, &steps, all, solver, budget)?;
        Ok(Facts {
            list: found.unwrap_or_default(),
            proof: None,
        })
    }

    /// The facts that are needed, if they already prove the property; otherwise all.
    ///
    /// Checking a proof about arrays takes longer than one about cells, so smaller proofs are
    /// better.
    pub(crate) fn needed(
        self,
        task: &Task<'_>,
        solver: &mut dyn Solver,
        budget: &Budget,
    ) -> Result<Facts, EngineError> {
        let PropertyKind::Unreachable(errors) = &task.property.kind else {
            return Ok(self);
        };
        let terms = task.terms;
        let mut conditions = self.list.clone();
        let mut bad = vec![terms.ff(); task.model.locations.len()];
        conditions.resize(bad.len(), Vec::new());
        for error in errors {
            conditions[error.0] = vec![terms.ff()];
            bad[error.0] = terms.tt();
        }
        let proof = Proof {
            terms,
            conditions,
            bad: bad.clone(),
            steps: steps(terms, task.model),
        };
        let Some(mut needed) = proof.needed_within(LONGEST, solver, budget)? else {
            return Ok(self);
        };
        errors.iter().for_each(|e| needed[e.0].clear());
        let goal = bad.iter().map(|&b| terms.not(b)).collect();
        Ok(Facts {
            list: needed,
            proof: Some(Certificate::invariants(goal)),
        })
    }

    /// Their number.
    pub(crate) fn len(&self) -> usize {
        self.list.iter().map(Vec::len).sum()
    }

    /// The model with the facts as conditions on the states before steps.
    pub(crate) fn added_to(&self, model: &Model) -> Model {
        let known = |l: usize| self.list.get(l).cloned().unwrap_or_default();
        let mut model = model.clone();
        for edge in &mut model.edges {
            edge.command.guards.extend(known(edge.from.0));
        }
        model
    }

    /// An invariant at a location together with the facts there, on which it may rely.
    pub(crate) fn with(&self, terms: &Terms, location: usize, invariant: Term) -> Term {
        let known = self.list.get(location).into_iter().flatten().copied();
        terms.and([invariant].into_iter().chain(known))
    }
}

/// The steps of a model between its locations.
fn steps(terms: &Terms, model: &Model) -> Vec<(usize, usize, Term)> {
    let steps = model.edges.iter();
    let steps = steps.map(|e| (e.from.0, e.to.0, model.step_formula(terms, &e.command)));
    steps.collect()
}
