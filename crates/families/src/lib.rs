//! Families of processes as a whole.
//!
//! [`counters`] puts counters in the place of processes and tells what is found about them of the
//! processes again. [`every`] proves invariants for every number of processes. Both use the driver for
//! single instances.

pub mod counters;
pub mod every;
