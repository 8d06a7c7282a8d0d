//! The interface of solvers.
//!
//! A [`Backend`] makes solvers, interpolators and eliminators over one store of terms, and reports
//! in advance what it cannot make. Engines never name a solver: they are given a backend.

mod assignment;
mod backend;
mod counted;
mod interpolate;
mod traits;

pub use assignment::Assignment;
pub use backend::{Backend, Unsupported};
pub use counted::{CountedBackend, QueryCount};
pub use interpolate::{Broken, check_sequence};
pub use traits::{
    Answer, Eliminator, Interpolation, Interpolator, ModelView, Projection, RefutationView, Solver,
    SolverError, Undecided, scoped,
};
