//! Exact numbers: unbounded integers ([`Int`]) and rationals ([`Rat`]).
//!
//! Nearly every number a solver touches fits a machine word, so both types
//! keep such values inline and go to the heap only when they must. The form
//! is canonical: a value that fits the inline form is never on the heap.
//! Equality and hashing may therefore look at the representation alone.

mod int;
mod int_div;
mod ops;
mod rat;
mod rat_ops;
mod text;
mod word;

pub use int::Int;
pub use rat::Rat;
pub use text::ParseNumberError;
