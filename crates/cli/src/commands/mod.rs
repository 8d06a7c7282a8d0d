//! The commands, one module each.

pub mod abstract_;
pub mod bench;
pub mod certify;
pub mod check;
pub mod engines;
pub mod every;
pub mod explore;
pub mod export;
pub mod fmt;
pub mod generate;
pub mod horn;
mod interactive;
pub mod interpolations;
pub mod manual;
pub mod prove;
pub mod select;
pub mod show;
pub mod simulate;
pub mod smt;
pub mod watch;

use crate::args::{InputArgs, SmallPart};
use crate::output;
use sectile_driver::{BadRequest, InputError, Loaded, load, load_for_termination, load_text};
use sectile_engine::Settings;
use sectile_frontend::input::frontend_for;
use sectile_model::Property;
use sectile_questions::counters::{self, Family};
use std::path::Path;

/// An error for a command line that makes no sense.
pub fn bad(why: impl Into<String>) -> anyhow::Error {
    BadRequest(why.into()).into()
}

/// An error for an input that a command does not accept.
pub fn refused(code: &str, why: impl std::fmt::Display) -> anyhow::Error {
    let message = format!("error[{code}]: {why}\n");
    InputError { message }.into()
}

/// Refuses an output file whose folder does not exist, before any work is done.
pub fn folder_for(option: &str, file: &str) -> anyhow::Result<()> {
    let folder = Path::new(file).parent().unwrap_or(Path::new(""));
    if folder.as_os_str().is_empty() || folder.is_dir() {
        return Ok(());
    }
    let folder = folder.display();
    Err(bad(format!("{option}: there is no folder `{folder}`")))
}

/// The options of engines from the command line.
pub fn settings(list: &[(String, String)]) -> Settings {
    let mut settings = Settings::default();
    for (name, value) in list {
        settings.set(name, value);
    }
    settings
}

/// The property of this name.
pub fn named_property<'l>(loaded: &'l Loaded, name: &str) -> anyhow::Result<&'l Property> {
    let found = loaded.reading.module.property(name);
    found.ok_or_else(|| bad(format!("there is no property `{name}`")))
}

/// Reads the model without writing warnings.
pub fn load_silently(args: &InputArgs) -> anyhow::Result<Loaded> {
    let (file, input) = (&args.file, args.input.as_deref());
    let mut loaded = match &args.text {
        None if args.termination => load_for_termination(file, input, &args.define)?,
        None => load(file, input, &args.define)?,
        Some(text) => {
            let frontend = frontend_for(file, input)?;
            load_text(file, text.clone(), frontend, &args.define)?
        }
    };
    let language = loaded.frontend.info();
    if args.termination && language.satisfiability {
        return Err(bad(format!(
            "{} have no runs: --termination is about programs",
            language.texts
        )));
    }
    if args.infinite_paths {
        loaded.use_infinite_paths();
    }
    Ok(loaded)
}

/// Reads the model and writes its warnings.
pub fn load_model(args: &InputArgs) -> anyhow::Result<Loaded> {
    let loaded = load_silently(args)?;
    if !loaded.reading.warnings.is_empty() {
        output::diagnostic(&loaded.reading.warnings.render(&loaded.source));
    }
    Ok(loaded)
}

/// Reads the instance that `--small` describes, of this model or of another file, without writing
/// warnings.
pub fn load_small(input: &InputArgs, small: &[SmallPart]) -> anyhow::Result<Loaded> {
    let mut input = input.clone();
    let mut other = None;
    for part in small {
        match part {
            SmallPart::Value(name, value) => {
                input.define.retain(|(n, _)| n != name);
                input.define.push((name.clone(), value.clone()));
            }
            SmallPart::File(file) if other.is_none() => other = Some(file.clone()),
            SmallPart::File(_) => return Err(bad("--small takes one file")),
        }
    }
    if other.is_none() && input.file == "-" {
        return Err(bad("--small reads the model twice: it needs a file"));
    }
    if let Some(file) = other {
        input.file = file;
        input.text = None;
    }
    load_silently(&input)
}

/// Reads a model in which counters replace processes, with the family of processes that they count.
pub fn load_counters(args: &InputArgs) -> anyhow::Result<(Loaded, Family)> {
    if args.termination {
        return Err(bad("--counters has invariants only, not --termination"));
    }
    let (mut loaded, family) = counters::load(&args.file, args.input.as_deref(), &args.define)?;
    if args.infinite_paths {
        loaded.use_infinite_paths();
    }
    Ok((loaded, family))
}

/// Reads a model whose runs can be followed, see [`sectile_transform::with_runs`].
pub fn load_runs(args: &InputArgs) -> anyhow::Result<Loaded> {
    load_model(args).map(with_runs)
}

/// The same file as a model whose runs can be followed.
pub fn with_runs(mut loaded: Loaded) -> Loaded {
    loaded.reading.module = sectile_transform::with_runs(&loaded.terms, &loaded.reading.module);
    loaded
}
