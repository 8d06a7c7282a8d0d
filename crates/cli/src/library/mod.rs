//! The public interface of the library; see `lib.rs` for a list.

pub mod build;
pub mod certify;
pub mod check;
pub mod error;
pub mod event;
pub mod expr;
pub mod model;
pub mod outcome;
pub mod trace;
