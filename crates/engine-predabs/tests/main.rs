//! All tests of this crate in one program, so that only one is linked.

mod acceleration;
mod agreement;
mod common;
mod methods;
mod paper;
mod random;
mod scale;
mod traces;
mod transformers;
