//! Any other program that reads SMT-LIB from its standard input.

use super::{COMMON, Cores, Dialect, LogicChoice, MemoryLimit, TimeLimit, dialects};
use std::path::Path;

/// A command that cannot be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommandError {
    /// There is no word in it.
    Empty,
    /// A quote is not closed.
    OpenQuote,
}

impl std::fmt::Display for CommandError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            CommandError::Empty => "the command of the solver is empty",
            CommandError::OpenQuote => "the command of the solver has a quote that never ends",
        })
    }
}

impl std::error::Error for CommandError {}

/// The dialect of a command line, such as `yices-smt2 --incremental` or `/opt/z3/bin/z3`.
///
/// A program with the name of a known solver is spoken to as that solver, with its usual arguments
/// where none are given. Words are separated by blanks; single and double quotes keep them
/// together. No shell is involved.
pub fn custom(command: &str) -> Result<Dialect, CommandError> {
    let mut words = split(command)?.into_iter();
    let program = words.next().ok_or(CommandError::Empty)?;
    let arguments: Vec<String> = words.collect();
    let stem = Path::new(&program).file_stem().and_then(|s| s.to_str());
    let known = dialects()
        .into_iter()
        .find(|d| Some(d.name.as_str()) == stem);
    Ok(match known {
        Some(mut dialect) => {
            if program != dialect.program {
                dialect.install = None;
            }
            dialect.program = program;
            if !arguments.is_empty() {
                dialect.arguments = arguments;
            }
            dialect
        }
        None => Dialect {
            name: command.to_string(),
            program,
            arguments,
            install: None,
            preamble: COMMON,
            logic: LogicChoice::Fitted,
            memory: MemoryLimit::Watched,
            time: TimeLimit::KilledOnly,
            cores: Cores::Attempted,
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
        assert_eq!(other.logic, LogicChoice::Fitted);
        assert!(
            other
                .missing()
                .starts_with("yices-smt2 was not found; check the command")
        );
    }
}
