//! Tasks for the repository beyond compiling.
//!
//! `cargo xtask tidy` checks the rules of the tree, `cargo xtask playground` builds the static site,
//! `cargo xtask gallery` writes the reports of the gallery.

mod gallery;
mod links;
mod playground;
mod tidy;

use std::process::ExitCode;

fn main() -> ExitCode {
    match std::env::args().nth(1).as_deref() {
        Some("tidy") => tidy::run(),
        Some("gallery") => gallery::run(&tidy::root()),
        Some("playground") => playground::run(&tidy::root(), std::env::args().nth(2)),
        _ => {
            eprintln!("usage: cargo xtask tidy | playground [DIR] | gallery");
            ExitCode::from(2)
        }
    }
}
