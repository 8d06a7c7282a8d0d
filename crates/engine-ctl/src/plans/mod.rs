//! Plans: for formulas that require something to be reachable from all reachable states, such as
//! `AG EF p`.
//!
//! Backward fixpoints add all states from which one step leads into the goal, then all with two
//! steps, and so on. With many processes and numbers, most of these states are never needed. Here
//! the solver gives a state that is not yet covered, and a run from it to a covered state. The
//! precondition of the commands of this run covers all states from which the same commands lead
//! there, whatever their numbers are. It is computed backwards, from the last command. A state
//! without such a run is excluded by an inductive clause, if it is unreachable.
//! such a run is excluded by an inductive clause, if it cannot be reached.
//! The preconditions are the cells of the evidence; each has one step into the next one.
//! The preconditions are the cells of the evidence, each with one step into the next one.
//!
//! | what | where |
//! |---|---|
//! | which formulas | `shape` |
//! | states that are not covered, runs, preconditions | `search` |
//! | clauses that exclude states | `exclude` |
//! | evidence | `proof` |

mod exclude;
mod proof;
mod search;
mod shape;

use sectile_engine::{Accepts, Engine, EngineError, Info, Options, Run, options};
use sectile_model::{Task, Verdict};
use shape::Shape;

options! {
    /// The options of `plans`.
    #[derive(Copy)]
    pub(crate) struct Config {
        /// look for runs of no more steps than this
        steps("steps"): usize = 12,
        /// use no more than this many preconditions for one part of the formula
        ways("ways"): usize = 2_000,
    }
}

/// Preconditions of runs to a goal.
#[derive(Clone, Copy, Debug, Default)]
pub struct Plans;

impl Engine for Plans {
    fn info(&self) -> Info {
        Info {
            name: "plans",
            summary: "preconditions of runs to a goal: proves that it can always be reached",
            papers: &[],
            accepts: Accepts {
                safety: false,
                ctl: true,
                functions: true,
                ..Accepts::SYSTEMS
            },
            options: Config::OPTIONS.to_vec(),
            ..Info::default()
        }
    }

    fn accepts(&self, task: &Task<'_>) -> Result<(), String> {
        task.system()?;
        Shape::of(task).map(|_| ())
    }

    fn run(&self, task: &Task<'_>, run: &mut Run<'_>) -> Result<Verdict, EngineError> {
        let config = Config::read(run.settings)?;
        let shape = Shape::of(task).map_err(EngineError::Bug)?;
        search::decide(task, &shape, config, run)
    }
}
