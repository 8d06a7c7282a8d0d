//! Arguments of `select`, and of `check` where it selects predicates.

use super::{Format, InputArgs, assignment};
use clap::{Args, ValueEnum};
use sectile_engine_partial::{Aim, Heuristic};

/// How predicates for partial abstraction are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum HeuristicName {
    /// Pairs of steps should not follow each other in the abstraction only
    Imprecision,
    /// Pairs of predicates should prove the property, of a small instance if there is one
    Compatibility,
}

impl From<HeuristicName> for Heuristic {
    fn from(name: HeuristicName) -> Heuristic {
        match name {
            HeuristicName::Imprecision => Heuristic::Imprecision,
            HeuristicName::Compatibility => Heuristic::Compatibility,
        }
    }
}

/// When a pair of predicates counts as compatible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AimName {
    /// The property holds in the abstract system, and its proof carries over to the model
    Conclusively,
    /// The property holds in the abstract system, as in the published definition
    Abstractly,
}

impl From<AimName> for Aim {
    fn from(name: AimName) -> Aim {
        match name {
            AimName::Conclusively => Aim::Conclusively,
            AimName::Abstractly => Aim::Abstractly,
        }
    }
}

/// Arguments of `select`.
#[derive(Args, Debug)]
pub struct SelectArgs {
    #[command(flatten)]
    pub input: InputArgs,
    /// How predicates are judged
    #[arg(long, value_enum)]
    pub heuristic: HeuristicName,
    /// When a pair of predicates counts as compatible
    #[arg(long, value_enum, default_value_t = AimName::Conclusively)]
    pub aim: AimName,
    /// Select on this smaller instance; such as n=2
    #[arg(long, value_name = "NAME=VALUE", value_parser = assignment)]
    pub small: Vec<(String, String)>,
    /// The most predicates that are chosen
    #[arg(long, value_name = "K", default_value_t = 2)]
    pub depth: usize,
    /// Select for this property only; may be repeated
    #[arg(long, value_name = "NAME")]
    pub property: Vec<String>,
    /// Set an option of the engine that decides abstract systems (see `sectile engines`)
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = assignment)]
    pub settings: Vec<(String, String)>,
    /// The solver: native, z3, cvc5, or a command line that speaks SMT-LIB
    #[arg(long, value_name = "SOLVER", default_value = "native")]
    pub solver: String,
    /// How it is written
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}
