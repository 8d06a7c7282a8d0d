//! What is known about the cells of arrays before an engine begins.

use sectile_base::Budget;
use sectile_engine::{EngineError, Guess, InductiveSteps, Proof, inductive_part};
use sectile_model::{Certificate, LocationId, Model, PropertyKind, Task};
use sectile_solver::Solver;
use sectile_terms::{Term, Terms};
use std::time::Duration;

/// Finding out what is needed is worth no more time than this.
const LONGEST: Duration = Duration::from_millis(1200);

/// Formulas that hold at each location, inductive together.
#[derive(Clone, Default)]
pub(crate) struct Facts {
    list: Vec<Vec<Term>>,
    /// What proves the property together with them, if no engine is needed for that.
    pub proof: Option<Certificate>,
}

impl Facts {
    /// The guesses that hold, as far as the budget goes; none if it does not suffice.
    pub(crate) fn among(
        guesses: &[Term],
        terms: &Terms,
        model: &Model,
        solver: &mut dyn Solver,
        budget: &Budget,
    ) -> Result<Facts, EngineError> {
        // Nothing need be known where nothing follows.
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

    /// Those that are needed, if they prove the property already; otherwise all.
    ///
    /// Checking a proof about arrays takes longer than one about cells: less of it is better.
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

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.list.iter().map(Vec::len).sum()
    }

    /// The model in which steps begin where the facts hold.
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
