//! Arguments of `select`, and of `check --select`.

use super::{Format, InputArgs, assignment};
use clap::{Args, ValueEnum};
use sectile_engine_partial::{Aim, Heuristic, Ties};

/// How predicates for partial abstraction are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum HeuristicName {
    /// Avoids pairs of steps that are consecutive only in the abstraction
    Imprecision,
    /// The same, with the initial states and the conditions of the property as further steps
    Property,
    /// Prefers pairs of predicates that prove the property, on a small instance if given
    Compatibility,
}

impl From<HeuristicName> for Heuristic {
    fn from(name: HeuristicName) -> Heuristic {
        match name {
            HeuristicName::Imprecision => Heuristic::Imprecision,
            HeuristicName::Property => Heuristic::Property,
            HeuristicName::Compatibility => Heuristic::Compatibility,
        }
    }
}

/// How ties between sets of predicates with the same score are broken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum TiesName {
    /// By the number of abstracted variables (more is better), then by the number of predicates
    #[default]
    Variables,
    /// By the number of predicates (fewer is better)
    Predicates,
}

impl From<TiesName> for Ties {
    fn from(name: TiesName) -> Ties {
        match name {
            TiesName::Variables => Ties::Variables,
            TiesName::Predicates => Ties::Predicates,
        }
    }
}

/// One argument of `--small`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SmallPart {
    /// The value of a parameter.
    Value(String, String),
    /// Another file: a smaller or earlier version of the model.
    File(String),
}

impl SmallPart {
    /// Reads `NAME=VALUE` or the name of a file.
    pub fn read(text: &str) -> Result<SmallPart, String> {
        match assignment(text) {
            Ok((name, value)) => Ok(SmallPart::Value(name, value)),
            Err(_) if !text.is_empty() && !text.contains('=') => {
                Ok(SmallPart::File(text.to_string()))
            }
            Err(_) => Err("expected NAME=VALUE or a file".to_string()),
        }
    }

    /// The text as typed.
    pub fn text(&self) -> String {
        match self {
            SmallPart::Value(name, value) => format!("{name}={value}"),
            SmallPart::File(file) => file.clone(),
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
    /// How predicates are scored
    #[arg(long, value_enum)]
    pub heuristic: HeuristicName,
    /// When a pair of predicates counts as compatible
    #[arg(long, value_enum, default_value_t = AimName::Conclusively)]
    pub aim: AimName,
    /// Select on this smaller instance, such as n=2, or on the model of another file
    #[arg(long, value_name = "NAME=VALUE|FILE", value_parser = SmallPart::read)]
    pub small: Vec<SmallPart>,
    /// The largest number of predicates to choose
    #[arg(long, value_name = "K", default_value_t = 2)]
    pub depth: usize,
    /// How ties between sets with the same score are broken
    #[arg(long, value_enum, value_name = "NUMBER", default_value_t = TiesName::Variables)]
    pub ties: TiesName,
    /// Take a set chosen for an earlier property if it proves this one as well
    #[arg(long)]
    pub reuse: bool,
    /// Select for this property only; may be repeated
    #[arg(long, value_name = "NAME")]
    pub property: Vec<String>,
    /// Set an option of the engine that decides abstract systems (see `sectile engines`)
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = assignment)]
    pub settings: Vec<(String, String)>,
    /// The solver: native, z3, cvc5, or a command line that speaks SMT-LIB
    #[arg(long, value_name = "SOLVER", default_value = "native")]
    pub solver: String,
    /// The output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}
