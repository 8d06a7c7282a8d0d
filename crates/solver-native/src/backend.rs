//! The embedded solver as a backend.

use crate::context::NativeSolver;
use crate::interpolate::{NativeInterpolator, Settings, UnknownMethod};
use crate::project::NativeEliminator;
use crate::replayed::ReplayedSolver;
use sectile_solver::{Backend, Capability, Eliminator, Interpolator, Solver, Unsupported};
use sectile_terms::Terms;

/// Makes embedded solvers. It is always available.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NativeBackend;

impl NativeBackend {
    /// A backend whose interpolators use these settings.
    pub fn with_interpolation(self, settings: Settings) -> TunedBackend {
        TunedBackend { settings }
    }
}

/// Makes embedded solvers, and interpolators with settings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TunedBackend {
    settings: Settings,
}

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

    fn interpolator<'t>(
        &self,
        terms: &'t Terms,
    ) -> Result<Box<dyn Interpolator + 't>, Unsupported> {
        Ok(Box::new(NativeInterpolator::new(terms)))
    }

    fn interpolator_by<'t>(
        &self,
        terms: &'t Terms,
        method: &str,
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

    fn interpolator<'t>(
        &self,
        terms: &'t Terms,
    ) -> Result<Box<dyn Interpolator + 't>, Unsupported> {
        let settings = self.settings;
        Ok(Box::new(NativeInterpolator::with_settings(terms, settings)))
    }

    fn interpolator_by<'t>(
        &self,
        terms: &'t Terms,
        method: &str,
    ) -> Result<Box<dyn Interpolator + 't>, Unsupported> {
        let parsed = method.parse();
        let method = parsed.map_err(|e: UnknownMethod| Unsupported {
            capability: Capability::Interpolation,
            why: e.to_string(),
        })?;
        let settings = Settings {
            method,
            ..self.settings
        };
        Ok(Box::new(NativeInterpolator::with_settings(terms, settings)))
    }

    fn eliminator<'t>(&self, terms: &'t Terms) -> Result<Box<dyn Eliminator + 't>, Unsupported> {
        NativeBackend.eliminator(terms)
    }
}
