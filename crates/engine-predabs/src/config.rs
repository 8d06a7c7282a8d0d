//! Options.

use crate::method::Method;
use sectile_engine::{BadOption, OptionSpec, Settings};

/// Where new predicates come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Atoms of preconditions along the path.
    Preconditions,
    /// Atoms of interpolants of the path.
    Interpolants,
    /// Atoms of the guards on the path; interpolants where they are used up.
    Guards,
    /// The fewer of preconditions and interpolants for a few rounds, interpolants then.
    Both,
}

/// How the engine works.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Loops of a path are taken any number of times at once.
    pub acceleration: bool,
    /// Refinements before it gives up; none if zero.
    pub rounds: u64,
    /// Preconditions of the property whose atoms are predicates from the beginning; `None` if one
    /// is used where it has few of them.
    pub depth: Option<u64>,
    /// Where further predicates come from.
    pub source: Source,
    /// A predicate about one process comes with the same about the others.
    pub siblings: bool,
    /// How abstractions are computed.
    pub method: Method,
}

impl Config {
    /// What the user set.
    pub fn from_settings(settings: &Settings) -> Result<Config, BadOption> {
        let sources = ["preconditions", "interpolants", "guards", "both"];
        let source = settings.choice("source", &sources)?;
        let methods = ["auto", "substitution", "elimination", "literals", "models"];
        let method = settings.choice("method", &methods)?;
        let acceleration = settings.flag("acceleration", true)?;
        Ok(Config {
            acceleration,
            method: match method {
                Some("substitution") => Method::Substitution,
                Some("elimination") => Method::Elimination,
                Some("literals") => Method::Literals,
                Some("models") => Method::Models,
                _ => Method::Auto,
            },
            siblings: settings.flag("siblings", true)?,
            rounds: settings.number("rounds", 0)?,
            depth: match settings.number("initial", u64::MAX)? {
                u64::MAX => None,
                depth => Some(depth),
            },
            source: match source {
                Some("interpolants") => Source::Interpolants,
                Some("preconditions") => Source::Preconditions,
                Some("guards") => Source::Guards,
                Some(_) => Source::Both,
                // Without acceleration the paper's plain procedure is asked for.
                None if acceleration => Source::Both,
                None => Source::Preconditions,
            },
        })
    }
}

/// The options as users see them.
pub const OPTIONS: &[OptionSpec] = &[
    OptionSpec {
        name: "acceleration",
        help: "take loops of a counterexample any number of times at once",
        default: "true",
    },
    OptionSpec {
        name: "rounds",
        help: "give up after N refinements; 0 is never",
        default: "0",
    },
    OptionSpec {
        name: "initial",
        help: "start with the atoms of N weakest preconditions of the property; without it, of one if they are few",
        default: "1 or 0",
    },
    OptionSpec {
        name: "method",
        help: "how abstractions are computed: auto, substitution, elimination, literals or models",
        default: "auto",
    },
    OptionSpec {
        name: "siblings",
        help: "add a predicate about one process for the others of its family as well",
        default: "true",
    },
    OptionSpec {
        name: "source",
        help: "where new predicates come from: preconditions, interpolants, guards, or both (the fewer)",
        default: "both",
    },
];
