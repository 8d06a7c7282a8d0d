//! Abstract domains: representations of sets of states with the operations that engines need.
//!
//! They know nothing of models: whoever uses them says what their variables mean.

pub mod bdd;
pub mod domain;
pub mod linear;
pub mod poly;
pub mod zone;
