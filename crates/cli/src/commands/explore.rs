//! `sectile explore`.

use crate::approximate;
use crate::args::{ExploreArgs, Format};
use crate::commands::{bad, load_runs, refused};
use crate::exit::Exit;
use crate::output;
use sectile_base::{Int, Rat, counted};
use sectile_driver::Loaded;
use sectile_explicit::{
    Answer, Domain, Exploration, ExploreError, Extent, Options, PropertyResult, Stop, explore,
};
use sectile_model::{Certificate, Task};
use sectile_report::{Evidence, describe, trace_text};
use serde_json::json;
use std::fmt::Write as _;

/// Runs the command.
pub fn run(args: &ExploreArgs) -> anyhow::Result<Exit> {
    let options = Options {
        domain: domain(args)?,
        max_depth: args.bound,
        max_states: args.states,
        stop: Stop::Never,
        keep_steps: false,
    };
    let loaded = load_runs(&args.input)?;
    let module = &loaded.reading.module;
    let found = explore(&loaded.terms, module, &options, &args.input.limits.budget());
    let found = found.map_err(|e| match e {
        ExploreError::NeedsDomain { .. } => refused("explore", format!("{e}\n{HELP}")),
        _ => refused("explore", e),
    })?;
    output::result(&match args.format {
        Format::Text => text(&loaded, &found, args.trace),
        Format::Json => json(&loaded, &found),
    });
    Ok(exit_of(&loaded, &found))
}

const HELP: &str = "  = help: --domain LO..HI searches the states whose numbers lie in a range";

fn domain(args: &ExploreArgs) -> anyhow::Result<Option<Domain>> {
    let Some(text) = &args.domain else {
        return Ok(None);
    };
    let wrong = || {
        bad(format!(
            "`{text}` is not a domain; write LO..HI, such as -2..5"
        ))
    };
    let (low, high) = text.split_once("..").ok_or_else(wrong)?;
    let number = |t: &str| t.trim().parse::<Int>().map_err(|_| wrong());
    let step = &args.domain_step;
    let no_step = || bad(format!("`{step}` is not a step; write 1 or 1/2"));
    let step = step.parse::<Rat>().map_err(|_| no_step())?;
    let domain = Domain::new(number(low)?, number(high)?).and_then(|d| d.with_step(step));
    domain.map(Some).map_err(|e| bad(e.to_string()))
}

/// The worst exit code of all properties; answers that are bounded or doubtful count as unknown.
fn exit_of(loaded: &Loaded, found: &Exploration) -> Exit {
    let exits = found.properties.iter().map(|p| match p.answer {
        _ if doubt(loaded, p).is_some() => Exit::Unknown,
        Answer::Holds => Exit::Success,
        Answer::Violated => Exit::Violated,
        Answer::NotViolatedWithinBounds | Answer::Undecided => Exit::Unknown,
    });
    exits.fold(Exit::Success, Exit::worse)
}

fn extent(found: &Exploration) -> String {
    match &found.extent {
        Extent::Exact => "exact".to_string(),
        Extent::Bounded { by } => {
            let limits: Vec<String> = by.iter().map(ToString::to_string).collect();
            format!("bounded by {}", limits.join(", "))
        }
    }
}

/// Why the run that shows an answer is doubtful, if it is.
fn doubt(loaded: &Loaded, result: &PropertyResult) -> Option<String> {
    approximate::doubt(loaded, result.evidence.as_ref()?)
}

fn answer(loaded: &Loaded, result: &PropertyResult) -> &'static str {
    if doubt(loaded, result).is_some() {
        return "unknown (the run may not exist)";
    }
    match result.answer {
        Answer::Holds => "holds",
        Answer::Violated => "violated",
        Answer::NotViolatedWithinBounds => "unknown (no violation within the bounds)",
        Answer::Undecided => "unknown (it depends on states outside the bounds)",
    }
}

/// The run that shows an answer.
fn evidence(loaded: &Loaded, result: &PropertyResult) -> Option<Evidence> {
    let module = &loaded.reading.module;
    let property = module.property(&result.name)?;
    let task = Task::new(&loaded.terms, &module.model, property);
    let trace = Certificate::Trace(result.evidence.clone()?);
    Some(describe(&task, &loaded.source, &trace))
}

fn text(loaded: &Loaded, found: &Exploration, traces: bool) -> String {
    let mut out = String::new();
    // Writing to a String cannot fail.
    let _ = writeln!(out, "states {}", found.states);
    let _ = writeln!(out, "initial states {}", found.initial_states);
    let _ = writeln!(out, "transitions {}", found.transitions);
    let _ = writeln!(out, "depth {}", found.depth);
    let _ = writeln!(out, "deadlocks {}", found.deadlocks.count);
    let _ = writeln!(out, "search {}", extent(found));
    if let Some(note) = approximate::note(loaded) {
        let _ = writeln!(out, "{note}");
    }
    for result in &found.properties {
        let _ = write!(out, "{}: {}", result.name, answer(loaded, result));
        if let (Some(trace), Answer::Violated) = (&result.evidence, result.answer) {
            let _ = write!(out, " in {}", counted(trace.steps.len(), "step"));
        }
        if let Some(why) = doubt(loaded, result) {
            let _ = write!(out, ": {why}");
        }
        out.push('\n');
        if traces && let Some(Evidence::Trace(words)) = evidence(loaded, result) {
            out.push_str(&trace_text(&words));
        }
    }
    out
}

fn json(loaded: &Loaded, found: &Exploration) -> String {
    let properties = found.properties.iter().map(|p| {
        json!({
            "name": p.name,
            "answer": answer(loaded, p),
            "steps": p.evidence.as_ref().map(|t| t.steps.len()),
            "evidence": evidence(loaded, p),
        })
    });
    let document = json!({
        "version": 1,
        "states": found.states,
        "initial_states": found.initial_states,
        "transitions": found.transitions,
        "depth": found.depth,
        "deadlocks": found.deadlocks.count,
        "exact": found.extent.is_exact(),
        "search": extent(found),
        "approximate": approximate::edges(loaded),
        "properties": properties.collect::<Vec<_>>(),
    });
    format!("{document:#}\n")
}
