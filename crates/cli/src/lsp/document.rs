//! A text that is open in the editor.

use lsp_types::{
    Diagnostic, DiagnosticSeverity, NumberOrString, Position, Range,
    TextDocumentContentChangeEvent, TextDocumentItem, Uri,
};
use sectile_base::{Diagnostics, Severity, Source, Span};
use sectile_frontend::input::frontend_for;
use sectile_frontend::outline::Outline;
use sectile_frontend::{Frontend, ReadOptions};
use sectile_terms::Terms;

/// A text with its analysis.
pub struct Document {
    pub uri: Uri,
    pub version: i32,
    pub source: Source,
    pub frontend: &'static dyn Frontend,
    /// Declarations and uses, for languages that have them.
    pub outline: Outline,
    /// The properties with their positions, from the last version without errors.
    pub properties: Vec<(String, Span)>,
}

impl Document {
    /// A text in one of our languages.
    pub fn open(item: TextDocumentItem) -> Option<Document> {
        let name = file_name(&item.uri);
        let by_ending = frontend_for(&name, None);
        let frontend = by_ending.or_else(|_| frontend_for(&name, Some(&item.language_id)));
        let mut document = Document {
            uri: item.uri,
            version: item.version,
            source: Source::new(name, item.text),
            frontend: frontend.ok()?,
            outline: Outline::default(),
            properties: Vec::new(),
        };
        document.look_around();
        Some(document)
    }

    /// Applies the changes of the editor.
    pub fn change(&mut self, version: i32, changes: Vec<TextDocumentContentChangeEvent>) {
        for change in changes {
            let text = match change.range {
                None => change.text,
                Some(range) => {
                    let span = self.span(range);
                    let mut text = self.source.text().to_string();
                    text.replace_range(span.start as usize..span.end as usize, &change.text);
                    text
                }
            };
            self.source = Source::new(self.source.name(), text);
        }
        self.version = version;
        self.look_around();
    }

    fn look_around(&mut self) {
        self.outline = self.frontend.outline(&self.source).unwrap_or_default();
    }

    /// Reads the text, and returns its errors and warnings.
    pub fn diagnose(&mut self) -> Vec<Diagnostic> {
        let terms = Terms::new();
        let read = self
            .frontend
            .read(&terms, &self.source, &ReadOptions::default());
        let found = match read {
            Ok(reading) => {
                let properties = reading.module.properties.iter();
                self.properties = properties.map(|p| (p.name.clone(), p.span)).collect();
                reading.warnings
            }
            Err(mistakes) => mistakes,
        };
        self.messages(&found)
    }

    /// Messages of the command line, in the form of the editor.
    fn messages(&self, found: &Diagnostics) -> Vec<Diagnostic> {
        let message = |d: &sectile_base::Diagnostic| {
            let mut text = d.message.clone();
            for more in [Some(&d.label), d.help.as_ref()].into_iter().flatten() {
                if !more.is_empty() {
                    text += &format!("\n{more}");
                }
            }
            Diagnostic {
                range: self.range(d.span),
                severity: Some(match d.severity {
                    Severity::Error => DiagnosticSeverity::ERROR,
                    Severity::Warning => DiagnosticSeverity::WARNING,
                }),
                code: Some(NumberOrString::String(d.code.to_string())),
                source: Some("sectile".to_string()),
                message: text,
                ..Diagnostic::default()
            }
        };
        found.iter().map(message).collect()
    }

    /// The position of an offset. Editors count UTF-16 units.
    pub fn position(&self, offset: u32) -> Position {
        let text = self.source.text();
        let mut end = (offset as usize).min(text.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let line = self.source.position(Span::new(end, end).start).line;
        let start = text[..end].rfind('\n').map_or(0, |n| n + 1);
        let units = text[start..end].chars().map(char::len_utf16).sum::<usize>();
        Position::new(small(line - 1), small(units))
    }

    /// The offset of a position; positions after the end of a line give the end of the line.
    pub fn offset(&self, position: Position) -> u32 {
        let text = self.source.text();
        let mut starts = std::iter::once(0).chain(text.match_indices('\n').map(|(n, _)| n + 1));
        let Some(start) = starts.nth(position.line as usize) else {
            return Span::new(text.len(), 0).start;
        };
        let mut units = 0;
        let mut offset = start;
        for c in text[start..].chars() {
            if c == '\n' || units >= position.character as usize {
                break;
            }
            units += c.len_utf16();
            offset += c.len_utf8();
        }
        Span::new(offset, 0).start
    }

    /// A span of the text as a range of the editor.
    pub fn range(&self, span: Span) -> Range {
        Range::new(self.position(span.start), self.position(span.end))
    }

    /// A range of the editor as a span of the text.
    fn span(&self, range: Range) -> Span {
        let (start, end) = (self.offset(range.start), self.offset(range.end));
        Span {
            start: start.min(end),
            end: start.max(end),
        }
    }
}

fn small(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// The path in a URI.
fn file_name(uri: &Uri) -> String {
    let path = uri.as_str().strip_prefix("file://").unwrap_or(uri.as_str());
    let mut bytes = Vec::new();
    let mut rest = path.bytes();
    while let Some(byte) = rest.next() {
        let mut digits = rest.clone();
        let mut hex = || char::from(digits.next()?).to_digit(16);
        let decoded = (byte == b'%').then(|| Some(16 * hex()? + hex()?)).flatten();
        match decoded.and_then(|code| u8::try_from(code).ok()) {
            Some(code) => {
                bytes.push(code);
                rest = digits;
            }
            None => bytes.push(byte),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
