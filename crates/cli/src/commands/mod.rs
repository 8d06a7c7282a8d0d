//! One module for each command.

pub mod abstract_;
pub mod bench;
pub mod certify;
pub mod check;
pub mod counters;
pub mod engines;
pub mod explore;
pub mod export;
pub mod generate;
pub mod horn;
pub mod prove;
pub mod select;
pub mod show;
pub mod simulate;
pub mod smt;

use crate::args::InputArgs;
use crate::output;
use sectile_driver::{Loaded, load};

/// Reads the model and tells nothing.
pub fn load_silently(args: &InputArgs) -> anyhow::Result<Loaded> {
    let mut loaded = load(&args.file, args.input.as_deref(), &args.define)?;
    if args.infinite_paths {
        loaded.use_infinite_paths();
    }
    Ok(loaded)
}

/// Reads the model and tells its warnings.
pub fn load_model(args: &InputArgs) -> anyhow::Result<Loaded> {
    let loaded = load_silently(args)?;
    if !loaded.reading.warnings.is_empty() {
        output::diagnostic(&loaded.reading.warnings.render(&loaded.source));
    }
    Ok(loaded)
}

/// Reads a model whose runs can be followed, see [`sectile_driver::with_runs`].
pub fn load_runs(args: &InputArgs) -> anyhow::Result<Loaded> {
    load_model(args).map(with_runs)
}

/// The same file as a model whose runs can be followed.
pub fn with_runs(mut loaded: Loaded) -> Loaded {
    loaded.reading.module = sectile_driver::with_runs(&loaded.terms, &loaded.reading.module);
    loaded
}
