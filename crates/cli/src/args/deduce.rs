//! Arguments of `abstract` and `prove`.

use super::{Format, InputArgs};
use clap::{Args, ValueEnum};

/// How an abstract system is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AbstractFormat {
    /// For people
    Text,
    /// One JSON document (see schemas/)
    Json,
    /// The reachable graph, for Graphviz
    Dot,
}

/// How an abstract system is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MethodName {
    /// Substitution, then models for what it leaves open
    Auto,
    /// Substitution, then elimination for what it leaves open
    Substitution,
    /// Start from the full relation; remove pairs of abstract states, and sets of pairs
    Elimination,
    /// Start from reachable states only; query single values as targets
    Literals,
    /// Elimination for the blocks of --partition
    Partition,
    /// Models of the whole transitions
    Models,
}

/// Parts of a method that can be switched off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MethodPart {
    /// What a command does not change keeps its value without a query
    Independence,
    /// Values that exclude each other are found beforehand
    Dependences,
    /// Next values that are always the same are found beforehand
    Constants,
    /// Whole sets of pairs are tried before their elements
    Sets,
}

/// How the states before a step are partitioned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PartsName {
    /// Not at all
    Whole,
    /// Into as many parts as possible with disjoint sets of next states
    Apart,
    /// Into single abstract states
    States,
}

/// Arguments of `abstract`.
#[derive(Args, Debug)]
pub struct AbstractArgs {
    #[command(flatten)]
    pub input: InputArgs,
    /// Predicates over the state, in the words of the model
    #[arg(
        long,
        value_name = "P1; P2; ...",
        allow_hyphen_values = true,
        default_value = ""
    )]
    pub predicates: String,
    /// An abstract variable with several values: `sign: x < 0 | x = 0 | x > 0`, with one more value
    /// for all other states, or `total = nr + nw in 0..3`; may be repeated
    #[arg(long, value_name = "NAME: C1 | C2 | ...", allow_hyphen_values = true)]
    pub data: Vec<String>,
    /// The same with conditions that may overlap: a state has every value whose condition holds, so
    /// the abstraction is a relation and not a function; may be repeated
    #[arg(long, value_name = "NAME: C1 | C2 | ...", allow_hyphen_values = true)]
    pub relation: Vec<String>,
    /// Count the processes in each local state instead of naming them: for any number of processes
    #[arg(long)]
    pub counters: bool,
    /// Check this property in the abstract system, and whether a counterexample is real
    #[arg(long, value_name = "NAME")]
    pub property: Option<String>,
    /// Be sound only for steps from states that satisfy the property, or this formula
    #[arg(
        long,
        value_name = "PHI",
        num_args = 0..=1,
        default_missing_value = ""
    )]
    pub relative: Option<String>,
    /// An invariant to use while the abstraction is computed; it is proved first, by rule Inv
    #[arg(long, value_name = "INVARIANT", allow_hyphen_values = true)]
    pub known: Option<String>,
    /// How the transitions are computed
    #[arg(long, value_enum, default_value_t = MethodName::Auto)]
    pub method: MethodName,
    /// Blocks of abstract variables, such as `a1, a2; a3, pc`; they may overlap
    #[arg(long, value_name = "A, B; C; ...")]
    pub partition: Option<String>,
    /// Switch parts of the method off
    #[arg(long, value_enum, value_name = "PART,...", value_delimiter = ',')]
    pub without: Vec<MethodPart>,
    /// If values overlap, keep as few next states as simulation needs: one for each step
    #[arg(long)]
    pub fewest: bool,
    /// Mark must steps: every state of the source has one into the target
    #[arg(long)]
    pub must: bool,
    /// Ask the solver at most N queries; whatever is not excluded by then stays
    #[arg(long, value_name = "N")]
    pub calls: Option<u64>,
    /// Show the query behind every abstract edge, and those behind edges that were excluded;
    /// programs with few predicates show them anyway
    #[arg(long)]
    pub questions: bool,
    /// Show the reachable states by cases of these guards; `guards` takes those of the commands
    #[arg(long, value_name = "G1; G2; ...", allow_hyphen_values = true)]
    pub split: Option<String>,
    /// The solver: native, z3, cvc5, or a command line that speaks SMT-LIB
    #[arg(long, value_name = "SOLVER", default_value = "native")]
    pub solver: String,
    /// The output format
    #[arg(long, value_enum, default_value_t = AbstractFormat::Text)]
    pub format: AbstractFormat,
}

/// Arguments of `prove`.
#[derive(Args, Debug)]
pub struct ProveArgs {
    #[command(flatten)]
    pub input: InputArgs,
    /// The invariant to prove; by default the property itself
    #[arg(long, value_name = "PSI", allow_hyphen_values = true)]
    pub invariant: Option<String>,
    /// The property that must follow
    #[arg(long, value_name = "NAME")]
    pub property: Option<String>,
    /// Predicates of an abstract system whose reachable states and steps may be used: rule Inv-Uni
    #[arg(long, value_name = "P1; P2; ...", allow_hyphen_values = true)]
    pub using: Option<String>,
    /// With --using, be sound only for steps from states that satisfy the property, or this formula
    /// (phi^C of rule Inv-Uni); it is proved together with the invariant
    #[arg(
        long,
        value_name = "PHI",
        num_args = 0..=1,
        default_missing_value = "",
        requires = "using"
    )]
    pub relative: Option<String>,
    /// With --using, a weaker formula to use instead of the reachable abstract states (Q of rule
    /// Inv-Uni)
    #[arg(long, value_name = "Q", allow_hyphen_values = true, requires = "using")]
    pub weaker: Option<String>,
    /// An invariant to use: it is proved by the system of two states, Q and not Q; with --using it
    /// is used while the abstraction is computed
    #[arg(long, value_name = "Q", allow_hyphen_values = true)]
    pub known: Option<String>,
    /// With --using, how the states before a step are partitioned: each part has its own statement
    /// about the next states
    #[arg(long, value_enum, default_value_t = PartsName::Whole)]
    pub parts: PartsName,
    /// Strengthen by weakest preconditions, at most N times, before the obligations are stated
    #[arg(long, value_name = "N")]
    pub backward: Option<usize>,
    /// Write every obligation as an SMT-LIB script into this folder; `unsat` means valid
    #[arg(long, value_name = "DIR")]
    pub export: Option<std::path::PathBuf>,
    /// The solver: native, z3, cvc5, or a command line that speaks SMT-LIB
    #[arg(long, value_name = "SOLVER", default_value = "native")]
    pub solver: String,
    /// How the result is written
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}
