//! Splits a text into tokens and comments.

use crate::syntax::{Language, Lexer, Token, TokenKind};
use sectile_base::{Diagnostics, Source, Span};

/// A token or a comment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece<'s> {
    /// The text as written.
    pub text: &'s str,
    pub kind: PieceKind,
    pub start: u32,
    /// The number of line breaks before it.
    pub breaks: usize,
    /// Its column in the line, from 0.
    pub column: usize,
    /// The number of blanks before it, unless it is the first one of its line.
    pub gap: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PieceKind {
    Token(TokenKind),
    /// `// ...`
    LineComment,
    /// `/* ... */`
    BlockComment,
}

impl Piece<'_> {
    /// Whether it is this keyword or sign.
    pub fn is(&self, text: &str) -> bool {
        let fixed = [TokenKind::Sign, TokenKind::Word].map(PieceKind::Token);
        fixed.contains(&self.kind) && self.text == text
    }

    /// Whether it is one of these keywords or signs.
    pub fn is_any(&self, texts: &[&str]) -> bool {
        texts.iter().any(|text| self.is(text))
    }

    pub fn is_name(&self) -> bool {
        let names = [TokenKind::Name, TokenKind::Quoted].map(PieceKind::Token);
        names.contains(&self.kind)
    }

    pub fn is_comment(&self) -> bool {
        matches!(self.kind, PieceKind::LineComment | PieceKind::BlockComment)
    }

    pub fn is_number(&self) -> bool {
        let numbers = [TokenKind::Integer, TokenKind::Decimal].map(PieceKind::Token);
        numbers.contains(&self.kind)
    }
}

/// All tokens and comments of a text.
pub(super) fn pieces(source: &Source, language: Language) -> Vec<Piece<'_>> {
    let mut lexer = Lexer::new(source, language);
    let mut ignored = Diagnostics::new();
    let mut found: Vec<(Span, PieceKind)> = Vec::new();
    let mut comments = 0;
    loop {
        let Token { kind, span, .. } = lexer.next(&mut ignored);
        for comment in &lexer.comments[comments..] {
            let kind = match source.slice(*comment).starts_with("//") {
                true => PieceKind::LineComment,
                false => PieceKind::BlockComment,
            };
            found.push((*comment, kind));
        }
        comments = lexer.comments.len();
        if kind == TokenKind::End {
            break;
        }
        found.push((span, PieceKind::Token(kind)));
    }
    let mut end = 0;
    let placed = found.into_iter().map(|(span, kind)| {
        let between = source.slice(Span {
            start: end,
            end: span.start,
        });
        end = span.end;
        Piece {
            text: source.slice(span).trim_end(),
            kind,
            start: span.start,
            breaks: between.matches('\n').count(),
            column: source.position(span.start).column - 1,
            gap: between.chars().count(),
        }
    });
    placed.collect()
}

/// Whether two texts have the same tokens and comments.
pub(super) fn same(a: &[Piece<'_>], b: &[Piece<'_>]) -> bool {
    let content = |p: &Piece<'_>| (p.kind, p.text.replace('\r', ""));
    a.iter().map(content).eq(b.iter().map(content))
}
