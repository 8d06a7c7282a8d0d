//! What a search is asked for, and how far it came.

use crate::domain::Domain;
use sectile_base::Exhausted;

/// How a search is bounded. The default is not to bound it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Where numbers are chosen from if the model allows infinitely many. States with a number
    /// outside are cut off, except for variables that have a finite range of their own.
    pub domain: Option<Domain>,
    /// States that need more steps than this are not looked for.
    pub max_depth: Option<usize>,
    /// At most this many states are kept.
    pub max_states: Option<usize>,
    /// When to stop before everything was seen.
    pub stop: Stop,
    /// Keep the steps between the states: evidence that is made of states needs them.
    pub keep_steps: bool,
}

/// When to stop before everything was seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stop {
    /// Never: counts are wanted.
    #[default]
    Never,
    /// As soon as every property is violated (if there are properties, and none is CTL).
    AllViolated,
    /// As soon as a state without a step is found: formulas about paths are often violated there.
    Deadlock,
}

/// Whether a search saw everything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Every reachable state and every step between reachable states was seen.
    Exact,
    /// Something was left out. Violations are real all the same, but that no violation was found
    /// means nothing beyond the bounds.
    Bounded {
        /// Which limits were met, in the order of the variants of [`Limit`].
        by: Vec<Limit>,
    },
}

impl Extent {
    /// Whether everything was seen.
    pub fn is_exact(&self) -> bool {
        *self == Extent::Exact
    }
}

/// A limit that was met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Values outside of the domain were not tried, or states outside were cut off.
    Domain(Domain),
    /// There are states that need more steps.
    Depth(usize),
    /// There are more states.
    States(usize),
    /// Time, memory or patience ran out.
    Budget(Exhausted),
    /// Every property was violated already.
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
