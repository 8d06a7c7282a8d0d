//! Sizes of blocks, for engines that take a graph of blocks instead of a model.

/// How much becomes one block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BlockSize {
    /// Everything between two loop heads.
    #[default]
    Loops,
    /// Straight pieces: edges are composed at locations with one incoming edge. Parallel edges are
    /// not joined.
    Sequences,
    /// Edges that connect the same locations.
    Parallel,
    /// Every edge by itself.
    Single,
}

impl BlockSize {
    /// Whether parallel edges become one.
    pub fn joins(self) -> bool {
        matches!(self, BlockSize::Loops | BlockSize::Parallel)
    }

    /// The size of blocks in which no location disappears.
    #[must_use]
    pub fn of_single_steps(self) -> BlockSize {
        match self.joins() {
            true => BlockSize::Parallel,
            false => BlockSize::Single,
        }
    }
}

crate::choices!(BlockSize {
    Loops = "loops",
    Sequences = "sequences",
    Parallel = "parallel",
    Single = "single",
});
