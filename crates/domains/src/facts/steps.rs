//! The steps of a program, each with a solver of its own.

use sectile_base::Budget;
use sectile_engine::{EngineError, PathFormulas, Run};
use sectile_solver::{Answer, Solver};
use sectile_terms::{Term, Terms};

/// The steps along the edges, and the start as a last step into the entry without a source.
pub(super) struct Steps<'g> {
    pub formulas: &'g PathFormulas<'g>,
    pub terms: &'g Terms,
    pub solvers: Vec<Box<dyn Solver + 'g>>,
}

impl<'g> Steps<'g> {
    pub fn new(formulas: &'g PathFormulas<'g>, run: &Run<'_>) -> Result<Steps<'g>, EngineError> {
        let terms = formulas.terms();
        let mut steps = Steps {
            formulas,
            terms,
            solvers: Vec::new(),
        };
        for edge in 0..=formulas.graph().edges.len() {
            let mut solver = run.backend.solver(terms)?;
            solver.assert(steps.formula(edge))?;
            steps.solvers.push(solver);
        }
        Ok(steps)
    }

    /// The formula of a step.
    pub fn formula(&self, edge: usize) -> Term {
        match self.source(edge) {
            Some(_) => self.formulas.step(edge),
            None => self.formulas.init(),
        }
    }

    /// The location before a step.
    pub fn source(&self, edge: usize) -> Option<usize> {
        let edge = self.formulas.graph().edges.get(edge);
        edge.map(|e| e.from.0)
    }

    /// The location behind a step.
    pub fn target(&self, edge: usize) -> usize {
        let graph = self.formulas.graph();
        graph.edges.get(edge).map_or(graph.entry, |e| e.to).0
    }

    /// A formula about the state after a step.
    pub fn behind(&self, edge: usize, t: Term) -> Term {
        match self.source(edge) {
            Some(_) => self.terms.prime(t),
            None => t,
        }
    }

    /// A step from a known state to an unknown one; the start has no state before it.
    pub fn outside(
        &mut self,
        edge: usize,
        before: Option<Term>,
        after: Term,
        budget: &Budget,
    ) -> Result<Answer<'_>, EngineError> {
        let leaves = self.terms.not(self.behind(edge, after));
        let assumptions: Vec<Term> = before.into_iter().chain([leaves]).collect();
        Ok(self.solvers[edge].check(&assumptions, budget)?)
    }
}
