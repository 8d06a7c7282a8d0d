//! The embedded SMT solver for linear arithmetic.

pub mod arith;
mod lia;
pub mod meter;
pub mod proof_log;
pub mod sat;
pub mod simplex;
