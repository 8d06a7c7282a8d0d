//! Measures the embedded solver beside z3, on the same queries in one run.
//!
//! After `cargo build --release`, `cargo run --release -p sectile-bench --example measure --
//! edges|bmc|files [SECONDS]` writes a Markdown table. SECONDS limits each solver on each script.
//! Where `z3` cannot be run, ours is measured alone and the table says so. Both solvers are
//! processes that read the same text (ours is `sectile smt`); only the edge checks of ours are made
//! in process, as engines make them.
//!
//! | what | where |
//! |---|---|
//! | small incremental queries | `edges` |
//! | unrollings of three models to depth 20 | `bmc` |
//! | 60 files from the zoo and from Horn clauses | `files`, `zoo`, `horn` |
//! | processes with a time limit | `race` |

// This is a program for developers, and its result is what it prints.
#![allow(clippy::print_stdout)]

mod bmc;
mod edges;
mod files;
mod horn;
mod race;
mod zoo;

use anyhow::{Context as _, bail};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The folder of the workspace.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn main() -> anyhow::Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let seconds = match args.get(1) {
        Some(text) => Some(text.parse().context("SECONDS is a number")?),
        None => None,
    };
    let limit = |default| Duration::from_secs(seconds.unwrap_or(default));
    match args.first().map(String::as_str) {
        Some("edges") => edges::run(),
        Some("bmc") => bmc::run(limit(200)),
        Some("files") => files::run(limit(10)),
        _ => bail!("usage: measure edges|bmc|files [SECONDS]"),
    }
}
