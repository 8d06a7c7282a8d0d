//! One unsatisfiable sequence, and the methods to interpolate it.

use super::core::reduced_blocks;
use super::method::{Arithmetic, Labelling};
use super::spans::Spans;
use super::{InterpolationStatistics, Method, Obstacle, beautiful, cubes, proof};
use crate::context::{NativeSolver, Options};
use crate::refutation::Refutation;
use sectile_base::{Budget, Exhausted};
use sectile_solver::{Solver, SolverError};
use sectile_terms::{Term, Terms};

/// Polls of the budget for a refutation with local literals only.
const POLLS_FOR_LOCAL: u64 = 400;

/// Polls of the budget for methods that enumerate, unless they are the last resort.
const POLLS_FOR_ENUMERATION: u64 = 1500;

/// An unsatisfiable sequence.
pub(super) struct Query<'t, 'q> {
    pub terms: &'t Terms,
    pub blocks: &'q [Term],
    pub budget: &'q Budget,
    /// Whether to minimise the blocks, whatever the method.
    pub minimise: bool,
    /// A refutation of the blocks.
    pub refutation: Option<Refutation>,
    /// The readable refutation, with the blocks it refutes.
    pub readable: Option<(Vec<Term>, Refutation)>,
    /// Whether all refutations so far have mixed literals.
    pub unreadable: bool,
    /// The minimised blocks, once requested.
    pub reduced: Option<Vec<Term>>,
}

impl Query<'_, '_> {
    /// Tries one method. With `patience`, its own limits are lifted.
    pub fn attempt(
        &mut self,
        method: Method,
        patience: bool,
        statistics: &mut InterpolationStatistics,
    ) -> Result<Vec<Term>, Obstacle> {
        if let Some(reading) = method.reading() {
            return self.read_refutation(reading, statistics);
        }
        let transformer = matches!(method, Method::StrongestPost | Method::WeakestPre);
        let blocks = if self.minimise || transformer {
            self.reduced()?
        } else {
            self.blocks.to_vec()
        };
        if patience {
            return enumerate(self.terms, method, &blocks, self.budget);
        }
        let limit = self.budget.clone().with_steps(POLLS_FOR_ENUMERATION);
        // Reaching this limit does not exhaust the budget.
        enumerate(self.terms, method, &blocks, &limit).map_err(|obstacle| match obstacle {
            Obstacle::Exhausted(Exhausted::Steps) => Obstacle::TooLarge,
            other => other,
        })
    }

    /// The minimised blocks, as far as possible.
    fn reduced(&mut self) -> Result<Vec<Term>, Obstacle> {
        if let Some(list) = &self.reduced {
            return Ok(list.clone());
        }
        let list = match reduced_blocks(self.terms, self.blocks, self.budget) {
            Err(Obstacle::Failed(error)) => return Err(error.into()),
            reduced => reduced.unwrap_or_else(|_| self.blocks.to_vec()),
        };
        self.reduced = Some(list.clone());
        Ok(list)
    }

    /// Interpolants from the first refutation without mixed literals. Minimisation may make mixed
    /// literals necessary, so the full blocks are tried too.
    fn read_refutation(
        &mut self,
        reading: (Labelling, Arithmetic),
        statistics: &mut InterpolationStatistics,
    ) -> Result<Vec<Term>, Obstacle> {
        if self.unreadable {
            return Err(Obstacle::Mixed);
        }
        if let Some((blocks, refutation)) = &self.readable {
            return self.read(blocks, refutation, reading);
        }
        let mut sources = vec![self.blocks.to_vec()];
        if self.minimise {
            sources.insert(0, self.reduced()?);
        }
        let mut obstacle = Obstacle::Undecided;
        for (blocks, local) in sources.iter().flat_map(|b| [(b, false), (b, true)]) {
            let known = self.refutation.take_if(|_| !local && blocks == self.blocks);
            let refutation = match known {
                Some(refutation) => Some(refutation),
                None => refute(self.terms, blocks, local, self.budget)?,
            };
            let Some(refutation) = refutation else {
                continue;
            };
            let found = self.read(blocks, &refutation, reading);
            if found != Err(Obstacle::Mixed) {
                statistics.unmixed += u64::from(obstacle == Obstacle::Mixed);
                self.readable = Some((blocks.clone(), refutation));
                return found;
            }
            statistics.mixed += u64::from(obstacle != Obstacle::Mixed);
            obstacle = Obstacle::Mixed;
        }
        self.unreadable = true;
        Err(obstacle)
    }

    fn read(
        &self,
        blocks: &[Term],
        refutation: &Refutation,
        reading: (Labelling, Arithmetic),
    ) -> Result<Vec<Term>, Obstacle> {
        proof::interpolate(self.terms, blocks, refutation, reading, self.budget)
    }
}

fn enumerate(
    terms: &Terms,
    method: Method,
    blocks: &[Term],
    budget: &Budget,
) -> Result<Vec<Term>, Obstacle> {
    match method {
        Method::StrongestPost => cubes::strongest_post(terms, blocks, budget),
        Method::WeakestPre => cubes::weakest_pre(terms, blocks, budget),
        Method::Beautiful => beautiful::beautiful(terms, blocks, budget),
        _ => cubes::projection(terms, blocks, budget),
    }
}

/// A refutation of the blocks, if one is found; if `local`, integer cuts use forms of one block
/// only.
pub(super) fn refute(
    terms: &Terms,
    blocks: &[Term],
    local: bool,
    budget: &Budget,
) -> Result<Option<Refutation>, SolverError> {
    let mut solver = NativeSolver::with_options(terms, Options { proofs: true });
    for &block in blocks {
        solver.assert_partition(block);
    }
    let mut limit = budget.clone();
    if local {
        limit = limit.with_steps(POLLS_FOR_LOCAL);
        let mut spans = Spans::new(terms, blocks);
        solver.sat.theory.keep_local(&mut |t| {
            let span = spans.term(t);
            (span.first, span.last)
        });
    }
    if !solver.check(&[], &limit)?.is_unsat() {
        return Ok(None);
    }
    Ok(solver.refutation())
}
