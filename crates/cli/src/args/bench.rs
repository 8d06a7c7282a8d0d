//! Arguments of `bench`.

use super::PlaceArgs;
use clap::Args;
use sectile_base::quantity::{bytes, duration};
use std::path::PathBuf;
use std::time::Duration;

/// Arguments of `bench`.
#[derive(Args, Debug)]
pub struct BenchArgs {
    /// The suite (docs/format/bench.md)
    pub suite: String,
    /// Also run another program on the tasks: NAME="COMMAND {chc}"; may be repeated. It answers
    /// `sat` if the property holds and `unsat` if it is violated
    #[arg(long, value_name = "NAME=COMMAND")]
    pub against: Vec<String>,
    /// The folder for tables and plots; sectile-bench/SUITE by default
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Keep the runs that are already in the folder
    #[arg(long)]
    pub resume: bool,
    /// Only tasks whose name contains this, or matches it if it has `*` or `?`
    #[arg(long, value_name = "PATTERN")]
    pub only: Option<String>,
    /// CPU time for every run, instead of the suite's, such as 60s or 10m
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub timeout: Option<Duration>,
    /// Wall-clock time for every run, instead of the suite's; 1.5 times its CPU time by default
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub wall: Option<Duration>,
    /// Memory for every run, instead of the suite's, such as 500MB or 4GiB
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    pub memory: Option<u64>,
    /// Repeat every run this often, instead of the suite's number
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub repeat: Option<u32>,
    #[command(flatten)]
    pub place: PlaceArgs,
    /// No progress on standard error
    #[arg(short, long)]
    pub quiet: bool,
}

/// Arguments of the process that supervises one run of `bench`.
#[derive(Args, Debug)]
pub struct SuperviseArgs {
    /// The job, as `sectile_bench::execute` writes it
    pub job: String,
}
