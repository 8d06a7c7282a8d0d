//! The command line: its commands and their options.

mod bench;
mod deduce;
mod edit;
mod given;
mod select;
mod solidity;
mod split;

pub use bench::{BenchArgs, SuperviseArgs};
pub use deduce::{AbstractArgs, AbstractFormat, MethodName, PartsName, ProveArgs};
pub use edit::{FmtArgs, WatchArgs};
pub use select::{HeuristicName, SelectArgs, SmallPart, TiesName};
pub use solidity::{QueryArgs, SolidityArgs};
pub use split::{JoinArgs, PlaceArgs, SplitArgs, WorkArgs};

use clap::{Args, Parser, Subcommand, ValueEnum};
use sectile_base::Budget;
use sectile_base::quantity::{bytes, duration};
use std::time::Duration;

/// A model checker for infinite-state systems and programs.
#[derive(Debug, Parser)]
#[command(name = "sectile", version, about, max_term_width = 100)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: CommandLine,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum CommandLine {
    /// Check the properties of a model
    Check(CheckArgs),
    /// Check a certificate against the model, independently of its origin
    Certify(CertifyArgs),
    /// Show how the model was understood
    Show(ShowArgs),
    /// Show a concrete run
    Simulate(SimulateArgs),
    /// Search the concrete states: number of states, deadlocks, shortest violations
    Explore(ExploreArgs),
    /// Write the model in another language
    Export(ExportArgs),
    /// Show the abstract system for given predicates: states, transitions, the reachable set
    Abstract(AbstractArgs),
    /// Prove an invariant by deduction, with every proof obligation
    Prove(ProveArgs),
    /// Choose predicates for partial abstraction: scores, compatible pairs, the choice
    Select(SelectArgs),
    /// Write random Boogie programs
    Generate(GenerateArgs),
    /// Run an SMT-LIB script with the embedded solver
    Smt(SmtArgs),
    /// Check the contracts of a Solidity file with the compiler's model checker and Sectile as its
    /// solver
    Solidity(SolidityArgs),
    /// Decide clauses of the Solidity compiler for `solidity`
    #[command(hide = true)]
    SolidityQuery(QueryArgs),
    /// Run a suite of benchmarks: tables and plots
    Bench(BenchArgs),
    /// Supervise one run of `bench`
    #[command(hide = true)]
    BenchSupervise(SuperviseArgs),
    /// Split the check of a model into lines of work for many processes or machines
    Split(SplitArgs),
    /// Do one line of work of a directory that `split` made
    Work(WorkArgs),
    /// Join the results of a directory that `split` made, and check the evidence of the whole
    Join(JoinArgs),
    /// Check a model again whenever its file changes, and report changed verdicts
    Watch(WatchArgs),
    /// Format models: white space, indentation and columns (.sct and .imp)
    Fmt(FmtArgs),
    /// Serve editors: the language server, over standard input and output (see docs/editor.md)
    #[cfg(not(target_family = "wasm"))]
    Lsp,
    /// List the engines: methods, accepted tasks, options
    Engines,
    /// Write a completion script for a shell to standard output
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Write the manual: a page for every command
    Man {
        /// The folder to write the pages to
        #[arg(value_name = "DIR")]
        folder: std::path::PathBuf,
    },
}

impl CommandLine {
    /// The limits of the whole command, if it has no finer ones.
    pub fn limits(&self) -> Option<&LimitArgs> {
        match self {
            CommandLine::Certify(args) => Some(&args.input.limits),
            CommandLine::Show(args) => Some(&args.input.limits),
            CommandLine::Simulate(args) => Some(&args.input.limits),
            CommandLine::Explore(args) => Some(&args.input.limits),
            CommandLine::Export(args) => Some(&args.input.limits),
            CommandLine::Abstract(args) => Some(&args.input.limits),
            CommandLine::Prove(args) => Some(&args.input.limits),
            CommandLine::Select(args) => Some(&args.input.limits),
            CommandLine::Fmt(args) => Some(&args.limits),
            _ => None,
        }
    }
}

