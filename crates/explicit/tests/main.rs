//! All tests of this crate in one program, so that only one is linked.

mod cells;
mod constraints;
mod ctl;
mod models;
mod random;
mod simulate;
mod walk;
mod zoo;
