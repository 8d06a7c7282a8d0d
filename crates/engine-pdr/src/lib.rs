//! Property-directed reachability with implicit predicate abstraction.
//!
//! A sequence of frames over-approximates the states that are reached in 0, 1, 2, ... steps. A state of
//! the last frame that is bad is blocked: a cube of literals that contains it is shown not to be
//! reached from the frame before, or its predecessors there are blocked first. Cubes are about the
//! values of variables that have few of them, and about predicates for the others; the steps are
//! never abstracted, so one query about a cube is as cheap as one about the system. A chain of cubes
//! back to the start is a run, or its interpolants have new predicates.
//!
//! Where processes can be exchanged, a cube is blocked together with all its images, and whether it
//! can be blocked is asked under the condition that none of the images holds: the frames stay
//! symmetric.
//!
//! | idea | where | paper |
//! |---|---|---|
//! | frames, queries relative to a frame | `frames.rs` | [Bradley11, Sect. 3] |
//! | obligations, generalisation, propagation | `search.rs` | [EeMiBr11], [Bradley11] |
//! | predicates in place of state variables | `predicates.rs` | [CiGrMoTo14, Sect. 4] |
//! | lemmas of other engines | `adopt.rs` | |
//! | frames for people to look at | `picture.rs` | |
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
