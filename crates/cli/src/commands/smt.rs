//! `sectile smt`: runs an SMT-LIB script with the embedded solver.

use crate::args::{Methods, SmtArgs};
use crate::exit::Exit;
use crate::guard::Guard;
use crate::output;
use crate::smt::{self, RunOptions, Settings, TakeProof};
use anyhow::Context as _;
use sectile_frontend::input::read_text;
use std::path::Path;

/// Runs the command. Answers appear as they are found, with errors among them as SMT-LIB demands.
pub fn run(args: &SmtArgs) -> anyhow::Result<Exit> {
    let whole = args.limits.budget();
    let _guard = Guard::of_command(&args.limits);
    let text = match &args.text {
        Some(text) => text.clone(),
        None => read_text(&args.file)?.1,
    };
    let of_one_check = || match args.check_timeout {
        Some(time) => whole.clone().with_time(time),
        None => whole.clone(),
    };
    let options = RunOptions {
        limits: &of_one_check,
        interpolation: Settings {
            method: args.interpolation.one().unwrap_or_default(),
            ..Settings::default()
        },
        compare: args.interpolation == Methods::All,
    };
    if let Some(folder) = &args.proof_scripts {
        let shown = folder.display();
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot make the folder `{shown}`"))?;
    }
    let mut written = Ok(());
    // The proof of check number `K` goes to `check-K.smt2`.
    let mut write = |check: usize, script: &str| {
        let folder = args.proof_scripts.as_deref().unwrap_or(Path::new(""));
        let file = folder.join(format!("check-{check}.smt2"));
        if written.is_ok() {
            written = output::file(&file, script);
        }
    };
    let take = args
        .proof_scripts
        .is_some()
        .then_some(&mut write as TakeProof<'_>);
    let mut respond = |line: &str| output::result(&format!("{line}\n"));
    let errors = smt::run(&text, options, &mut respond, take);
    written?;
    Ok(match errors {
        0 => Exit::Success,
        _ => Exit::Input,
    })
}
