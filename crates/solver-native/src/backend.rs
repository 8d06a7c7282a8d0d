//! The embedded solver as a backend.

use crate::context::NativeSolver;
use crate::project::NativeEliminator;
use sectile_solver::{Backend, Capability, Eliminator, Interpolator, Solver, Unsupported};
use sectile_terms::Terms;

/// Makes embedded solvers; always there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NativeBackend;

fn lacking(capability: Capability, what: &str) -> Unsupported {
    Unsupported {
        capability,
        why: format!("the embedded solver does not {what} yet"),
    }
}

impl Backend for NativeBackend {
    fn name(&self) -> &str {
        "native"
    }

    fn solver<'t>(&self, terms: &'t Terms) -> Result<Box<dyn Solver + 't>, Unsupported> {
        Ok(Box::new(NativeSolver::new(terms)))
    }

    fn interpolator<'t>(
        &self,
        _terms: &'t Terms,
    ) -> Result<Box<dyn Interpolator + 't>, Unsupported> {
        Err(lacking(Capability::Interpolation, "interpolate"))
    }

    fn eliminator<'t>(&self, terms: &'t Terms) -> Result<Box<dyn Eliminator + 't>, Unsupported> {
        Ok(Box::new(NativeEliminator::new(terms)))
    }
}
