//! Explicit-state search and simulation: the oracle.
