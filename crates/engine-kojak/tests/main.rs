//! All tests of this crate in one program, so that only one is linked.

mod impact_programs;
mod impact_random;
mod programs;
mod random;
