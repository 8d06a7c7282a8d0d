//! Reads `[[task]]` tables.

use super::fields::{Fields, Located};
use super::{Contender, Entry, Expect, Properties, VerdictTable};
use crate::Verdict;

/// The keys of an entry.
pub(super) const KEYS: [&str; 9] = [
    "file",
    "name",
    "family",
    "parameters",
    "properties",
    "expect",
    "where",
    "reference",
    "contenders",
];

/// Reads one entry.
pub(super) fn entry(
    fields: Fields<'_, '_>,
    columns: &[String],
    contenders: &[Contender],
) -> Option<Entry> {
    let file = fields.required("file");
    let entry = Entry {
        span: fields.span,
        name: fields.text("name").map(|n| n.text),
        family: fields.text("family").map(|f| f.text),
        parameters: parameters(fields),
        properties: properties(fields),
        expect: expect(fields).unwrap_or(Expect::Header),
        rows: rows(fields),
        reference: reference(fields, columns),
        contenders: chosen(fields, contenders),
        file: file?,
    };
    Some(entry)
}

/// The values of each parameter: `3`, `[2, 3, 5]` or `"2..5"`.
fn parameters(fields: Fields<'_, '_>) -> Vec<(String, Vec<String>)> {
    let mut found = Vec::new();
    let table = fields.table("parameters", "", &[]);
    for (name, values, span) in table.iter().flat_map(Fields::lists) {
        let mut numbers = Vec::new();
        for text in values {
            match range(&text) {
                Some(list) => numbers.extend(list),
                None => fields.messages.refuse(
                    span,
                    format!("`{text}` is no value for the parameter `{}`", name.text),
                    "write 3, [2, 3, 5] or \"2..5\" (both ends included)",
                ),
            }
        }
        found.push((name.text, numbers));
    }
    found
}

/// The maximum length of a range: longer ones are probably typing errors.
const LONGEST_RANGE: i64 = 10_000;

fn range(text: &str) -> Option<Vec<String>> {
    let number = |t: &str| t.trim().parse::<i64>().ok();
    let (low, high) = text.split_once("..").unwrap_or((text, text));
    let (low, high) = (number(low)?, number(high)?);
    let is_sensible = (0..LONGEST_RANGE).contains(&high.checked_sub(low)?);
    is_sensible.then(|| (low..=high).map(|n| n.to_string()).collect())
}

fn properties(fields: Fields<'_, '_>) -> Properties {
    let Some(list) = fields.texts("properties") else {
        return Properties::Each;
    };
    let value = fields.get("properties");
    let alone = value.is_some_and(|v| v.get_ref().is_str());
    match &list[..] {
        [one] if alone && one.text == "each" => Properties::Each,
        [one] if alone && one.text == "all" => Properties::Whole,
        _ => Properties::Named(list),
    }
}

fn expect(fields: Fields<'_, '_>) -> Option<Expect> {
    if fields.get("expect")?.get_ref().as_table().is_some() {
        let keys = ["table", "key", "verdict", "holds", "violated"];
        return expect_table(fields.table("expect", "`expect`", &keys)?);
    }
    let word = fields.text("expect")?;
    match (Verdict::of_word(&word.text), word.text.as_str()) {
        (Some(verdict), _) => Some(Expect::Always(verdict, word.span)),
        (None, "header") => Some(Expect::Header),
        (None, other) => {
            fields.messages.refuse(
                word.span,
                format!("`{other}` is no expectation"),
                "write \"holds\", \"violated\", \"header\", { table = \"verdicts.tsv\", ... } or \
                 { holds = \"#Safe\", violated = \"#Unsafe\" }",
            );
            None
        }
    }
}

/// Reads `{ table = "...", key = "file", verdict = "found", holds = "safe", violated = "unsafe" }`,
/// or the last two keys only.
fn expect_table(fields: Fields<'_, '_>) -> Option<Expect> {
    let Some(file) = fields.text("table") else {
        let (holds, violated) = (fields.required("holds"), fields.required("violated"));
        return Some(Expect::Words(holds?.text, violated?.text));
    };
    let column = |key: &str, default: &str| {
        fields.text(key).unwrap_or(Located {
            text: default.to_string(),
            span: fields.span,
        })
    };
    Some(Expect::Table(VerdictTable {
        key: column("key", "file"),
        verdict: column("verdict", "verdict"),
        holds: column("holds", "holds").text,
        violated: column("violated", "violated").text,
        file,
    }))
}

/// Reads `where = { track = ["LIA", "LIA-Lin"] }`.
fn rows(fields: Fields<'_, '_>) -> Vec<(Located, Vec<String>)> {
    let table = fields.table("where", "", &[]);
    let lists = table.iter().flat_map(Fields::lists);
    lists.map(|(column, cells, _)| (column, cells)).collect()
}

fn reference(fields: Fields<'_, '_>, columns: &[String]) -> Vec<(Located, Vec<String>)> {
    let table = fields.table("reference", "", &[]);
    let read = |(name, values, _): (Located, Vec<String>, _)| {
        if !columns.contains(&name.text) {
            fields.messages.refuse(
                name.span,
                format!("there is no reference column `{}`", name.text),
                "list the columns in their order at the top of the suite: reference = [\"...\"]",
            );
        }
        (name, values)
    };
    table.iter().flat_map(Fields::lists).map(read).collect()
}

fn chosen(fields: Fields<'_, '_>, contenders: &[Contender]) -> Option<Vec<Located>> {
    let list = fields.texts("contenders")?;
    for name in &list {
        if !contenders.iter().any(|c| c.name == name.text) {
            let message = format!("there is no contender `{}`", name.text);
            let names: Vec<&str> = contenders.iter().map(|c| c.name.as_str()).collect();
            let help = format!("there are {}", names.join(", "));
            fields.messages.refuse(name.span, message, help);
        }
    }
    Some(list)
}
