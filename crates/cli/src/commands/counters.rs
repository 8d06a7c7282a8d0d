//! Models with counters in place of processes, for every number of them.

use crate::args::InputArgs;
use sectile_driver::Loaded;
use sectile_driver::counters::Family;

/// The counter system of a model, in the native language.
pub fn text(input: &InputArgs) -> anyhow::Result<String> {
    let input_name = input.input.as_deref();
    let text = sectile_driver::counters::translate(&input.file, input_name, &input.define)?;
    Ok(text)
}

/// The counter system of a model, and the family that it counts.
pub fn load(input: &InputArgs) -> anyhow::Result<(Loaded, Family)> {
    let (mut loaded, family) =
        sectile_driver::counters::load(&input.file, input.input.as_deref(), &input.define)?;
    if input.infinite_paths {
        loaded.use_infinite_paths();
    }
    Ok((loaded, family))
}
