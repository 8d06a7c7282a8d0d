//! `sectile generate`: writes random programs for benchmarks.

use crate::args::GenerateArgs;
use crate::commands::bad;
use crate::exit::Exit;
use crate::output;
use anyhow::Context as _;
use sectile_bench::generate::programs;
use std::path::Path;

/// Runs the command.
pub fn run(args: &GenerateArgs) -> anyhow::Result<Exit> {
    let count = args.programs as usize;
    let Some(folder) = &args.output else {
        if count > 1 {
            let why = format!("{count} programs need a folder: give one with -o DIR");
            return Err(bad(why));
        }
        for program in programs(count, args.seed) {
            output::result(&program.text);
        }
        return Ok(Exit::Success);
    };
    let folder = Path::new(folder);
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder `{}`", folder.display()))?;
    for program in programs(count, args.seed) {
        let file = folder.join(&program.name);
        output::file(&file, &program.text)?;
    }
    output::diagnostic(&format!("wrote {count} programs to {}", folder.display()));
    Ok(Exit::Success)
}
