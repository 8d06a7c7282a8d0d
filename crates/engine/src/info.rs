//! The trait of engines, and the description of an engine.

use crate::blocks::BlockSize;
use crate::options::{BadOption, OptionSpec, Settings};
use crate::run::Run;
use crate::unroll::safety_question;
use sectile_model::{Task, Verdict};
use sectile_solver::{SolverError, Unsupported};

/// The description of an engine, for users.
#[derive(Clone, Debug, Default)]
pub struct Info {
    /// Its name.
    pub name: &'static str,
    /// One line about the method.
    pub summary: &'static str,
    /// Keys of `docs/papers.bib`.
    pub papers: &'static [&'static str],
    /// Models and properties it takes.
    pub accepts: Accepts,
    /// The size of the blocks, for an engine that takes graphs of blocks: for tasks without
    /// premises it is given the block graph, with error locations, instead of the task itself. None
    /// for engines that take tasks as they are.
    pub blocks: Option<BlockSize>,
    /// Whether it uses the predicates of [`Run`].
    pub uses_predicates: bool,
    /// Whether it uses the lemmas of [`Run`].
    pub uses_lemmas: bool,
    /// Its options.
    pub options: Vec<OptionSpec>,
}

/// Models and properties that an engine takes, as far as is known beforehand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accepts {
    /// Transition systems.
    pub systems: bool,
    /// Program graphs.
    pub graphs: bool,
    /// Invariants, errors and location properties.
    pub safety: bool,
    /// CTL.
    pub ctl: bool,
    /// Edges with premises. Otherwise the premises are dropped.
    pub premises: bool,
    /// Arrays. Otherwise some elements of the arrays become variables.
    pub arrays: bool,
    /// Uninterpreted functions. Otherwise they become arrays.
    pub functions: bool,
    /// Remainders and quotients by constants. Otherwise remainders become Booleans.
    pub remainders: bool,
    /// It works on concrete values only and guesses what the model leaves open.
    pub guesses: bool,
}

impl Accepts {
    /// Safety of transition systems.
    pub const SYSTEMS: Accepts = Accepts {
        systems: true,
        graphs: false,
        safety: true,
        ctl: false,
        premises: false,
        arrays: false,
        functions: false,
        remainders: true,
        guesses: false,
    };

    /// Safety of systems and programs.
    pub const GRAPHS: Accepts = Accepts {
        graphs: true,
        ..Accepts::SYSTEMS
    };
}

impl Default for Accepts {
    fn default() -> Accepts {
        Accepts::SYSTEMS
    }
}

/// The engine or its solver is broken. An unknown verdict is not an error.
#[derive(Clone, Debug, thiserror::Error)]
pub enum EngineError {
    /// The solver failed.
    #[error(transparent)]
    Solver(#[from] SolverError),
    /// The backend lacks something the engine needs.
    #[error(transparent)]
    Backend(#[from] Unsupported),
    /// An internal invariant of the engine is violated.
    #[error("internal error: {0}")]
    Bug(String),
}

impl EngineError {
    /// An internal invariant of the engine is violated.
    pub fn bug(what: impl ToString) -> EngineError {
        EngineError::Bug(what.to_string())
    }
}

/// Options are checked before an engine runs.
impl From<BadOption> for EngineError {
    fn from(e: BadOption) -> EngineError {
        EngineError::bug(e)
    }
}

/// A method that decides tasks.
pub trait Engine {
    /// Its description.
    fn info(&self) -> Info;

    /// Checks the user's options before a run.
    fn check_options(&self, settings: &Settings) -> Result<(), BadOption> {
        let options = self.info().options;
        options.iter().try_for_each(|option| option.check(settings))
    }

    /// Whether it takes this task; the error is the reason why not.
    fn accepts(&self, task: &Task<'_>) -> Result<(), String> {
        match self.blocks(&Settings::default()) {
            Ok(Some(_)) => task.errors().map(|_| ()),
            _ => safety_question(task).map(|_| ()),
        }
    }

    /// The block size, if its options determine one.
    fn blocks(&self, _settings: &Settings) -> Result<Option<BlockSize>, BadOption> {
        Ok(self.info().blocks)
    }

    /// Decides the task. The certificate of the verdict is about this very task.
    fn run(&self, task: &Task<'_>, run: &mut Run<'_>) -> Result<Verdict, EngineError>;
}
