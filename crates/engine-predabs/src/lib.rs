//! Predicate abstraction with deduction: abstract systems, proof rules, refinement by
//! counterexamples with acceleration.
//!
//! | definition | where | paper |
//! |---|---|---|
//! | POST, PRE, WP | `transformers` | [BeGrLa, Def. 7] |
//! | rules (Inv), (Inv-Uni), backward procedure | `rules` | [BeGrLa, Sect. 3, 5.1] |
//! | abstraction relations | `alpha` | [BeGrLa, Sect. 4.2] |
//! | substitution, blocks | `transition`, `blocks` | [BeGrLa, Sect. 4.3] |
//! | elimination, its speed-ups, partitions | `eliminate` | [BeGrLa, Sect. 4.3] |
//! | reachable states and literals only | `literals` | [BeGrLa, Sect. 4.3] |
//! | abstract systems, simulation | `system`, `simulation` | [BeGrLa, Def. 9, 10] |
//! | partitions of what a transition starts from | `parts` | [BeGrLa, Sect. 5.1] |
//! | must-transitions | `must` | [BeGrLa, Sect. 1] |
//! | diagrams as formulas | `formula` | [BeGrLa, Sect. 5.2] |
//! | counterexamples, acceleration | `refine`, `couanal`, `accelerate`, `decompose` | [BeGrLa, Sect. 5.3] |
//! | the loop, where predicates come from | `cegar`, `candidates` | [BeGrLa, Sect. 5.3] |
//! | the same about other processes | `siblings` | |

mod accelerate;
mod alpha;
mod blocks;
mod candidates;
mod cegar;
mod config;
mod couanal;
mod decompose;
mod eliminate;
mod formula;
mod literals;
mod method;
mod must;
mod parts;
mod picture;
mod prover;
mod refine;
mod rules;
mod siblings;
mod simulation;
mod system;
mod transformers;
mod transition;

pub use alpha::{AbstractVariable, Alpha, Kind};
pub use blocks::Block;
pub use couanal::CouAnal;
pub use decompose::Segment;
pub use formula::{Condition, Formula, GuardCase, bdd2f};
pub use method::{Method, Recipe};
pub use must::MustSteps;
pub use parts::Parts;
pub use prover::Prover;
pub use refine::{Analysis, BackwardSets, Needed, Question};
pub use rules::{Backward, Discharge, InvUni, Obligation, backward, discharge, inv};
pub use simulation::{is_abstraction, simulation};
pub use system::{AbstractPath, AbstractSystem, Reach};
pub use transformers::Transformers;
pub use transition::{Effect, Transition};

use cegar::Cegar;
use config::Config;
use sectile_engine::{Accepts, Engine, EngineError, Info, Options, Run, Stop, safety_question};
use sectile_model::{Task, Verdict};

/// Predicate abstraction.
#[derive(Clone, Copy, Debug, Default)]
pub struct PredAbs;

impl Engine for PredAbs {
    fn info(&self) -> Info {
        Info {
            name: "predabs",
            summary: "predicate abstraction: predicates from preconditions, loops accelerated",
            papers: &["BeGrLa", "Fr23"],
            accepts: Accepts {
                functions: true,
                ..Accepts::SYSTEMS
            },
            uses_predicates: true,
            options: Config::OPTIONS.to_vec(),
            ..Info::default()
        }
    }

    fn run(&self, task: &Task<'_>, run: &mut Run<'_>) -> Result<Verdict, EngineError> {
        let asked = safety_question(task).map_err(EngineError::Bug)?;
        let config = Config::read(run.settings)?;
        let question = Question {
            terms: task.terms,
            system: asked.system,
            bad: asked.bad,
        };
        let mut cegar = match Cegar::new(&question, config, run.backend, &run.budget) {
            Ok(cegar) => cegar,
            Err(stop) => return ended(stop, "nothing was tried"),
        };
        let result = cegar.decide(run);
        run.count("iterations", cegar.rounds);
        run.count("predicates", cegar.predicates.len() as u64);
        run.count("prover_calls", cegar.prover.calls());
        result.or_else(|stop| ended(stop, &cegar.reached()))
    }
}

fn ended(stop: Stop, reached: &str) -> Result<Verdict, EngineError> {
    Ok(Verdict::Unknown(stop.unknown(reached)?))
}
