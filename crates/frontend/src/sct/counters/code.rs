//! The translation of an expression: a constant, or a text in which constants are folded.

/// The value of an expression, as far as it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Code {
    /// A truth value.
    Bool(bool),
    /// A number.
    Int(i64),
    /// A value of an enumeration.
    Value(String),
    /// A conditional: condition, value if it holds, value otherwise.
    If(String, Box<Code>, Box<Code>),
    /// Any other expression, in parentheses if it needs them.
    Text(String),
}

use Code::{Bool, If, Int, Text, Value};

impl Code {
    /// The code as text.
    pub fn text(&self) -> String {
        match self {
            Bool(b) => b.to_string(),
            Int(k) if *k < 0 => format!("({k})"),
            Int(k) => k.to_string(),
            Value(name) | Text(name) => name.clone(),
            If(c, a, b) => format!("(if {c} then {} else {})", a.text(), b.text()),
        }
    }

    /// Whether the value is known.
    pub fn is_constant(&self) -> bool {
        matches!(self, Bool(_) | Int(_) | Value(_))
    }

    pub fn not(self) -> Code {
        match self {
            Bool(b) => Bool(!b),
            other => Text(format!("not {}", bracket(&other.text()))),
        }
    }

    pub fn and(parts: impl IntoIterator<Item = Code>) -> Code {
        connect(parts, true)
    }

    pub fn or(parts: impl IntoIterator<Item = Code>) -> Code {
        connect(parts, false)
    }

    pub fn implies(self, then: Code) -> Code {
        match (self, then) {
            (Bool(false), _) | (_, Bool(true)) => Bool(true),
            (Bool(true), then) => then,
            (when, Bool(false)) => when.not(),
            (when, then) => Text(format!(
                "({} => {})",
                bracket(&when.text()),
                bracket(&then.text())
            )),
        }
    }

    /// The sum of several parts.
    pub fn sum(parts: impl IntoIterator<Item = Code>) -> Code {
        let mut known = 0;
        let mut texts = Vec::new();
        for part in parts {
            match part {
                Int(k) => known += k,
                other => texts.push(other.text()),
            }
        }
        if known != 0 || texts.is_empty() {
            texts.push(Int(known).text());
        }
        match (texts.len(), known) {
            (1, k) if texts[0] == k.to_string() => Int(k),
            (1, _) => Text(texts.remove(0)),
            _ => Text(format!("({})", texts.join(" + "))),
        }
    }

    /// The product of a number and a value that is known, possibly by cases; `None` for other
    /// values.
    pub fn times(self, number: &str) -> Option<Code> {
        Some(match self {
            Int(0) => Int(0),
            Int(1) => Text(number.to_string()),
            Int(k) => Text(format!("{} * {number}", Int(k).text())),
            If(c, a, b) => If(c, Box::new(a.times(number)?), Box::new(b.times(number)?)),
            _ => return None,
        })
    }
}

/// The conjunction or disjunction of the parts.
fn connect(parts: impl IntoIterator<Item = Code>, all: bool) -> Code {
    let mut texts: Vec<String> = Vec::new();
    for part in parts {
        match part {
            Bool(b) if b == all => {}
            Bool(b) => return Bool(b),
            other => {
                let text = bracket(&other.text());
                if !texts.contains(&text) {
                    texts.push(text);
                }
            }
        }
    }
    let word = if all { " and " } else { " or " };
    match texts.len() {
        0 => Bool(all),
        1 => Text(texts.remove(0)),
        _ => Text(format!("({})", texts.join(word))),
    }
}

/// The text in parentheses, unless it is one word or has them already.
pub(super) fn bracket(text: &str) -> String {
    let word = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let mut depth = 0;
    let closed = text.char_indices().all(|(i, c)| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth > 0 || i + 1 == text.len()
    });
    if text.chars().all(word) || (text.starts_with('(') && closed) {
        text.to_string()
    } else {
        format!("({text})")
    }
}
