//! What the rest of the house asks of a solver.
//!
//! A [`Backend`] makes solvers, interpolators and eliminators over one store of terms, and says
//! beforehand what it cannot make. No engine names a solver: it is given a backend.

mod backend;
mod counted;
mod interpolate;
mod model;
mod traits;

pub use backend::{Backend, Capability, Unsupported};
pub use counted::{CountedBackend, QueryCount};
pub use interpolate::{Broken, CheckedInterpolator, check_sequence};
pub use model::Model;
pub use traits::{
    Answer, Eliminator, Interpolation, Interpolator, ModelView, Projection, RefutationView, Solver,
    SolverError, Undecided, scoped,
};