/// The model and how it is read.
#[derive(Args, Clone, Debug)]
pub struct InputArgs {
    /// The model; `-` reads standard input (then --input is needed)
    pub file: String,
    /// The text of the file, if it was read already
    #[arg(skip)]
    pub text: Option<String>,
    /// Give a parameter of the model a value
    #[arg(short = 'D', value_name = "NAME=VALUE", value_parser = assignment)]
    pub define: Vec<(String, String)>,
    /// The input language, if the file ending does not determine it (sct, imp, boogie)
    #[arg(long, value_name = "LANGUAGE")]
    pub input: Option<String>,
    /// CTL formulas are about infinite paths only, not about all maximal paths
    #[arg(long)]
    pub infinite_paths: bool,
    /// Check whether all runs terminate, instead of the properties of the file
    #[arg(long)]
    pub termination: bool,
    #[command(flatten)]
    pub limits: LimitArgs,
}

/// Limits of time and memory.
#[derive(Args, Clone, Debug)]
pub struct LimitArgs {
    /// Stop after this time, such as 500ms, 60s or 10m; for `check` the limit applies to each
    /// property, reading the file included
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub timeout: Option<Duration>,
    /// Stop when the process uses more memory than this, such as 500MB or 4GiB
    #[arg(long, value_name = "SIZE", value_parser = bytes, default_value = "4GiB")]
    pub memory: u64,
}

impl LimitArgs {
    /// The limits as a budget.
    pub fn budget(&self) -> Budget {
        self.on(Budget::unlimited())
    }

    /// This budget with these limits added.
    pub fn on(&self, budget: Budget) -> Budget {
        let budget = budget.with_memory(self.memory);
        match self.timeout {
            Some(time) => budget.with_time(time),
            None => budget,
        }
    }
}

/// How results are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    Text,
    /// One JSON document (see schemas/)
    Json,
}

/// How the results of `check` are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CheckFormat {
    /// For people
    Text,
    /// One JSON document (see schemas/)
    Json,
    /// JSON lines: the input, everything the engines do, the results (see schemas/)
    Events,
    /// One SARIF 2.1.0 document, for code scanning
    Sarif,
}

/// The meaning of the exit code of `check`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExitCode {
    /// The verdict: 0 if all properties hold, 10 if one is violated, 20 if one is unknown
    Verdict,
    /// Nothing: 0 for every verdict; errors keep their codes
    Zero,
}

