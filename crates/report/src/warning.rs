//! Warnings: remarks to users in addition to the verdicts.

use crate::Status;
use sectile_base::{Diagnostic, Source};
use sectile_engine::inspect::Oddity;
use sectile_model::{Expectation, Expected};
use serde::Serialize;

/// A remark about the model, or about a failure that does not affect a verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Warning {
    /// The kind of the warning, as a short code.
    pub code: &'static str,
    /// The warning, as a sentence.
    pub message: String,
    /// The line it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The warning as printed, with its place.
    #[serde(skip)]
    pub text: String,
}

impl Warning {
    /// A warning without a place.
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

    /// A warning about an oddity of the model.
    pub fn of(oddity: &Oddity, source: &Source) -> Warning {
        let Some(span) = oddity.span else {
            return Warning::new(oddity.code, oddity.message.clone());
        };
        let mut diagnostic = Diagnostic::warning(oddity.code, span, oddity.message.clone());
        diagnostic.help = oddity.help.map(ToString::to_string);
        Warning::at(&diagnostic, source)
    }

    /// A warning that a verdict differs from the one that the file expects, if it does.
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
