//! `sectile show`: prints a model as it was read.

use crate::args::{ShowArgs, ShowFormat};
use crate::commands::{bad, load_model, with_runs};
use crate::exit::Exit;
use crate::output;
use sectile_driver::Loaded;
use sectile_engine::BlockSize;
use sectile_engine::OptionValue;
use sectile_frontend::imp::{Detail, print_graph};
use sectile_frontend::sct::print_module;
use sectile_model::{Command, Edge, LocationId, Task, Update};
use sectile_questions::horn::clauses;
use sectile_smtlib::export::{to_clauses, to_dot};
use sectile_transform::{ErrorGraph, Pass};

/// Runs the command.
pub fn run(args: &ShowArgs) -> anyhow::Result<Exit> {
    let read = load_model(&args.input)?;
    if let Some(size) = &args.blocks {
        return blocks(&with_runs(read), size);
    }
    if let (Some(clauses), ShowFormat::Text, false) = (clauses(&read), args.format, args.graph) {
        let functions = &read.reading.module.model.rigid;
        output::result(&to_clauses(&read.terms, &clauses, functions));
        return Ok(Exit::Success);
    }
    let mut loaded = with_runs(read);
    if args.total {
        make_total(&mut loaded)?;
    }
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

/// Adds a self-loop to every location without outgoing edges, so that runs do not end.
///
/// Paper: [Fr23]: the final location has a self-loop, so that every state has a post-state.
fn make_total(loaded: &mut Loaded) -> anyhow::Result<()> {
    let model = &mut loaded.reading.module.model;
    if model.is_system() {
        return Err(bad(
            "--total is for programs: a system has no final location",
        ));
    }
    let ends = (0..model.locations.len()).map(LocationId);
    let ends: Vec<LocationId> = ends
        .filter(|&l| model.edges_from(l).next().is_none())
        .collect();
    for end in ends {
        let mut stay = Command::new("?true", model.locations[end.0].span);
        let variables = model.variables_at(end).iter();
        stay.updates = variables.map(|&v| Update::keep(&loaded.terms, v)).collect();
        model.edges.push(Edge::new(end, end, stay));
    }
    Ok(())
}

/// Prints the graph of blocks that engines for programs use, for every property.
fn blocks(loaded: &Loaded, size: &str) -> anyhow::Result<Exit> {
    let Some(block_size) = OptionValue::read(size) else {
        let wanted = BlockSize::wanted();
        let why = format!("there are no blocks `{size}`; choose {wanted}");
        return Err(bad(why));
    };
    let pass = ErrorGraph { size: block_size };
    let module = &loaded.reading.module;
    for property in &module.properties {
        let applied = pass.apply(&Task::new(&loaded.terms, &module.model, property));
        let applied = applied.map_err(bad)?;
        let text = print_graph(&loaded.terms, &applied.model, Detail::Formulas);
        output::result(&format!("// blocks for {}\n{text}", property.name));
    }
    Ok(Exit::Success)
}