/// Arguments of `check`.
#[derive(Args, Clone, Debug)]
pub struct CheckArgs {
    #[command(flatten)]
    pub input: InputArgs,
    /// More models, checked one after the other
    #[arg(value_name = "FILE")]
    pub more: Vec<String>,
    /// Check only this property; may be repeated
    #[arg(long, value_name = "NAME")]
    pub property: Vec<String>,
    /// The engines to try, in turns; `auto` chooses
    #[arg(
        long,
        value_name = "NAME,...",
        value_delimiter = ',',
        default_value = "auto"
    )]
    pub engine: Vec<String>,
    /// Set an option of an engine (see `sectile engines`)
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = assignment)]
    pub settings: Vec<(String, String)>,
    /// Do not check further properties after a violation
    #[arg(long)]
    pub first_violation: bool,
    /// How many engines work at the same time; with 1, the result depends only on the input and the
    /// seed [default: the number of cores, at most 2]
    #[arg(long, value_name = "N")]
    pub jobs: Option<std::num::NonZeroUsize>,
    /// The seed of all random choices
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// The solver: native, z3, cvc5, or a command line that speaks SMT-LIB
    #[arg(long, value_name = "SOLVER", default_value = "native")]
    pub solver: String,
    /// How the embedded solver computes interpolants: mcmillan, pudlak, dual-mcmillan, dual-farkas,
    /// decomposed, dual-decomposed, sp, wp, beautiful or projection; `all` compares them in a table
    #[arg(long, value_name = "NAME", value_parser = methods)]
    pub interpolation: Option<Methods>,
    /// Predicates over the state, in the words of the model, that engines try before their own
    #[arg(long, value_name = "P1; P2; ...", allow_hyphen_values = true)]
    pub predicates: Option<String>,
    /// Choose the predicates automatically, on the instance of --small if given (see `sectile
    /// select`)
    #[arg(
        long,
        value_enum,
        value_name = "HEURISTIC",
        conflicts_with = "predicates"
    )]
    pub select: Option<HeuristicName>,
    /// With --select, the largest number of predicates to choose
    #[arg(long, value_name = "K", default_value_t = 2, requires = "select")]
    pub depth: usize,
    /// With --select, how ties between sets with the same score are broken
    #[arg(long, value_enum, value_name = "NUMBER", default_value_t = TiesName::Variables, requires = "select")]
    pub ties: TiesName,
    /// With --select, take a set chosen for an earlier property if it proves this one as well
    #[arg(long, requires = "select")]
    pub reuse: bool,
    /// Check a smaller instance first, and try its invariant as lemmas; such as n=2, or the file of
    /// a smaller or earlier version of the model
    #[arg(long, value_name = "NAME=VALUE|FILE", value_parser = SmallPart::read)]
    pub small: Vec<SmallPart>,
    /// Run slicing abstractions exactly as published: --set slab-paper=true
    #[arg(long)]
    pub slab_paper: bool,
    /// First split nodes of slicing abstractions by hand, such as `n2: pc = 1; n5: pc = 2`, on the
    /// abstraction that begins with four nodes; --dot shows their names
    #[arg(long, value_name = "NODE: P; ...", allow_hyphen_values = true)]
    pub split: Option<String>,
    /// Check the evidence of every verdict before it is printed (the default)
    #[arg(long, conflicts_with = "no_certify")]
    pub certify: bool,
    /// Do not check the evidence; the result says so
    #[arg(long)]
    pub no_certify: bool,
    /// A verdict that differs from the one expected by a header of the file is an error (exit code
    /// 4), not only a warning
    #[arg(long)]
    pub expect: bool,
    /// How the result is written
    #[arg(long, value_enum, default_value_t = CheckFormat::Text)]
    pub format: CheckFormat,
    /// Show the invariant of every property that holds
    #[arg(long)]
    pub model: bool,
    /// Show the run of every property that is violated
    #[arg(long)]
    pub trace: bool,
    /// For Horn clauses without a model, show the proof by hyper-resolution as z3 writes it
    #[arg(long)]
    pub proof: bool,
    /// The meaning of the exit code
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = ExitCode::Verdict)]
    pub exit_code: ExitCode,
    /// The time for everything, including models
    #[arg(skip)]
    pub hard_limit: Option<Duration>,
    /// Write the evidence to a file that `sectile certify` reads; with `-` it goes to standard
    /// output, and the report to standard error
    #[arg(long, value_name = "OUT")]
    pub certificate: Option<String>,
    /// Draw the abstraction after every step into this folder: step-001.dot, ... for Graphviz
    /// (removed parts are dashed), and its sizes as abstraction.csv and abstraction.svg
    #[arg(long, value_name = "DIR")]
    pub dot: Option<String>,
    /// Write the results, the evidence and the steps of the engines as one HTML page, which needs
    /// no network (see docs/report.md)
    #[arg(long, value_name = "OUT.html")]
    pub report: Option<String>,
    /// Explain in prose what the engine did and why, before the results (see docs/explaining.md)
    #[arg(long)]
    pub explain: bool,
    /// Count the processes in each local state instead of naming them: for any number of processes
    #[arg(long, conflicts_with = "small")]
    pub counters: bool,
    /// Prove invariants for every value of this parameter, the number of processes, or find the
    /// smallest one with a violation (see docs/every-n.md)
    #[arg(long, value_name = "NAME", conflicts_with_all = [
        "counters", "small", "dot", "report", "explain", "expect", "predicates", "select",
    ])]
    pub forall: Option<String>,
    /// Show counters and times
    #[arg(long)]
    pub stats: bool,
    /// No warnings, progress or suggestions
    #[arg(short, long)]
    pub quiet: bool,
    /// Report the engines' progress on standard error from time to time; -vv reports every step
    #[arg(short, long, action = clap::ArgAction::Count)]
    pub verbose: u8,
}

/// Arguments of `certify`.
#[derive(Args, Debug)]
pub struct CertifyArgs {
    #[command(flatten)]
    pub input: InputArgs,
    /// The certificate (docs/format/certificate.md)
    pub certificate: String,
    /// Read the model with the parameter values of the certificate, even if the file and -D say
    /// otherwise
    #[arg(long)]
    pub any_instance: bool,
    /// The solver: native, z3, cvc5, or a command line that speaks SMT-LIB
    #[arg(long, value_name = "SOLVER", default_value = "native")]
    pub solver: String,
}

/// Arguments of `show`.
#[derive(Args, Debug)]
pub struct ShowArgs {
    #[command(flatten)]
    pub input: InputArgs,
    /// Show the program graph: locations and edges
    #[arg(long)]
    pub graph: bool,
    /// Add a self-loop to the final location, so that every state has a next one
    #[arg(long)]
    pub total: bool,
    /// Show, for each property, the blocks that engines on programs work with: `loops` folds
    /// everything between loop heads, `sequences` folds straight pieces, `parallel` and `single`
    /// fold less
    #[arg(long, value_name = "SIZE", num_args = 0..=1, default_missing_value = "loops")]
    pub blocks: Option<String>,
    /// The output format
    #[arg(long, value_enum, default_value_t = ShowFormat::Text)]
    pub format: ShowFormat,
}

