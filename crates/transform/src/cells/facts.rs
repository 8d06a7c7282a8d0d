//! What is known about the cells of arrays before an engine begins.
//!
//! Guesses that do not hold at the start are dropped, then those that a step falsifies although
//! all hold before it, until nothing is dropped any more: what is left is inductive.

use sectile_base::Budget;
use sectile_engine::{EngineError, Guess, Proof, Settled, drop_falsified};
use sectile_model::{Certificate, Model, PropertyKind, Task};
use sectile_solver::Solver;
use sectile_terms::{Term, Terms};
use std::collections::BTreeSet;
use std::time::Duration;

/// Finding out what is needed is worth no more time than this.
const LONGEST: Duration = Duration::from_secs(3);

/// A model as steps between locations; a system has one.
struct Shape {
    locations: usize,
    entry: usize,
    init: Term,
    steps: Vec<(usize, usize, Term)>,
}

/// Formulas that hold at each location, inductive together.
#[derive(Clone, Default)]
pub(crate) struct Facts {
    list: Vec<Vec<Term>>,
    /// The property, as far as they prove it.
    proof: Option<Certificate>,
}

impl Shape {
    fn of(terms: &Terms, model: &Model) -> Shape {
        let steps = model.edges.iter();
        let steps = steps.map(|e| (e.from.0, e.to.0, model.step_formula(terms, &e.command)));
        Shape {
            locations: model.locations.len(),
            entry: model.entry.0,
            init: model.init_formula(terms),
            steps: steps.collect(),
        }
    }

    /// Whether something follows a location: nothing need be known where that is not so.
    fn is_left(&self, location: usize) -> bool {
        self.steps.iter().any(|s| s.0 == location)
    }
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
        let shape = Shape::of(terms, model);
        let all = |l: usize| match shape.is_left(l) {
            true => guesses.to_vec(),
            false => Vec::new(),
        };
        let mut facts = Facts {
            list: (0..shape.locations).map(all).collect(),
            proof: None,
        };
        if guesses.is_empty() {
            return Ok(facts);
        }
        let start = &mut facts.list[shape.entry];
        if !weaken(terms, start, &[shape.init], &|t| t, solver, budget)? {
            return Ok(Facts::default());
        }
        let mut waiting: BTreeSet<usize> = (0..shape.steps.len()).collect();
        while let Some(next) = waiting.pop_first() {
            let (from, to, step) = shape.steps[next];
            let mut premises = facts.list[from].clone();
            premises.push(step);
            let mut after = std::mem::take(&mut facts.list[to]);
            let before = after.len();
            let settled = weaken(
                terms,
                &mut after,
                &premises,
                &|t| terms.prime(t),
                solver,
                budget,
            )?;
            if !settled {
                return Ok(Facts::default());
            }
            if after.len() < before {
                let behind = shape.steps.iter().enumerate();
                waiting.extend(behind.filter(|s| s.1.0 == to).map(|s| s.0));
            }
            facts.list[to] = after;
        }
        Ok(facts)
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
        let steps = Shape::of(terms, task.model).steps;
        let proof = Proof {
            terms,
            conditions,
            bad: bad.clone(),
            steps,
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

    /// What proves the property together with the facts, if no engine is needed for that.
    pub(crate) fn proof(&self) -> Option<&Certificate> {
        self.proof.as_ref()
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

/// Drops the guesses that can be false where the premises hold; whether that was settled.
fn weaken(
    terms: &Terms,
    alive: &mut Vec<Term>,
    premises: &[Term],
    at: &dyn Fn(Term) -> Term,
    solver: &mut dyn Solver,
    budget: &Budget,
) -> Result<bool, EngineError> {
    solver.push();
    for &premise in premises {
        solver.assert(premise)?;
    }
    let mut guesses: Vec<Guess> = alive.drain(..).map(Guess::alone).collect();
    let settled = drop_falsified(terms, &mut guesses, at, solver, budget);
    solver.pop();
    alive.extend(guesses.into_iter().map(|g| g.claim));
    Ok(settled? != Settled::No)
}
