//! A decorator that counts queries and their time.

use crate::backend::{Backend, Unsupported};
use crate::traits::{
    Answer, Eliminator, Interpolation, Interpolator, Projection, Solver, SolverError, Undecided,
};
use sectile_base::Budget;
use sectile_terms::{Stage, Symbol, Term, Terms};
use std::cell::Cell;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// The number of queries and their total time.
#[derive(Debug, Default)]
pub struct QueryCount {
    calls: Cell<u64>,
    time: Cell<Duration>,
}

impl QueryCount {
    /// All queries.
    pub fn calls(&self) -> u64 {
        self.calls.get()
    }

    /// Time spent in queries.
    pub fn time(&self) -> Duration {
        self.time.get()
    }

    /// Runs a query and counts it. Its work on terms is included in its own step count.
    fn count<R>(&self, terms: &Terms, query: impl FnOnce() -> R) -> R {
        let start = Instant::now();
        let result = terms.uncounted(query);
        self.time.set(self.time.get() + start.elapsed());
        self.calls.set(self.calls.get() + 1);
        result
    }
}

/// A backend whose solvers report their queries to one [`QueryCount`].
pub struct CountedBackend<'b> {
    inner: &'b dyn Backend,
    count: Rc<QueryCount>,
}

impl<'b> CountedBackend<'b> {
    /// Counts the queries to the solvers of `inner`.
    pub fn new(inner: &'b dyn Backend) -> CountedBackend<'b> {
        let count = Rc::default();
        CountedBackend { inner, count }
    }

    /// The counts so far.
    pub fn count(&self) -> &QueryCount {
        &self.count
    }

    fn counted<'t, T>(&self, terms: &'t Terms, inner: T) -> Counted<'t, T> {
        let count = Rc::clone(&self.count);
        Counted {
            inner,
            terms,
            count,
        }
    }
}

impl Backend for CountedBackend<'_> {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn solver<'t>(&self, terms: &'t Terms) -> Result<Box<dyn Solver + 't>, Unsupported> {
        Ok(Box::new(self.counted(terms, self.inner.solver(terms)?)))
    }

    fn certifying_solver<'t>(&self, terms: &'t Terms) -> Result<Box<dyn Solver + 't>, Unsupported> {
        Ok(Box::new(
            self.counted(terms, self.inner.certifying_solver(terms)?),
        ))
    }

    fn interpolator_by<'t>(
        &self,
        terms: &'t Terms,
        method: Option<&str>,
    ) -> Result<Box<dyn Interpolator + 't>, Unsupported> {
        let inner = self.inner.interpolator_by(terms, method)?;
        Ok(Box::new(self.counted(terms, inner)))
    }

    fn eliminator<'t>(&self, terms: &'t Terms) -> Result<Box<dyn Eliminator + 't>, Unsupported> {
        Ok(Box::new(self.counted(terms, self.inner.eliminator(terms)?)))
    }
}

/// Something whose queries are counted.
struct Counted<'t, T> {
    inner: T,
    terms: &'t Terms,
    count: Rc<QueryCount>,
}

impl Solver for Counted<'_, Box<dyn Solver + '_>> {
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
        let Counted { terms, count, .. } = self;
        count.count(terms, || self.inner.check(assumptions, budget))
    }
}

impl Interpolator for Counted<'_, Box<dyn Interpolator + '_>> {
    fn sequence(&mut self, blocks: &[Term], budget: &Budget) -> Result<Interpolation, SolverError> {
        let Counted { terms, count, .. } = self;
        count.count(terms, || self.inner.sequence(blocks, budget))
    }
}

impl Eliminator for Counted<'_, Box<dyn Eliminator + '_>> {
    fn project(
        &mut self,
        formula: Term,
        variables: &[(Symbol, Stage)],
        budget: &Budget,
    ) -> Result<Result<Projection, Undecided>, SolverError> {
        let query = || self.inner.project(formula, variables, budget);
        self.count.count(self.terms, query)
    }
}
