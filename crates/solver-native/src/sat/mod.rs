//! The SAT core: conflict-driven clause learning over a theory.
//!
//! Two watched literals with blockers, one flat clause arena, activity-driven decisions with
//! phase saving, Luby restarts, glue-based clause reduction, assumptions with final-conflict cores
//! and scopes by activation literals. Papers: [EenSorensson03], [NieuwenhuisOliverasTinelli06],
//! [AudemardSimon09].
//!
//! Two things differ from the textbook:
//!
//! - **Obligations.** Original clauses are registered with a *guard*: the definition or activation
//!   literal that makes them matter. Only variables of clauses whose guard is true and which no
//!   literal satisfies are decided (file `relevance`). A long-lived solver thus
//!   never decides atoms of definitions that the current check does not use.
//! - **The trail survives a check.** The next check keeps the decision levels of the assumptions
//!   it shares with the previous one, so that a caller who reuses a prefix pays only for the rest.
//!
//! | concern | file |
//! |---|---|
//! | clause storage | `arena` |
//! | decision order | `heap` |
//! | variables, clauses, scopes | `solver` |
//! | Boolean and theory propagation | `propagate` |
//! | conflict analysis, cores, proof chains | `analyze` |
//! | obligations and decisions | `relevance` |
//! | the main loop | `search` |
//! | clause reduction, compaction | `reduce` |

mod analyze;
mod arena;
mod heap;
mod lit;
mod procedure;
mod propagate;
mod reduce;
mod relevance;
mod search;
mod solver;

#[cfg(test)]
mod tests;

pub use lit::{Lit, Var};
pub use procedure::{Conflict, DecisionProcedure, Exchange, FinalCheck};
pub use search::Outcome;
pub use solver::{Guard, Sat, SatStatistics};
