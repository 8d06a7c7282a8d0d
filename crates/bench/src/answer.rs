//! Reads the answers of other programs.

use crate::Verdict;
use crate::record::Outcome;
use regex_lite::Regex;
use serde::{Deserialize, Serialize};

/// The possible answers of a program.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Answers {
    /// Answers that mean that the property holds.
    pub holds: Vec<Matcher>,
    /// Answers that mean that the property is violated.
    pub violated: Vec<Matcher>,
    /// Answers that mean that the verdict is unknown.
    pub unknown: Vec<Matcher>,
}

/// One form of an answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Matcher {
    /// A whole line of the output.
    Line(String),
    /// A regular expression that matches somewhere in a line.
    Pattern(Regex),
}

impl Matcher {
    /// Reads `/regex/`, or a whole line.
    pub fn read(text: &str) -> Result<Matcher, String> {
        let pattern = text.strip_prefix('/').and_then(|t| t.strip_suffix('/'));
        match pattern {
            Some(pattern) => Regex::new(pattern)
                .map(Matcher::Pattern)
                .map_err(|e| format!("this is no regular expression: {e}")),
            None if text.trim().is_empty() => Err("an answer cannot be empty".to_string()),
            None => Ok(Matcher::Line(text.trim().to_string())),
        }
    }

    fn matches(&self, line: &str) -> bool {
        match self {
            Matcher::Line(wanted) => line.trim() == wanted,
            Matcher::Pattern(regex) => regex.is_match(line),
        }
    }
}

impl TryFrom<String> for Matcher {
    type Error = String;

    fn try_from(text: String) -> Result<Matcher, String> {
        Matcher::read(&text)
    }
}

impl From<Matcher> for String {
    fn from(matcher: Matcher) -> String {
        match matcher {
            Matcher::Line(text) => text,
            Matcher::Pattern(regex) => format!("/{}/", regex.as_str()),
        }
    }
}

impl Answers {
    /// The answers of Horn solvers: `sat` means that the property holds.
    pub fn horn() -> Answers {
        let line = |word: &str| vec![Matcher::Line(word.to_string())];
        Answers {
            holds: line("sat"),
            violated: line("unsat"),
            unknown: line("unknown"),
        }
    }

    /// The answer in an output, if there is one: the first matching line decides.
    pub fn read(&self, output: &str) -> Option<Outcome> {
        let answers = [
            (&self.violated, Outcome::Decided(Verdict::Violated)),
            (&self.holds, Outcome::Decided(Verdict::Holds)),
            (&self.unknown, Outcome::Unknown),
        ];
        output.lines().find_map(|line| {
            let fits = |(list, _): &&(&Vec<Matcher>, _)| list.iter().any(|m| m.matches(line));
            answers.iter().find(fits).map(|(_, outcome)| *outcome)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_must_match_as_a_whole() {
        let answers = Answers::horn();
        assert_eq!(
            answers.read("; hello\n sat \n"),
            Some(Outcome::Decided(Verdict::Holds))
        );
        assert_eq!(
            answers.read("unsat"),
            Some(Outcome::Decided(Verdict::Violated))
        );
        assert_eq!(answers.read("unknown\nsat\n"), Some(Outcome::Unknown));
        assert_eq!(answers.read("saturated\n"), None);
        assert_eq!(answers.read(""), None);
    }

    #[test]
    fn patterns_match_within_a_line() {
        let answers = Answers {
            holds: vec![Matcher::read("/result: TRUE/").unwrap()],
            violated: vec![Matcher::read("/result: FALSE\\(.*\\)/").unwrap()],
            unknown: Vec::new(),
        };
        assert_eq!(
            answers.read("Verification result: FALSE(reach)"),
            Some(Outcome::Decided(Verdict::Violated))
        );
        assert!(Matcher::read("/(/").is_err());
        assert!(Matcher::read(" ").is_err());
    }
}
