//! Solvers that run as SMT-LIB processes.
//!
//! Assertions are kept on our side. The first query starts a process; before every query the
//! process is sent the assertions that it does not have yet, and it is killed when a limit is
//! reached or its solver is dropped. The next query then starts another process and sends
//! everything again. All reading and writing of pipes happens in separate threads, so that no wait
//! exceeds the budget.
//!
//! The differences between programs are data, in [`Dialect`]: to add a solver, add an entry to
//! [`dialects`].

mod backend;
mod dialect;
mod live;
mod session;
mod solver;

pub use backend::ProcessBackend;
pub use dialect::{CommandError, Dialect, custom, dialect, dialects};
pub use solver::ProcessSolver;
