//! One module for each command.

pub mod bench;
pub mod certify;
pub mod check;
pub mod engines;
pub mod explore;
pub mod export;
pub mod show;
pub mod simulate;
pub mod smt;

use crate::args::InputArgs;
use crate::output;
use sectile_driver::{Loaded, load};

/// Reads the model and tells its warnings.
pub fn load_model(args: &InputArgs) -> anyhow::Result<Loaded> {
    let loaded = load(&args.file, args.input.as_deref(), &args.define)?;
    if !loaded.reading.warnings.is_empty() {
        output::diagnostic(&loaded.reading.warnings.render(&loaded.source));
    }
    Ok(loaded)
}
