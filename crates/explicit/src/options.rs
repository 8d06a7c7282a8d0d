//! Options of a search, and its extent.

use crate::domain::Domain;
use sectile_base::Exhausted;

/// Limits of a search. By default there are none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The values to try if the model allows infinitely many. States with a number outside of the
    /// domain are cut off, except for variables that have a finite range of their own.
    pub domain: Option<Domain>,
    /// The maximum number of steps to a state.
    pub max_depth: Option<usize>,
    /// The maximum number of states.
    pub max_states: Option<usize>,
    /// When to stop before the search is complete.
    pub stop: Stop,
    /// Whether to keep the steps between states, which certificates made of states need.
    pub keep_steps: bool,
}

/// When to stop before the search is complete.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stop {
    /// Never: all states are to be counted.
    #[default]
    Never,
    /// When every property is violated (if there are properties, and none is a CTL property).
    AllViolated,
    /// When a state without a step is found: formulas about paths are often violated there.
    Deadlock,
}

/// Whether a search was complete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Every reachable state and every step between reachable states was visited.
    Exact,
    /// Something was left out. Violations are real nevertheless, but the lack of a violation means
    /// nothing beyond the bounds.
    Bounded {
        /// The limits that were reached, in the order of the variants of [`Limit`].
        by: Vec<Limit>,
    },
}

impl Extent {
    /// Whether the search was complete.
    pub fn is_exact(&self) -> bool {
        *self == Extent::Exact
    }
}

/// A limit that was reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Values outside of the domain were not tried, or states outside of it were cut off.
    Domain(Domain),
    /// There are states that need more steps.
    Depth(usize),
    /// There are more states.
    States(usize),
    /// The budget was used up.
    Budget(Exhausted),
    /// Every property is violated.
    AllViolated,
    /// A state without a step was found.
    Deadlock,
}

impl std::fmt::Display for Limit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Limit::Domain(d) => write!(f, "domain {}..{}", d.low, d.high),
            Limit::Depth(n) => write!(f, "depth {n}"),
            Limit::States(n) => write!(f, "{n} states"),
            Limit::Budget(reason) => write!(f, "{}", reason.code()),
            Limit::AllViolated => write!(f, "every property was violated already"),
            Limit::Deadlock => write!(f, "a state without a step was found"),
        }
    }
}
