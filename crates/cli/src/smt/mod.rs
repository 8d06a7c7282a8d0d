//! The embedded solver as an SMT-LIB program: `sectile smt FILE.smt2`.
//!
//! A script is read as a whole, and its commands are executed in order. Answers and errors go to
//! the caller line by line; an error has a position and does not end the script, as in other
//! solvers. Logics that the solver does not decide are refused.

mod answers;
mod interpolants;
mod interpreter;
mod proofs;
mod sorts;

pub use interpreter::{RunOptions, TakeProof, run};
pub use sectile_solver_native::interpolate::{Method, Settings, UnknownMethod};
