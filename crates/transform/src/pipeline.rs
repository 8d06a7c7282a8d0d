//! Several passes as one.

use crate::pass::{Applied, BackTranslate, Lost, Pass, Unchanged};
use sectile_model::{Certificate, Task};
use sectile_terms::Terms;
use std::sync::Arc;

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
        let mut done = Applied::unchanged(task);
        let mut ways: Vec<(&'static str, Arc<dyn BackTranslate>)> = Vec::new();
        for pass in &self.passes {
            let Applied {
                model,
                property,
                exactness,
                back,
            } = pass.apply(&done.task(task.terms))?;
            ways.push((pass.name(), back));
            done = Applied::new(model, property, Unchanged).within(exactness.max(done.exactness));
        }
        let all = Applied::new(done.model, done.property, AllTheWay { ways });
        Ok(all.within(done.exactness))
    }

    /// The pass that does not fit is named already.
    fn apply(&self, task: &Task<'_>) -> Result<Applied, String> {
        self.made(task)
    }
}

/// The ways back of the passes, in the order of the passes.
struct AllTheWay {
    ways: Vec<(&'static str, Arc<dyn BackTranslate>)>,
}

impl BackTranslate for AllTheWay {
    fn certificate(&self, terms: &Terms, certificate: &Certificate) -> Result<Certificate, Lost> {
        let mut current = certificate.clone();
        for (name, way) in self.ways.iter().rev() {
            let translated = way.certificate(terms, &current);
            current = translated.map_err(|lost| Lost(format!("by {name}: {}", lost.0)))?;
        }
        Ok(current)
    }
}
