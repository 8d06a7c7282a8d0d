//! Stands in for another Horn solver: called as `eld`, `z3` or `golem`, or with `--as NAME` first,
//! the program accepts the options of that solver and answers in its format.
//!
//! Its command line is translated into one of ours (`flags.rs`), together with the requests in the
//! script (`script.rs`). Nothing else differs: the verdict is checked as always.

mod flags;
mod script;

use crate::args::{Cli, CommandLine, ExitCode};
use crate::output;
use clap::Parser as _;
use flags::Request;
use sectile_frontend::input::read_text;
use std::path::Path;
use std::time::Duration;

/// The solver to stand in for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Personality {
    Eldarica,
    Z3,
    Golem,
}

impl Personality {
    fn by_name(name: &str) -> Option<Personality> {
        match name {
            "eld" | "eldarica" => Some(Personality::Eldarica),
            "z3" => Some(Personality::Z3),
            "golem" => Some(Personality::Golem),
            _ => None,
        }
    }

    /// The personality that a command line asks for, with the remaining arguments; an error if the
    /// name is unknown.
    pub fn of(mut line: Vec<String>) -> Result<Option<(Personality, Vec<String>)>, String> {
        if line.is_empty() {
            return Ok(None);
        }
        let program = line.remove(0);
        let stem = Path::new(&program).file_stem().and_then(|s| s.to_str());
        if let Some(found) = stem.and_then(Personality::by_name) {
            return Ok(Some((found, line)));
        }
        let name = match line.first().map(String::as_str) {
            Some("--as") if line.len() > 1 => line.drain(..2).nth(1),
            Some(first) => {
                let name = first.strip_prefix("--as=").map(str::to_string);
                name.inspect(|_| drop(line.remove(0)))
            }
            None => None,
        };
        let Some(name) = name else {
            return Ok(None);
        };
        let found = Personality::by_name(&name);
        let found = found.ok_or(format!("error: `--as {name}`: there are eld, z3 and golem"))?;
        Ok(Some((found, line)))
    }
}

/// Translates the command line of another solver into one of ours; `None` after reporting an error.
pub fn command(personality: Personality, line: &[String]) -> Option<CommandLine> {
    let request = match Request::of(personality, line) {
        Ok(request) => request,
        Err(why) => {
            output::result(&format!("(error \"{why}\")\n"));
            return None;
        }
    };
    if request.version {
        return ours(&["--version".to_string()]);
    }
    let text = match read_text(&request.file) {
        Ok((_, text)) => text,
        Err(error) => {
            output::result("(error \"the file cannot be read\")\n");
            output::diagnostic(&error.to_string());
            return None;
        }
    };
    let asked = script::Asked::of(&text);
    let limits = request.timeout.into_iter().chain(asked.timeout);
    let timeout = limits.min().map(margin);
    let mut line = Vec::new();
    let mut add = |word: &str| line.push(word.to_string());
    if personality == Personality::Z3 && !asked.is_horn {
        add("smt");
    } else {
        ["check", "--quiet", "--input", "chc", "--exit-code", "zero"]
            .into_iter()
            .for_each(&mut add);
        if request.model || asked.model {
            add("--model");
        }
        if request.trace {
            add("--trace");
        }
        if personality == Personality::Z3 && asked.proof {
            add("--proof");
        }
    }
    if let Some(time) = timeout {
        add("--timeout");
        add(&format!("{}ms", time.as_millis()));
    }
    add(&request.file);
    ours(&line).map(|command| with_text(command, text, timeout))
}

/// The time limit of clients includes the start of the program, so a tenth is subtracted.
fn margin(time: Duration) -> Duration {
    (time * 9 / 10).max(Duration::from_millis(1))
}

/// Parses a command line of ours. `--version` ends the program here.
fn ours(line: &[String]) -> Option<CommandLine> {
    let line = std::iter::once("sectile".to_string()).chain(line.iter().cloned());
    Some(Cli::parse_from(line).command)
}

/// Sets the text, which has already been read, and makes the time limit a hard one.
fn with_text(mut command: CommandLine, text: String, timeout: Option<Duration>) -> CommandLine {
    match &mut command {
        CommandLine::Check(args) => {
            args.input.text = Some(text);
            args.hard_limit = timeout;
            args.exit_code = ExitCode::Zero;
        }
        CommandLine::Smt(args) => args.text = Some(text),
        _ => {}
    }
    command
}

#[cfg(test)]
mod tests {
    use super::Personality;

    fn of(line: &str) -> Result<Option<(Personality, Vec<String>)>, String> {
        Personality::of(line.split_whitespace().map(str::to_string).collect())
    }

    #[test]
    fn the_name_of_the_program_or_the_first_option_decides() {
        let rest = vec!["f".to_string()];
        let z3 = Ok(Some((Personality::Z3, rest.clone())));
        assert_eq!(of("/usr/bin/z3 f"), z3);
        assert_eq!(of("sectile --as z3 f"), z3);
        assert_eq!(of("sectile --as=z3 f"), z3);
        let eld = Ok(Some((Personality::Eldarica, rest)));
        assert_eq!(of("./eld f"), eld);
        assert_eq!(of("sectile check f"), Ok(None));
        assert_eq!(of("sectile"), Ok(None));
        assert!(of("sectile --as bitwuzla f").is_err());
    }
}
