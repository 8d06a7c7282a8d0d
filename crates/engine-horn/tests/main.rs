//! All tests of this crate in one program, so that only one is linked.

mod guidance;
mod random;
mod recursion;
mod unrolled;
