//! Models with followable runs, for display.

use crate::{Clauses, Linear, Pass, Pipeline};
use sectile_model::{Module, Property, Task};
use sectile_terms::Terms;

/// The model with its properties, without premises: recursive calls are replaced by contracts, and
/// other premises are dropped. Its loose edges allow more than the file does.
pub fn with_runs(terms: &Terms, module: &Module) -> Module {
    let mut module = module.clone();
    // Properties that need a monitor are not about these runs.
    let monitored = std::mem::take(&mut module.model.monitored);
    let is_plain = |p: &Property| monitored.iter().all(|(name, _)| *name != p.name);
    module.properties.retain(is_plain);
    if let Some(contracts) = module.model.contracts.take() {
        module.model = contracts.model;
        module.properties = contracts.properties;
    } else if module.model.is_clauses()
        && let Some(property) = module.properties.first()
    {
        let task = Task::new(terms, &module.model, property);
        if let Ok(made) = Pipeline::new().then(Clauses).then(Linear).apply(&task) {
            (module.model, module.properties) = (made.model, vec![made.property]);
        }
    }
    module
}
