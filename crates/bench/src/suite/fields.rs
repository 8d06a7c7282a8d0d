//! Typed access to TOML tables, with a message for every value that is not what it should be.

use sectile_base::{Diagnostic, Diagnostics, Span};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The code of all messages about suites.
pub(super) const CODE: &str = "bench-suite";

/// The place of a key or a value.
pub(super) fn place<T>(spanned: &Spanned<T>) -> Span {
    let range = spanned.span();
    Span::new(range.start, range.end)
}

/// A text and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// The text.
    pub text: String,
    /// Where it stands in the suite.
    pub span: Span,
}

/// A table whose keys are known, and where messages about it go.
pub(super) struct Fields<'a, 'i> {
    table: &'a DeTable<'i>,
    /// The place of the whole table.
    pub span: Span,
}

impl<'a, 'i> Fields<'a, 'i> {
    /// The table, after its keys were compared with the `known` ones.
    pub fn new(
        table: &'a DeTable<'i>,
        span: Span,
        what: &str,
        known: &[&str],
        diagnostics: &mut Diagnostics,
    ) -> Fields<'a, 'i> {
        for key in table.keys() {
            let name: &str = key.get_ref();
            if !known.contains(&name) {
                let message = format!("{what} has no key `{name}`");
                let error = Diagnostic::error(CODE, place(key), message);
                diagnostics.push(error.help(format!("the keys are {}", known.join(", "))));
            }
        }
        Fields { table, span }
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&'a Spanned<DeValue<'i>>> {
        let mut entries = self.table.iter();
        entries
            .find(|(name, _)| name.get_ref().as_ref() as &str == key)
            .map(|(_, value)| value)
    }

    /// A text, where the key is there.
    pub fn text(&self, key: &str, diagnostics: &mut Diagnostics) -> Option<Located> {
        text(key, self.get(key)?, diagnostics)
    }

    /// A text that must be there.
    pub fn required(&self, key: &str, diagnostics: &mut Diagnostics) -> Option<Located> {
        if self.get(key).is_none() {
            let error = Diagnostic::error(CODE, self.span, format!("`{key}` is missing"));
            diagnostics.push(error.help(format!("add a line `{key} = \"...\"`")));
        }
        self.text(key, diagnostics)
    }

    /// One text or a list of texts; nothing where the key is not there.
    pub fn texts(&self, key: &str, diagnostics: &mut Diagnostics) -> Option<Vec<Located>> {
        let value = self.get(key)?;
        Some(match value.get_ref() {
            DeValue::Array(items) => items
                .iter()
                .filter_map(|item| text(key, item, diagnostics))
                .collect(),
            _ => text(key, value, diagnostics).into_iter().collect(),
        })
    }

    /// A positive whole number.
    pub fn count(&self, key: &str, diagnostics: &mut Diagnostics) -> Option<u32> {
        let value = self.get(key)?;
        let parsed = value.get_ref().as_integer().map(ToString::to_string);
        let count = parsed.and_then(|t| t.parse().ok()).filter(|&n: &u32| n > 0);
        if count.is_none() {
            diagnostics.push(wrong(key, value, "a positive whole number"));
        }
        count
    }

    /// The tables of `[[key]]`, with their places.
    pub fn tables(&self, key: &str, diagnostics: &mut Diagnostics) -> Vec<(&'a DeTable<'i>, Span)> {
        let Some(value) = self.get(key) else {
            return Vec::new();
        };
        let DeValue::Array(items) = value.get_ref() else {
            diagnostics.push(wrong(key, value, &format!("a list of tables, `[[{key}]]`")));
            return Vec::new();
        };
        let mut found = Vec::new();
        for item in items.iter() {
            match item.get_ref().as_table() {
                Some(table) => found.push((table, place(item))),
                None => diagnostics.push(wrong(key, item, "a table")),
            }
        }
        found
    }

    /// The table of a key.
    pub fn table(
        &self,
        key: &str,
        diagnostics: &mut Diagnostics,
    ) -> Option<(&'a DeTable<'i>, Span)> {
        let value = self.get(key)?;
        let table = value.get_ref().as_table();
        if table.is_none() {
            diagnostics.push(wrong(key, value, "a table"));
        }
        Some((table?, place(value)))
    }
}

/// The message for a value of the wrong kind.
pub(super) fn wrong(key: &str, value: &Spanned<DeValue<'_>>, wanted: &str) -> Diagnostic {
    let found = value.get_ref().type_str();
    Diagnostic::error(
        CODE,
        place(value),
        format!("`{key}` must be {wanted}, not this {found}"),
    )
}

fn text(key: &str, value: &Spanned<DeValue<'_>>, diagnostics: &mut Diagnostics) -> Option<Located> {
    match value.get_ref() {
        DeValue::String(text) => Some(Located {
            text: text.to_string(),
            span: place(value),
        }),
        _ => {
            diagnostics.push(wrong(key, value, "a text in quotes"));
            None
        }
    }
}

/// A number or a text, as it is written.
pub(super) fn scalar(
    key: &str,
    value: &Spanned<DeValue<'_>>,
    diagnostics: &mut Diagnostics,
) -> Option<String> {
    match value.get_ref() {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Integer(number) => Some(number.to_string()),
        DeValue::Float(number) => Some(number.to_string()),
        _ => {
            diagnostics.push(wrong(key, value, "a number or a text"));
            None
        }
    }
}

/// A list of numbers and texts, or one alone.
pub(super) fn scalars(
    key: &str,
    value: &Spanned<DeValue<'_>>,
    diagnostics: &mut Diagnostics,
) -> Vec<String> {
    match value.get_ref() {
        DeValue::Array(items) => items
            .iter()
            .filter_map(|item| scalar(key, item, diagnostics))
            .collect(),
        _ => scalar(key, value, diagnostics).into_iter().collect(),
    }
}
