//! Several passes as one.

use crate::pass::{Applied, Pass};
use sectile_model::Task;

/// Passes that are applied in order; certificates come back in the opposite order.
#[derive(Default)]
pub struct Pipeline {
    passes: Vec<Box<dyn Pass>>,
}

impl Pipeline {
    /// A pipeline without passes, which changes nothing.
    pub fn new() -> Pipeline {
        Pipeline::default()
    }

    /// The same with one more pass at the end.
    pub fn then(mut self, pass: impl Pass + 'static) -> Pipeline {
        self.passes.push(Box::new(pass));
        self
    }
}

impl Pass for Pipeline {
    fn name(&self) -> &'static str {
        "pipeline"
    }

    fn made(&self, task: &Task<'_>) -> Result<Applied, String> {
        let done = Applied::unchanged(task);
        let mut passes = self.passes.iter();
        passes.try_fold(done, |done, pass| done.then(task.terms, pass.as_ref()))
    }

    /// The error already names the pass that does not apply.
    fn apply(&self, task: &Task<'_>) -> Result<Applied, String> {
        self.made(task)
    }
}
