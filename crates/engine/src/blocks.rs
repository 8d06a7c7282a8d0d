//! Tasks as graphs of blocks, for engines that follow paths to error locations.

use crate::info::EngineError;
use sectile_model::{Model, Task, Verdict};
use sectile_transform::{BlockSize, ErrorGraph, Pass};

/// Whether a task has a graph of blocks; the text says why not.
pub fn accepts_blocks(task: &Task<'_>) -> Result<(), String> {
    ErrorGraph::fits(task.terms, task.model, task.property)
}

/// Decides a task on its graph of blocks. The verdict is about the task.
pub fn decide_blocks(
    task: &Task<'_>,
    size: BlockSize,
    decide: impl FnOnce(&Model, &[usize]) -> Result<Verdict, EngineError>,
) -> Result<Verdict, EngineError> {
    let pass = ErrorGraph { size };
    let applied = pass.apply(task.terms, task.model, task.property);
    let applied = applied.map_err(EngineError::bug)?;
    let (graph, errors) = applied.error_graph().map_err(EngineError::bug)?;
    let verdict = decide(graph, &errors)?;
    Ok(applied.verdict(task.terms, verdict))
}
