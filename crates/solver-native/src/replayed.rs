//! The embedded solver with every `unsat` replayed by the kernel before it is answered.
//!
//! This is what certificates are checked with: a mistake of the search shows as an error, not as
//! a wrong verdict.

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
    scopes: Vec<Vec<u32>>,
}

/// What a check gave, without its borrow.
enum Kind {
    Sat,
    Unsat,
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
        let refutation = self
            .inner
            .refutation()
            .ok_or_else(|| broken("there is none".to_string()))?;
        sectile_proof::replay(self.terms, &self.told, assumptions, &refutation)
            .map(|_| ())
            .map_err(|e| broken(e.to_string()))
    }
}

impl Solver for ReplayedSolver<'_> {
    fn push(&mut self) {
        self.scopes.push(Vec::new());
        self.inner.push();
    }

    fn pop(&mut self) {
        for partition in self.scopes.pop().unwrap_or_default() {
            self.told[partition as usize] = self.terms.tt();
        }
        self.inner.pop();
    }

    fn assert(&mut self, formula: Term) -> Result<(), SolverError> {
        let partition = self.inner.assert_partition(formula);
        let place = partition as usize;
        if self.told.len() <= place {
            self.told.resize(place + 1, self.terms.tt());
        }
        self.told[place] = formula;
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
        let kind = match self.inner.check(assumptions, budget)? {
            Answer::Sat(_) => Kind::Sat,
            Answer::Unsat(_) => Kind::Unsat,
            Answer::Unknown(why) => return Ok(Answer::Unknown(why)),
        };
        Ok(match kind {
            Kind::Sat => Answer::Sat(&self.inner),
            Kind::Unsat => {
                self.replay(assumptions)?;
                Answer::Unsat(&self.inner)
            }
        })
    }
}
