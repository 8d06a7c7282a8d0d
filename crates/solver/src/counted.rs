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

    /// Runs a query and counts it.
    fn count<R>(&self, query: impl FnOnce() -> R, kind: impl FnOnce(&R) -> Kind) -> R {
        let start = Instant::now();
        let result = query();
        self.time.set(self.time.get() + start.elapsed());
        let counter = match kind(&result) {
            Kind::Sat => &self.sat,
            Kind::Unsat => &self.unsat,
            Kind::Unknown => &self.unknown,
        };
        counter.set(counter.get() + 1);
        result
    }
}

enum Kind {
    Sat,
    Unsat,
    Unknown,
}

/// A backend whose solvers report their queries to one [`QueryCount`].
pub struct CountedBackend<'b> {
    inner: &'b dyn Backend,
    count: Rc<QueryCount>,
}

impl<'b> CountedBackend<'b> {
    /// Counts what the solvers of `inner` are asked.
    pub fn new(inner: &'b dyn Backend) -> CountedBackend<'b> {
        CountedBackend {
            inner,
            count: Rc::default(),
        }
    }

    /// What was counted so far.
    pub fn count(&self) -> &QueryCount {
        &self.count
    }

    fn counted<T>(&self, inner: T) -> Counted<T> {
        Counted {
            inner,
            count: Rc::clone(&self.count),
        }
    }
}

impl Backend for CountedBackend<'_> {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn solver<'t>(&self, terms: &'t Terms) -> Result<Box<dyn Solver + 't>, Unsupported> {
        Ok(Box::new(self.counted(self.inner.solver(terms)?)))
    }

    fn certifying_solver<'t>(&self, terms: &'t Terms) -> Result<Box<dyn Solver + 't>, Unsupported> {
        Ok(Box::new(self.counted(self.inner.certifying_solver(terms)?)))
    }

    fn interpolator<'t>(
        &self,
        terms: &'t Terms,
    ) -> Result<Box<dyn Interpolator + 't>, Unsupported> {
        Ok(Box::new(self.counted(self.inner.interpolator(terms)?)))
    }

    fn interpolator_by<'t>(
        &self,
        terms: &'t Terms,
        method: &str,
    ) -> Result<Box<dyn Interpolator + 't>, Unsupported> {
        let inner = self.inner.interpolator_by(terms, method)?;
        Ok(Box::new(self.counted(inner)))
    }

    fn eliminator<'t>(&self, terms: &'t Terms) -> Result<Box<dyn Eliminator + 't>, Unsupported> {
        Ok(Box::new(self.counted(self.inner.eliminator(terms)?)))
    }
}

/// Something whose queries are counted.
struct Counted<T> {
    inner: T,
    count: Rc<QueryCount>,
}

impl Solver for Counted<Box<dyn Solver + '_>> {
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
        let inner = &mut self.inner;
        let kind = |answer: &Result<Answer<'_>, SolverError>| match answer {
            Ok(Answer::Sat(_)) => Kind::Sat,
            Ok(Answer::Unsat(_)) => Kind::Unsat,
            Ok(Answer::Unknown(_)) | Err(_) => Kind::Unknown,
        };
        self.count.count(|| inner.check(assumptions, budget), kind)
    }
}

impl Interpolator for Counted<Box<dyn Interpolator + '_>> {
    fn sequence(&mut self, blocks: &[Term], budget: &Budget) -> Result<Interpolation, SolverError> {
        let inner = &mut self.inner;
        let kind = |answer: &Result<Interpolation, SolverError>| match answer {
            Ok(Interpolation::Sat(_)) => Kind::Sat,
            Ok(Interpolation::Unsat(_)) => Kind::Unsat,
            Ok(Interpolation::Unknown(_)) | Err(_) => Kind::Unknown,
        };
        self.count.count(|| inner.sequence(blocks, budget), kind)
    }
}

impl Eliminator for Counted<Box<dyn Eliminator + '_>> {
    fn project(
        &mut self,
        formula: Term,
        variables: &[(Symbol, Stage)],
        budget: &Budget,
    ) -> Result<Result<Projection, Undecided>, SolverError> {
        let inner = &mut self.inner;
        let kind = |answer: &Result<Result<Projection, Undecided>, SolverError>| match answer {
            Ok(Ok(_)) => Kind::Sat,
            _ => Kind::Unknown,
        };
        let query = || inner.project(formula, variables, budget);
        self.count.count(query, kind)
    }
}
