//! Counter abstraction: counts how many processes are in each local state, instead of
//! distinguishing processes.
//!
//! A family `process P[i : 1..n]` of identical processes is replaced by one counter for every
//! combination of values of its local variables, and `n` by an arbitrary positive constant. There
//! may be several families; an index refers to a process of one of them. The result is a text in
//! the native language. Every permutation of the processes of a reachable state is reachable, and
//! quantifiers, counts and sums over all processes depend only on the counters, so nothing is lost:
//! a translated property holds for the counters exactly if it holds for every number of processes.
//!
//! Constructs that distinguish processes (an index used as a number, an order between indices) and
//! infinite sets of local values are refused, with their positions.
//!
//! Paper: [BeGrLa, Sect. 1]: counters for the number of components in each state.
//!
//! | file | what |
//! |---|---|
//! | `code.rs` | expressions with constants folded |
//! | `family.rs` | the local states of the processes |
//! | `evaluate.rs` | expressions, with the local state of every named process |
//! | `instance.rs` | evidence about counters, related to process families |
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
    /// The model in the native language.
    pub text: String,
    /// Warnings about parts that were not translated.
    pub warnings: Diagnostics,
    /// The meanings of the counters.
    pub counters: Vec<Counted>,
    /// The parameters that decide how many processes there are.
    pub sizes: Vec<String>,
    /// Their default values.
    pub defaults: Vec<(String, String)>,
    /// The name of the family and the range of its index, if there is only one family.
    pub process: Option<(String, String)>,
}

/// The meaning of a counter.
pub struct Counted {
    /// The name of the counter.
    pub counter: String,
    /// The family of the counted processes, by its number in the source.
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
