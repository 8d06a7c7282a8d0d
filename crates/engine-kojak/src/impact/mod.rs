//! Lazy abstraction with interpolants.
//!
//! The program is unwound into a tree. A path to an error is a run, or its interpolants
//! strengthen the labels along it; a vertex whose label implies that of an earlier one at the
//! same location is covered and need not be continued. When every leaf is covered, the labels of
//! the vertices that are not are an inductive invariant.
//!
//! Paper: [McMillan06]; large blocks as in [ErHoPoSc11], which compares both.
//!
//! | idea | where | paper |
//! |---|---|---|
//! | unwinding, labels | `tree.rs` | [McMillan06, Def. 2 and 3] |
//! | covering | `cover.rs` | [McMillan06, Fig. 2] |
//! | refinement, forced covering | `refine.rs` | [McMillan06, Fig. 2, Sect. 4] |
//! | the order of the search | `search.rs` | [McMillan06, Fig. 2, UNWIND and DFS] |

mod config;
mod cover;
mod picture;
mod refine;
mod search;
mod tree;

use config::Config;
use sectile_engine::{
    Accepts, BadOption, BlockSize, Engine, EngineError, Info, Options, PathFormulas, Run, Settings,
};
use sectile_model::{Task, Verdict};

/// Lazy abstraction with interpolants.
#[derive(Clone, Copy, Debug, Default)]
pub struct Impact;

impl Engine for Impact {
    fn info(&self) -> Info {
        Info {
            name: "impact",
            summary: "lazy abstraction with interpolants, on blocks or single statements",
            papers: &["McMillan06", "ErHoPoSc11"],
            accepts: Accepts {
                functions: true,
                ..Accepts::GRAPHS
            },
            options: Config::OPTIONS.to_vec(),
            ..Info::default()
        }
    }

    fn blocks(&self, settings: &Settings) -> Result<Option<BlockSize>, BadOption> {
        Ok(Some(Config::read(settings)?.blocks))
    }

    fn run(&self, task: &Task<'_>, run: &mut Run<'_>) -> Result<Verdict, EngineError> {
        let config = Config::read(run.settings)?;
        let errors = task.errors().map_err(EngineError::bug)?;
        let formulas = PathFormulas::new(task.terms, task.model);
        search::unwind(&formulas, &errors, &config, run)
    }
}
