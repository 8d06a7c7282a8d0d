//! Questions that take more than one check.
//!
//! [`horn`] computes models of Horn clauses from proofs about them. [`counters`] replaces processes
//! by counters and translates results back to the processes. [`every`] proves invariants for every
//! number of processes. All of them use the driver for single checks.

pub mod counters;
pub mod every;
pub mod horn;
