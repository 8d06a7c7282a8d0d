//! All tests of this crate in one program, so that only one is linked.

mod arrays;
mod canonical;
mod construction;
mod deep;
mod printing;
mod sharing;
mod simplify;
mod staging;
mod support;
mod traversal;
