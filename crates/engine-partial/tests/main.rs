//! All tests of this crate in one program, so that only one is linked.

mod choose;
mod common;
mod engine;
mod heuristics;
mod paper;
mod random;
