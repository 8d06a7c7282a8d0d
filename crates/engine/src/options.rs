//! Options of engines: declared once, used for help, for the command line and for portfolios.

use std::collections::BTreeMap;

/// One option of an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OptionSpec {
    /// The name, as in `--set NAME=VALUE`.
    pub name: &'static str,
    /// What it does, in one line.
    pub help: &'static str,
    /// Its default, as users would write it.
    pub default: &'static str,
}

/// An option has a value it cannot have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadOption {
    /// The option.
    pub name: String,
    /// What is wrong.
    pub problem: String,
}

impl std::fmt::Display for BadOption {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "option `{}`: {}", self.name, self.problem)
    }
}

impl std::error::Error for BadOption {}

/// What the user set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    values: BTreeMap<String, String>,
}

impl Settings {
    /// Sets an option.
    pub fn set(&mut self, name: impl Into<String>, value: impl Into<String>) {
        self.values.insert(name.into(), value.into());
    }

    /// The text of an option, if it was set.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(String::as_str)
    }

    /// A number option, or its default.
    pub fn number(&self, name: &str, default: u64) -> Result<u64, BadOption> {
        match self.get(name) {
            None => Ok(default),
            Some(text) => text.parse().map_err(|_| BadOption {
                name: name.to_string(),
                problem: format!("`{text}` is not a natural number"),
            }),
        }
    }

    /// A yes-or-no option, or its default.
    pub fn flag(&self, name: &str, default: bool) -> Result<bool, BadOption> {
        Ok(match self.choice(name, &["true", "false", "on", "off"])? {
            None => default,
            Some(text) => text == "true" || text == "on",
        })
    }

    /// An option with a few possible values, if it was set.
    pub fn choice<'c>(&self, name: &str, values: &[&'c str]) -> Result<Option<&'c str>, BadOption> {
        let Some(text) = self.get(name) else {
            return Ok(None);
        };
        let known = values.iter().copied().find(|v| *v == text);
        known.map(Some).ok_or_else(|| BadOption {
            name: name.to_string(),
            problem: format!("`{text}` is none of {}", values.join(", ")),
        })
    }

    /// Names of all options that were set.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.values.keys().map(String::as_str)
    }
}
