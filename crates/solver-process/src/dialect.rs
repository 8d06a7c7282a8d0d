//! The differences between solver programs, as data.
//!
//! A new solver is a new entry of [`dialects`].

use std::path::Path;

/// A solver program and how to talk to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// The name users choose it by.
    pub name: String,
    /// The program.
    pub program: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Installation hint for the message about a missing program.
    pub install: Option<&'static str>,
    /// The logic that is always set. Without it, the smallest sufficient logic is chosen, and the
    /// process restarts if a larger one is needed.
    pub logic: Option<&'static str>,
    /// The argument for a memory limit, followed by a number of mebibytes. In any case the process
    /// is watched, and killed when it uses more.
    pub memory: Option<&'static str>,
    /// The option for a time limit of queries in milliseconds, and its value for no limit. In any
    /// case the process is killed after the limit.
    pub time: Option<(&'static str, &'static str)>,
    /// Whether `(get-unsat-assumptions)` is known to work. If it is not and fails, all assumptions
    /// are the core.
    pub cores: bool,
}

/// The solver programs known by name.
pub fn dialects() -> Vec<Dialect> {
    let words = |list: &[&str]| list.iter().map(|w| (*w).to_string()).collect();
    // Z3 4.8 and later.
    let z3 = Dialect {
        name: "z3".to_string(),
        program: "z3".to_string(),
        arguments: words(&["-in", "-smt2"]),
        install: Some("Debian package z3"),
        logic: Some("ALL"),
        memory: Some("-memory:"),
        time: Some((":timeout", "4294967295")),
        cores: true,
    };
    // cvc5 1.0 and later. It takes a time limit on its command line only.
    let cvc5 = Dialect {
        name: "cvc5".to_string(),
        program: "cvc5".to_string(),
        arguments: words(&["--lang=smt2", "--incremental", "--quiet"]),
        install: Some("Debian package cvc5"),
        logic: None,
        memory: None,
        time: None,
        cores: true,
    };
    vec![z3, cvc5]
}

/// The dialect with this name.
pub fn dialect(name: &str) -> Option<Dialect> {
    dialects().into_iter().find(|d| d.name == name)
}

impl Dialect {
    /// The message for a missing program.
    pub fn missing(&self) -> String {
        let program = &self.program;
        match self.install {
            Some(package) => format!(
                "{program} was not found; install it (for example {package}) or choose --solver native"
            ),
            None => format!("{program} was not found; check the command or choose --solver native"),
        }
    }
}

/// A command that cannot be run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommandError {
    /// There is no word in it.
    #[error("the command of the solver is empty")]
    Empty,
    /// A quote is not closed.
    #[error("the command of the solver has a quote that never ends")]
    OpenQuote,
}

/// The dialect of a command line, such as `yices-smt2 --incremental` or `/opt/z3/bin/z3`: any
/// program that reads SMT-LIB from its standard input.
///
/// A program with the name of a known solver uses the dialect of that solver, with its usual
/// arguments unless others are given. Words are separated by blanks; single and double quotes keep
/// them together. No shell is involved.
pub fn custom(command: &str) -> Result<Dialect, CommandError> {
    let mut words = split(command)?.into_iter();
    let program = words.next().ok_or(CommandError::Empty)?;
    let arguments: Vec<String> = words.collect();
    let stem = Path::new(&program).file_stem().and_then(|s| s.to_str());
    Ok(match stem.and_then(dialect) {
        Some(known) => Dialect {
            install: known.install.filter(|_| program == known.program),
            program,
            arguments: match arguments.is_empty() {
                true => known.arguments,
                false => arguments,
            },
            ..known
        },
        None => Dialect {
            name: command.to_string(),
            program,
            arguments,
            install: None,
            logic: None,
            memory: None,
            time: None,
            cores: false,
        },
    })
}

fn split(command: &str) -> Result<Vec<String>, CommandError> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in command.chars() {
        match quote {
            Some(q) if c == q => quote = None,
            Some(_) => word.get_or_insert_default().push(c),
            None if c == '"' || c == '\'' => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            None if c.is_whitespace() => words.extend(word.take()),
            None => word.get_or_insert_default().push(c),
        }
    }
    if quote.is_some() {
        return Err(CommandError::OpenQuote);
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split_as_people_expect() {
        let words = split("  a 'b c'd \"\" e\"f g\" ").unwrap();
        assert_eq!(words, ["a", "b cd", "", "ef g"]);
        assert_eq!(split("a 'b"), Err(CommandError::OpenQuote));
        assert_eq!(custom("  "), Err(CommandError::Empty));
    }

    #[test]
    fn known_programs_are_recognised_by_their_name() {
        let z3 = custom("/opt/z3-4.13/bin/z3").unwrap();
        assert_eq!(z3.name, "z3");
        assert_eq!(z3.program, "/opt/z3-4.13/bin/z3");
        assert_eq!(z3.arguments, ["-in", "-smt2"]);
        let other = custom("yices-smt2 --incremental").unwrap();
        assert_eq!(other.arguments, ["--incremental"]);
        assert_eq!(other.logic, None);
        assert!(
            other
                .missing()
                .starts_with("yices-smt2 was not found; check the command")
        );
    }
}
