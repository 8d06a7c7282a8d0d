//! Models with counters in place of processes, for every number of them.

use crate::args::InputArgs;
use sectile_driver::Loaded;

/// The counter system of a model, in the native language.
pub fn text(input: &InputArgs) -> anyhow::Result<String> {
    let (_, text) =
        sectile_driver::counters::translate(&input.file, input.input.as_deref(), &input.define)?;
    Ok(text)
}

/// The counter system of a model.
pub fn load(input: &InputArgs) -> anyhow::Result<Loaded> {
    let mut loaded =
        sectile_driver::counters::load(&input.file, input.input.as_deref(), &input.define)?;
    if input.infinite_paths {
        loaded.use_infinite_paths();
    }
    Ok(loaded)
}
