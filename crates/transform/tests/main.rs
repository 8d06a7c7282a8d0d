//! All tests of this crate in one program, so that only one is linked.

mod blocks;
mod cells;
mod clauses;
mod enumeration;
mod random_models;
mod recover;
mod round_trips;
mod shapes;
