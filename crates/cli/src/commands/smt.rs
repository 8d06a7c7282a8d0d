//! `sectile smt`.

use crate::args::SmtArgs;
use crate::exit::Exit;
use crate::output;
use anyhow::Context as _;
use sectile_frontend::input::read_text;
use std::path::Path;

/// Runs the command. Answers appear as they are found, errors among them as SMT-LIB has it.
pub fn run(args: &SmtArgs) -> anyhow::Result<Exit> {
    let (_, text) = read_text(&args.file)?;
    let mut respond = |line: &str| output::result(&format!("{line}\n"));
    let options = crate::smt::RunOptions {
        timeout: args.timeout,
        interpolation: crate::smt::Settings {
            method: args.interpolation,
            ..crate::smt::Settings::default()
        },
    };
    let outcome = match &args.proof_scripts {
        Some(folder) => with_proofs(&text, options, &mut respond, folder)?,
        None => crate::smt::run(&text, options, &mut respond),
    };
    Ok(if outcome.errors == 0 {
        Exit::Success
    } else {
        Exit::Input
    })
}

/// Writes the proof of check number `K` to `check-K.smt2`.
fn with_proofs(
    text: &str,
    options: crate::smt::RunOptions,
    respond: &mut dyn FnMut(&str),
    folder: &Path,
) -> anyhow::Result<crate::smt::Outcome> {
    let shown = folder.display();
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make the folder `{shown}`"))?;
    let mut written = Ok(());
    let outcome = crate::smt::run_with_proofs(text, options, respond, &mut |check, script| {
        let file = folder.join(format!("check-{check}.smt2"));
        if written.is_ok() {
            written = std::fs::write(&file, script)
                .with_context(|| format!("cannot write `{}`", file.display()));
        }
    });
    written.map(|()| outcome)
}
