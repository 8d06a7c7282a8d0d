//! Errors before and during a search.

use sectile_base::Exhausted;
use sectile_model::{ReasonCode, Unknown};
use thiserror::Error;

/// Why a model cannot be searched or simulated.
///
/// Limits are not errors of a search: a search that reaches a limit reports it in its
/// [`Extent`](crate::Extent).
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ExploreError {
    /// A value must be chosen from infinitely many.
    #[error("`{variable}` can have infinitely many values {context}; the search needs a domain")]
    NeedsDomain {
        /// The variable, constant or input.
        variable: String,
        /// The part of the model in which it is chosen.
        context: Context,
    },
    /// An array must be chosen from infinitely many.
    #[error(
        "`{variable}` can be one of infinitely many arrays {context}; the search needs an equation for it"
    )]
    AnyArray {
        /// The variable, constant or input.
        variable: String,
        /// The part of the model in which it is chosen.
        context: Context,
    },
    /// The model uses a construct that explicit search does not support.
    #[error("explicit search does not support {what}")]
    Unsupported {
        /// The construct.
        what: String,
    },
    /// A symbol occurs in a part of the model where it is not declared.
    #[error("`{name}` occurs {context}, where it has no value")]
    Undeclared {
        /// The symbol.
        name: String,
        /// The part of the model.
        context: Context,
    },
    /// A limit was reached before the search began.
    #[error("a limit was reached while the steps were analysed")]
    Exhausted(Exhausted),
    /// A domain without values.
    #[error("a domain needs a lower end that is not above its upper end, and a positive step")]
    EmptyDomain,
}

impl ExploreError {
    /// The result of an engine that cannot continue.
    pub(crate) fn unknown(&self) -> Unknown {
        let code = match self {
            ExploreError::Exhausted(limit) => ReasonCode::Exhausted(*limit),
            _ => ReasonCode::Unsupported,
        };
        Unknown::new(code, self.to_string())
    }
}

/// A part of a model.
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
    /// The model cannot be searched in this way.
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
