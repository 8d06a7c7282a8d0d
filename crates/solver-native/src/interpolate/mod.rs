//! Sequence interpolants.
//!
//! [`NativeInterpolator`] decides a sequence of blocks and, if they contradict each other, gives
//! one formula for each cut between them. There are several [`Method`]s; whichever is chosen, the
//! result is checked by its definition, and where a method has no answer (or a wrong one) the next
//! one is asked.
//!
//! | what | where |
//! |---|---|
//! | names of the methods | `method` |
//! | which side of a cut knows a term | `spans` |
//! | reading a refutation, for all cuts | `proof`, on `circuit` and `leaf` |
//! | arithmetic lemmas | `lemma`, `null_space` |

mod circuit;
mod leaf;
mod lemma;
mod method;
mod null_space;
mod proof;
mod spans;

pub use method::{Method, UnknownMethod};

use crate::context::{NativeSolver, Options};
use crate::refutation::Refutation;
use proof::Obstacle;
use sectile_base::Budget;
use sectile_solver::{
    Answer, Broken, Interpolation, Interpolator, Model, Solver, SolverError, Undecided,
    check_sequence,
};
use sectile_terms::{Term, Terms};
use spans::Spans;

/// Choices of an interpolator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The method that is asked first.
    pub method: Method,
    /// Whether results are checked by their definition before they are given.
    pub verify: bool,
    /// Whether results are simplified.
    pub simplify: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            method: Method::default(),
            verify: true,
            simplify: true,
        }
    }
}

/// What an interpolator has done so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InterpolationStatistics {
    /// Sequences that were unsatisfiable.
    pub refuted: u64,
    /// How often each method gave the answer, in the order of [`Method::ALL`].
    pub answered: [u64; Method::ALL.len()],
    /// How often each method was asked and had no answer.
    pub failed: [u64; Method::ALL.len()],
    /// Refutations that mention symbols of both sides of a cut in one literal.
    pub mixed: u64,
    /// Results that did not keep the contract.
    pub broken: u64,
}

/// The embedded interpolator.
pub struct NativeInterpolator<'t> {
    terms: &'t Terms,
    settings: Settings,
    statistics: InterpolationStatistics,
}

/// A sequence that is being interpolated.
struct Query<'q> {
    blocks: &'q [Term],
    refutation: Option<Refutation>,
    budget: &'q Budget,
}

impl<'t> NativeInterpolator<'t> {
    /// An interpolator over a store of terms.
    pub fn new(terms: &'t Terms) -> NativeInterpolator<'t> {
        NativeInterpolator::with_settings(terms, Settings::default())
    }

    /// An interpolator with settings.
    pub fn with_settings(terms: &'t Terms, settings: Settings) -> NativeInterpolator<'t> {
        NativeInterpolator {
            terms,
            settings,
            statistics: InterpolationStatistics::default(),
        }
    }

    /// Chooses the method for the next sequences.
    pub fn set_method(&mut self, method: Method) {
        self.settings.method = method;
    }

    /// What was done so far.
    pub fn statistics(&self) -> &InterpolationStatistics {
        &self.statistics
    }

    /// The methods to ask, in order.
    fn ladder(&self) -> Vec<Method> {
        let mut list = vec![self.settings.method];
        for next in [Method::McMillan] {
            if !list.contains(&next) {
                list.push(next);
            }
        }
        list
    }

    fn attempt(
        &mut self,
        method: Method,
        query: &Query,
    ) -> Result<Result<Vec<Term>, Obstacle>, SolverError> {
        if let Some(reading) = method.reading()
            && let Some(refutation) = &query.refutation
        {
            let blocks = query.blocks;
            let found = proof::interpolate(self.terms, blocks, refutation, reading, query.budget);
            return Ok(found);
        }
        Ok(Err(Obstacle::Malformed))
    }

    fn keeps_contract(
        &self,
        query: &Query,
        list: &[Term],
    ) -> Result<Result<(), Broken>, SolverError> {
        if !self.settings.verify && !cfg!(debug_assertions) {
            return Ok(Ok(()));
        }
        let mut solver = NativeSolver::new(self.terms);
        check_sequence(self.terms, &mut solver, query.blocks, list, query.budget)
    }

    fn refuted(&mut self, query: &Query) -> Result<Interpolation, SolverError> {
        self.statistics.refuted += 1;
        for method in self.ladder() {
            let position = Method::ALL.iter().position(|m| *m == method).unwrap_or(0);
            let list = match self.attempt(method, query)? {
                Ok(list) => list,
                Err(Obstacle::Exhausted(why)) => return Ok(Interpolation::Unknown(why.into())),
                Err(obstacle) => {
                    self.statistics.mixed += u64::from(obstacle == Obstacle::Mixed);
                    self.statistics.failed[position] += 1;
                    continue;
                }
            };
            let list: Vec<Term> = if self.settings.simplify {
                list.into_iter().map(|t| self.terms.simplify(t)).collect()
            } else {
                list
            };
            match self.keeps_contract(query, &list)? {
                Ok(()) => {
                    self.statistics.answered[position] += 1;
                    return Ok(Interpolation::Unsat(list));
                }
                Err(Broken::Unknown(_)) if query.budget.check().is_err() => break,
                Err(_) => {
                    self.statistics.broken += 1;
                    self.statistics.failed[position] += 1;
                }
            }
        }
        Ok(Interpolation::Unknown(match query.budget.check() {
            Err(why) => why.into(),
            Ok(()) => Undecided::Incomplete("no interpolation method found an answer".to_string()),
        }))
    }
}

impl Interpolator for NativeInterpolator<'_> {
    fn sequence(&mut self, blocks: &[Term], budget: &Budget) -> Result<Interpolation, SolverError> {
        let mut solver = NativeSolver::with_options(self.terms, Options { proofs: true });
        for &block in blocks {
            solver.assert_partition(block)?;
        }
        let mut spans = Spans::new(self.terms, blocks);
        solver.keep_cuts_local(|t| {
            let span = spans.term(t);
            (span.first, span.last)
        });
        match solver.check(&[], budget)? {
            Answer::Sat(model) => {
                let variables = self.terms.free_vars_of(blocks);
                let variables: Vec<_> = variables.into_iter().collect();
                let model: Model = model.snapshot(self.terms, &variables);
                return Ok(Interpolation::Sat(model));
            }
            Answer::Unknown(why) => return Ok(Interpolation::Unknown(why)),
            Answer::Unsat(_) => {}
        }
        let query = Query {
            blocks,
            refutation: solver.refutation(),
            budget,
        };
        drop(solver);
        self.refuted(&query)
    }
}
