//! Large blocks: loop-free pieces of a program as single edges.
//!
//! `cut` chooses the locations that stay and `live` the relevant variables there; `encode` turns
//! the edges between them into formulas; `back` finds the statements of a step through a block, and
//! translates invariants of the kept locations to the program.
//!
//! Applying the two rules of the paper until nothing changes leaves the entry, the error
//! locations and the loop heads (its Theorem 1). Here those locations are chosen first, and each
//! rule is applied once for every location in between, in topological order: the sequential rule
//! is substitution, the parallel rule a disjunction over what the joined branches do not share.

mod back;
mod cut;
mod encode;
mod live;

pub(crate) use cut::{Fate, choose};

use crate::pass::{Applied, Pass};
use sectile_engine::BlockSize;
use sectile_model::{Edge, LocationId, Model, PropertyKind, Task};

/// Folds the loop-free pieces of a graph into single edges.
///
/// The property must name the error locations. Locations that reach no error, and those that are
/// unreachable from the entry, are left out; so are irrelevant variables: their next value is free.
///
/// Paper: [ErHoPoSc11, Transf. 1 and 2], after [BeCiGrKeSe09].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LargeBlocks {
    /// The size of blocks.
    pub size: BlockSize,
}

impl LargeBlocks {
    /// Blocks of a size.
    pub fn of(size: BlockSize) -> LargeBlocks {
        LargeBlocks { size }
    }
}

impl Pass for LargeBlocks {
    fn name(&self) -> &'static str {
        "large-blocks"
    }

    fn made(&self, task: &Task<'_>) -> Result<Applied, String> {
        let (terms, graph) = (task.terms, task.model);
        let errors = task.property.errors()?;
        let cuts = cut::choose(graph, errors, self.size);
        let live = live::variables(terms, graph, &cuts);
        let blocks = encode::blocks(terms, graph, &cuts, &live, self.size.joins());
        let kept = cuts.kept();
        let reduced = reduced(graph, &kept, &blocks);
        let errors = errors.iter().filter_map(|e| position(&kept, *e)).collect();
        let property = task.property.with(PropertyKind::Unreachable(errors));
        let graph = graph.clone();
        let back = back::Unfold {
            graph,
            cuts,
            kept,
            blocks,
        };
        Ok(Applied::new(reduced, property, back))
    }
}

fn position(kept: &[LocationId], location: LocationId) -> Option<LocationId> {
    kept.iter().position(|k| *k == location).map(LocationId)
}

/// The graph of the blocks.
fn reduced(graph: &Model, kept: &[LocationId], blocks: &encode::Blocks) -> Model {
    let location = |l: &LocationId| graph.locations[l.0].clone();
    let at = |l| position(kept, l).expect("blocks connect locations that are kept");
    let edges = blocks.list.iter();
    let edges = edges.map(|b| Edge::new(at(b.from), at(b.to), b.command.clone()));
    Model {
        locations: kept.iter().map(location).collect(),
        entry: at(graph.entry),
        edges: edges.collect(),
        ..graph.without_edges()
    }
}
