//! The base case: is there a violation of exactly this many steps?

use sectile_engine::{EngineError, Run, Stop, Unroller};
use sectile_model::Trace;
use sectile_solver::{Answer, Solver};
use sectile_terms::Term;

/// The search for violations, one depth after the other.
pub struct Base<'u> {
    unroller: &'u Unroller<'u>,
    solver: Box<dyn Solver + 'u>,
    bad: Term,
    next: u32,
}

impl<'u> Base<'u> {
    /// Starts at depth 0.
    pub fn new(
        unroller: &'u Unroller<'u>,
        bad: Term,
        run: &Run<'_>,
    ) -> Result<Base<'u>, EngineError> {
        let mut solver = run.backend.solver(unroller.terms())?;
        solver.assert(unroller.start())?;
        Ok(Base {
            unroller,
            solver,
            bad,
            next: 0,
        })
    }

    /// Whether no run is as long as the last depth that was looked at.
    ///
    /// Then there are no longer ones either, and every violation would have been found.
    pub fn runs_have_ended(&mut self, run: &Run<'_>) -> Result<bool, EngineError> {
        Ok(self.solver.check(&[], &run.budget)?.is_unsat())
    }

    /// The largest depth for which there is no violation.
    pub fn refuted(&self) -> Option<u32> {
        self.next.checked_sub(1)
    }

    /// Looks at one depth more: a violation of this many steps, if there is one.
    ///
    /// Paper: [BiCiClZh99]. A refuted depth is asserted, which helps the deeper ones.
    pub fn next_depth(&mut self, run: &mut Run<'_>) -> Result<Option<Trace>, Stop> {
        let depth = self.next;
        if depth > 0 {
            self.solver.assert(self.unroller.step(depth - 1))?;
        }
        let bad = self.unroller.at(self.bad, depth);
        if !run.is_refuted(u64::from(depth)) {
            match self.solver.check(&[bad], &run.budget)? {
                Answer::Sat(model) => return Ok(Some(self.unroller.trace(model, depth)?)),
                Answer::Unknown(why) => return Err(why.into()),
                Answer::Unsat(_) => {}
            }
        }
        self.solver.assert(self.unroller.terms().not(bad))?;
        self.next += 1;
        run.refuted(u64::from(depth));
        Ok(None)
    }
}
