//! Sequence interpolants.
//!
//! [`NativeInterpolator`] decides a sequence of blocks and, if they contradict each other, gives
//! one formula for each cut between them. There are several [`Method`]s; the result of each is
//! checked against its definition, and if a method fails the next one is tried: the chosen one, a
//! refutation with McMillan's labelling, separation of samples, weakest preconditions, projection
//! of cubes.
//!
//! ```
//! use sectile_base::{Budget, Int};
//! use sectile_solver::{Interpolation, Interpolator};
//! use sectile_solver_native::interpolate::NativeInterpolator;
//! use sectile_terms::{Sort, SymbolKind, Terms};
//!
//! let terms = Terms::new();
//! let var = |name| {
//!     let symbol = terms.declare(name, Sort::Int, SymbolKind::State);
//!     terms.var(symbol.expect("names are new"))
//! };
//! let (x, y, a) = (var("x"), var("y"), var("a"));
//! let twice = |t| terms.add(t, t);
//! let even = terms.eq(twice(x), a);
//! let odd = terms.eq(terms.add(twice(y), terms.int(1)), a);
//! let mut interpolator = NativeInterpolator::new(&terms);
//! let answer = interpolator.sequence(&[even, odd], &Budget::unlimited());
//! let Ok(Interpolation::Unsat(list)) = answer else {
//!     panic!("no number is even and odd");
//! };
//! assert_eq!(list, [terms.divides(&Int::from(2), a)]);
//! ```
//!
//! | what | where |
//! |---|---|
//! | names of the methods | `method` |
//! | the sides of a cut on which a term is known | `spans` |
//! | reading a refutation, for all cuts | `proof`, on `circuit` and `leaf` |
//! | lemmas | their theory (`theory`) |
//! | minimisation | `core` |
//! | projected cubes, predicate transformers | `cubes` |
//! | separating samples | `beautiful`, `half_space` |
//! | the order of methods | `query` |
//! | functions: variables for applications, and separating terms | `crate::purify`, `separate` |

mod beautiful;
mod circuit;
mod core;
mod cubes;
mod half_space;
mod leaf;
mod method;
mod proof;
mod query;
mod separate;
mod spans;

pub(crate) use leaf::{Cuts, Leaf, Malformed, PartialInterpolant};
pub(crate) use method::Arithmetic;
pub use method::{Method, UnknownMethod};

use crate::context::{NativeSolver, Options};
use crate::purify::has_functions;
use query::Query;
use sectile_base::{Budget, Exhausted};
use sectile_solver::{
    Answer, Broken, Interpolation, Interpolator, Solver, SolverError, Undecided, check_sequence,
};
use sectile_terms::{Term, Terms};
use separate::Separation;

/// Settings of an interpolator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The method that is tried first.
    pub method: Method,
    /// Whether unnecessary conjuncts are removed beforehand. Predicate transformers always do so.
    pub minimise: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            method: Method::default(),
            minimise: true,
        }
    }
}

/// Statistics of an interpolator.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InterpolationStatistics {
    /// Sequences that were unsatisfiable.
    pub refuted: u64,
    /// How often each method gave the answer, in the order of [`Method::ALL`].
    pub answered: [u64; Method::ALL.len()],
    /// How often each method was tried and failed.
    pub failed: [u64; Method::ALL.len()],
    /// Sequences whose first refutation has a mixed literal.
    pub mixed: u64,
    /// Those of them for which another refutation was found.
    pub unmixed: u64,
    /// Results that could not be checked within the limits, and were therefore discarded.
    pub unchecked: u64,
    /// Results that violated the contract, and were therefore discarded.
    pub broken: u64,
}

impl InterpolationStatistics {
    /// How often a method gave the answer.
    pub fn answered_by(&self, method: Method) -> u64 {
        self.answered[method.position()]
    }
}

/// Why a method failed.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Obstacle {
    /// A literal of the refutation mentions symbols of both sides of a cut.
    Mixed,
    /// A step of the refutation is malformed.
    Malformed,
    /// An auxiliary query had no answer.
    Undecided,
    /// There are too many cubes or samples.
    TooLarge,
    /// A limit was reached.
    Exhausted(Exhausted),
    /// The solver failed.
    Failed(SolverError),
}

impl Obstacle {
    /// A query under this budget had no answer.
    fn undecided(budget: &Budget) -> Obstacle {
        budget
            .check()
            .err()
            .map_or(Obstacle::Undecided, Obstacle::Exhausted)
    }
}

impl From<Exhausted> for Obstacle {
    fn from(why: Exhausted) -> Obstacle {
        Obstacle::Exhausted(why)
    }
}

impl From<SolverError> for Obstacle {
    fn from(error: SolverError) -> Obstacle {
        Obstacle::Failed(error)
    }
}

impl From<Malformed> for Obstacle {
    fn from(_: Malformed) -> Obstacle {
        Obstacle::Malformed
    }
}

