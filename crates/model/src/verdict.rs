//! Verdicts: holds, violated or unknown with a reason.

use crate::certificate::Certificate;
use sectile_base::Exhausted;

/// The answer to a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The property holds.
    Holds(Certificate),
    /// The property is violated.
    Violated(Certificate),
    /// Undecided, with a reason.
    Unknown(Unknown),
}

/// The reason for an unknown verdict, as one word for scripts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReasonCode {
    /// A limit was reached.
    Exhausted(Exhausted),
    /// The search was bounded and found nothing within its bounds.
    Bounded,
    /// The engine cannot decide this task.
    Incomplete,
    /// No engine takes this task.
    Unsupported,
    /// The evidence did not pass its check.
    SelfCheck,
}

impl ReasonCode {
    /// The code as users see it.
    pub fn code(&self) -> &'static str {
        match self {
            ReasonCode::Exhausted(e) => e.code(),
            ReasonCode::Bounded => "bound reached",
            ReasonCode::Incomplete => "incomplete",
            ReasonCode::Unsupported => "unsupported",
            ReasonCode::SelfCheck => "self-check failed",
        }
    }
}

/// An explained `unknown`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// The reason in one word.
    pub code: ReasonCode,
    /// Results up to that point, in sentences.
    pub reached: String,
    /// What to try next: options of `check`, such as `--engine kojak` or `--set depth=N` for a
    /// larger number. Words after the options are a note for developers.
    pub hint: String,
}

impl Unknown {
    /// An unknown with its reason and what was reached.
    pub fn new(code: ReasonCode, reached: impl Into<String>) -> Unknown {
        Unknown {
            code,
            reached: reached.into(),
            hint: String::new(),
        }
    }

    /// The same with a hint.
    pub fn hint(mut self, hint: impl Into<String>) -> Unknown {
        self.hint = hint.into();
        self
    }
}
