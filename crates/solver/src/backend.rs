//! Backends: factories of solvers.

use crate::traits::{Eliminator, Interpolator, Solver};
use sectile_terms::Terms;

/// The backend does not offer a service, or cannot provide it on this machine; the text gives the
/// reason.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unsupported(pub String);

/// Makes solvers. Services are requested before a run starts, so that a missing one is reported
/// early.
pub trait Backend {
    /// The name users choose it by.
    fn name(&self) -> &str;

    /// A fresh solver over the store.
    fn solver<'t>(&self, terms: &'t Terms) -> Result<Box<dyn Solver + 't>, Unsupported>;

    /// A fresh solver for checking certificates: if the backend can, it verifies `unsat` answers
    /// independently of its search.
    fn certifying_solver<'t>(&self, terms: &'t Terms) -> Result<Box<dyn Solver + 't>, Unsupported>;

    /// A fresh interpolator over the store.
    fn interpolator<'t>(
        &self,
        terms: &'t Terms,
    ) -> Result<Box<dyn Interpolator + 't>, Unsupported> {
        self.interpolator_by(terms, None)
    }

    /// A fresh interpolator with the named method, or the backend's default.
    fn interpolator_by<'t>(
        &self,
        terms: &'t Terms,
        method: Option<&str>,
    ) -> Result<Box<dyn Interpolator + 't>, Unsupported>;

    /// A fresh eliminator over the store.
    fn eliminator<'t>(&self, terms: &'t Terms) -> Result<Box<dyn Eliminator + 't>, Unsupported>;
}
