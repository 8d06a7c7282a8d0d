//! Basic building blocks: exact numbers, graph algorithms, decision diagrams, budgets, source spans
//! and diagnostics.
//!
//! Nothing here knows what a term or a model is. Everything above may use everything here.

pub mod bdd;
pub mod budget;
pub mod diagnostic;
pub mod digraph;
pub mod files;
pub mod num;
pub mod pace;
pub mod quantity;
pub mod rng;
pub mod source;
pub mod words;

pub use budget::{Budget, Exhausted, Stopper};
pub use diagnostic::{Diagnostic, Diagnostics, Severity};
pub use num::{Int, Rat};
pub use pace::Turns;
pub use rng::Rng;
pub use source::{Source, Span};
pub use words::counted;
