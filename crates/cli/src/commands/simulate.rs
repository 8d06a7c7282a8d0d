//! `sectile simulate`.

use crate::approximate;
use crate::args::SimulateArgs;
use crate::commands::{load_runs, refused};
use crate::exit::Exit;
use crate::output;
use sectile_base::Budget;
use sectile_driver::Loaded;
use sectile_explicit::{Choice, ExploreError, RunEnd, SimulationOptions, Simulator, simulate};
use sectile_model::Trace;
use sectile_report::{run_words, trace_text};
use sectile_terms::display_value;
use std::fmt::Write as _;
use std::io::BufRead as _;

/// Runs the command.
pub fn run(args: &SimulateArgs) -> anyhow::Result<Exit> {
    let loaded = load_runs(&args.input)?;
    let budget = Budget::unlimited();
    if args.interactive {
        return interactive(&loaded, args, &budget);
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

/// What is to be said about a run that the file may not have.
fn doubt(loaded: &Loaded, trace: &Trace) -> String {
    match approximate::doubt(loaded, trace) {
        Some(why) => format!("this may be no run of the file: {why}\n"),
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

/// How many ways to go on are offered at a time.
const OFFERED: usize = 50;

fn interactive(loaded: &Loaded, args: &SimulateArgs, budget: &Budget) -> anyhow::Result<Exit> {
    let model = &loaded.reading.module.model;
    let mut simulator = Simulator::new(&loaded.terms, model, None).map_err(not_run)?;
    if let Some(note) = approximate::note(loaded) {
        output::diagnostic(&note);
    }
    let mut lines = std::io::stdin().lock().lines();
    for _ in 0..=args.steps {
        let choices = simulator.options(OFFERED, budget).map_err(not_run)?;
        if choices.list.is_empty() {
            output::diagnostic("no step is possible");
            break;
        }
        output::diagnostic(&menu(loaded, simulator.trace(), &choices.list));
        let Some(chosen) = ask(&mut lines, choices.list.len(), &mut simulator) else {
            break;
        };
        if let Some(index) = chosen {
            simulator.choose(index);
        }
    }
    output::result(&text(loaded, simulator.trace()));
    output::result(&doubt(loaded, simulator.trace()));
    Ok(Exit::Success)
}

/// The choice of the person: a number, `b` to go back (no choice), or `q` (nothing).
fn ask(
    lines: &mut impl Iterator<Item = std::io::Result<String>>,
    count: usize,
    simulator: &mut Simulator,
) -> Option<Option<usize>> {
    loop {
        let line = lines.next()?.ok()?;
        match line.trim() {
            "q" => return None,
            "b" => {
                simulator.back();
                return Some(None);
            }
            number => match number.parse::<usize>() {
                Ok(index) if index < count => return Some(Some(index)),
                _ => output::diagnostic(&format!("a number below {count}, b to go back, q to end")),
            },
        }
    }
}

fn menu(loaded: &Loaded, trace: &Trace, list: &[Choice]) -> String {
    let model = &loaded.reading.module.model;
    let before = trace.states.last();
    let mut out = String::new();
    for (i, choice) in list.iter().enumerate() {
        let command = choice.command.and_then(|k| model.command(k));
        let name = command.map_or("start", |c| c.name.as_str());
        let mut changes = Vec::new();
        for (v, symbol) in model.variables.iter().enumerate() {
            let new = &choice.state.values[v];
            if before.is_none_or(|b| b.values[v] != *new) {
                let shown = display_value(&loaded.terms, new);
                changes.push(format!("{} = {shown}", loaded.terms.name(*symbol)));
            }
        }
        // Writing to a String cannot fail.
        let _ = writeln!(out, "{i:>3}  {name}  {}", changes.join(", "));
    }
    out
}
