//! Reads text into s-expressions.

use crate::sexp::{Atom, Sexp, Tree};
use sectile_base::{Diagnostic, Span};

/// The code of messages about syntax.
const SYNTAX: &str = "smt-syntax";

/// Characters of simple symbols besides letters and digits.
pub(crate) const SYMBOL_MARKS: &[u8] = b"~!@$%^&*_-+=<>.?/";

/// Whether a byte may stand in a simple symbol.
pub(crate) fn is_symbol_byte(b: u8) -> bool {
    b.is_ascii_alphanumeric() || SYMBOL_MARKS.contains(&b)
}

/// Reads all s-expressions of a text.
pub fn read(text: &str) -> Result<Tree<'_>, Diagnostic> {
    if u32::try_from(text.len()).is_err() {
        return Err(error(0, 0, "the text is too long"));
    }
    let mut reader = Reader {
        bytes: text.as_bytes(),
        at: 0,
        tree: Tree::empty(text),
        pending: Vec::new(),
        open: Vec::new(),
    };
    reader.run()?;
    reader.tree.roots = reader.pending;
    Ok(reader.tree)
}

fn error(start: usize, end: usize, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(SYNTAX, Span::new(start, end), message)
}

struct Reader<'s> {
    bytes: &'s [u8],
    at: usize,
    tree: Tree<'s>,
    /// Finished expressions whose enclosing list is still open, and the outermost ones.
    pending: Vec<Sexp>,
    /// For every open list: its offset, and the start of its members in `pending`.
    open: Vec<(usize, usize)>,
}

impl Reader<'_> {
    fn run(&mut self) -> Result<(), Diagnostic> {
        while let Some(&b) = self.bytes.get(self.at) {
            match b {
                b' ' | b'\t' | b'\r' | b'\n' => self.at += 1,
                b';' => self.skip_comment(),
                b'(' => {
                    self.open.push((self.at, self.pending.len()));
                    self.at += 1;
                }
                b')' => self.close()?,
                _ => self.atom(b)?,
            }
        }
        match self.open.last() {
            None => Ok(()),
            Some(&(start, _)) => Err(error(start, start + 1, "this parenthesis is never closed")),
        }
    }

    fn skip_comment(&mut self) {
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(|&b| b == b'\n' || b == b'\r');
        self.at += length.unwrap_or(rest.len());
    }

    fn close(&mut self) -> Result<(), Diagnostic> {
        let Some((start, first)) = self.open.pop() else {
            let message = "this parenthesis closes nothing";
            return Err(error(self.at, self.at + 1, message));
        };
        self.at += 1;
        let span = Span::new(start, self.at);
        let list = self.tree.add_list(self.pending.drain(first..), span);
        self.pending.push(list);
        Ok(())
    }

    fn atom(&mut self, first: u8) -> Result<(), Diagnostic> {
        let start = self.at;
        let (atom, inner) = match first {
            b'|' => (Atom::Symbol, self.quoted_symbol()?),
            b'"' => (Atom::String, self.string()?),
            b':' => (Atom::Keyword, self.word(start + 1)?),
            b'#' => self.radix()?,
            b'0'..=b'9' => self.number()?,
            _ => (Atom::Symbol, self.word(start)?),
        };
        let span = Span::new(start, self.at);
        let atom = self.tree.add_atom(atom, inner, span);
        self.pending.push(atom);
        Ok(())
    }

    /// The word of symbol characters that begins at `start`.
    fn word(&mut self, start: usize) -> Result<(usize, usize), Diagnostic> {
        let end = start + self.run_of(start, is_symbol_byte);
        if end == start {
            return Err(self.unexpected(start));
        }
        self.at = end;
        Ok((start, end))
    }

    /// The number of bytes from `start` on that satisfy the condition.
    fn run_of(&self, start: usize, condition: impl Fn(u8) -> bool) -> usize {
        let rest = &self.bytes[start.min(self.bytes.len())..];
        let length = rest.iter().position(|&b| !condition(b));
        length.unwrap_or(rest.len())
    }

    fn unexpected(&self, at: usize) -> Diagnostic {
        let rest = self.tree.text().get(at..).unwrap_or("");
        let Some(c) = rest.chars().next() else {
            return error(at, at, "the text ends in the middle of a word");
        };
        let message = format!("the character `{}` cannot stand here", c.escape_default());
        error(at, at + c.len_utf8(), message)
            .help("names with such characters are written between bars: |like this|")
    }

    fn quoted_symbol(&mut self) -> Result<(usize, usize), Diagnostic> {
        let start = self.at + 1;
        let end = start + self.run_of(start, |b| b != b'|' && b != b'\\');
        match self.bytes.get(end) {
            Some(b'|') => {
                self.at = end + 1;
                Ok((start, end))
            }
            Some(_) => {
                let message = "a symbol between bars cannot contain a backslash";
                Err(error(end, end + 1, message))
            }
            None => Err(error(
                self.at,
                start,
                "this bar begins a symbol that never ends",
            )),
        }
    }

    fn string(&mut self) -> Result<(usize, usize), Diagnostic> {
        let start = self.at + 1;
        let mut end = start;
        loop {
            end += self.run_of(end, |b| b != b'"');
            match (self.bytes.get(end), self.bytes.get(end + 1)) {
                (Some(_), Some(b'"')) => end += 2,
                (Some(_), _) => break,
                (None, _) => {
                    let message = "this quote begins a string that never ends";
                    return Err(error(self.at, start, message));
                }
            }
        }
        self.at = end + 1;
        Ok((start, end))
    }

    fn radix(&mut self) -> Result<(Atom, (usize, usize)), Diagnostic> {
        let start = self.at + 2;
        let (atom, digits): (Atom, &[u8]) = match self.bytes.get(self.at + 1) {
            Some(b'x') => (Atom::Hexadecimal, b"0123456789abcdefABCDEF"),
            Some(b'b') => (Atom::Binary, b"01"),
            _ => return Err(self.unexpected(self.at)),
        };
        let end = start + self.run_of(start, |b| digits.contains(&b));
        self.end_of_number(start, end)?;
        Ok((atom, (start, end)))
    }

    fn number(&mut self) -> Result<(Atom, (usize, usize)), Diagnostic> {
        let start = self.at;
        let whole = start + self.run_of(start, |b| b.is_ascii_digit());
        if self.bytes.get(whole) != Some(&b'.') {
            self.end_of_number(start, whole)?;
            return Ok((Atom::Numeral, (start, whole)));
        }
        let end = whole + 1 + self.run_of(whole + 1, |b| b.is_ascii_digit());
        if end == whole + 1 {
            let message = "there must be digits after the decimal point";
            return Err(error(whole, end, message));
        }
        self.end_of_number(start, end)?;
        Ok((Atom::Decimal, (start, end)))
    }

    /// Moves past a number, which must have digits and must not be followed by symbol characters.
    fn end_of_number(&mut self, digits: usize, end: usize) -> Result<(), Diagnostic> {
        let junk = self.run_of(end, is_symbol_byte);
        if digits == end || junk > 0 {
            return Err(error(self.at, end + junk, "this is not a number")
                .help("symbols cannot start with a digit unless they stand between bars"));
        }
        self.at = end;
        Ok(())
    }
}
