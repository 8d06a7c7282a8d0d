//! All tests of this crate in one program, so that only one is linked.

mod common;
mod malformed;
mod mutation;
mod rules;
mod solver;
mod text;
