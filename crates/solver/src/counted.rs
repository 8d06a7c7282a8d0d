//! A decorator that counts queries and their time.

use crate::traits::{Answer, Solver, SolverError};
use sectile_base::Budget;
use sectile_terms::Term;
use std::cell::Cell;
use std::time::{Duration, Instant};

/// How many queries were answered how, and how long they took.
#[derive(Debug, Default)]
pub struct QueryCount {
    sat: Cell<u64>,
    unsat: Cell<u64>,
    unknown: Cell<u64>,
    time: Cell<Duration>,
}

impl QueryCount {
    /// All queries.
    pub fn calls(&self) -> u64 {
        self.sat.get() + self.unsat.get() + self.unknown.get()
    }

    /// Queries with a model.
    pub fn sat(&self) -> u64 {
        self.sat.get()
    }

    /// Queries without one.
    pub fn unsat(&self) -> u64 {
        self.unsat.get()
    }

    /// Time spent in queries.
    pub fn time(&self) -> Duration {
        self.time.get()
    }
}

/// A solver that reports its queries to a [`QueryCount`].
pub struct Counted<'c, S> {
    inner: S,
    count: &'c QueryCount,
}

impl<'c, S: Solver> Counted<'c, S> {
    /// Counts what `inner` is asked.
    pub fn new(inner: S, count: &'c QueryCount) -> Counted<'c, S> {
        Counted { inner, count }
    }
}

impl Solver for Box<dyn Solver + '_> {
    fn push(&mut self) {
        self.as_mut().push();
    }

    fn pop(&mut self) {
        self.as_mut().pop();
    }

    fn assert(&mut self, formula: Term) -> Result<(), SolverError> {
        self.as_mut().assert(formula)
    }

    fn check<'s>(
        &'s mut self,
        assumptions: &[Term],
        budget: &Budget,
    ) -> Result<Answer<'s>, SolverError> {
        self.as_mut().check(assumptions, budget)
    }
}

impl<S: Solver> Solver for Counted<'_, S> {
    fn push(&mut self) {
        self.inner.push();
    }

    fn pop(&mut self) {
        self.inner.pop();
    }

    fn assert(&mut self, formula: Term) -> Result<(), SolverError> {
        self.inner.assert(formula)
    }

    fn check<'s>(
        &'s mut self,
        assumptions: &[Term],
        budget: &Budget,
    ) -> Result<Answer<'s>, SolverError> {
        let start = Instant::now();
        let answer = self.inner.check(assumptions, budget)?;
        self.count.time.set(self.count.time.get() + start.elapsed());
        let counter = match &answer {
            Answer::Sat(_) => &self.count.sat,
            Answer::Unsat(_) => &self.count.unsat,
            Answer::Unknown(_) => &self.count.unknown,
        };
        counter.set(counter.get() + 1);
        Ok(answer)
    }
}
