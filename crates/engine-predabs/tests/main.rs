//! All tests of this crate in one program, so that only one is linked.

mod acceleration;
mod agreement;
mod common;
mod couanal;
mod inv_uni;
mod methods;
mod must;
mod paper;
mod random;
mod relations;
mod scale;
mod traces;
mod transformers;
