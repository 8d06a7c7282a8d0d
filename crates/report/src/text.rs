//! Reports as plain text.

use crate::evidence::{CellWords, Evidence, LoopWords, MeasureWords, StepWords, TraceWords};
use crate::{Certified, CheckReport, PropertyReport, Status};
use sectile_base::counted;
use std::fmt::Write as _;

/// Selection of evidence to show.
#[derive(Clone, Copy, Debug, Default)]
pub struct TextOptions {
    /// Runs of violated properties.
    pub trace: bool,
    /// Invariants of properties that hold.
    pub model: bool,
    /// Counters.
    pub stats: bool,
}

/// The line of a property: `NAME: holds`, `NAME: violated` or `NAME: unknown (REASON)`, with its
/// sizes, unless it is about a single instance.
pub fn property_line(property: &PropertyReport) -> String {
    let mut line = format!("{}: {}", property.name, property.status.word());
    if let Some(sizes) = &property.sizes {
        line.push_str(&sizes.words(property.status));
    }
    if property.status == Status::Unknown {
        let _ = write!(line, " ({})", property.reason);
    }
    match &property.certified {
        Certified::No(why) => {
            let _ = write!(line, " [not certified: {why}]");
        }
        Certified::Partly(how) => {
            let _ = write!(line, " [certified {how}]");
        }
        Certified::Yes | Certified::NotApplicable => {}
    }
    line
}

/// The whole report.
pub fn to_text(report: &CheckReport, options: TextOptions) -> String {
    let all = report.properties.iter();
    all.map(|p| property_text(p, options)).collect()
}

/// The text for one property.
pub fn property_text(property: &PropertyReport, options: TextOptions) -> String {
    // Writing to a String cannot fail.
    let mut out = property_line(property) + "\n";
    if !property.reached.is_empty() {
        let _ = writeln!(out, "  reached: {}", property.reached);
    }
    if let Some(explanation) = &property.explanation {
        out.push_str(&explanation.text());
    }
    if !property.hint.is_empty() {
        let _ = writeln!(out, "  try: {}", property.hint);
    }
    match &property.evidence {
        Some(Evidence::Trace(words)) if options.trace => trace(&mut out, words),
        Some(Evidence::Cells(CellWords {
            run: Some(words), ..
        })) if options.trace => trace(&mut out, words),
        Some(Evidence::Trace(_)) | None => {}
        Some(evidence) if options.model => invariant(&mut out, evidence),
        Some(_) => {}
    }
    if options.stats {
        statistics(&mut out, property);
    }
    out
}

fn invariant(out: &mut String, evidence: &Evidence) {
    match evidence {
        Evidence::Trace(_) => {}
        Evidence::EverySize(words) => out.push_str(&words.text()),
        Evidence::Cells(words) => {
            let _ = writeln!(
                out,
                "  {} with {}, ranks up to {}; initial:",
                counted(words.cells, "cell"),
                counted(words.claims, "claim"),
                words.largest_rank
            );
            for list in &words.initial {
                conjunct_list(out, list);
            }
            progress(out, &words.progress);
            measures(out, &words.measures);
        }
        Evidence::Diagrams {
            nodes,
            variables,
            parts,
        } => {
            let _ = writeln!(
                out,
                "  sets of states for {} of the property: decision diagrams with {} over {}",
                counted(parts, "part"),
                counted(nodes, "node"),
                counted(variables, "variable")
            );
        }
        Evidence::Invariant { conjuncts } => {
            let _ = writeln!(out, "  invariant");
            conjunct_list(out, conjuncts);
        }
        Evidence::Unrolled { loops, invariants } => {
            for LoopWords { location, rounds } in loops {
                let when = match rounds {
                    1 => "at once".to_string(),
                    _ => format!("after fewer than {rounds} rounds"),
                };
                let _ = writeln!(out, "  {location} is left {when}, or never");
            }
            invariant(out, invariants);
        }
        Evidence::KInduction { depth, invariants } => {
            let _ = writeln!(out, "  {depth}-inductive");
            invariant(out, invariants);
        }
        Evidence::Locations { locations } => {
            for at in locations {
                let _ = writeln!(out, "  at {}", at.location);
                conjunct_list(out, &at.conjuncts);
            }
        }
    }
}

/// Why eventualities are reached.
fn progress(out: &mut String, sentences: &[String]) {
    if !sentences.is_empty() {
        let _ = writeln!(out, "  progress, the highest rank first:");
    }
    for sentence in sentences {
        let _ = writeln!(out, "    {sentence}");
    }
}

