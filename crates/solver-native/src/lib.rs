//! The embedded SMT solver for linear arithmetic.
