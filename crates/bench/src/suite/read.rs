//! Reads a suite from its text.

use super::fields::{Fields, Messages};
use super::{COLUMNS, Contender, Limits, Suite, contender, entry};
use sectile_base::quantity::{bytes, duration};
use sectile_base::{Diagnostics, Source, Span};
use std::time::Duration;
use toml::de::DeTable;

/// A suite that cannot be used, with the complete error message.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{}", .0.trim_end())]
pub struct BadSuite(pub String);

impl BadSuite {
    /// Fails with the messages about the suite, if one of them is an error.
    pub(crate) fn check(diagnostics: &Diagnostics, source: &Source) -> Result<(), BadSuite> {
        match diagnostics.has_errors() {
            true => Err(BadSuite(diagnostics.render(source))),
            false => Ok(()),
        }
    }
}

/// The default limits.
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
    let messages = Messages::default();
    let (table, errors) = DeTable::parse_recoverable(source.text());
    for error in errors {
        let range = error.span().unwrap_or(0..0);
        let span = Span::new(range.start, range.end);
        let help = "suites are TOML; docs/format/bench.md has an example";
        messages.refuse(span, error.message(), help);
    }
    BadSuite::check(&messages.0.borrow(), &source)?;
    let whole = Span::new(0, 0);
    let fields = Fields::new(table.get_ref(), whole, &messages, "a suite", &KEYS);
    let suite = suite(fields, &source);
    BadSuite::check(&messages.0.borrow(), &source)?;
    suite.ok_or_else(|| BadSuite(String::new()))
}

fn suite(fields: Fields<'_, '_>, source: &Source) -> Option<Suite> {
    let plain = |key: &str| -> Option<Vec<String>> {
        let list = fields.texts(key)?;
        Some(list.into_iter().map(|l| l.text).collect())
    };
    let title = fields.required("title");
    let reference = plain("reference").unwrap_or_default();
    let contenders = contenders(fields);
    let entries = fields.tables("task", "a task", &entry::KEYS).into_iter();
    let suite = Suite {
        source: source.clone(),
        note: fields.text("note").map(|n| n.text).unwrap_or_default(),
        limits: limits(fields),
        repeat: fields.count("repeat").unwrap_or(1),
        columns: plain("columns").unwrap_or_else(|| COLUMNS.map(String::from).to_vec()),
        plots: plain("plots").unwrap_or_default(),
        entries: entries
            .filter_map(|table| entry::entry(table, &reference, &contenders))
            .collect(),
        reference,
        contenders,
        title: title?.text,
    };
    if suite.entries.is_empty() && !fields.messages.0.borrow().has_errors() {
        let help = "add a table [[task]] with a line `file = \"...\"`";
        fields
            .messages
            .refuse(fields.span, "the suite has no task", help);
    }
    Some(suite)
}

fn limits(fields: Fields<'_, '_>) -> Limits {
    let keys = ["cpu", "memory", "wall"];
    let Some(fields) = fields.table("limits", "`limits`", &keys) else {
        return DEFAULT;
    };
    let memory = fields.text("memory").and_then(|memory| {
        let refuse = |e| {
            fields
                .messages
                .refuse(memory.span, e, "write it as \"500MB\" or \"4GiB\"")
        };
        bytes(&memory.text).map_err(refuse).ok()
    });
    Limits {
        cpu: time(fields, "cpu").unwrap_or(DEFAULT.cpu),
        wall: time(fields, "wall"),
        memory: memory.unwrap_or(DEFAULT.memory),
    }
}

fn time(fields: Fields<'_, '_>, key: &str) -> Option<Duration> {
    let text = fields.text(key)?;
    let error = match duration(&text.text) {
        Ok(time) if !time.is_zero() => return Some(time),
        Ok(_) => "no time is too little".to_string(),
        Err(e) => e,
    };
    let help = "write it as \"500ms\", \"60s\" or \"10m\"";
    fields.messages.refuse(text.span, error, help);
    None
}

fn contenders(fields: Fields<'_, '_>) -> Vec<Contender> {
    let mut found: Vec<Contender> = Vec::new();
    for table in fields.tables("contender", "a contender", &contender::KEYS) {
        let Some(new) = contender::contender(table) else {
            continue;
        };
        if found.iter().any(|c| c.name == new.name) {
            let message = format!("there are two contenders called `{}`", new.name);
            let help = "give one of them another `name`";
            fields.messages.refuse(table.span, message, help);
        }
        found.push(new);
    }
    found
}
