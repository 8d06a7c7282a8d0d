//! Projection: elimination of variables from formulas.
//!
//! [`implicant`] explains by a few literals why a formula is true in a model. [`mbp`] eliminates
//! variables from such a conjunction under the model: the result is true in the model and implies
//! that values of the variables exist. [`exists`] covers a whole formula by such results, after all
//! steps that need no case distinction.
//!
//! | concern | file |
//! |---|---|
//! | values of terms under a model | `values` |
//! | arithmetic literals taken apart | `constraint` |
//! | conjunctions, exact steps on one variable | `system` |
//! | model-based steps: reals and the rest, integers | `mbp`, `integer` |
//! | exact elimination from conjunctions, redundancy | `conjunction` |
//! | substitution of defined variables | `definitions` |
//! | enumeration | `exists` |
//! | over-approximation when that takes too long | `approximate` |

mod approximate;
mod conjunction;
mod constraint;
mod definitions;
mod exists;
mod implicant;
mod integer;
mod mbp;
mod system;
mod values;

pub(crate) use constraint::{Constraint, Kind};
pub use exists::{Limits, exists};
pub use implicant::implicant;
pub use mbp::mbp;

use sectile_base::Budget;
use sectile_solver::{Eliminator, Projection, SolverError, Undecided};
use sectile_terms::{Stage, Symbol, Term, Terms};

/// The embedded eliminator of quantifiers.
pub struct NativeEliminator<'t> {
    terms: &'t Terms,
    limits: Limits,
}

impl<'t> NativeEliminator<'t> {
    /// An eliminator with the usual limits.
    pub fn new(terms: &'t Terms) -> NativeEliminator<'t> {
        NativeEliminator::with_limits(terms, Limits::default())
    }

    /// An eliminator with other limits.
    pub fn with_limits(terms: &'t Terms, limits: Limits) -> NativeEliminator<'t> {
        NativeEliminator { terms, limits }
    }
}

impl Eliminator for NativeEliminator<'_> {
    fn project(
        &mut self,
        formula: Term,
        variables: &[(Symbol, Stage)],
        budget: &Budget,
    ) -> Result<Result<Projection, Undecided>, SolverError> {
        exists(self.terms, formula, variables, &self.limits, budget)
    }
}
