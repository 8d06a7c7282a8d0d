//! All tests of this crate in one program, so that only one is linked.

mod cut_points;
mod for_all;
mod horn;
mod parts;
mod paths;
mod unrolled;
