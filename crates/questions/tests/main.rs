//! All tests of this crate in one program, so that only one is linked.

mod counters;
mod counters_random;
mod every;
mod every_random;
mod every_waiting;
mod horn_reduced;
