//! Options.

use sectile_engine::{BadOption, OptionSpec, Settings};

/// Where new predicates come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Atoms of preconditions along the path.
    Preconditions,
    /// Atoms of interpolants of the path.
    Interpolants,
    /// Preconditions for a few rounds, interpolants then.
    Both,
}

/// How the engine works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// Loops of a path are taken any number of times at once.
    pub acceleration: bool,
    /// Refinements before it gives up; none if zero.
    pub rounds: u64,
    /// Preconditions of the property whose atoms are predicates from the beginning.
    pub depth: u64,
    /// Where further predicates come from.
    pub source: Source,
}

impl Config {
    /// What the user set.
    pub fn from_settings(settings: &Settings) -> Result<Config, BadOption> {
        let source = settings.choice("source", &["preconditions", "interpolants", "both"])?;
        let acceleration = settings.flag("acceleration", true)?;
        Ok(Config {
            acceleration,
            rounds: settings.number("rounds", 0)?,
            depth: settings.number("initial", 1)?,
            source: match source {
                Some("interpolants") => Source::Interpolants,
                Some("preconditions") => Source::Preconditions,
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
        help: "start with the atoms of N weakest preconditions of the property",
        default: "1",
    },
    OptionSpec {
        name: "source",
        help: "where new predicates come from: preconditions, interpolants or both",
        default: "both",
    },
];
