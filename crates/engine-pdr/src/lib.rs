//! Property-directed reachability with implicit predicate abstraction.
//!
//! A sequence of frames over-approximates the states that are reached in 0, 1, 2, ... steps. If the
//! last frame contains a bad state, that state is blocked: either no step from the previous frame
//! enters a certain cube of literals around it, or its predecessors in that frame are blocked
//! first. Cubes consist of the values of variables with few values, and of predicates about other
//! variables. The steps are never abstracted, so a query about a cube is as cheap as a query about
//! the system. A chain of cubes back to the start has a run, or interpolants with new predicates.
//! back to the start is a run, or its interpolants have new predicates.
//!
//! If processes can be exchanged, a cube is blocked together with all its images, and the query
//! assumes that none of the images holds before: the frames stay symmetric.
//!
//! | idea | where | paper |
//! |---|---|---|
//! | frames, queries relative to a frame | `frames.rs` | [Bradley11, Sect. 3] |
//! | obligations, generalisation, propagation | `search.rs` | [EeMiBr11], [Bradley11] |
//! | predicates in place of state variables | `predicates.rs` | [CiGrMoTo14, Sect. 4] |
//! | lemmas of other engines | `adopt.rs` | |
//! | pictures of the frames | `picture.rs` | |
//! | chains that have no run | `refine.rs` | [CiGrMoTo14, Sect. 4] |

mod adopt;
mod frames;
mod picture;
mod predicates;
mod refine;
mod search;

use sectile_engine::{Accepts, Engine, EngineError, Info, Options, Run, options, safety_question};
use sectile_model::{Task, Verdict};

options! {
    /// The options of `pdr`.
    struct Config {
        /// block cubes together with their images under exchanges of processes
        symmetry("symmetry"): bool = true,
        /// generalise predecessors to what leads to the state in question
        lift("lift"): bool = true,
    }
}

/// Property-directed reachability.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pdr;

impl Engine for Pdr {
    fn info(&self) -> Info {
        Info {
            name: "pdr",
            summary: "property-directed reachability with implicit predicate abstraction",
            papers: &["Bradley11", "EeMiBr11", "CiGrMoTo14"],
            accepts: Accepts {
                functions: true,
                ..Accepts::SYSTEMS
            },
            uses_predicates: true,
            uses_lemmas: true,
            options: Config::OPTIONS.to_vec(),
            ..Info::default()
        }
    }

    fn run(&self, task: &Task<'_>, run: &mut Run<'_>) -> Result<Verdict, EngineError> {
        let asked = safety_question(task).map_err(EngineError::Bug)?;
        let config = Config::read(run.settings)?;
        search::decide(task.terms, &asked, &config, run)
    }
}
