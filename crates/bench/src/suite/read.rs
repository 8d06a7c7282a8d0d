//! From text to a suite.

use super::contender::contender;
use super::entry::entry;
use super::fields::{CODE, Fields};
use super::{COLUMNS, Contender, Limits, Suite};
use sectile_base::quantity::{bytes, duration};
use sectile_base::{Diagnostic, Diagnostics, Source, Span};
use std::time::Duration;
use toml::de::{DeTable, DeValue};

/// A suite that cannot be used, with the whole message.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{}", .0.trim_end())]
pub struct BadSuite(pub String);

impl BadSuite {
    /// All messages about the suite.
    pub fn new(diagnostics: &Diagnostics, source: &Source) -> BadSuite {
        BadSuite(diagnostics.render(source))
    }
}

/// Limits of a suite that does not say any.
const DEFAULT: Limits = Limits {
    cpu: Duration::from_secs(60),
    memory: 4 << 30,
    wall: None,
};

const KEYS: [&str; 9] = [
    "title",
    "note",
    "limits",
    "repeat",
    "reference",
    "columns",
    "plots",
    "task",
    "contender",
];

/// Reads a suite.
pub fn read(source: Source) -> Result<Suite, BadSuite> {
    let mut diagnostics = Diagnostics::new();
    let suite = {
        let (table, errors) = DeTable::parse_recoverable(source.text());
        for error in errors {
            let range = error.span().unwrap_or(0..0);
            let span = Span::new(range.start, range.end);
            let error = Diagnostic::error(CODE, span, error.message().to_string());
            diagnostics.push(error.help("suites are TOML; docs/format/bench.md has an example"));
        }
        if diagnostics.has_errors() {
            return Err(BadSuite::new(&diagnostics, &source));
        }
        let whole = Span::new(0, 0);
        let fields = Fields::new(table.get_ref(), whole, "a suite", &KEYS, &mut diagnostics);
        suite(&fields, &source, &mut diagnostics)
    };
    match suite {
        Some(suite) if !diagnostics.has_errors() => Ok(suite),
        _ => Err(BadSuite::new(&diagnostics, &source)),
    }
}

fn suite(fields: &Fields<'_, '_>, source: &Source, diagnostics: &mut Diagnostics) -> Option<Suite> {
    let plain = |key: &str, diagnostics: &mut Diagnostics| {
        let list = fields.texts(key, diagnostics)?;
        Some(list.into_iter().map(|l| l.text).collect::<Vec<String>>())
    };
    let title = fields.required("title", diagnostics);
    let note = fields.text("note", diagnostics);
    let limits = limits(fields, diagnostics);
    let repeat = fields.count("repeat", diagnostics).unwrap_or(1);
    let reference = plain("reference", diagnostics).unwrap_or_default();
    let columns = plain("columns", diagnostics)
        .unwrap_or_else(|| COLUMNS.iter().map(ToString::to_string).collect());
    let plots = plain("plots", diagnostics).unwrap_or_default();
    let contenders = contenders(fields, diagnostics);
    let mut entries = Vec::new();
    for (table, span) in fields.tables("task", diagnostics) {
        entries.extend(entry(table, span, &reference, &contenders, diagnostics));
    }
    if entries.is_empty() && !diagnostics.has_errors() {
        let error = Diagnostic::error(CODE, fields.span, "the suite has no task");
        diagnostics.push(error.help("add a table [[task]] with a line `file = \"...\"`"));
    }
    Some(Suite {
        source: source.clone(),
        title: title?.text,
        note: note.map(|n| n.text).unwrap_or_default(),
        limits,
        repeat,
        reference,
        columns,
        plots,
        entries,
        contenders,
    })
}

fn limits(fields: &Fields<'_, '_>, diagnostics: &mut Diagnostics) -> Limits {
    let mut limits = DEFAULT;
    let Some((table, span)) = fields.table("limits", diagnostics) else {
        return limits;
    };
    let fields = Fields::new(
        table,
        span,
        "`limits`",
        &["cpu", "memory", "wall"],
        diagnostics,
    );
    if let Some(cpu) = time(&fields, "cpu", diagnostics) {
        limits.cpu = cpu;
    }
    limits.wall = time(&fields, "wall", diagnostics);
    if let Some(memory) = fields.text("memory", diagnostics) {
        match bytes(&memory.text) {
            Ok(memory) => limits.memory = memory,
            Err(e) => diagnostics.push(
                Diagnostic::error(CODE, memory.span, e).help("write it as \"500MB\" or \"4GiB\""),
            ),
        }
    }
    limits
}

fn time(fields: &Fields<'_, '_>, key: &str, diagnostics: &mut Diagnostics) -> Option<Duration> {
    let text = fields.text(key, diagnostics)?;
    let error = match duration(&text.text) {
        Ok(time) if !time.is_zero() => return Some(time),
        Ok(_) => "no time is too little".to_string(),
        Err(e) => e,
    };
    let error = Diagnostic::error(CODE, text.span, error);
    diagnostics.push(error.help("write it as \"500ms\", \"60s\" or \"10m\""));
    None
}

fn contenders(fields: &Fields<'_, '_>, diagnostics: &mut Diagnostics) -> Vec<Contender> {
    let mut found: Vec<Contender> = Vec::new();
    for (table, span) in fields.tables("contender", diagnostics) {
        let Some(new) = contender(table, span, diagnostics) else {
            continue;
        };
        if found.iter().any(|c| c.name == new.name) {
            let message = format!("there are two contenders called `{}`", new.name);
            let error = Diagnostic::error(CODE, span, message);
            diagnostics.push(error.help("give one of them another `name`"));
        }
        found.push(new);
    }
    found
}

/// The list of values that a parameter takes: `3`, `[2, 3, 5]` or `"2..5"`.
pub(super) fn parameter(
    name: &str,
    value: &toml::Spanned<DeValue<'_>>,
    diagnostics: &mut Diagnostics,
) -> Vec<String> {
    let values = super::fields::scalars(name, value, diagnostics);
    let mut list = Vec::new();
    for text in values {
        match range(&text) {
            Some(numbers) => list.extend(numbers),
            None => {
                let span = super::fields::place(value);
                let message = format!("`{text}` is no value for the parameter `{name}`");
                let error = Diagnostic::error(CODE, span, message);
                diagnostics.push(error.help("write 3, [2, 3, 5] or \"2..5\" (both ends included)"));
            }
        }
    }
    list
}

/// Longer ranges are slips of the pen.
const LONGEST_RANGE: i64 = 10_000;

fn range(text: &str) -> Option<Vec<String>> {
    let number = |t: &str| t.trim().parse::<i64>().ok();
    let (low, high) = match text.split_once("..") {
        Some((low, high)) => (number(low)?, number(high)?),
        None => (number(text)?, number(text)?),
    };
    let size = high.checked_sub(low)?;
    let sensible = (0..LONGEST_RANGE).contains(&size);
    sensible.then(|| (low..=high).map(|n| n.to_string()).collect())
}
