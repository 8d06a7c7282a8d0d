//! All tests of this crate in one program, so that only one is linked.

mod layers;
mod pdkind;
mod zoo;
