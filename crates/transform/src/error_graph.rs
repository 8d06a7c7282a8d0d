//! Any task as a graph with error locations.

use crate::control_split::ControlSplit;
use crate::error_location::ErrorLocation;
use crate::lbe::LargeBlocks;
use crate::pass::{Applied, Pass};
use crate::pipeline::Pipeline;
use crate::recover_control::RecoverControl;
use sectile_engine::{BlockSize, Engine, EngineError, Run};
use sectile_model::{Model, PropertyKind, ReasonCode, Task, Unknown, Verdict};

/// Turns any model into a graph of blocks, for engines that follow paths to error locations.
///
/// A system becomes a graph by its program counters, or with one location if it has none. An
/// invariant of a system needs one for every location of that graph, so blocks must not remove
/// locations: only edges between the same locations are joined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ErrorGraph {
    /// The size of blocks.
    pub size: BlockSize,
}

/// Runs an engine on a task, or on its graph of blocks if the engine takes one. The verdict is
/// about the task.
pub fn run_engine(
    engine: &dyn Engine,
    task: &Task<'_>,
    run: &mut Run<'_>,
) -> Result<Verdict, EngineError> {
    run_engine_on(engine, task, None, run)
}

/// The same with the graph of its blocks, if it was made before.
pub fn run_engine_on(
    engine: &dyn Engine,
    task: &Task<'_>,
    graph: Option<Applied>,
    run: &mut Run<'_>,
) -> Result<Verdict, EngineError> {
    let made = |size| graph.map_or_else(|| ErrorGraph { size }.apply(task), Ok);
    let refused = |why: &str| Ok(Verdict::Unknown(Unknown::new(ReasonCode::Unsupported, why)));
    match engine.blocks(run.settings)? {
        Some(size) if task.model.is_linear() => match made(size) {
            Ok(applied) => {
                let verdict = engine.run(&applied.task(task.terms), run)?;
                Ok(applied.verdict(task.terms, verdict))
            }
            // Every safety property has a graph, but a CTL property only if it is an invariant.
            Err(why) => match task.property.kind {
                PropertyKind::Ctl(_) => refused(&why),
                _ => Err(EngineError::bug(why)),
            },
        },
        _ => match engine.accepts(task) {
            Ok(()) => engine.run(task, run),
            Err(why) => refused(&why),
        },
    }
}

impl Pass for ErrorGraph {
    fn name(&self) -> &'static str {
        "error-graph"
    }

    fn made(&self, task: &Task<'_>) -> Result<Applied, String> {
        let blocks = |size| {
            Pipeline::new()
                .then(ErrorLocation)
                .then(LargeBlocks::of(size))
        };
        if !task.model.is_system() {
            let recovered = self.recovered(task);
            return recovered.or_else(|_| blocks(self.size).apply(task));
        }
        let size = self.size.of_single_steps();
        let split = Pipeline::new().then(ControlSplit::automatic());
        let split = split.then(blocks(size)).apply(task);
        split
            .or_else(|_| self.recovered(task))
            .or_else(|_| blocks(size).apply(task))
    }

    /// The error already names the pass that does not apply.
    fn apply(&self, task: &Task<'_>) -> Result<Applied, String> {
        self.made(task)
    }
}

impl ErrorGraph {
    /// The blocks of a graph whose control is encoded in Booleans.
    ///
    /// The back-translation of blocks needs steps without choices; otherwise every location stays.
    fn recovered(&self, task: &Task<'_>) -> Result<Applied, String> {
        let passes = Pipeline::new().then(ErrorLocation);
        let recovered = passes.then(RecoverControl::default()).apply(task)?;
        let size = match is_deterministic(&recovered.model) {
            true => self.size,
            false => self.size.of_single_steps(),
        };
        recovered.then(task.terms, &LargeBlocks::of(size))
    }
}

/// Whether all steps after the entry only assign.
fn is_deterministic(graph: &Model) -> bool {
    let inner = graph.edges.iter().filter(|e| e.from != graph.entry);
    let mut commands = inner.map(|e| &e.command);
    commands.all(|c| {
        c.relations.is_empty() && c.inputs.is_empty() && c.unassigned(&graph.variables).is_empty()
    })
}
