//! Any task as a graph with locations that must not be reached.

use crate::control_split::ControlSplit;
use crate::error_location::ErrorLocation;
use crate::lbe::{BlockSize, LargeBlocks};
use crate::pass::{Applied, NotApplicable, Pass};
use crate::pipeline::Pipeline;
use crate::recover_control::RecoverControl;
use sectile_engine::EngineError;
use sectile_model::{Model, Property, PropertyKind, Task, Verdict};
use sectile_terms::Terms;

/// Makes a graph of blocks of any model, for engines that follow paths to error locations.
///
/// A system becomes a graph by its program counters, or with one location where it has none. An
/// invariant of a system needs one for every location of that graph, so no location of it
/// disappears in a block: only edges between the same locations are joined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ErrorGraph {
    /// How much of a program becomes one block.
    pub size: BlockSize,
}

impl ErrorGraph {
    /// Whether a task has such a graph. All of safety has one; of CTL, what is an invariant.
    pub fn fits(terms: &Terms, model: &Model, property: &Property) -> Result<(), String> {
        if !matches!(property.kind, PropertyKind::Ctl(_)) {
            return Ok(());
        }
        let graph = ErrorGraph::default().apply(terms, model, property);
        graph.map(|_| ()).map_err(|why| why.to_string())
    }

    /// Decides a task on its graph of blocks. The verdict is about the task.
    pub fn decide(
        &self,
        task: &Task<'_>,
        decide: impl FnOnce(&Model, &[usize]) -> Result<Verdict, EngineError>,
    ) -> Result<Verdict, EngineError> {
        let applied = self.apply(task.terms, task.model, task.property);
        let applied = applied.map_err(EngineError::bug)?;
        let (graph, errors) = applied.error_graph().map_err(EngineError::bug)?;
        let verdict = decide(graph, &errors)?;
        Ok(applied.verdict(task.terms, verdict))
    }
}

impl Pass for ErrorGraph {
    fn name(&self) -> &'static str {
        "error-graph"
    }

    fn apply(
        &self,
        terms: &Terms,
        model: &Model,
        property: &Property,
    ) -> Result<Applied, NotApplicable> {
        let blocks = |size| {
            Pipeline::new()
                .then(ErrorLocation)
                .then(LargeBlocks::of(size))
        };
        if !model.is_system() {
            let recovered = self.recovered(terms, model, property);
            return recovered.or_else(|_| blocks(self.size).apply(terms, model, property));
        }
        let size = match self.size {
            BlockSize::Loops => BlockSize::Parallel,
            BlockSize::Sequences => BlockSize::Single,
            other => other,
        };
        let split = Pipeline::new().then(ControlSplit::automatic());
        let split = split.then(blocks(size)).apply(terms, model, property);
        split
            .or_else(|_| self.recovered(terms, model, property))
            .or_else(|_| blocks(size).apply(terms, model, property))
    }
}

impl ErrorGraph {
    /// The blocks of a graph whose control is kept in Booleans.
    ///
    /// Inside blocks, the way back needs steps that choose nothing; else every location stays.
    fn recovered(
        &self,
        terms: &Terms,
        model: &Model,
        property: &Property,
    ) -> Result<Applied, NotApplicable> {
        let passes = || {
            Pipeline::new()
                .then(ErrorLocation)
                .then(RecoverControl::default())
        };
        let made = passes().apply(terms, model, property)?;
        let size = match (&made.model, self.size) {
            (graph, size) if is_deterministic(graph) => size,
            (_, BlockSize::Loops) => BlockSize::Parallel,
            (_, BlockSize::Sequences) => BlockSize::Single,
            (_, size) => size,
        };
        let blocks = passes().then(LargeBlocks::of(size));
        blocks.apply(terms, model, property)
    }
}

/// Whether all steps behind the entry only assign.
fn is_deterministic(graph: &Model) -> bool {
    let inner = graph.edges.iter().filter(|e| e.from != graph.entry);
    let mut commands = inner.map(|e| &e.command);
    commands.all(|c| {
        c.relations.is_empty() && c.inputs.is_empty() && c.unassigned(&graph.variables).is_empty()
    })
}
