//! What users should hear of beside the verdicts.

use sectile_base::{Diagnostic, Source};
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
}
