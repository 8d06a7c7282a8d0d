//! All tests of this crate in one program, so that only one is linked.

mod bdd;
mod facts;
mod libraries;
mod poly;
mod solver;
mod zone;
