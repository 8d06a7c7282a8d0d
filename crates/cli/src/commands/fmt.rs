//! `sectile fmt`: formats model files.

use crate::args::FmtArgs;
use crate::commands::refused;
use crate::exit::Exit;
use crate::output;
use sectile_base::Source;
use sectile_driver::InputError;
use sectile_frontend::frontends;
use sectile_frontend::input::{frontend_for, read_text};

/// Runs the command.
pub fn run(args: &FmtArgs) -> anyhow::Result<Exit> {
    let mut exit = Exit::Success;
    for file in &args.files {
        // A file with errors does not prevent the others from being formatted.
        exit = exit.worse(one(args, file).unwrap_or_else(|error| {
            output::diagnostic(&format!("{error:#}"));
            Exit::of_error(&error)
        }));
    }
    Ok(exit)
}

fn one(args: &FmtArgs, file: &str) -> anyhow::Result<Exit> {
    let (name, text) = read_text(file)?;
    let formatted = formatted(&name, &text, file, args.input.as_deref())?;
    if args.check {
        if formatted == text {
            return Ok(Exit::Success);
        }
        output::result(&format!("{name}\n"));
        return Ok(Exit::Violated);
    }
    if file == "-" {
        output::result(&formatted);
    } else if formatted != text {
        output::file(file.as_ref(), &formatted)?;
    }
    Ok(Exit::Success)
}

fn formatted(name: &str, text: &str, file: &str, input: Option<&str>) -> anyhow::Result<String> {
    let frontend = frontend_for(file, input)?;
    let source = Source::new(name, text);
    match frontend.format(&source) {
        Some(Ok(formatted)) => Ok(formatted),
        Some(Err(mistakes)) => Err(InputError::of(&mistakes, &source).into()),
        None => {
            let empty = Source::new("", "");
            let known = frontends().iter().filter(|f| f.format(&empty).is_some());
            let known: Vec<&str> = known.map(|f| f.info().name).collect();
            let why = format!(
                "`{name}` is in a language without a formatter; {} have one",
                known.join(" and ")
            );
            Err(refused("input", why))
        }
    }
}
