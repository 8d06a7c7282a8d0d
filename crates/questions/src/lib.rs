//! Questions that take more than one check.
//!
//! [`horn`] makes models of Horn clauses from proofs about them. [`counters`] replaces processes by
//! counters and translates the results back. [`every`] proves invariants for every number of
//! processes. All use the driver for single checks.

pub mod counters;
pub mod every;
pub mod horn;
