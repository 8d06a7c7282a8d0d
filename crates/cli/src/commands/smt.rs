//! `sectile smt`.

use crate::args::SmtArgs;
use crate::exit::Exit;
use crate::output;
use sectile_driver::load::read_text;

/// Runs the command. Answers appear as they are found, errors among them as SMT-LIB has it.
pub fn run(args: &SmtArgs) -> anyhow::Result<Exit> {
    let (_, text) = read_text(&args.file)?;
    let mut respond = |line: &str| output::result(&format!("{line}\n"));
    let options = sectile_smt::RunOptions {
        timeout: args.timeout,
        interpolation: sectile_smt::Settings {
            method: args.interpolation,
            ..sectile_smt::Settings::default()
        },
    };
    let outcome = sectile_smt::run(&text, options, &mut respond);
    Ok(if outcome.errors == 0 {
        Exit::Success
    } else {
        Exit::Input
    })
}
