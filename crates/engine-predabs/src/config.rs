//! The options of `predabs`.

use crate::method::Method;
use sectile_engine::{choices, options};

options! {
    /// The options of `predabs`.
    pub struct Config {
        /// take loops of a counterexample any number of times at once
        acceleration("acceleration"): bool = true,
        /// give up after N refinements; 0 is never
        rounds("rounds"): u64 = 0,
        /// start with the atoms of N weakest preconditions of the property; auto takes those of one
        /// if they are few
        depth("initial"): Option<u64> = None,
        /// how abstractions are computed
        method("method"): Method = Method::Auto,
        /// copy a predicate about one process to the others of its family
        siblings("siblings"): bool = true,
        /// how a counterexample is read backwards: from all states from which its commands can be
        /// taken (commands), or only from those in its abstract states, as printed in the paper
        /// (states)
        backward("backward"): Backwards = Backwards::Commands,
        /// where new predicates come from: preconditions, interpolants, guards, or both (the fewer
        /// of preconditions and interpolants); auto is both, and preconditions without acceleration
        chosen_source("source"): Option<Source> = None,
    }
}

impl Config {
    /// The source of new predicates. Without acceleration, or with abstract states, this is the
    /// paper's plain procedure.
    pub fn source(&self) -> Source {
        self.chosen_source
            .unwrap_or(match (self.acceleration, self.backward) {
                (true, Backwards::Commands) => Source::Both,
                _ => Source::Preconditions,
            })
    }
}

/// The states from which a counterexample is read backwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backwards {
    /// Those from which its commands lead to a bad state, regardless of abstract states.
    Commands,
    /// Only those in its abstract states; predicates come from the last non-empty set.
    States,
}

choices!(Backwards {
    Commands = "commands",
    States = "states",
});

/// The source of new predicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Atoms of preconditions along the path.
    Preconditions,
    /// Atoms of interpolants of the path.
    Interpolants,
    /// Atoms of the guards on the path; interpolants when these are used up.
    Guards,
    /// The fewer of preconditions and interpolants for a few rounds, then interpolants.
    Both,
}

choices!(Source {
    Preconditions = "preconditions",
    Interpolants = "interpolants",
    Guards = "guards",
    Both = "both",
});

choices!(Method {
    Auto = "auto",
    Substitution = "substitution",
    Elimination = "elimination",
    Literals = "literals",
    Models = "models",
});
