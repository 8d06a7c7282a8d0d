//! Counter abstraction: how many processes are in each local state, instead of which ones.
//!
//! A family `process P[i : 1..n]` whose processes are all alike is replaced by one counter for
//! every combination of values of its local variables, and `n` by a constant that is any positive
//! number. There may be several families; an index names a process of one of them. The result is a text in the native language. Every permutation of the processes of a
//! reachable state is reachable, and quantifiers, counts and sums over all processes see counts
//! only, so nothing is lost: a property that is translated holds of the counters exactly if it
//! holds for every number of processes.
//!
//! What tells processes apart (an index used as a number, an order between indices) and what has
//! infinitely many local values is refused, with its place.
//!
//! Paper: [BeGrLa, Sect. 1]: counters for the number of components in each state.
//!
//! | file | what |
//! |---|---|
//! | `code.rs` | formulas with constants folded |
//! | `family.rs` | the local states of the processes |
//! | `evaluate.rs` | expressions, with the local state of every process that is named |
//! | `instance.rs` | which family evidence about counters is about |
//! | `rewrite.rs` | declarations, commands and properties |

mod code;
mod evaluate;
mod family;
mod instance;
mod rewrite;

use super::parse::parse;
use crate::ReadOptions;
use sectile_base::{Diagnostics, Source};

/// A counter system.
pub struct CounterSystem {
    /// The model, in the native language.
    pub text: String,
    /// What could not be translated.
    pub warnings: Diagnostics,
    /// What is counted.
    pub counters: Vec<Counted>,
    /// The parameters that decide how many processes there are.
    pub sizes: Vec<String>,
    /// Their values where none are given.
    pub defaults: Vec<(String, String)>,
    /// The name of the one family and the range of its index, if there is one only.
    pub process: Option<(String, String)>,
}

/// What a counter counts.
pub struct Counted {
    /// The name of the counter.
    pub counter: String,
    /// The family of the processes, by its number in the source.
    pub family: usize,
    /// The values of their local variables, by name.
    pub values: Vec<(String, String)>,
}

/// The counter system of a model.
pub fn counter_system(
    source: &Source,
    options: &ReadOptions,
) -> Result<CounterSystem, Diagnostics> {
    let parsed = parse(source);
    if parsed.diagnostics.has_errors() {
        return Err(parsed.diagnostics);
    }
    Ok(rewrite::rewrite(source, &parsed.items, options)?)
}
