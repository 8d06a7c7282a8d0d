//! Measures the embedded solver beside z3, on the same queries in one run.
//!
//! `cargo run --release -p sectile-measure -- edges|bmc|files [SECONDS]` writes a Markdown table.
//! SECONDS limits each solver on each script. Where `z3` cannot be run, ours is measured alone and
//! the table says so. Both solvers are processes that read the same text (`solve` is what this
//! program runs itself with); only the edge checks of ours are made in process, as engines make
//! them.
//!
//! | what | where |
//! |---|---|
//! | small incremental queries | `edges` |
//! | unrollings of three models to depth 20 | `bmc` |
//! | 60 files from the zoo and from Horn clauses | `files`, `zoo`, `horn` |
//! | processes with a time limit | `race` |

// This crate is a program for developers, and its result is what it prints.
#![allow(clippy::print_stdout)]

mod bmc;
mod edges;
mod files;
mod horn;
mod race;
mod zoo;

use anyhow::{Context as _, bail};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The folder of the workspace.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn main() -> anyhow::Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let seconds = match args.get(1) {
        Some(text) if args[0] != "solve" => Some(text.parse().context("SECONDS is a number")?),
        _ => None,
    };
    let limit = |default| Duration::from_secs(seconds.unwrap_or(default));
    match args.first().map(String::as_str) {
        Some("edges") => edges::run(),
        Some("bmc") => bmc::run(limit(200)),
        Some("files") => files::run(limit(10)),
        Some("solve") => solve(args.iter().any(|a| a == "proofs")),
        _ => bail!("usage: sectile-measure edges|bmc|files [SECONDS]"),
    }
}

/// Our solver as a process: a script from standard input, answers as they are found.
fn solve(proofs: bool) -> anyhow::Result<()> {
    let mut text = String::new();
    if proofs {
        text.push_str("(set-option :produce-proofs true)\n");
    }
    std::io::stdin().read_to_string(&mut text)?;
    let mut out = std::io::stdout();
    let mut failed = false;
    let options = sectile_smt::RunOptions::default();
    sectile_smt::run(&text, options, &mut |line| {
        failed |= writeln!(out, "{line}").and_then(|()| out.flush()).is_err();
    });
    if failed {
        bail!("the answers could not be written");
    }
    Ok(())
}
