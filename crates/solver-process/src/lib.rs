//! Solvers that run as SMT-LIB processes.
