//! The reason why an engine stops without a verdict, and the resulting `unknown`.

use crate::info::EngineError;
use sectile_base::{Budget, Exhausted};
use sectile_model::{ReasonCode, Unknown, Verdict};
use sectile_solver::{Answer, Solver, SolverError, Undecided, Unsupported};
use sectile_terms::Term;

/// The reason to stop without a result.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Stop {
    /// A limit was reached, or the solver gave up.
    #[error("{}", match .0 {
        Undecided::Exhausted(limit) => limit.code(),
        Undecided::Incomplete(why) => why,
    })]
    Undecided(Undecided),
    /// The engine or its solver is broken.
    #[error(transparent)]
    Error(#[from] EngineError),
}

impl Stop {
    /// The method is incomplete here.
    pub fn incomplete(why: impl Into<String>) -> Stop {
        Stop::Undecided(Undecided::Incomplete(why.into()))
    }

    /// An internal invariant of the engine is violated.
    pub fn bug(what: impl ToString) -> Stop {
        Stop::Error(EngineError::bug(what))
    }

    /// The limit that was reached, or why the solver gave up. Errors are passed on.
    pub fn undecided(self) -> Result<Undecided, EngineError> {
        match self {
            Stop::Undecided(why) => Ok(why),
            Stop::Error(error) => Err(error),
        }
    }

    /// The `unknown` with this reason and a text of what was reached. Errors are passed on.
    pub fn unknown(self, reached: impl Into<String>) -> Result<Unknown, EngineError> {
        let reached = reached.into();
        self.undecided().map(|why| match why {
            Undecided::Exhausted(limit) => Unknown::new(ReasonCode::Exhausted(limit), reached),
            Undecided::Incomplete(why) => {
                Unknown::new(ReasonCode::Incomplete, format!("{reached}; {why}"))
            }
        })
    }

    /// The verdict `unknown` with a text of what was reached. Errors are passed on.
    pub fn verdict(self, reached: impl Into<String>) -> Result<Verdict, EngineError> {
        self.unknown(reached).map(Verdict::Unknown)
    }
}

impl From<SolverError> for Stop {
    fn from(e: SolverError) -> Stop {
        Stop::Error(e.into())
    }
}

impl From<Unsupported> for Stop {
    fn from(e: Unsupported) -> Stop {
        Stop::Error(e.into())
    }
}

impl From<Undecided> for Stop {
    fn from(why: Undecided) -> Stop {
        Stop::Undecided(why)
    }
}

impl From<Exhausted> for Stop {
    fn from(limit: Exhausted) -> Stop {
        Stop::Undecided(limit.into())
    }
}

/// Whether the assumptions are consistent with the solver's assertions.
pub fn is_satisfiable(
    solver: &mut dyn Solver,
    assumptions: &[Term],
    budget: &Budget,
) -> Result<bool, Stop> {
    match solver.check(assumptions, budget)? {
        Answer::Sat(_) => Ok(true),
        Answer::Unsat(_) => Ok(false),
        Answer::Unknown(why) => Err(why.into()),
    }
}
