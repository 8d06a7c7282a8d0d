//! Abstract domains: representations of sets of states with the operations that engines need.
//!
//! The domains themselves know nothing of models: their users define the meaning of the variables.
//! [`guarded`] reads systems as guarded assignments on them, and [`facts`] finds invariants of the
//! locations of programs with them.

pub use sectile_base::bdd;
pub mod domain;
pub mod facts;
pub mod guarded;
pub mod linear;
pub mod poly;
pub mod zone;
