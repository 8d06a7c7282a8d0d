//! Errors. An unknown verdict is not an error.

use sectile_driver::{BadRequest, InputError};

/// The reason for the lack of a result.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// A text cannot be read; the message has the position of every mistake.
    Input(String),
    /// The request makes no sense, such as a property that the model does not have.
    Request(String),
    /// A bug of Sectile, such as a verdict that failed its own check. Please report it.
    Internal(String),
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Error::Input(message) | Error::Request(message) => f.write_str(message.trim_end()),
            Error::Internal(message) => write!(f, "internal error: {message}"),
        }
    }
}

impl std::error::Error for Error {}

impl From<InputError> for Error {
    fn from(error: InputError) -> Error {
        Error::Input(error.message)
    }
}

impl From<BadRequest> for Error {
    fn from(error: BadRequest) -> Error {
        Error::Request(error.0)
    }
}
