//! Reading text into s-expressions.

use crate::sexp::{Atom, Sexp, Tree};
use sectile_base::{Diagnostic, Span};

/// The code of messages about the shape of the text.
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
        let start = Span::default();
        return Err(Diagnostic::error(SYNTAX, start, "the text is too long"));
    }
    let mut reader = Reader {
        bytes: text.as_bytes(),
        at: 0,
        tree: Tree::empty(text),
        pending: Vec::new(),
        open: Vec::new(),
    };
    reader.run()?;
    let roots = std::mem::take(&mut reader.pending);
    reader.tree.set_roots(roots);
    Ok(reader.tree)
}

struct Reader<'s> {
    bytes: &'s [u8],
    at: usize,
    tree: Tree<'s>,
    /// Finished expressions whose list is still open, and the outermost ones.
    pending: Vec<Sexp>,
    /// For every open list: its offset, and where its members begin in `pending`.
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
            Some(&(start, _)) => {
                let message = "this parenthesis is never closed";
                Err(Diagnostic::error(
                    SYNTAX,
                    Span::new(start, start + 1),
                    message,
                ))
            }
        }
    }

    fn skip_comment(&mut self) {
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(|&b| b == b'\n' || b == b'\r');
        self.at += length.unwrap_or(rest.len());
    }

    fn close(&mut self) -> Result<(), Diagnostic> {
        let Some((start, first)) = self.open.pop() else {
            let here = Span::new(self.at, self.at + 1);
            return Err(Diagnostic::error(
                SYNTAX,
                here,
                "this parenthesis closes nothing",
            ));
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

    /// How many bytes from `start` on satisfy the condition.
    fn run_of(&self, start: usize, condition: impl Fn(u8) -> bool) -> usize {
        let rest = &self.bytes[start.min(self.bytes.len())..];
        let length = rest.iter().position(|&b| !condition(b));
        length.unwrap_or(rest.len())
    }

    fn unexpected(&self, at: usize) -> Diagnostic {
        let rest = self.tree.text().get(at..).unwrap_or("");
        let Some(c) = rest.chars().next() else {
            let end = Span::new(at, at);
            return Diagnostic::error(SYNTAX, end, "the text ends in the middle of a word");
        };
        let span = Span::new(at, at + c.len_utf8());
        Diagnostic::error(
            SYNTAX,
            span,
            format!("the character `{}` cannot stand here", c.escape_default()),
        )
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
            Some(_) => Err(Diagnostic::error(
                SYNTAX,
                Span::new(end, end + 1),
                "a symbol between bars cannot contain a backslash",
            )),
            None => Err(Diagnostic::error(
                SYNTAX,
                Span::new(self.at, start),
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
                    return Err(Diagnostic::error(
                        SYNTAX,
                        Span::new(self.at, start),
                        "this quote begins a string that never ends",
                    ));
                }
            }
        }
        self.at = end + 1;
        Ok((start, end))
    }

    fn radix(&mut self) -> Result<(Atom, (usize, usize)), Diagnostic> {
        let start = self.at + 2;
        let (atom, length) = match self.bytes.get(self.at + 1) {
            Some(b'x') => (
                Atom::Hexadecimal,
                self.run_of(start, |b| b.is_ascii_hexdigit()),
            ),
            Some(b'b') => (
                Atom::Binary,
                self.run_of(start, |b| matches!(b, b'0' | b'1')),
            ),
            _ => return Err(self.unexpected(self.at)),
        };
        self.end_of_number(start, start + length)?;
        Ok((atom, (start, start + length)))
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
            let point = Span::new(whole, end);
            let message = "there must be digits behind the decimal point";
            return Err(Diagnostic::error(SYNTAX, point, message));
        }
        self.end_of_number(start, end)?;
        Ok((Atom::Decimal, (start, end)))
    }

    /// Moves behind a number, which must have digits and must not run into a word.
    fn end_of_number(&mut self, digits: usize, end: usize) -> Result<(), Diagnostic> {
        let junk = self.run_of(end, is_symbol_byte);
        if digits == end || junk > 0 {
            let span = Span::new(self.at, end + junk);
            return Err(Diagnostic::error(SYNTAX, span, "this is not a number")
                .help("symbols cannot start with a digit unless they stand between bars"));
        }
        self.at = end;
        Ok(())
    }
}
