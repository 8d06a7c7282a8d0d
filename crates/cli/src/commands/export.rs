//! `sectile export`: writes a model in another language.

use crate::args::{ExportArgs, Target};
use crate::commands::{bad, load_model, named_property, refused, with_runs};
use crate::exit::Exit;
use crate::output;
use sectile_driver::Loaded;
use sectile_frontend::sct::print_module;
use sectile_model::{Module, Property, Task};
use sectile_questions::horn::clauses;
use sectile_smtlib::export::{to_c, to_chc, to_clauses, to_dot, to_vmt};
use sectile_transform::{Pass as _, PcEncoding};

/// Runs the command.
pub fn run(args: &ExportArgs) -> anyhow::Result<Exit> {
    let read = load_model(&args.input)?;
    if let (Target::Chc, Some(clauses)) = (args.to, clauses(&read)) {
        let functions = &read.reading.module.model.rigid;
        return write(args, to_clauses(&read.terms, &clauses, functions));
    }
    let loaded = with_runs(read);
    let loose = loaded.reading.module.model.edges.iter().any(|e| e.loose);
    let text = match args.to {
        Target::Vmt | Target::Sct | Target::C if loose => return Err(refused("export", NOT_EXACT)),
        Target::Chc => {
            let property = property(&loaded, args.property.as_deref())?;
            to_chc(&loaded.terms, &loaded.reading.module, property)
                .map_err(|e| refused("export", e))?
        }
        Target::C => {
            let property = property(&loaded, args.property.as_deref())?;
            to_c(&loaded.terms, &loaded.reading.module, property)
                .map_err(|e| refused("export", e))?
        }
        Target::Vmt => vmt(&loaded)?,
        Target::Dot => to_dot(&loaded.terms, &loaded.reading.module),
        Target::Sct => sct(&loaded)?,
    };
    write(args, text)
}

fn write(args: &ExportArgs, text: String) -> anyhow::Result<Exit> {
    match &args.output {
        Some(file) => output::file(file.as_ref(), &text)?,
        None => output::result(&text),
    }
    Ok(Exit::Success)
}

/// The message for files whose graph over-approximates: exporting it would change the model.
const NOT_EXACT: &str = "the graph of this file allows more than the file does: it has recursive calls, clauses with several predicates or functions";

fn property<'l>(loaded: &'l Loaded, name: Option<&str>) -> anyhow::Result<&'l Property> {
    let module = &loaded.reading.module;
    match name {
        Some(name) => named_property(loaded, name),
        None => {
            let first = module.properties.first();
            first.ok_or_else(|| bad("the file states no property"))
        }
    }
}

/// VMT, with a warning about each property that it cannot express.
fn vmt(loaded: &Loaded) -> anyhow::Result<String> {
    let vmt = to_vmt(&loaded.terms, &loaded.reading.module).map_err(|e| refused("export", e))?;
    for name in &vmt.omitted {
        output::diagnostic(&format!(
            "warning: `{name}` is left out: it is not a safety property"
        ));
    }
    Ok(vmt.text)
}

/// One module in the native language; programs get a program counter first.
fn sct(loaded: &Loaded) -> anyhow::Result<String> {
    let module = &loaded.reading.module;
    if module.model.is_system() {
        return Ok(print_module(&loaded.terms, module));
    }
    let mut flat = Module {
        properties: Vec::new(),
        ..module.clone()
    };
    // The program counter depends only on the graph, so it is the same for every property.
    for property in &module.properties {
        let applied = PcEncoding
            .apply(&Task::new(&loaded.terms, &module.model, property))
            .map_err(|e| refused("export", e))?;
        if flat.properties.is_empty() {
            flat.model = applied.model;
        }
        flat.properties.push(applied.property);
    }
    Ok(print_module(&loaded.terms, &flat))
}
