//! Options.

use sectile_engine::{BadOption, OptionSpec, Settings};

/// Where new predicates come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Atoms of preconditions along the path.
    Preconditions,
    /// Atoms of interpolants of the path.
    Interpolants,
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
        let source = settings.choice("source", &["preconditions", "interpolants"])?;
        Ok(Config {
            acceleration: settings.flag("acceleration", true)?,
            rounds: settings.number("rounds", 0)?,
            depth: settings.number("initial", 1)?,
            source: match source {
                Some("interpolants") => Source::Interpolants,
                _ => Source::Preconditions,
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
        help: "where new predicates come from: preconditions or interpolants",
        default: "preconditions",
    },
];
