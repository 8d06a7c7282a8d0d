//! All tests of this crate in one program, so that only one is linked.

mod common;
mod digraph;
mod int;
mod rat;