/// The embedded interpolator.
pub struct NativeInterpolator<'t> {
    terms: &'t Terms,
    settings: Settings,
    statistics: InterpolationStatistics,
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

    /// What was done so far.
    pub fn statistics(&self) -> &InterpolationStatistics {
        &self.statistics
    }

    /// The methods in order, each with whether its own limits are lifted.
    fn ladder(&self) -> Vec<(Method, bool)> {
        let chosen = self.settings.method;
        let mut list = vec![Method::McMillan, Method::Beautiful, Method::WeakestPre];
        list.retain(|next| *next != chosen);
        list.insert(0, chosen);
        let impatient = list.into_iter().map(|method| (method, false));
        impatient.chain([(Method::Projection, true)]).collect()
    }

    fn keeps_contract(
        &self,
        blocks: &[Term],
        list: &[Term],
        budget: &Budget,
    ) -> Result<Result<(), Broken>, SolverError> {
        let mut solver = NativeSolver::new(self.terms);
        check_sequence(self.terms, &mut solver, blocks, list, budget)
    }

    fn refuted(&mut self, mut query: Query<'t, '_>) -> Result<Interpolation, SolverError> {
        self.statistics.refuted += 1;
        for (method, patience) in self.ladder() {
            let list = match query.attempt(method, patience, &mut self.statistics) {
                Ok(list) => list,
                Err(Obstacle::Failed(error)) => return Err(error),
                Err(Obstacle::Exhausted(why)) => return Ok(Interpolation::Unknown(why.into())),
                Err(_) => {
                    self.statistics.failed[method.position()] += 1;
                    continue;
                }
            };
            let list: Vec<Term> = list.into_iter().map(|t| self.terms.simplify(t)).collect();
            match self.keeps_contract(query.blocks, &list, query.budget)? {
                Ok(()) => {
                    self.statistics.answered[method.position()] += 1;
                    return Ok(Interpolation::Unsat(list));
                }
                Err(Broken::Unknown(_)) => self.statistics.unchecked += 1,
                Err(_) => self.statistics.broken += 1,
            }
            self.statistics.failed[method.position()] += 1;
            if query.budget.check().is_err() {
                break;
            }
        }
        Ok(Interpolation::Unknown(match query.budget.check() {
            Err(why) => why.into(),
            Ok(()) => Undecided::Incomplete("no interpolation method found an answer".to_string()),
        }))
    }
}

impl<'t> NativeInterpolator<'t> {
    /// Interpolants of unsatisfiable blocks with functions.
    fn separated(
        &mut self,
        blocks: &[Term],
        budget: &Budget,
    ) -> Result<Interpolation, SolverError> {
        let unknown = |why: Undecided| Ok(Interpolation::Unknown(why));
        let separation = match Separation::new(self.terms, blocks, budget) {
            Ok(separation) => separation,
            Err(Obstacle::Failed(error)) => return Err(error),
            Err(Obstacle::Exhausted(why)) => return unknown(why.into()),
            Err(_) => {
                let why = "no terms were found that separate applications of functions";
                return unknown(Undecided::Incomplete(why.to_string()));
            }
        };
        let list = match self.sequence(&separation.blocks, budget)? {
            Interpolation::Unsat(list) => list,
            other => return Ok(other),
        };
        let list: Vec<Term> = list.into_iter().map(|t| separation.real(t)).collect();
        match self.keeps_contract(blocks, &list, budget)? {
            Ok(()) => Ok(Interpolation::Unsat(list)),
            Err(_) => {
                self.statistics.broken += 1;
                let why = "the interpolants could not be checked";
                unknown(Undecided::Incomplete(why.to_string()))
            }
        }
    }
}

impl Interpolator for NativeInterpolator<'_> {
    fn sequence(&mut self, blocks: &[Term], budget: &Budget) -> Result<Interpolation, SolverError> {
        let proofs = self.settings.method.reading().is_some() && !self.settings.minimise;
        let mut solver = NativeSolver::with_options(self.terms, Options { proofs });
        for &block in blocks {
            solver.assert_partition(block);
        }
        match solver.check(&[], budget)? {
            Answer::Sat(model) => {
                let variables: Vec<_> = self.terms.free_vars_of(blocks).into_iter().collect();
                return Ok(Interpolation::Sat(model.snapshot(self.terms, &variables)));
            }
            Answer::Unknown(why) => return Ok(Interpolation::Unknown(why)),
            Answer::Unsat(_) => {}
        }
        if let Some(what) = solver.sat.theory.no_interpolants() {
            return Err(SolverError::Unsupported(what.to_string()));
        }
        if has_functions(self.terms, blocks) {
            drop(solver);
            return self.separated(blocks, budget);
        }
        let refutation = solver.refutation();
        drop(solver);
        self.refuted(Query {
            terms: self.terms,
            blocks,
            budget,
            minimise: self.settings.minimise,
            refutation,
            readable: None,
            unreadable: false,
            reduced: None,
        })
    }
}
