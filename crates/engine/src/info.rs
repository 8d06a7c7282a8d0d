//! The engine trait.

use crate::blocks::BlockSize;
use crate::options::{BadOption, OptionSpec, Settings};
use crate::run::Run;
use crate::unroll::safety_question;
use sectile_model::{Task, Verdict};
use sectile_solver::{SolverError, Unsupported};

/// What an engine is, for users.
#[derive(Clone, Debug, Default)]
pub struct Info {
    /// The name users choose it by.
    pub name: &'static str,
    /// One line about the method.
    pub summary: &'static str,
    /// Keys of `docs/papers.bib`.
    pub papers: &'static [&'static str],
    /// Models and properties it takes.
    pub accepts: Accepts,
    /// How large the blocks of the graph are that it wants of tasks without premises: it is given that
    /// graph, with error locations, and not the task itself. None, if it takes tasks as they are.
    pub blocks: Option<BlockSize>,
    /// Whether it makes use of the predicates of [`Run`].
    pub uses_predicates: bool,
    /// Whether it makes use of the lemmas of [`Run`].
    pub uses_lemmas: bool,
    /// Its options.
    pub options: Vec<OptionSpec>,
}

/// Which models and properties an engine takes, as far as that can be said beforehand.
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
    /// Edges with premises. For all others the premises are forgotten.
    pub premises: bool,
    /// Arrays. For all others a few elements of the arrays become variables.
    pub arrays: bool,
    /// Uninterpreted functions. For all others these are arrays.
    pub functions: bool,
    /// Remainders and quotients by constants. For all others remainders become Booleans.
    pub remainders: bool,
    /// It takes concrete values only and guesses what the model leaves open.
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

/// The engine is broken, or its solver is. A verdict that is not known is no error.
#[derive(Clone, Debug, thiserror::Error)]
pub enum EngineError {
    /// The solver failed.
    #[error(transparent)]
    Solver(#[from] SolverError),
    /// The backend lacks something the engine needs.
    #[error(transparent)]
    Backend(#[from] Unsupported),
    /// An invariant of the engine itself does not hold.
    #[error("internal error: {0}")]
    Bug(String),
}

impl EngineError {
    /// An invariant of the engine does not hold.
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
    /// What it is.
    fn info(&self) -> Info;

    /// Checks the user's options before anything is run.
    fn check_options(&self, settings: &Settings) -> Result<(), BadOption> {
        let options = self.info().options;
        options.iter().try_for_each(|option| option.check(settings))
    }

    /// Whether it takes this task; the text says why not.
    fn accepts(&self, task: &Task<'_>) -> Result<(), String> {
        match self.blocks(&Settings::default()) {
            Ok(Some(_)) => task.errors().map(|_| ()),
            _ => safety_question(task).map(|_| ()),
        }
    }

    /// The blocks that it wants, where its options say how large they are.
    fn blocks(&self, _settings: &Settings) -> Result<Option<BlockSize>, BadOption> {
        Ok(self.info().blocks)
    }

    /// Decides the task. The certificate of the verdict is about this very task.
    fn run(&self, task: &Task<'_>, run: &mut Run<'_>) -> Result<Verdict, EngineError>;
}
