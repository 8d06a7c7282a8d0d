//! The engine `elim`: unrolls bounded loops, then runs `kojak`.

use crate::config::{Config, ElimConfig};
use sectile_engine::{Accepts, Engine, EngineError, Event, Info, Options, PathFormulas, Run};
use sectile_model::{Model, Task, Verdict};
use sectile_transform::{ErrorLocation, ExitBounds, LargeBlocks, Pass};

/// Maximum number of unrolled rounds.
const MOST_ROUNDS: u32 = 6;

/// Unrolls the loops that are left after few rounds or never, and refines the rest.
///
/// It accepts the same programs as [`crate::Kojak`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Elim;

impl Engine for Elim {
    fn info(&self) -> Info {
        Info {
            name: "elim",
            summary: "unrolls loops that are left after few rounds or never, then refines as kojak does",
            papers: &["ErHoPoSc11"],
            accepts: Accepts {
                systems: false,
                functions: true,
                ..Accepts::GRAPHS
            },
            options: [ElimConfig::OPTIONS, Config::OPTIONS].concat(),
            ..Info::default()
        }
    }

    fn accepts(&self, task: &Task<'_>) -> Result<(), String> {
        if task.model.is_system() {
            return Err("it takes programs only".to_string());
        }
        ErrorLocation.apply(task).map(|_| ())
    }

    fn run(&self, task: &Task<'_>, run: &mut Run<'_>) -> Result<Verdict, EngineError> {
        let config = Config::read(run.settings)?;
        let own = ElimConfig::read(run.settings)?;
        let terms = task.terms;
        run.tell(Event::Phase {
            name: "exit bounds",
        });
        let errors = ErrorLocation.apply(task).map_err(EngineError::bug)?;
        let bounds = ExitBounds {
            backend: run.backend,
            budget: run.share(2, None),
            most_rounds: MOST_ROUNDS,
            proofs: own.proofs,
        };
        let unrolled = bounds.apply(&errors.task(terms));
        let unrolled = unrolled.map_err(EngineError::bug)?;
        let blocks = LargeBlocks::of(config.blocks).apply(&unrolled.task(terms));
        let blocks = blocks.map_err(EngineError::bug)?;
        let list = blocks.errors().map_err(EngineError::bug)?;
        let graph = &blocks.model;
        run.count("loops_left", loops(graph));
        let verdict = crate::check(&PathFormulas::new(terms, graph), &list, &config, run)?;
        let verdict = unrolled.verdict(terms, blocks.verdict(terms, verdict));
        Ok(errors.verdict(terms, verdict))
    }
}

/// The number of blocks that lead back to their source.
fn loops(graph: &Model) -> u64 {
    graph.edges.iter().filter(|e| e.from == e.to).count() as u64
}
