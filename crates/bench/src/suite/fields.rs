//! Typed access to TOML tables, with an error message for every wrong value.

use sectile_base::{Diagnostic, Diagnostics, Span};
use std::cell::RefCell;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The position of a key or a value.
pub(super) fn place<T>(spanned: &Spanned<T>) -> Span {
    let range = spanned.span();
    Span::new(range.start, range.end)
}

/// A text and its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// The text.
    pub text: String,
    /// Its position in the suite.
    pub span: Span,
}

/// The messages about a suite.
#[derive(Default)]
pub(super) struct Messages(pub RefCell<Diagnostics>);

impl Messages {
    fn push(&self, span: Span, message: impl Into<String>) {
        let error = Diagnostic::error("bench-suite", span, message);
        self.0.borrow_mut().push(error);
    }

    /// Reports an error with advice.
    pub fn refuse(&self, span: Span, message: impl Into<String>, help: impl Into<String>) {
        let error = Diagnostic::error("bench-suite", span, message);
        self.0.borrow_mut().push(error.help(help));
    }

    /// The value of a result, or `None` after reporting its error.
    pub fn accept<T>(&self, span: Span, result: Result<T, String>) -> Option<T> {
        result.map_err(|e| self.push(span, e)).ok()
    }

    /// Reports a value of the wrong kind.
    fn wrong(&self, key: &str, value: &Spanned<DeValue<'_>>, wanted: &str) {
        let found = value.get_ref().type_str();
        let message = format!("`{key}` must be {wanted}, not this {found}");
        self.push(place(value), message);
    }
}

/// A table with known keys, and the destination of messages about it.
#[derive(Clone, Copy)]
pub(super) struct Fields<'a, 'i> {
    table: &'a DeTable<'i>,
    /// The position of the whole table.
    pub span: Span,
    /// The messages about the suite.
    pub messages: &'a Messages,
}

impl<'a, 'i> Fields<'a, 'i> {
    /// A table, with unknown keys reported. If `known` is empty, any key is allowed.
    pub fn new(
        table: &'a DeTable<'i>,
        span: Span,
        messages: &'a Messages,
        what: &str,
        known: &[&str],
    ) -> Fields<'a, 'i> {
        for key in table.keys() {
            let name: &str = key.get_ref();
            if !known.is_empty() && !known.contains(&name) {
                let message = format!("{what} has no key `{name}`");
                let help = format!("the keys are {}", known.join(", "));
                messages.refuse(place(key), message, help);
            }
        }
        Fields {
            table,
            span,
            messages,
        }
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&'a Spanned<DeValue<'i>>> {
        let mut entries = self.table.iter();
        entries
            .find(|(name, _)| name.get_ref().as_ref() as &str == key)
            .map(|(_, value)| value)
    }

    /// All keys, each with its value as a list of numbers and texts (a single value counts as a
    /// list), and the position of the value.
    pub fn lists(&self) -> impl Iterator<Item = (Located, Vec<String>, Span)> {
        self.table.iter().map(|(key, value)| {
            let (text, span) = (key.get_ref().to_string(), place(key));
            let values = each(value).iter();
            let values = values.filter_map(|v| self.scalar(&text, v)).collect();
            (Located { text, span }, values, place(value))
        })
    }

    /// A text, if the key exists.
    pub fn text(&self, key: &str) -> Option<Located> {
        self.as_text(key, self.get(key)?)
    }

    /// A text; it is an error if the key does not exist.
    pub fn required(&self, key: &str) -> Option<Located> {
        if self.get(key).is_none() {
            let help = format!("add a line `{key} = \"...\"`");
            let message = format!("`{key}` is missing");
            self.messages.refuse(self.span, message, help);
        }
        self.text(key)
    }

    /// One text or a list of texts; `None` if the key does not exist.
    pub fn texts(&self, key: &str) -> Option<Vec<Located>> {
        let values = each(self.get(key)?).iter();
        Some(values.filter_map(|v| self.as_text(key, v)).collect())
    }

    /// A positive integer.
    pub fn count(&self, key: &str) -> Option<u32> {
        let value = self.get(key)?;
        let parsed = value.get_ref().as_integer().map(ToString::to_string);
        let count = parsed.and_then(|t| t.parse().ok()).filter(|&n: &u32| n > 0);
        if count.is_none() {
            self.messages.wrong(key, value, "a positive whole number");
        }
        count
    }

    /// The tables of `[[key]]`, with `known` as their keys.
    pub fn tables(&self, key: &str, what: &str, known: &[&str]) -> Vec<Fields<'a, 'i>> {
        let Some(value) = self.get(key) else {
            return Vec::new();
        };
        let DeValue::Array(items) = value.get_ref() else {
            let wanted = format!("a list of tables, `[[{key}]]`");
            self.messages.wrong(key, value, &wanted);
            return Vec::new();
        };
        let items = items.iter();
        items
            .filter_map(|item| self.as_table(key, item, what, known))
            .collect()
    }

    /// The table of a key, with `known` as its keys.
    pub fn table(&self, key: &str, what: &str, known: &[&str]) -> Option<Fields<'a, 'i>> {
        self.as_table(key, self.get(key)?, what, known)
    }

    fn as_table(
        &self,
        key: &str,
        value: &'a Spanned<DeValue<'i>>,
        what: &str,
        known: &[&str],
    ) -> Option<Fields<'a, 'i>> {
        let Some(table) = value.get_ref().as_table() else {
            self.messages.wrong(key, value, "a table");
            return None;
        };
        let fields = Fields::new(table, place(value), self.messages, what, known);
        Some(fields)
    }

    fn as_text(&self, key: &str, value: &Spanned<DeValue<'_>>) -> Option<Located> {
        let Some(text) = value.get_ref().as_str() else {
            self.messages.wrong(key, value, "a text in quotes");
            return None;
        };
        Some(Located {
            text: text.to_string(),
            span: place(value),
        })
    }

    /// A number or a text, as a text.
    fn scalar(&self, key: &str, value: &Spanned<DeValue<'_>>) -> Option<String> {
        match value.get_ref() {
            DeValue::String(text) => Some(text.to_string()),
            DeValue::Integer(number) => Some(number.to_string()),
            DeValue::Float(number) => Some(number.to_string()),
            _ => {
                self.messages.wrong(key, value, "a number or a text");
                None
            }
        }
    }
}

/// The items of a list, or a single value as a list.
fn each<'v, 'i>(value: &'v Spanned<DeValue<'i>>) -> &'v [Spanned<DeValue<'i>>] {
    match value.get_ref() {
        DeValue::Array(items) => items,
        _ => std::slice::from_ref(value),
    }
}
