//! S-expressions in an arena.
//!
//! A [`Tree`] owns every node of one text; a [`Sexp`] is a `Copy` index into it. Nothing recurses,
//! not even dropping, so the depth of the input does not matter.

use sectile_base::{Diagnostic, Span};
use std::borrow::Cow;

/// One s-expression: an index into the [`Tree`] it was read into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sexp(u32);

/// The kind of an atom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Atom {
    /// A symbol, with or without bars around it.
    Symbol,
    /// A keyword, such as `:named`.
    Keyword,
    /// A sequence of digits.
    Numeral,
    /// Digits with a decimal point.
    Decimal,
    /// `#x` with hexadecimal digits.
    Hexadecimal,
    /// `#b` with binary digits.
    Binary,
    /// A string in double quotes.
    String,
}

/// The contents of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View<'a> {
    /// A word and its text: symbols without bars, strings with their quotes doubled as written.
    Atom(Atom, &'a str),
    /// A parenthesised list.
    List(&'a [Sexp]),
}

#[derive(Clone, Copy, Debug)]
enum Content {
    /// The offsets of the text: without bars, quotes, colon or `#x`.
    Atom(Atom, u32, u32),
    /// The range of its members in `members`.
    List(u32, u32),
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    content: Content,
    span: Span,
}

/// The s-expressions of one text.
#[derive(Clone, Debug)]
pub struct Tree<'s> {
    text: &'s str,
    entries: Vec<Entry>,
    members: Vec<Sexp>,
    pub(crate) roots: Vec<Sexp>,
}

fn index(n: usize) -> u32 {
    u32::try_from(n).expect("the reader refuses texts of 4 GiB and more")
}

impl<'s> Tree<'s> {
    /// A tree of `text` without nodes.
    pub(crate) fn empty(text: &'s str) -> Tree<'s> {
        Tree {
            text,
            entries: Vec::new(),
            members: Vec::new(),
            roots: Vec::new(),
        }
    }

    pub(crate) fn add_atom(&mut self, atom: Atom, inner: (usize, usize), span: Span) -> Sexp {
        self.add(Content::Atom(atom, index(inner.0), index(inner.1)), span)
    }

    pub(crate) fn add_list(&mut self, list: impl Iterator<Item = Sexp>, span: Span) -> Sexp {
        let start = index(self.members.len());
        self.members.extend(list);
        let end = index(self.members.len());
        self.add(Content::List(start, end), span)
    }

    fn add(&mut self, content: Content, span: Span) -> Sexp {
        let id = Sexp(index(self.entries.len()));
        self.entries.push(Entry { content, span });
        id
    }

    /// The expressions at the outermost level, in order.
    pub fn roots(&self) -> &[Sexp] {
        &self.roots
    }

    /// The position of an expression.
    pub fn span(&self, e: Sexp) -> Span {
        self.entries[e.0 as usize].span
    }

    /// The text that was read.
    pub fn text(&self) -> &'s str {
        self.text
    }

    /// The source text of an expression.
    pub fn source(&self, e: Sexp) -> &'s str {
        let span = self.span(e);
        &self.text[span.start as usize..span.end as usize]
    }

    /// The contents of an expression.
    pub fn view(&self, e: Sexp) -> View<'_> {
        match self.entries[e.0 as usize].content {
            Content::Atom(atom, ..) => View::Atom(atom, self.word(e)),
            Content::List(start, end) => View::List(&self.members[start as usize..end as usize]),
        }
    }

    /// The text of an atom; empty for a list.
    fn word(&self, e: Sexp) -> &'s str {
        match self.entries[e.0 as usize].content {
            Content::Atom(_, start, end) => &self.text[start as usize..end as usize],
            Content::List(..) => "",
        }
    }

    /// The name, if the expression is a symbol.
    pub fn symbol(&self, e: Sexp) -> Option<&'s str> {
        self.atom(e, Atom::Symbol)
    }

    /// The name without its colon, if the expression is a keyword.
    pub fn keyword(&self, e: Sexp) -> Option<&'s str> {
        self.atom(e, Atom::Keyword)
    }

    /// The digits, if the expression is a numeral.
    pub fn numeral(&self, e: Sexp) -> Option<&'s str> {
        self.atom(e, Atom::Numeral)
    }

    /// The text of a string literal, with doubled quotes made single.
    pub fn string(&self, e: Sexp) -> Option<Cow<'s, str>> {
        let raw = self.atom(e, Atom::String)?;
        Some(if raw.contains('"') {
            Cow::Owned(raw.replace("\"\"", "\""))
        } else {
            Cow::Borrowed(raw)
        })
    }

    /// The members, if the expression is a list.
    pub fn list(&self, e: Sexp) -> Option<&[Sexp]> {
        match self.view(e) {
            View::List(list) => Some(list),
            View::Atom(..) => None,
        }
    }

    /// The text of an atom of the wanted kind.
    fn atom(&self, e: Sexp, wanted: Atom) -> Option<&'s str> {
        match self.entries[e.0 as usize].content {
            Content::Atom(atom, ..) if atom == wanted => Some(self.word(e)),
            _ => None,
        }
    }

    /// An error at an expression.
    pub fn error(&self, code: &'static str, e: Sexp, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(code, self.span(e), message)
    }
}
