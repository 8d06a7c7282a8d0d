//! `sectile show`.

use crate::args::{ShowArgs, ShowFormat};
use crate::commands::{load_model, with_runs};
use crate::exit::Exit;
use crate::output;
use sectile_driver::horn::clauses;
use sectile_frontend::imp::{Detail, print_graph};
use sectile_frontend::sct::print_module;
use sectile_smtlib::export::{to_clauses, to_dot};

/// Runs the command.
pub fn run(args: &ShowArgs) -> anyhow::Result<Exit> {
    let read = load_model(&args.input)?;
    if let Some(size) = &args.blocks {
        return blocks(&read, size);
    }
    if let (Some(clauses), ShowFormat::Text, false) = (clauses(&read), args.format, args.graph) {
        output::result(&to_clauses(&read.terms, &clauses));
        return Ok(Exit::Success);
    }
    let loaded = with_runs(read);
    let module = &loaded.reading.module;
    output::result(&match (args.format, module.model.is_system()) {
        (ShowFormat::Dot, _) => to_dot(&loaded.terms, module),
        (ShowFormat::Text, true) => print_module(&loaded.terms, module),
        (ShowFormat::Text, false) => {
            let detail = match args.graph {
                true => Detail::Formulas,
                false => Detail::Names,
            };
            print_graph(&loaded.terms, &module.model, detail)
        }
    });
    Ok(Exit::Success)
}

/// Prints the block graph of every property.
fn blocks(loaded: &sectile_driver::Loaded, size: &str) -> anyhow::Result<Exit> {
    let module = &loaded.reading.module;
    for property in &module.properties {
        let graph = sectile_driver::blocks(loaded, property, size)?;
        let text = print_graph(&loaded.terms, &graph, Detail::Formulas);
        output::result(&format!("// blocks for {}\n{text}", property.name));
    }
    Ok(Exit::Success)
}
