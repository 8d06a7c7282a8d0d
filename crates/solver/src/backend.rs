//! Where solvers come from.

use crate::traits::{Eliminator, Interpolator, Solver};
use sectile_terms::Terms;

/// The backend does not offer a service, or cannot provide it on this machine. The text tells the
/// user why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unsupported(pub String);

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
    fn interpolator<'t>(
        &self,
        terms: &'t Terms,
    ) -> Result<Box<dyn Interpolator + 't>, Unsupported> {
        self.interpolator_by(terms, None)
    }

    /// A fresh interpolator that uses the named method, or the usual one of the backend.
    fn interpolator_by<'t>(
        &self,
        terms: &'t Terms,
        method: Option<&str>,
    ) -> Result<Box<dyn Interpolator + 't>, Unsupported>;

    /// A fresh eliminator over the store.
    fn eliminator<'t>(&self, terms: &'t Terms) -> Result<Box<dyn Eliminator + 't>, Unsupported>;
}
