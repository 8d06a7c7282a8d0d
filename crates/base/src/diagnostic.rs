//! Messages about the input, each with a position, a caret and advice.

use crate::source::{Source, Span};
use std::fmt::Write as _;

/// Severity of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The input is rejected.
    Error,
    /// The input is accepted, but probably does not mean what the author intended.
    Warning,
}

/// One message about one position in a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// A short stable code such as `sct-type`, for tests and for reference.
    pub code: &'static str,
    /// What is wrong, in one sentence without a full stop.
    pub message: String,
    /// The position.
    pub span: Span,
    /// Text at the caret, if any.
    pub label: String,
    /// Advice for the user.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error at `span`.
    pub fn error(code: &'static str, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Error,
            code,
            message: message.into(),
            span,
            label: String::new(),
            help: None,
        }
    }

    /// A warning at `span`.
    pub fn warning(code: &'static str, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Warning,
            ..Diagnostic::error(code, span, message)
        }
    }

    /// The same with a text after the caret.
    pub fn label(mut self, label: impl Into<String>) -> Diagnostic {
        self.label = label.into();
        self
    }

    /// The same with advice.
    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }

    /// The message with file, line, column, the line itself and a caret under the place.
    pub fn render(&self, source: &Source) -> String {
        let at = source.position(self.span.start);
        let kind = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        let (line, before, width) = excerpt(source, self.span, at.line, at.column);
        let number = at.line.to_string();
        let gutter = " ".repeat(number.len());
        let mut out = String::new();
        // Writing to a String cannot fail.
        let _ = writeln!(out, "{kind}[{}]: {}", self.code, self.message);
        let _ = writeln!(
            out,
            "{gutter}--> {}:{}:{}",
            source.name(),
            at.line,
            at.column
        );
        let _ = writeln!(out, "{gutter} |");
        let _ = writeln!(out, "{number} | {line}");
        let caret = format!("{}{} {}", " ".repeat(before), "^".repeat(width), self.label);
        let _ = writeln!(out, "{gutter} | {}", caret.trim_end());
        if let Some(help) = &self.help {
            let _ = writeln!(out, "{gutter} = help: {help}");
        }
        out
    }
}

/// Longest excerpt of a source line in a message, in characters.
const SHOWN: usize = 160;

/// The part of the line around the span, the columns before the caret, and the caret's width.
///
/// Lines of generated files can be megabytes long, and control characters would disturb a
/// terminal: the excerpt is bounded and made printable.
fn excerpt(source: &Source, span: Span, line: usize, column: usize) -> (String, usize, usize) {
    let text = source.line(line);
    let skip = if column > SHOWN - 40 { column - 40 } else { 0 };
    let printable = |c: char| if c == '\t' || c.is_control() { ' ' } else { c };
    let mut shown: String = text.chars().skip(skip).take(SHOWN).map(printable).collect();
    let rest = text.chars().nth(skip + SHOWN).is_some();
    let mut before = column - 1 - skip;
    if skip > 0 {
        shown.insert_str(0, "...");
        before += 3;
    }
    let length = shown.chars().count();
    if rest {
        shown.push_str("...");
    }
    let covered = source.slice(span);
    let first_line = covered.split('\n').next().unwrap_or("");
    let width = first_line.chars().take(SHOWN).count();
    let room = length.saturating_sub(before).max(1);
    (shown, before, width.clamp(1, room))
}

/// All messages about one source, in the order they were found.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
}

/// Maximum number of errors: one mistake can cause thousands of follow-up errors.
const MOST: usize = 50;

impl Diagnostics {
    /// No messages yet.
    pub fn new() -> Diagnostics {
        Diagnostics::default()
    }

    /// Adds a message, unless it is a duplicate or there are too many.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        if self.list.len() < MOST && !self.list.contains(&diagnostic) {
            self.list.push(diagnostic);
        }
    }

    /// Whether the maximum number of messages is reached.
    pub fn is_full(&self) -> bool {
        self.list.len() >= MOST
    }

    /// Whether there is already an error at this position: expansion repeats mistakes.
    pub fn has_error_at(&self, span: Span) -> bool {
        let at = |d: &Diagnostic| d.severity == Severity::Error && d.span == span;
        self.list.iter().any(at)
    }

    /// Whether any message is an error.
    pub fn has_errors(&self) -> bool {
        self.list.iter().any(|d| d.severity == Severity::Error)
    }

    /// Whether there is no message at all.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The messages.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.list.iter()
    }

    /// The messages about an excerpt, moved to the same lines and columns of the whole text.
    pub fn relocated(mut self, excerpt: &Source, whole: &Source) -> Diagnostics {
        let moved = |offset: u32| whole.offset(excerpt.position(offset));
        for diagnostic in &mut self.list {
            diagnostic.span = Span {
                start: moved(diagnostic.span.start),
                end: moved(diagnostic.span.end),
            };
        }
        self
    }

    /// All messages rendered, in order of their place, separated by blank lines.
    pub fn render(&self, source: &Source) -> String {
        let mut sorted: Vec<&Diagnostic> = self.list.iter().collect();
        sorted.sort_by_key(|d| d.span.start);
        let texts: Vec<String> = sorted.iter().map(|d| d.render(source)).collect();
        texts.join("\n")
    }
}

impl From<Diagnostic> for Diagnostics {
    fn from(diagnostic: Diagnostic) -> Diagnostics {
        Diagnostics {
            list: vec![diagnostic],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_caret_stands_under_the_place() {
        let source = Source::new("m.sct", "var x : int\nvar y : foo\n");
        let d = Diagnostic::error("sct-type", Span::new(20, 23), "there is no type `foo`")
            .help("types are bool, int, nat, real");
        let text = d.render(&source);
        assert_eq!(
            text,
            "error[sct-type]: there is no type `foo`\n --> m.sct:2:9\n  |\n2 | var y : foo\n  |         ^^^\n  = help: types are bool, int, nat, real\n"
        );
    }

    #[test]
    fn long_lines_are_cut_around_the_place() {
        let source = Source::new("m", format!("{}?{}", "(".repeat(100_000), ")".repeat(1000)));
        let d = Diagnostic::error("x", Span::new(100_000, 100_001), "odd");
        let text = d.render(&source);
        assert!(text.len() < 1000);
        let caret = text.lines().nth(4).unwrap().find('^').unwrap();
        assert_eq!(text.lines().nth(3).unwrap().as_bytes()[caret], b'?');
    }

    #[test]
    fn empty_sources_and_spans_past_the_end_render() {
        let source = Source::new("m", "");
        let d = Diagnostic::error("x", Span::new(5, 9), "empty");
        assert!(d.render(&source).contains("m:1:1"));
    }
}
