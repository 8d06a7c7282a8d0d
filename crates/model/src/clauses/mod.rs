//! Models as Horn clauses: clauses about predicates, which are the locations.
//!
//! | what | where |
//! |---|---|
//! | clauses, derivations, interpretations | [`horn`] |
//! | clauses to models | `lower.rs`, `equations.rs` |
//! | assignment of arguments to variables | `slots.rs` |
//! | models to clauses, and evidence about them | `view.rs` |

pub mod equations;
pub mod horn;
mod lower;
mod slots;
mod view;

pub use lower::{ClauseEdge, edge_of_clause, model_of_clauses, name_parameters};
pub use view::ClauseView;
