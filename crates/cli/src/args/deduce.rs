//! Arguments of `abstract` and `prove`.

use super::{InputArgs, LimitArgs, ShowFormat};
use clap::Args;

/// Arguments of `abstract`.
#[derive(Args, Debug)]
pub struct AbstractArgs {
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub limits: LimitArgs,
    /// Predicates over the state, in the words of the model
    #[arg(long, value_name = "P1; P2; ...", allow_hyphen_values = true)]
    pub predicates: String,
    /// Check this property in the abstract system, and whether a counterexample is real
    #[arg(long, value_name = "NAME")]
    pub property: Option<String>,
    /// Show the question behind every abstract edge, and those behind edges that are not there
    #[arg(long)]
    pub questions: bool,
    /// The solver: native, z3, cvc5, or a command line that speaks SMT-LIB
    #[arg(long, value_name = "SOLVER", default_value = "native")]
    pub solver: String,
    /// How it is written
    #[arg(long, value_enum, default_value_t = ShowFormat::Text)]
    pub format: ShowFormat,
}

/// Arguments of `prove`.
#[derive(Args, Debug)]
pub struct ProveArgs {
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub limits: LimitArgs,
    /// The invariant to prove; by default the property itself
    #[arg(long, value_name = "PSI", allow_hyphen_values = true)]
    pub invariant: Option<String>,
    /// The property that must follow
    #[arg(long, value_name = "NAME")]
    pub property: Option<String>,
    /// Predicates of an abstract system whose reachable states and steps may be used: rule Inv-Uni
    #[arg(long, value_name = "P1; P2; ...", allow_hyphen_values = true)]
    pub using: Option<String>,
    /// Strengthen by weakest preconditions, at most N times, before the obligations are stated
    #[arg(long, value_name = "N")]
    pub backward: Option<usize>,
    /// Write every obligation as an SMT-LIB script into this folder; valid is `unsat`
    #[arg(long, value_name = "DIR")]
    pub export: Option<std::path::PathBuf>,
    /// The solver: native, z3, cvc5, or a command line that speaks SMT-LIB
    #[arg(long, value_name = "SOLVER", default_value = "native")]
    pub solver: String,
}
