//! What engines that follow paths to error locations want instead of a model: a graph of blocks.

/// How much becomes one block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BlockSize {
    /// Everything between two loop heads.
    #[default]
    Loops,
    /// Straight pieces: what follows a location that only one edge enters. Nothing is joined.
    Sequences,
    /// Edges that connect the same locations.
    Parallel,
    /// Every edge by itself.
    Single,
}

impl BlockSize {
    /// Whether several edges between two locations become one.
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
