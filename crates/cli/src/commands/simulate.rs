//! `sectile simulate`: prints a run of a model.

use crate::approximate;
use crate::args::SimulateArgs;
use crate::commands::{interactive, load_runs, refused};
use crate::exit::Exit;
use crate::output;
use sectile_base::Budget;
use sectile_driver::Loaded;
use sectile_explicit::{ExploreError, RunEnd, SimulationOptions, simulate};
use sectile_model::Trace;
use sectile_report::{run_words, trace_text};

/// Runs the command.
pub fn run(args: &SimulateArgs) -> anyhow::Result<Exit> {
    let loaded = load_runs(&args.input)?;
    let budget = Budget::unlimited();
    if args.interactive {
        let trace = interactive::walk(&loaded, args, &budget).map_err(not_run)?;
        output::result(&text(&loaded, &trace));
        output::result(&doubt(&loaded, &trace));
        return Ok(Exit::Success);
    }
    let options = SimulationOptions {
        steps: args.steps,
        seed: args.seed,
        domain: None,
    };
    let model = &loaded.reading.module.model;
    let run = simulate(&loaded.terms, model, &options, &budget).map_err(not_run)?;
    output::result(&text(&loaded, &run.trace));
    output::result(&format!("{}\n", end(run.end, run.trace.states.is_empty())));
    output::result(&doubt(&loaded, &run.trace));
    Ok(Exit::Success)
}

fn not_run(error: ExploreError) -> anyhow::Error {
    refused("simulate", error)
}

fn text(loaded: &Loaded, trace: &Trace) -> String {
    let model = &loaded.reading.module.model;
    trace_text(&run_words(&loaded.terms, model, &loaded.source, trace))
}

/// A note on a run that the file may not have.
fn doubt(loaded: &Loaded, trace: &Trace) -> String {
    match approximate::doubt(loaded, trace) {
        Some(why) => format!("this may not be a run of the file: {why}\n"),
        None => String::new(),
    }
}

fn end(end: RunEnd, empty: bool) -> &'static str {
    match end {
        RunEnd::Complete => "the run goes on",
        RunEnd::Deadlock if empty => "there is no initial state",
        RunEnd::Deadlock => "no step is possible: deadlock",
        RunEnd::NotFound => "no step was found among the values that were tried",
        RunEnd::Exhausted(_) => "the search for a step was given up",
    }
}
