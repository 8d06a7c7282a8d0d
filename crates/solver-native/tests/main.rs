//! All tests of this crate in one program, so that only one is linked.

mod arrays;
mod brute_force;
mod common;
mod functions;
mod fuzz_z3;
mod integers;
mod interpolate;
mod interpolate_common;
mod interpolate_random;
mod memory;
mod project;
mod project_common;
mod project_random;
mod proofs;
mod solver;
