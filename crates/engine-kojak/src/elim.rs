//! Slicing abstraction on a program whose bounded loops are unrolled first.

use crate::config::{Config, ELIM_OPTIONS};
use sectile_engine::{Accepts, BadOption, Engine, EngineError, Event, Info, Run, Settings};
use sectile_model::{Task, Verdict};
use sectile_transform::{ErrorLocation, ExitBounds, LargeBlocks, Pass, Pipeline, Proofs};

/// More rounds than this are not tried.
const MOST_ROUNDS: u32 = 6;

/// Unrolls the loops that are left after few rounds or never, and refines what is left.
///
/// It takes what [`crate::Kojak`] takes, as long as it is a program.
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
                ..Accepts::GRAPHS
            },
            uses_predicates: false,
            options: ELIM_OPTIONS,
        }
    }

    fn check_options(&self, settings: &Settings) -> Result<(), BadOption> {
        proofs(settings)?;
        Config::read(settings).map(|_| ())
    }

    fn accepts(&self, task: &Task<'_>) -> Result<(), String> {
        if task.model.is_system() {
            return Err("it takes programs only".to_string());
        }
        let error = ErrorLocation.apply(task.terms, task.model, task.property);
        error.map(|_| ()).map_err(|why| why.to_string())
    }

    fn run(&self, task: &Task<'_>, run: &mut Run<'_>) -> Result<Verdict, EngineError> {
        let config = Config::read(run.settings).map_err(|e| EngineError::Bug(e.to_string()))?;
        let terms = task.terms;
        let refused = |why: sectile_transform::NotApplicable| EngineError::Bug(why.to_string());
        run.tell(Event::Phase {
            name: "exit bounds",
        });
        let errors = ErrorLocation.apply(terms, task.model, task.property);
        let errors = errors.map_err(refused)?;
        let limit = run.budget.remaining().map(|r| r / 2);
        let bounds = ExitBounds {
            backend: run.backend,
            budget: match limit {
                Some(limit) => run.budget.clone().with_time(limit),
                None => run.budget.clone(),
            },
            most_rounds: MOST_ROUNDS,
            proofs: proofs(run.settings).map_err(|e| EngineError::Bug(e.to_string()))?,
        };
        let unrolled = bounds.apply(terms, &errors.model, &errors.property);
        let unrolled = unrolled.map_err(refused)?;
        let blocks = Pipeline::new().then(LargeBlocks::of(config.blocks));
        let blocks = blocks.apply(terms, &unrolled.model, &unrolled.property);
        let blocks = blocks.map_err(refused)?;
        let (graph, list) = blocks.error_graph().map_err(refused)?;
        run.count("loops_left", loops(graph));
        let verdict = crate::check(terms, graph, &list, &config, run)?;
        let verdict = unrolled.verdict(terms, blocks.verdict(terms, verdict));
        Ok(errors.verdict(terms, verdict))
    }
}

/// What shows that a property holds.
fn proofs(settings: &Settings) -> Result<Proofs, BadOption> {
    match settings.get("proof").unwrap_or("any") {
        "any" => Ok(Proofs::Any),
        "invariants" => Ok(Proofs::Invariants),
        "unrolled" => Ok(Proofs::Unrolled),
        other => Err(BadOption {
            name: "proof".to_string(),
            problem: format!("`{other}` is not one of any, invariants, unrolled"),
        }),
    }
}

/// The blocks that lead back to where they start.
fn loops(graph: &sectile_model::Model) -> u64 {
    graph.edges.iter().filter(|e| e.from == e.to).count() as u64
}
