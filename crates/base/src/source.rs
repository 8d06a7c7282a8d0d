//! Source texts and positions in them.

/// A half-open range of bytes in one source text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The span from `start` up to, not including, `end`.
    pub fn new(start: usize, end: usize) -> Span {
        let clamp = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Span {
            start: clamp(start),
            end: clamp(end),
        }
    }

    /// The smallest span that covers both.
    pub fn to(self, other: Span) -> Span {
        Span {
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }
}

/// A source text with its name and the positions of its lines.
#[derive(Clone, Debug)]
pub struct Source {
    name: String,
    text: String,
    line_starts: Vec<u32>,
}

/// A position for users: lines and columns are counted from 1, columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Line number, from 1.
    pub line: usize,
    /// Column number in characters, from 1.
    pub column: usize,
}

impl Source {
    /// A source with this name (a file name, or `<stdin>`) and text.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Source {
        let text = text.into();
        let newlines = text.bytes().enumerate().filter(|&(_, b)| b == b'\n');
        let line_starts = std::iter::once(0)
            .chain(newlines.map(|(i, _)| Span::new(i + 1, i + 1).start))
            .collect();
        Source {
            name: name.into(),
            text,
            line_starts,
        }
    }

    /// The name the source was made with.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text of a span; empty if the span does not lie on character boundaries.
    pub fn slice(&self, span: Span) -> &str {
        self.text
            .get(span.start as usize..span.end as usize)
            .unwrap_or("")
    }

    /// Line and column of a byte offset; offsets past the end give the end.
    pub fn position(&self, offset: u32) -> Position {
        let line = self.line_starts.partition_point(|&s| s <= offset).max(1);
        let start = self.line_starts[line - 1] as usize;
        let mut end = (offset as usize).clamp(start, self.text.len());
        while !self.text.is_char_boundary(end) {
            end -= 1;
        }
        Position {
            line,
            column: self.text[start..end].chars().count() + 1,
        }
    }

    /// The byte offset of a position; positions after the end of a line give the end of the line.
    pub fn offset(&self, position: Position) -> u32 {
        let line = position.line.clamp(1, self.line_starts.len());
        let start = self.line_starts[line - 1];
        let characters = self.line(line).chars().take(position.column - 1);
        let bytes: usize = characters.map(char::len_utf8).sum();
        Span::new(start as usize + bytes, 0).start
    }

    /// The text of a line (from 1), without its line break.
    pub fn line(&self, line: usize) -> &str {
        let Some(&start) = self.line_starts.get(line.wrapping_sub(1)) else {
            return "";
        };
        let end = self
            .line_starts
            .get(line)
            .map_or(self.text.len(), |&e| e as usize);
        self.text[start as usize..end].trim_end_matches(['\n', '\r'])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_lines_and_characters() {
        let source = Source::new("a", "x\nβγ = 1\n");
        assert_eq!(source.position(0), Position { line: 1, column: 1 });
        assert_eq!(source.position(2), Position { line: 2, column: 1 });
        assert_eq!(source.position(6), Position { line: 2, column: 3 });
        assert_eq!(source.position(999).line, 3);
        assert_eq!(source.line(2), "βγ = 1");
        assert_eq!(source.line(9), "");
        for offset in [0, 1, 2, 4, 6, 7] {
            assert_eq!(source.offset(source.position(offset)), offset);
        }
    }
}
