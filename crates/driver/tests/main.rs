//! All tests of this crate in one program, so that only one is linked.

mod arrays;
mod options;
mod phases;
mod portfolio;
mod predicates;
mod remainders;
mod wrong_passes;
