//! Questions that take more than one check.
//!
//! [`horn`] makes models of Horn clauses from proofs about them. [`counters`] puts counters in the place
//! of processes and tells what is found about them of the processes again. [`every`] proves invariants
//! for every number of processes. All use the driver for single checks.

pub mod counters;
pub mod every;
pub mod horn;
