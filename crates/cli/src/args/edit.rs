//! Arguments of `fmt` and `watch`.

use super::{CheckArgs, LimitArgs};
use clap::Args;

/// Arguments of `fmt`.
#[derive(Args, Clone, Debug)]
pub struct FmtArgs {
    /// The files, which are rewritten; `-` formats standard input to standard output
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<String>,
    /// Write nothing; list the files that would change, and exit with code 10 if there are any
    #[arg(long)]
    pub check: bool,
    /// The input language, if the file ending does not determine it (sct, imp)
    #[arg(long, value_name = "LANGUAGE")]
    pub input: Option<String>,
    #[command(flatten)]
    pub limits: LimitArgs,
}

/// Arguments of `watch`.
#[derive(Args, Clone, Debug)]
pub struct WatchArgs {
    #[command(flatten)]
    pub check: CheckArgs,
    /// End after this many checks; otherwise only a signal ends it
    #[arg(long, value_name = "N")]
    pub rounds: Option<u64>,
}
