//! The embedded SMT solver for linear arithmetic.

pub mod arith;
mod context;
mod lia;
pub mod meter;
pub mod proof_log;
pub mod refutation;
pub mod sat;
pub mod simplex;

pub use context::{NativeSolver, Options, Statistics};
