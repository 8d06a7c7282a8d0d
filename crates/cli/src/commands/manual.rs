//! `sectile completions` and `sectile man`: generated from the definition of the command line.

use crate::args::Cli;
use crate::exit::Exit;
use crate::output;
use anyhow::Context as _;
use clap::CommandFactory as _;
use clap_complete::Shell;
use std::path::Path;

/// Writes the completions for a shell.
pub fn completions(shell: Shell) -> anyhow::Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "sectile", &mut script);
    output::result(&String::from_utf8_lossy(&script));
    Ok(Exit::Success)
}

/// Writes the pages of the manual into a folder, which is created if needed.
pub fn pages(folder: &Path) -> anyhow::Result<Exit> {
    let shown = folder.display();
    std::fs::create_dir_all(folder)
        .and_then(|()| clap_mangen::generate_to(Cli::command(), folder))
        .with_context(|| format!("cannot write to `{shown}`"))?;
    output::diagnostic(&format!("wrote the manual to {shown}"));
    Ok(Exit::Success)
}