/// The decreasing measures, cell by cell.
fn measures(out: &mut String, list: &[MeasureWords]) {
    if list.is_empty() {
        return;
    }
    let _ = writeln!(
        out,
        "  with every step between cells of the same rank one of these falls by one or more, from a value"
    );
    let _ = writeln!(out, "  that is not negative, and none before it grows:");
    for MeasureWords { cell, rank, sums } in list {
        let (sums, cell) = (sums.join(", then "), cell.join(" and "));
        let _ = writeln!(out, "    rank {rank}: {sums}   in {cell}");
    }
}

fn conjunct_list(out: &mut String, list: &[String]) {
    for (i, text) in list.iter().enumerate() {
        let end = if i + 1 < list.len() { ";" } else { "" };
        let _ = writeln!(out, "    {}{end}", broken(text).join("\n      "));
    }
}

/// Line width at which text is broken if possible.
const WIDTH: usize = 100;

/// The text, or its beginning up to this length.
pub(crate) fn cut(text: &str, longest: usize) -> String {
    if text.chars().count() <= longest {
        return text.to_string();
    }
    text.chars()
        .take(longest - 3)
        .chain("...".chars())
        .collect()
}

/// A condition, one alternative per line if it is long.
fn broken(text: &str) -> Vec<String> {
    if text.chars().count() <= WIDTH {
        return vec![text.to_string()];
    }
    let mut lines = vec![String::new()];
    let (mut depth, mut quoted) = (0_usize, false);
    for (at, c) in text.char_indices() {
        match c {
            '`' => quoted = !quoted,
            '(' | '[' if !quoted => depth += 1,
            ')' | ']' if !quoted => depth = depth.saturating_sub(1),
            ' ' if !quoted && depth == 0 && text[at..].starts_with(" or ") => {
                lines.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(line) = lines.last_mut() {
            line.push(c);
        }
    }
    lines
}

fn statistics(out: &mut String, property: &PropertyReport) {
    let engine = &property.engine;
    let _ = writeln!(out, "  {engine}.seconds {:.3}", property.seconds);
    let _ = writeln!(
        out,
        "  {engine}.solver_seconds {:.3}",
        property.solver_seconds
    );
    for (name, value) in &property.statistics {
        let _ = writeln!(out, "  {engine}.{name} {value}");
    }
}

/// `x = 1, y = 2`.
pub(crate) fn pairs(list: &[(String, String)]) -> String {
    let shown: Vec<String> = list.iter().map(|(n, v)| format!("{n} = {v}")).collect();
    shown.join(", ")
}

/// A run as text, one line per state.
pub fn trace_text(words: &TraceWords) -> String {
    let mut out = String::new();
    trace(&mut out, words);
    out
}

fn trace(out: &mut String, words: &TraceWords) {
    if !words.constants.is_empty() {
        let _ = writeln!(out, "  constants {}", pairs(&words.constants));
    }
    let titles: Vec<String> = words.steps.iter().map(title).collect();
    let width = titles.iter().map(|t| t.chars().count()).max().unwrap_or(0);
    let (after, omitted) = words
        .omitted
        .map_or((usize::MAX, 0), |o| (o.after, o.states));
    let last = (words.steps.len() + omitted).saturating_sub(1);
    let digits = last.to_string().len();
    let cycle = words.back_to.or(words.repeats_from);
    for (k, (step, title)) in words.steps.iter().zip(&titles).enumerate() {
        if k == after {
            let _ = writeln!(out, "  {:>digits$}  {omitted} states", "...");
        }
        let k = if k < after { k } else { k + omitted };
        let pad = " ".repeat(width - title.chars().count());
        let line = format!("  {k:>digits$}  {title}{pad}  {}", pairs(&step.changes));
        let _ = writeln!(out, "{}", line.trim_end());
        if cycle == Some(k) && k < last {
            let _ = writeln!(out, "  {:>digits$}  the cycle:", "");
        }
    }
    if let Some(k) = words.back_to {
        let _ = writeln!(out, "  and again from {k}");
    }
    for line in words.conclusion.lines() {
        let _ = writeln!(out, "  {line}");
    }
}

/// `request`, `take (v = 3)`, or `l1: x := x + 1 (line 4)` for programs.
fn title(step: &StepWords) -> String {
    let mut text = step.label.clone();
    if !step.inputs.is_empty() {
        let _ = write!(text, " ({})", pairs(&step.inputs));
    }
    if let Some(location) = &step.location {
        let _ = write!(text, " -> {location}");
        if let Some(line) = step.line {
            let _ = write!(text, " (line {line})");
        }
    }
    text
}
