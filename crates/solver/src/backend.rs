//! Where solvers come from.

use crate::traits::{Eliminator, Interpolator, Solver};
use sectile_terms::Terms;

/// A service that a backend may offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Capability {
    /// Deciding satisfiability.
    Solving,
    /// Sequence interpolants.
    Interpolation,
    /// Quantifier elimination.
    Elimination,
}

/// The backend does not offer a service, or cannot provide it on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    /// What was asked for.
    pub capability: Capability,
    /// Why it is not available, as a message for the user.
    pub why: String,
}

impl std::fmt::Display for Unsupported {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.why)
    }
}

impl std::error::Error for Unsupported {}

/// Makes solvers. It is asked before a run starts, so that a missing service is reported early.
pub trait Backend {
    /// The name users choose it by.
    fn name(&self) -> &str;

    /// A fresh solver over the store.
    fn solver<'t>(&self, terms: &'t Terms) -> Result<Box<dyn Solver + 't>, Unsupported>;

    /// A fresh solver for checking certificates: its `unsat` answers are verified independently
    /// of its search where the backend can do that.
    fn certifying_solver<'t>(&self, terms: &'t Terms) -> Result<Box<dyn Solver + 't>, Unsupported>;

    /// A fresh interpolator over the store.
    fn interpolator<'t>(&self, terms: &'t Terms)
    -> Result<Box<dyn Interpolator + 't>, Unsupported>;

    /// A fresh interpolator that uses the named method, where the backend has several.
    fn interpolator_by<'t>(
        &self,
        _: &'t Terms,
        method: &str,
    ) -> Result<Box<dyn Interpolator + 't>, Unsupported> {
        Err(Unsupported {
            capability: Capability::Interpolation,
            why: format!(
                "the solver {} has no interpolation method `{method}`",
                self.name()
            ),
        })
    }

    /// A fresh eliminator over the store.
    fn eliminator<'t>(&self, terms: &'t Terms) -> Result<Box<dyn Eliminator + 't>, Unsupported>;
}
