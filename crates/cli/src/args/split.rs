//! Arguments of `split`, `work` and `join`, and of the place where work is done.

use super::{InputArgs, assignment};
use clap::{Args, ValueEnum};
use sectile_base::quantity::{bytes, duration};
use sectile_bench::work::place::Workplace;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

/// Where lines of work are done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PlaceName {
    /// On this machine, in separate processes
    Local,
    /// With GNU parallel (the variable PARALLEL has further options for it, such as hosts)
    Parallel,
    /// With Slurm, as an array of jobs
    Slurm,
}

/// The place of the work, and how many lines run at a time.
#[derive(Args, Clone, Debug)]
pub struct PlaceArgs {
    /// Do the work at this place, and wait for it
    #[arg(long, value_enum, value_name = "PLACE")]
    pub on: Option<PlaceName>,
    /// The same as --on slurm
    #[arg(long, conflicts_with = "on")]
    pub slurm: bool,
    /// How many lines are done at the same time [default: the number of cores; what Slurm allows]
    #[arg(long, value_name = "N")]
    pub workers: Option<NonZeroUsize>,
    /// A further option of sbatch, such as --sbatch=--partition=long; may be repeated
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    pub sbatch: Vec<String>,
}

impl PlaceArgs {
    /// The place, if one was named.
    pub fn place(&self) -> Option<Workplace> {
        let named = self.slurm.then_some(PlaceName::Slurm).or(self.on)?;
        Some(match named {
            PlaceName::Local => Workplace::Local,
            PlaceName::Parallel => Workplace::Parallel,
            PlaceName::Slurm => Workplace::Slurm,
        })
    }
}

/// Arguments of `split`.
#[derive(Args, Clone, Debug)]
pub struct SplitArgs {
    #[command(flatten)]
    pub input: InputArgs,
    /// The directory for the work and its results
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,
    /// Only this property; may be repeated
    #[arg(long, value_name = "NAME")]
    pub property: Vec<String>,
    /// Check an instance for every value of a parameter: n=2..5 or n=2,4,8; may be repeated
    #[arg(long, value_name = "NAME=VALUES", value_parser = assignment)]
    pub each: Vec<(String, String)>,
    /// At most this many parts per property: its conjuncts (the disjuncts of the error) are divided
    /// among them
    #[arg(long, value_name = "N", default_value = "8")]
    pub parts: NonZeroUsize,
    /// Engines, as alternatives: a line for each; the first verdict makes the others unnecessary
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
    /// How many engines of `auto` work at the same time in one line
    #[arg(long, value_name = "N", default_value = "1")]
    pub jobs: NonZeroUsize,
    /// The seed of all random choices
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// The solver: native, z3, cvc5, or a command line that speaks SMT-LIB
    #[arg(long, value_name = "SOLVER", default_value = "native")]
    pub solver: String,
    /// Replace other work that is in the directory
    #[arg(long)]
    pub replace: bool,
    #[command(flatten)]
    pub place: PlaceArgs,
    /// No progress on standard error
    #[arg(short, long)]
    pub quiet: bool,
}

/// Arguments of `work`.
#[derive(Args, Clone, Debug)]
pub struct WorkArgs {
    /// The directory that `split` or `bench` made
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,
    /// The number of the line, from 1
    #[arg(value_name = "I")]
    pub line: usize,
    /// Do the line even if it has a result already or is not needed; an earlier verdict is kept if
    /// there is none this time
    #[arg(long)]
    pub again: bool,
    /// A time limit other than that of the line, such as 60s or 10m
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub timeout: Option<Duration>,
    /// A memory limit other than that of the line, such as 4GiB
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    pub memory: Option<u64>,
    /// Print errors only
    #[arg(short, long)]
    pub quiet: bool,
}

/// Arguments of `join`.
#[derive(Args, Clone, Debug)]
pub struct JoinArgs {
    /// The directory that `split` made
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,
    /// First do the lines without a result; the same as --on local
    #[arg(long, conflicts_with_all = ["on", "slurm"])]
    pub run: bool,
    #[command(flatten)]
    pub place: PlaceArgs,
    /// Join the split model, even if the file has changed since: the verdicts are about the copy in
    /// DIR
    #[arg(long)]
    pub copy: bool,
    /// The solver that checks the evidence: native, z3, cvc5, or a command line that speaks SMT-LIB
    #[arg(long, value_name = "SOLVER", default_value = "native")]
    pub solver: String,
    /// No progress on standard error
    #[arg(short, long)]
    pub quiet: bool,
}
