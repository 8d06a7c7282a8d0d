//! What can go wrong before and during a search.

use sectile_base::Exhausted;
use sectile_model::{ReasonCode, Unknown};
use thiserror::Error;

/// Why a model cannot be searched or simulated.
///
/// Limits are no errors of a search: one that runs into a limit says so in its
/// [`Extent`](crate::Extent).
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ExploreError {
    /// A value has to be chosen from infinitely many.
    #[error("`{variable}` can have infinitely many values {context}; the search needs a domain")]
    NeedsDomain {
        /// The variable, constant or input.
        variable: String,
        /// Where its value is chosen.
        context: Context,
    },
    /// An array has to be chosen from infinitely many.
    #[error(
        "`{variable}` can be one of infinitely many arrays {context}; the search needs an equation for it"
    )]
    AnyArray {
        /// The variable, constant or input.
        variable: String,
        /// Where its value is chosen.
        context: Context,
    },
    /// The model uses something that explicit search does not know.
    #[error("explicit search does not support {what}")]
    Unsupported {
        /// What it is.
        what: String,
    },
    /// A symbol occurs in a place where the model does not declare it.
    #[error("`{name}` occurs {context}, where it has no value")]
    Undeclared {
        /// The symbol.
        name: String,
        /// Where it occurs.
        context: Context,
    },
    /// A limit was met before the search began.
    #[error("the limits were met while the steps were looked at")]
    Exhausted(Exhausted),
    /// A domain without values.
    #[error("a domain needs a lower end that is not above its upper end, and a positive step")]
    EmptyDomain,
}

impl ExploreError {
    /// The answer of an engine that cannot go on.
    pub(crate) fn unknown(&self) -> Unknown {
        let code = match self {
            ExploreError::Exhausted(limit) => ReasonCode::Exhausted(*limit),
            _ => ReasonCode::Unsupported,
        };
        Unknown::new(code, self.to_string())
    }
}

/// A place in a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Context {
    /// The initial condition.
    Initial,
    /// A command or an edge, by name.
    Command(String),
    /// A property, by name.
    Property(String),
}

impl std::fmt::Display for Context {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Context::Initial => write!(f, "in the initial states"),
            Context::Command(name) => write!(f, "in the step `{name}`"),
            Context::Property(name) => write!(f, "in the property `{name}`"),
        }
    }
}

/// Why an enumeration stopped early.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Interrupt {
    /// The model cannot be searched this way.
    Error(ExploreError),
    /// The budget is used up.
    Exhausted(Exhausted),
}

impl From<ExploreError> for Interrupt {
    fn from(error: ExploreError) -> Interrupt {
        Interrupt::Error(error)
    }
}

impl From<Exhausted> for Interrupt {
    fn from(reason: Exhausted) -> Interrupt {
        Interrupt::Exhausted(reason)
    }
}
