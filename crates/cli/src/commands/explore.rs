//! `sectile explore`.

use crate::approximate;
use crate::args::{ExploreArgs, Format};
use crate::commands::load_runs;
use crate::exit::Exit;
use crate::output;
use sectile_base::{Budget, Int, Rat};
use sectile_driver::check::BadRequest;
use sectile_driver::{InputError, Loaded};
use sectile_explicit::{
    Answer, Domain, Exploration, ExploreError, Extent, Options, PropertyResult, Stop, explore,
};
use sectile_model::{Certificate, Task, Trace};
use sectile_report::{Evidence, TraceWords, describe, trace_json, trace_text};
use serde_json::json;
use std::fmt::Write as _;

/// Runs the command.
pub fn run(args: &ExploreArgs) -> anyhow::Result<Exit> {
    let options = Options {
        domain: domain(args)?,
        max_depth: args.bound,
        max_states: args.states,
        stop: Stop::Never,
    };
    let loaded = load_runs(&args.input)?;
    let mut budget = Budget::unlimited().with_memory(args.limits.memory);
    if let Some(limit) = args.limits.timeout {
        budget = budget.with_time(limit);
    }
    let module = &loaded.reading.module;
    let found = explore(&loaded.terms, module, &options, &budget).map_err(|e| refused(&e))?;
    output::result(&match args.format {
        Format::Text => text(&loaded, &found, args.trace),
        Format::Json => json(&loaded, &found),
    });
    Ok(exit_of(&loaded, &found))
}

fn refused(error: &ExploreError) -> InputError {
    let help = match error {
        ExploreError::NeedsDomain { .. } => {
            "  = help: --domain LO..HI searches the states whose numbers lie in a range\n"
        }
        _ => "",
    };
    InputError {
        message: format!("error[explore]: {error}\n{help}"),
    }
}

fn domain(args: &ExploreArgs) -> Result<Option<Domain>, BadRequest> {
    let Some(text) = &args.domain else {
        return Ok(None);
    };
    let wrong = || {
        BadRequest(format!(
            "`{text}` is no domain; write LO..HI, such as -2..5"
        ))
    };
    let (low, high) = text.split_once("..").ok_or_else(wrong)?;
    let number = |t: &str| t.trim().parse::<Int>().map_err(|_| wrong());
    let step: Rat = args
        .domain_step
        .parse()
        .map_err(|_| BadRequest(format!("`{}` is no step; write 1 or 1/2", args.domain_step)))?;
    let domain = Domain::new(number(low)?, number(high)?).and_then(|d| d.with_step(step));
    domain.map(Some).map_err(|e| BadRequest(e.to_string()))
}

/// Verdicts of a search that saw everything count as such; others leave things open.
fn exit_of(loaded: &Loaded, found: &Exploration) -> Exit {
    let doubtful = |p: &&PropertyResult| doubt(loaded, p).is_some();
    let mut believed = found.properties.iter().filter(|p| !doubtful(p));
    let open = |a: Answer| matches!(a, Answer::Undecided | Answer::NotViolatedWithinBounds);
    if believed.any(|p| p.answer == Answer::Violated) {
        Exit::Violated
    } else if found
        .properties
        .iter()
        .any(|p| open(p.answer) || doubtful(&p))
    {
        Exit::Unknown
    } else {
        Exit::Success
    }
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

/// Why the run that shows an answer is not believed, if it is not.
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

fn words(loaded: &Loaded, result: &PropertyResult) -> Option<TraceWords> {
    let trace = result.evidence.as_ref()?;
    trace_words(loaded, &result.name, trace)
}

fn trace_words(loaded: &Loaded, property: &str, trace: &Trace) -> Option<TraceWords> {
    let module = &loaded.reading.module;
    let task = Task {
        terms: &loaded.terms,
        model: &module.model,
        property: module.property(property)?,
    };
    match describe(&task, &loaded.source, &Certificate::Trace(trace.clone())) {
        Evidence::Trace(words) => Some(words),
        _ => None,
    }
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
        let violation = result
            .evidence
            .as_ref()
            .filter(|_| result.answer == Answer::Violated);
        if let Some(trace) = violation {
            let _ = write!(out, " in {} steps", trace.steps.len());
        }
        if let Some(why) = doubt(loaded, result) {
            let _ = write!(out, ": {why}");
        }
        out.push('\n');
        if traces && let Some(words) = words(loaded, result) {
            out.push_str(&trace_text(&words));
        }
    }
    out
}

fn json(loaded: &Loaded, found: &Exploration) -> String {
    let properties: Vec<serde_json::Value> = found
        .properties
        .iter()
        .map(|p| {
            json!({
                "name": p.name,
                "answer": answer(loaded, p),
                "steps": p.evidence.as_ref().map(|t| t.steps.len()),
                "evidence": words(loaded, p).map(|w| trace_json(&w)),
            })
        })
        .collect();
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
        "properties": properties,
    });
    format!("{document:#}\n")
}
