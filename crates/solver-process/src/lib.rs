//! Solvers that run as SMT-LIB processes.
//!
//! Assertions are kept on our side. A process is started by the first query, told what it does not
//! know yet before every query, and killed when a limit is reached or its solver is dropped; the
//! next query starts another process and tells it everything again. All reading and writing of
//! pipes happens in threads of their own, so that no wait is longer than the budget.
//!
//! What distinguishes one program from another is data, in [`Dialect`]: to add a solver, add an
//! entry to [`dialects`].

mod backend;
mod dialect;
mod live;
mod session;
mod solver;

pub use backend::ProcessBackend;
pub use dialect::{CommandError, Dialect, custom, dialect, dialects};
pub use solver::ProcessSolver;
