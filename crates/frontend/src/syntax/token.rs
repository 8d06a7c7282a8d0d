//! Tokens.

use sectile_base::Span;

/// A token, its place and its text: of operators and brackets, the spelling in ASCII; of names,
/// without the backquotes or the backslash that mark them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'s> {
    pub kind: TokenKind,
    pub span: Span,
    pub text: &'s str,
}

/// The kinds of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// The end of the text.
    End,
    Name,
    /// A name in backquotes.
    Quoted,
    /// A keyword.
    Word,
    /// A number without a sign and a point.
    Integer,
    /// A number with a point or an exponent.
    Decimal,
    /// A bit-vector such as `3bv8`.
    Bits,
    /// A floating-point number such as `0x1.8e3f24e8`.
    Float,
    /// A string in quotes.
    Text,
    /// An operator, a bracket or a separator.
    Sign,
}

impl Token<'_> {
    /// Whether it is this keyword or sign.
    pub fn is(self, text: &str) -> bool {
        matches!(self.kind, TokenKind::Sign | TokenKind::Word) && self.text == text
    }

    /// Whether it is a name, with or without backquotes.
    pub fn is_name(self) -> bool {
        matches!(self.kind, TokenKind::Name | TokenKind::Quoted)
    }
}
