//! What users should hear of beside the verdicts.

use crate::Status;
use sectile_base::{Diagnostic, Source};
use sectile_engine::inspect::Oddity;
use sectile_model::{Expectation, Expected};
use serde::Serialize;

/// Something that was probably not meant, or went wrong without harm to a verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Warning {
    /// What kind of warning it is, in one word.
    pub code: &'static str,
    /// The warning in a sentence.
    pub message: String,
    /// The line it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The warning as people see it, with its place.
    #[serde(skip)]
    pub text: String,
}

impl Warning {
    /// A warning about no place.
    pub fn new(code: &'static str, message: impl Into<String>) -> Warning {
        let message = message.into();
        Warning {
            code,
            line: None,
            text: format!("warning[{code}]: {message}\n"),
            message,
        }
    }

    /// A warning about a place in a source.
    pub fn at(diagnostic: &Diagnostic, source: &Source) -> Warning {
        Warning {
            code: diagnostic.code,
            message: diagnostic.message.clone(),
            line: Some(source.position(diagnostic.span.start).line),
            text: diagnostic.render(source),
        }
    }

    /// A warning about something odd in a model.
    pub fn of(oddity: &Oddity, source: &Source) -> Warning {
        let Some(span) = oddity.span else {
            return Warning::new(oddity.code, oddity.message.clone());
        };
        let mut diagnostic = Diagnostic::warning(oddity.code, span, oddity.message.clone());
        diagnostic.help = oddity.help.map(ToString::to_string);
        Warning::at(&diagnostic, source)
    }

    /// A warning that a verdict is not the one that the file expects, if it is not.
    pub fn unexpected(expectation: &Expectation, status: Status) -> Option<Warning> {
        let expected = match expectation.expected {
            Expected::Holds => Status::Holds,
            Expected::Violated(_) => Status::Violated,
        };
        let message = format!(
            "the file expects `{}` to be: {}; the verdict is: {}",
            expectation.property,
            expected.word(),
            status.word()
        );
        let differs = status != expected && status != Status::Unknown;
        differs.then(|| Warning::new("expectation", message))
    }
}
