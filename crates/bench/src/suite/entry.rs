//! `[[task]]`.

use super::fields::{CODE, Fields, Located, place, scalars};
use super::read::parameter;
use super::{Contender, Entry, Expect, Properties, VerdictTable};
use crate::Verdict;
use sectile_base::{Diagnostic, Diagnostics, Span};
use toml::de::DeTable;

const KEYS: [&str; 8] = [
    "file",
    "name",
    "family",
    "parameters",
    "properties",
    "expect",
    "reference",
    "contenders",
];

/// Reads one entry.
pub(super) fn entry(
    table: &DeTable<'_>,
    span: Span,
    columns: &[String],
    contenders: &[Contender],
    diagnostics: &mut Diagnostics,
) -> Option<Entry> {
    let fields = Fields::new(table, span, "a task", &KEYS, diagnostics);
    let file = fields.required("file", diagnostics);
    let entry = Entry {
        span,
        name: fields.text("name", diagnostics).map(|n| n.text),
        family: fields.text("family", diagnostics).map(|f| f.text),
        parameters: parameters(&fields, diagnostics),
        properties: properties(&fields, diagnostics),
        expect: expect(&fields, diagnostics).unwrap_or(Expect::Header),
        reference: reference(&fields, columns, diagnostics),
        contenders: chosen(&fields, contenders, diagnostics),
        file: file?,
    };
    Some(entry)
}

fn parameters(
    fields: &Fields<'_, '_>,
    diagnostics: &mut Diagnostics,
) -> Vec<(String, Vec<String>)> {
    let Some((table, _)) = fields.table("parameters", diagnostics) else {
        return Vec::new();
    };
    let read = table.iter().map(|(name, value)| {
        let name = name.get_ref().to_string();
        let values = parameter(&name, value, diagnostics);
        (name, values)
    });
    read.collect()
}

fn properties(fields: &Fields<'_, '_>, diagnostics: &mut Diagnostics) -> Properties {
    let Some(list) = fields.texts("properties", diagnostics) else {
        return Properties::Each;
    };
    let alone = fields
        .get("properties")
        .is_some_and(|v| v.get_ref().is_str());
    match &list[..] {
        [one] if alone && one.text == "each" => Properties::Each,
        [one] if alone && one.text == "all" => Properties::Whole,
        _ => Properties::Named(list),
    }
}

fn expect(fields: &Fields<'_, '_>, diagnostics: &mut Diagnostics) -> Option<Expect> {
    let value = fields.get("expect")?;
    if let Some(table) = value.get_ref().as_table() {
        return expect_table(table, place(value), diagnostics);
    }
    let word = fields.text("expect", diagnostics)?;
    match (Verdict::of_word(&word.text), word.text.as_str()) {
        (Some(verdict), _) => Some(Expect::Always(verdict, word.span)),
        (None, "header") => Some(Expect::Header),
        (None, other) => {
            let message = format!("`{other}` is no expectation");
            let error = Diagnostic::error(CODE, word.span, message);
            diagnostics.push(error.help(
                "write \"holds\", \"violated\", \"header\", { table = \"verdicts.tsv\", ... } or \
                 { holds = \"#Safe\", violated = \"#Unsafe\" }",
            ));
            None
        }
    }
}

/// `{ table = "...", key = "file", verdict = "found", holds = "safe", violated = "unsafe" }`, or
/// only the two words.
fn expect_table(table: &DeTable<'_>, span: Span, diagnostics: &mut Diagnostics) -> Option<Expect> {
    let keys = ["table", "key", "verdict", "holds", "violated"];
    let fields = Fields::new(table, span, "`expect`", &keys, diagnostics);
    let word = |key: &str, diagnostics: &mut Diagnostics| fields.text(key, diagnostics);
    let Some(file) = word("table", diagnostics) else {
        let holds = fields.required("holds", diagnostics);
        let violated = fields.required("violated", diagnostics);
        return Some(Expect::Words(holds?.text, violated?.text));
    };
    let column = |key: &str, default: &str, diagnostics: &mut Diagnostics| {
        word(key, diagnostics).unwrap_or(Located {
            text: default.to_string(),
            span,
        })
    };
    Some(Expect::Table(VerdictTable {
        key: column("key", "file", diagnostics),
        verdict: column("verdict", "verdict", diagnostics),
        holds: column("holds", "holds", diagnostics).text,
        violated: column("violated", "violated", diagnostics).text,
        file,
    }))
}

fn reference(
    fields: &Fields<'_, '_>,
    columns: &[String],
    diagnostics: &mut Diagnostics,
) -> Vec<(Located, Vec<String>)> {
    let Some((table, _)) = fields.table("reference", diagnostics) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for (key, value) in table.iter() {
        let name = key.get_ref().to_string();
        let span = place(key);
        if !columns.contains(&name) {
            let message = format!("there is no reference column `{name}`");
            let error = Diagnostic::error(CODE, span, message);
            diagnostics.push(error.help(
                "list the columns in their order at the top of the suite: reference = [\"...\"]",
            ));
        }
        let values = scalars(&name, value, diagnostics);
        found.push((Located { text: name, span }, values));
    }
    found
}

fn chosen(
    fields: &Fields<'_, '_>,
    contenders: &[Contender],
    diagnostics: &mut Diagnostics,
) -> Option<Vec<Located>> {
    let list = fields.texts("contenders", diagnostics)?;
    for name in &list {
        if !contenders.iter().any(|c| c.name == name.text) {
            let message = format!("there is no contender `{}`", name.text);
            let error = Diagnostic::error(CODE, name.span, message);
            let names: Vec<&str> = contenders.iter().map(|c| c.name.as_str()).collect();
            diagnostics.push(error.help(format!("there are {}", names.join(", "))));
        }
    }
    Some(list)
}
