//! Reduced ordered binary decision diagrams, and sets of tuples over finite domains.
//!
//! A [`Manager`] owns the nodes; a [`Bdd`] is an index into it, and two sets are the same exactly
//! if their indices are. A [`Space`] encodes variables with finitely many values in bits, in a
//! current and a next copy, which are neighbours in the order.
//! Recursion goes down the levels only, so its depth is bounded by the number of bits and not by
//! the input.
//!
//! Paper: [Bryant86] for the algorithms; [BeGrLa, Sect. 5.2] for their use.

mod cache;
mod count;
mod manager;
mod quantify;
mod relation;
mod space;

pub use manager::{Bdd, Manager};
pub use relation::{Direction, Relation};
pub use space::{Space, Tuple};
