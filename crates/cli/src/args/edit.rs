//! Arguments of the commands for people who write models.

use clap::Args;

/// Arguments of `fmt`.
#[derive(Args, Clone, Debug)]
pub struct FmtArgs {
    /// The files, which are rewritten; `-` formats standard input to standard output
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<String>,
    /// Write nothing; name the files that would change, and end with exit code 10 if there are any
    #[arg(long)]
    pub check: bool,
    /// The input language, where the ending does not tell (sct, imp)
    #[arg(long, value_name = "LANGUAGE")]
    pub input: Option<String>,
}
