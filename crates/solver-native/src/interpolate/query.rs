//! One sequence that has no model, and the ways to interpolate it.

use super::core::reduced_blocks;
use super::cubes::{Attempt, attempt};
use super::method::{Arithmetic, Labelling};
use super::spans::Spans;
use super::{InterpolationStatistics, Method, Obstacle, beautiful, cubes, proof};
use crate::context::{NativeSolver, Options};
use crate::refutation::Refutation;
use sectile_base::Budget;
use sectile_solver::{Solver, SolverError};
use sectile_terms::{Term, Terms};

/// Polls of the budget for a refutation that keeps to local literals.
const POLLS_FOR_LOCAL: u64 = 400;

/// An unsatisfiable sequence.
pub(super) struct Query<'t, 'q> {
    terms: &'t Terms,
    pub blocks: &'q [Term],
    pub budget: &'q Budget,
    /// Whether to leave out what is not needed, whatever the method.
    minimise: bool,
    /// A refutation of what refutations are read of: the reduced blocks, if so wanted.
    refutation: Option<Refutation>,
    /// The blocks without the conjuncts that are not needed, once they are asked for.
    reduced: Option<Vec<Term>>,
}

impl<'t, 'q> Query<'t, 'q> {
    pub fn new(
        terms: &'t Terms,
        blocks: &'q [Term],
        refutation: Option<Refutation>,
        minimise: bool,
        budget: &'q Budget,
    ) -> Query<'t, 'q> {
        Query {
            terms,
            blocks,
            budget,
            minimise,
            refutation,
            reduced: None,
        }
    }

    /// Asks one method.
    pub fn attempt(
        &mut self,
        method: Method,
        statistics: &mut InterpolationStatistics,
    ) -> Attempt<Vec<Term>> {
        let (terms, budget) = (self.terms, self.budget);
        let transformer = matches!(method, Method::StrongestPost | Method::WeakestPre);
        let blocks = if self.minimise || transformer {
            attempt!(self.reduced())
        } else {
            self.blocks.to_vec()
        };
        if let Some(reading) = method.reading() {
            return self.read_refutation(&blocks, reading, statistics);
        }
        match method {
            Method::StrongestPost => cubes::strongest_post(terms, &blocks, budget),
            Method::WeakestPre => cubes::weakest_pre(terms, &blocks, budget),
            Method::Beautiful => beautiful::beautiful(terms, &blocks, budget),
            _ => cubes::projection(terms, &blocks, budget),
        }
    }

    fn reduced(&mut self) -> Attempt<Vec<Term>> {
        if let Some(list) = &self.reduced {
            return Ok(Ok(list.clone()));
        }
        let list = attempt!(reduced_blocks(self.terms, self.blocks, self.budget));
        self.reduced = Some(list.clone());
        Ok(Ok(list))
    }

    fn read_refutation(
        &mut self,
        blocks: &[Term],
        reading: (Labelling, Arithmetic),
        statistics: &mut InterpolationStatistics,
    ) -> Attempt<Vec<Term>> {
        if self.refutation.is_none() {
            self.refutation = refute(self.terms, blocks, false, self.budget)?;
        }
        let Some(refutation) = &self.refutation else {
            return Ok(Err(Obstacle::Undecided));
        };
        let found = proof::interpolate(self.terms, blocks, refutation, reading, self.budget);
        if found != Err(Obstacle::Mixed) {
            return Ok(found);
        }
        statistics.mixed += 1;
        let limit = self.budget.clone().with_steps(POLLS_FOR_LOCAL);
        let Some(local) = refute(self.terms, blocks, true, &limit)? else {
            return Ok(found);
        };
        statistics.unmixed += 1;
        let found = proof::interpolate(self.terms, blocks, &local, reading, self.budget);
        self.refutation = Some(local);
        Ok(found)
    }
}

/// A refutation of the blocks, if one is found.
fn refute(
    terms: &Terms,
    blocks: &[Term],
    local: bool,
    budget: &Budget,
) -> Result<Option<Refutation>, SolverError> {
    let mut solver = NativeSolver::with_options(terms, Options { proofs: true });
    for &block in blocks {
        solver.assert_partition(block)?;
    }
    if local {
        let mut spans = Spans::new(terms, blocks);
        solver.keep_cuts_local(|t| {
            let span = spans.term(t);
            (span.first, span.last)
        });
    }
    if !solver.check(&[], budget)?.is_unsat() {
        return Ok(None);
    }
    Ok(solver.refutation())
}
