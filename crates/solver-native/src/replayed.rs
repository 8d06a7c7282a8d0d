//! The embedded solver with every `unsat` replayed by the kernel before it is answered.
//!
//! Certificates are checked with this solver: a mistake of the search becomes an error, not a wrong
//! verdict.

use crate::{NativeSolver, Options};
use sectile_base::Budget;
use sectile_solver::{Answer, Solver, SolverError};
use sectile_terms::{Term, Terms};

/// A solver whose refutations are checked by `sectile-proof`.
pub struct ReplayedSolver<'t> {
    inner: NativeSolver<'t>,
    terms: &'t Terms,
    /// By partition: the formula, or `true` after its scope was closed.
    told: Vec<Term>,
    /// The partitions of every open scope.
    scopes: Vec<Vec<usize>>,
}

impl<'t> ReplayedSolver<'t> {
    /// A solver over a store of terms.
    pub fn new(terms: &'t Terms) -> ReplayedSolver<'t> {
        ReplayedSolver {
            inner: NativeSolver::with_options(terms, Options { proofs: true }),
            terms,
            told: Vec::new(),
            scopes: Vec::new(),
        }
    }

    fn replay(&self, assumptions: &[Term]) -> Result<(), SolverError> {
        let broken = |what: String| SolverError::Broken(format!("its proof was refused: {what}"));
        let refutation = self.inner.refutation();
        let refutation = refutation.ok_or_else(|| broken("there is none".to_string()))?;
        let replayed = sectile_proof::replay(self.terms, &self.told, assumptions, &refutation);
        replayed.map(drop).map_err(|e| broken(e.to_string()))
    }
}

impl Solver for ReplayedSolver<'_> {
    fn push(&mut self) {
        self.scopes.push(Vec::new());
        self.inner.push();
    }

    fn pop(&mut self) {
        for partition in self.scopes.pop().unwrap_or_default() {
            self.told[partition] = self.terms.tt();
        }
        self.inner.pop();
    }

    fn assert(&mut self, formula: Term) -> Result<(), SolverError> {
        // Partitions are numbered in the order of the assertions.
        let partition = self.inner.assert_partition(formula) as usize;
        debug_assert_eq!(partition, self.told.len());
        self.told.push(formula);
        if let Some(scope) = self.scopes.last_mut() {
            scope.push(partition);
        }
        Ok(())
    }

    fn check<'s>(
        &'s mut self,
        assumptions: &[Term],
        budget: &Budget,
    ) -> Result<Answer<'s>, SolverError> {
        match self.inner.check(assumptions, budget)? {
            Answer::Sat(_) => return Ok(Answer::Sat(&self.inner)),
            Answer::Unknown(why) => return Ok(Answer::Unknown(why)),
            Answer::Unsat(_) => {}
        }
        self.replay(assumptions)?;
        Ok(Answer::Unsat(&self.inner))
    }
}