/// How a model is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ShowFormat {
    /// For people
    Text,
    /// For Graphviz
    Dot,
}

/// Arguments of `simulate`.
#[derive(Args, Debug)]
pub struct SimulateArgs {
    #[command(flatten)]
    pub input: InputArgs,
    /// The number of steps
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub steps: usize,
    /// The seed of all choices
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Choose every step at the terminal
    #[arg(long)]
    pub interactive: bool,
}

/// Arguments of `explore`.
#[derive(Args, Debug)]
pub struct ExploreArgs {
    #[command(flatten)]
    pub input: InputArgs,
    /// Visit no states more than this many steps away from the initial states
    #[arg(long, value_name = "N")]
    pub bound: Option<usize>,
    /// Visit only states whose numbers lie in this range, such as -2..5
    #[arg(long, value_name = "LO..HI", allow_hyphen_values = true)]
    pub domain: Option<String>,
    /// The distance between values of reals in the domain, such as 1/2
    #[arg(long, value_name = "STEP", default_value = "1")]
    pub domain_step: String,
    /// Visit at most this many states
    #[arg(long, value_name = "N")]
    pub states: Option<usize>,
    /// Show the run of every property that is violated, and a run to a deadlock
    #[arg(long)]
    pub trace: bool,
    /// How the result is written
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// Arguments of `export`.
#[derive(Args, Debug)]
pub struct ExportArgs {
    #[command(flatten)]
    pub input: InputArgs,
    /// The language to write
    #[arg(long, value_enum)]
    pub to: Target,
    /// The property to write, if the language has one per file (the first by default)
    #[arg(long, value_name = "NAME")]
    pub property: Option<String>,
    /// The file to write; standard output by default
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<String>,
}

/// Output languages for models.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Target {
    /// Constrained Horn clauses (SMT-LIB, logic HORN)
    Chc,
    /// A program in C that calls `reach_error` where the property is violated
    C,
    /// VMT-LIB
    Vmt,
    /// Graphviz
    Dot,
    /// The native language, flat
    Sct,
}

/// Arguments of `generate`.
#[derive(Args, Debug)]
pub struct GenerateArgs {
    /// The number of programs
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub programs: u32,
    /// The seed of all choices; the same seed gives the same programs
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub seed: u64,
    /// The folder for the programs, named random-000.bpl and so on; a single program may also go to
    /// standard output
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<String>,
}

/// Arguments of `smt`.
#[derive(Args, Debug)]
pub struct SmtArgs {
    /// The script; `-` reads standard input
    pub file: String,
    /// The text of the script, if it was read already
    #[arg(skip)]
    pub text: Option<String>,
    #[command(flatten)]
    pub limits: LimitArgs,
    /// Answer `unknown` to a check that takes longer than this, such as 500ms or 60s, and continue
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub check_timeout: Option<Duration>,
    /// How interpolants are computed: mcmillan, pudlak, dual-mcmillan, dual-farkas, decomposed,
    /// dual-decomposed, sp, wp, beautiful or projection; `all` adds a table that compares them
    #[arg(long, value_name = "NAME", default_value = "mcmillan", value_parser = methods)]
    pub interpolation: Methods,
    /// Write the proof of every `unsat` into this folder, as a script that other solvers can
    /// confirm
    #[arg(long, value_name = "DIR")]
    pub proof_scripts: Option<std::path::PathBuf>,
}

/// One method of interpolation, or all of them side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Methods {
    One(crate::smt::Method),
    All,
}

impl Methods {
    /// The method, unless all were requested.
    pub fn one(self) -> Option<crate::smt::Method> {
        match self {
            Methods::One(method) => Some(method),
            Methods::All => None,
        }
    }
}

fn methods(text: &str) -> Result<Methods, String> {
    match text {
        "all" => Ok(Methods::All),
        _ => method(text).map(Methods::One),
    }
}

fn method(text: &str) -> Result<crate::smt::Method, String> {
    text.parse()
        .map_err(|e: crate::smt::UnknownMethod| e.to_string())
}

fn assignment(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => {
            Ok((name.trim().to_string(), value.trim().to_string()))
        }
        _ => Err("expected NAME=VALUE".to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}
