//! The embedded solver as a backend.

use crate::context::NativeSolver;
use crate::interpolate::{Method, NativeInterpolator, Settings, UnknownMethod};
use crate::project::NativeEliminator;
use crate::replayed::ReplayedSolver;
use sectile_solver::{Backend, Eliminator, Interpolator, Solver, Unsupported};
use sectile_terms::Terms;

/// Makes embedded solvers. It is always available.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NativeBackend;

/// The same with another default method of interpolation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TunedBackend(pub Method);

impl Backend for NativeBackend {
    fn name(&self) -> &str {
        "native"
    }

    fn solver<'t>(&self, terms: &'t Terms) -> Result<Box<dyn Solver + 't>, Unsupported> {
        Ok(Box::new(NativeSolver::new(terms)))
    }

    fn certifying_solver<'t>(&self, terms: &'t Terms) -> Result<Box<dyn Solver + 't>, Unsupported> {
        Ok(Box::new(ReplayedSolver::new(terms)))
    }

    fn interpolator_by<'t>(
        &self,
        terms: &'t Terms,
        method: Option<&str>,
    ) -> Result<Box<dyn Interpolator + 't>, Unsupported> {
        TunedBackend::default().interpolator_by(terms, method)
    }

    fn eliminator<'t>(&self, terms: &'t Terms) -> Result<Box<dyn Eliminator + 't>, Unsupported> {
        Ok(Box::new(NativeEliminator::new(terms)))
    }
}

impl Backend for TunedBackend {
    fn name(&self) -> &str {
        NativeBackend.name()
    }

    fn solver<'t>(&self, terms: &'t Terms) -> Result<Box<dyn Solver + 't>, Unsupported> {
        NativeBackend.solver(terms)
    }

    fn certifying_solver<'t>(&self, terms: &'t Terms) -> Result<Box<dyn Solver + 't>, Unsupported> {
        NativeBackend.certifying_solver(terms)
    }

    fn interpolator_by<'t>(
        &self,
        terms: &'t Terms,
        method: Option<&str>,
    ) -> Result<Box<dyn Interpolator + 't>, Unsupported> {
        let method = method.map_or(Ok(self.0), str::parse);
        let method = method.map_err(|e: UnknownMethod| Unsupported(e.to_string()))?;
        let settings = Settings {
            method,
            ..Settings::default()
        };
        Ok(Box::new(NativeInterpolator::with_settings(terms, settings)))
    }

    fn eliminator<'t>(&self, terms: &'t Terms) -> Result<Box<dyn Eliminator + 't>, Unsupported> {
        NativeBackend.eliminator(terms)
    }
}
