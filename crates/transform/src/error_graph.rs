//! Any task as a graph with locations that must not be reached.

use crate::control_split::ControlSplit;
use crate::error_location::ErrorLocation;
use crate::lbe::{BlockSize, LargeBlocks};
use crate::pass::{Applied, NotApplicable, Pass};
use crate::pipeline::Pipeline;
use crate::single_location::SingleLocation;
use sectile_model::{Model, Property, PropertyKind};
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
        if let Model::Graph(_) = model {
            return blocks(self.size).apply(terms, model, property);
        }
        let size = match self.size {
            BlockSize::Loops => BlockSize::Parallel,
            BlockSize::Sequences => BlockSize::Single,
            other => other,
        };
        let split = Pipeline::new().then(ControlSplit::automatic());
        let split = split.then(blocks(size)).apply(terms, model, property);
        split.or_else(|_| {
            let single = Pipeline::new().then(SingleLocation);
            single.then(blocks(size)).apply(terms, model, property)
        })
    }
}
