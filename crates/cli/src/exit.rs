//! Exit codes: part of the interface for scripts.

use sectile_bench::work::place::Halt;
use sectile_driver::InputError;
use sectile_driver::check::BadRequest;
use std::process::ExitCode;

/// The result of a command, as an exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Every property holds, or the command did what was asked.
    Success = 0,
    /// An editor left the language server without a shutdown request: LSP demands code 1.
    Abandoned = 1,
    /// The command line makes no sense.
    Usage = 2,
    /// The input cannot be read or is not supported.
    Input = 3,
    /// A bug of ours, or a verdict that failed its own check.
    Internal = 4,
    /// Some property is violated.
    Violated = 10,
    /// Some property is unknown, and none is violated.
    Unknown = 20,
}

impl Exit {
    /// The more important of two results for scripts.
    pub fn worse(self, other: Exit) -> Exit {
        let badness = |exit: Exit| match exit {
            Exit::Success => 0,
            Exit::Unknown => 1,
            Exit::Violated => 2,
            Exit::Usage => 3,
            Exit::Abandoned => 4,
            Exit::Input => 5,
            Exit::Internal => 6,
        };
        if badness(other) > badness(self) {
            other
        } else {
            self
        }
    }

    /// The code for an error that ended a command.
    pub fn of_error(error: &anyhow::Error) -> Exit {
        match error.downcast_ref::<Halt>() {
            // Finished runs are kept.
            Some(Halt::Stopped(_)) => return Exit::Unknown,
            // Slurm or GNU parallel is missing, or rejects the options given.
            Some(Halt::Failed(_)) => return Exit::Usage,
            Some(Halt::System(_)) | None => {}
        }
        if error.downcast_ref::<InputError>().is_some() {
            Exit::Input
        } else if error.downcast_ref::<BadRequest>().is_some() {
            Exit::Usage
        } else {
            match error.downcast_ref() {
                Some(sectile::Error::Input(_)) => Exit::Input,
                Some(sectile::Error::Request(_)) => Exit::Usage,
                _ => Exit::Internal,
            }
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}
