//! The lexer: one token at a time, on demand.
//!
//! Tokens are not collected in advance, so that a huge or hopeless text costs no more than the part
//! that the parser reads.

use super::language::{Language, Literals};
use crate::messages::Report as _;
use sectile_base::{Diagnostics, Source, Span};

/// A token with its position and text: for operators and brackets, the ASCII spelling; for names,
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
    /// A number without a sign or a point.
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

/// Splits a source text into tokens.
pub struct Lexer<'s> {
    text: &'s str,
    at: usize,
    language: Language,
    /// The positions of the comments so far, including their delimiters.
    pub comments: Vec<Span>,
    /// Whether the rest of the text is ignored.
    pub stopped: bool,
    /// Whether comments nest, as far as is known.
    nesting: bool,
}

/// The maximum length of names, in bytes.
const LONGEST_NAME: usize = 1_000;

impl<'s> Lexer<'s> {
    /// A lexer at the beginning of the source.
    pub fn new(source: &'s Source, language: Language) -> Lexer<'s> {
        let text = source.text();
        Lexer {
            text,
            // Some editors write a byte order mark at the beginning.
            at: if text.starts_with('\u{feff}') { 3 } else { 0 },
            language,
            comments: Vec::new(),
            stopped: false,
            nesting: language.nests_comments,
        }
    }

    /// The next token. Characters that belong to no token are reported and skipped.
    pub fn next(&mut self, diagnostics: &mut Diagnostics) -> Token<'s> {
        while !self.stopped {
            self.skip_blanks(diagnostics);
            let start = self.at;
            let rest = &self.text[start..];
            let Some(first) = rest.chars().next() else {
                break;
            };
            let (kind, spelling) = if let Some(sign) = self.sign(rest) {
                (TokenKind::Sign, Some(sign))
            } else if let Some(spelling) = spelled(self.language.spellings, first) {
                self.at += first.len_utf8();
                (kind_of(spelling), Some(spelling))
            } else if self.language.starts_name(first) {
                (self.name(), None)
            } else if first.is_ascii_digit() {
                (self.number(diagnostics), None)
            } else if first == '`' {
                (self.quoted(diagnostics), None)
            } else if first == '"' && self.language.literals == Literals::Boogie {
                (self.string(diagnostics), None)
            } else {
                match self.unknown(first, diagnostics) {
                    Some(spelling) => (kind_of(spelling), Some(spelling)),
                    None => continue,
                }
            };
            return self.token(kind, start, spelling, diagnostics);
        }
        let end = match self.stopped {
            true => self.at,
            false => self.text.len(),
        };
        Token {
            kind: TokenKind::End,
            span: Span::new(end, end),
            text: "",
        }
    }

    fn sign(&mut self, rest: &str) -> Option<&'static str> {
        let mut signs = self.language.signs.iter();
        let sign = *signs.find(|sign| rest.starts_with(**sign))?;
        self.at += sign.len();
        Some(sign)
    }

    /// The token from `start` to the current position. Of an overlong name, only the beginning is
    /// kept, because names appear in messages.
    fn token(
        &self,
        kind: TokenKind,
        start: usize,
        spelling: Option<&'s str>,
        diagnostics: &mut Diagnostics,
    ) -> Token<'s> {
        let mut end = self.at;
        if matches!(kind, TokenKind::Name | TokenKind::Quoted) && end - start > LONGEST_NAME {
            end = start + LONGEST_NAME;
            while !self.text.is_char_boundary(end) {
                end -= 1;
            }
            let message = format!("this name is longer than {LONGEST_NAME} bytes");
            diagnostics.error("lexical", Span::new(start, end), message, "shorten it");
        }
        let text = spelling.unwrap_or(&self.text[start..end]);
        Token {
            kind,
            span: Span::new(start, end),
            text: match kind {
                TokenKind::Quoted => text.trim_matches('`'),
                // A backslash before a name marks it as not being a keyword.
                TokenKind::Name => text.strip_prefix('\\').unwrap_or(text),
                _ => text,
            },
        }
    }

    fn skip_blanks(&mut self, diagnostics: &mut Diagnostics) {
        loop {
            let rest = &self.text[self.at..];
            self.at += rest.len() - rest.trim_start().len();
            let rest = &self.text[self.at..];
            let length = if rest.starts_with("//") {
                rest.find('\n').unwrap_or(rest.len())
            } else if rest.starts_with("/*") {
                match self.block_comment(rest) {
                    Some(length) => length,
                    None => return self.open_comment(diagnostics),
                }
            } else {
                return;
            };
            self.comments.push(Span::new(self.at, self.at + length));
            self.at += length;
        }
    }

    /// The length of the comment at the beginning of the text. If nesting would leave a comment
    /// unclosed, comments do not nest from there on: both conventions are in use.
    fn block_comment(&mut self, text: &str) -> Option<usize> {
        let nested = self.nesting.then(|| nested_comment(text)).flatten();
        self.nesting = nested.is_some();
        nested.or_else(|| text[2..].find("*/").map(|n| n + 4))
    }

    fn open_comment(&mut self, diagnostics: &mut Diagnostics) {
        let span = Span::new(self.at, self.at + 2);
        let help = self.language.help.comment;
        diagnostics.error("lexical", span, "this comment is not closed", help);
        self.at = self.text.len();
    }

    /// The length in bytes of the name at the beginning of this text.
    fn name_length(&self, text: &str) -> usize {
        let end = text.find(|c| !self.language.continues_name(c));
        end.unwrap_or(text.len())
    }

    fn name(&mut self) -> TokenKind {
        let rest = &self.text[self.at..];
        let length = self.name_length(rest);
        self.at += length;
        match self.language.is_word(&rest[..length]) {
            true => TokenKind::Word,
            false => TokenKind::Name,
        }
    }

    fn digits(&mut self) {
        let rest = self.text[self.at..].bytes();
        self.at += rest.take_while(u8::is_ascii_digit).count();
    }

    fn byte(&self, ahead: usize) -> u8 {
        let bytes = self.text.as_bytes();
        bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    /// Reads `12` or `1.5`.
    fn number(&mut self, diagnostics: &mut Diagnostics) -> TokenKind {
        let start = self.at;
        let boogie = self.language.literals == Literals::Boogie;
        if boogie && self.byte(0) == b'0' && self.byte(1) == b'x' {
            let rest = &self.text[self.at..];
            let part = |c: char| c.is_ascii_alphanumeric() || c == '.';
            self.at += rest.find(|c| !part(c)).unwrap_or(rest.len());
            return TokenKind::Float;
        }
        self.digits();
        let mut kind = TokenKind::Integer;
        if self.byte(0) == b'.' && self.byte(1).is_ascii_digit() {
            self.at += 1;
            self.digits();
            kind = TokenKind::Decimal;
        }
        if boogie {
            return self.suffix(kind);
        }
        let tail = self.name_length(&self.text[self.at..]);
        if tail > 0 {
            self.at += tail;
            let span = Span::new(start, self.at);
            let message = "letters cannot follow a number directly";
            let help = "names start with a letter or `_`, products need `*`, numbers are decimal";
            diagnostics.error("lexical", span, message, help);
        }
        kind
    }

    /// Reads the part after the digits of `2e10` and `3bv8`.
    fn suffix(&mut self, kind: TokenKind) -> TokenKind {
        let sign = usize::from(matches!(self.byte(1), b'-' | b'+'));
        let (length, longer) = match (self.byte(0), self.byte(1)) {
            (b'b', b'v') if kind == TokenKind::Integer => (2, TokenKind::Bits),
            (b'e', _) => (1 + sign, TokenKind::Decimal),
            _ => return kind,
        };
        if !self.byte(length).is_ascii_digit() {
            return kind;
        }
        self.at += length;
        self.digits();
        longer
    }

    /// Reads a name in backquotes. If it is not closed, it ends where an identifier would, so that
    /// the rest of the line can be parsed.
    fn quoted(&mut self, diagnostics: &mut Diagnostics) -> TokenKind {
        let start = self.at;
        let inside = &self.text[start + 1..];
        let length = inside.find(['`', '\n']).unwrap_or(inside.len());
        let closed = inside[length..].starts_with('`');
        self.at += match closed {
            true => length + 2,
            false => 1 + self.name_length(inside),
        };
        let span = Span::new(start, self.at);
        if !closed {
            let message = "this name in backquotes is not closed";
            let help = "close it with a backquote on the same line";
            diagnostics.error("lexical", span, message, help);
        } else if inside[..length].trim().is_empty() {
            let help = "write the name between the backquotes";
            diagnostics.error("lexical", span, "a name cannot be empty", help);
        }
        TokenKind::Quoted
    }

    fn string(&mut self, diagnostics: &mut Diagnostics) -> TokenKind {
        let start = self.at;
        let mut escaped = false;
        for (i, c) in self.text[start + 1..].char_indices() {
            match c {
                '\n' => break,
                '"' if !escaped => {
                    self.at += i + 2;
                    return TokenKind::Text;
                }
                _ => escaped = c == '\\' && !escaped,
            }
        }
        self.at += 1;
        let span = Span::new(start, self.at);
        let help = "close it with `\"` on the same line";
        diagnostics.error("lexical", span, "this text in quotes is not closed", help);
        TokenKind::Text
    }

    /// Reports a character that belongs to no token; returns its probable meaning, if clear.
    fn unknown(&mut self, first: char, diagnostics: &mut Diagnostics) -> Option<&'static str> {
        let start = self.at;
        self.at += first.len_utf8();
        let span = Span::new(start, self.at);
        if first.is_control() || first == char::REPLACEMENT_CHARACTER {
            let code = u32::from(first);
            let message = format!("unexpected character U+{code:04X}: this is not a text file");
            diagnostics.error("lexical", span, message, self.language.help.encoding);
            // One message is enough; a binary file would cause thousands.
            self.stopped = true;
            return None;
        }
        let meant = spelled(self.language.look_alikes, first);
        let help = match meant {
            Some(spelling) => format!("write `{spelling}`"),
            None => self.language.help.character.to_string(),
        };
        let message = format!("unexpected character `{first}`");
        diagnostics.error("lexical", span, message, help);
        meant
    }
}

fn spelled(table: &[(char, &'static str)], c: char) -> Option<&'static str> {
    let found = table.iter().find(|(spelled, _)| *spelled == c);
    found.map(|(_, spelling)| *spelling)
}

/// Whether a spelling is a keyword or a sign.
fn kind_of(spelling: &str) -> TokenKind {
    match spelling.starts_with(char::is_alphabetic) {
        true => TokenKind::Word,
        false => TokenKind::Sign,
    }
}

/// The length of the comment at the beginning of the text, if comments nest.
fn nested_comment(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut depth = 0_usize;
    let mut i = 0;
    while i + 1 < bytes.len() {
        match &bytes[i..i + 2] {
            b"/*" => depth += 1,
            b"*/" => depth -= 1,
            _ => {
                i += 1;
                continue;
            }
        }
        i += 2;
        if depth == 0 {
            return Some(i);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::Dialect;

    const PLAIN: Dialect = Dialect {
        reserved: &["var"],
        claims: &[],
        c_operators: false,
    };

    /// The tokens of a text, and the number of messages about it.
    fn tokens(language: Language, text: &str) -> (Vec<(TokenKind, String)>, usize) {
        let source = Source::new("t", text);
        let mut lexer = Lexer::new(&source, language);
        let mut diagnostics = Diagnostics::new();
        let mut found = Vec::new();
        loop {
            let token = lexer.next(&mut diagnostics);
            if token.kind == TokenKind::End {
                return (found, diagnostics.iter().count());
            }
            found.push((token.kind, token.text.to_string()));
        }
    }

    fn plain(text: &str) -> (Vec<TokenKind>, usize) {
        let (found, messages) = tokens(PLAIN.into(), text);
        (found.into_iter().map(|(kind, _)| kind).collect(), messages)
    }

    fn boogie(text: &str) -> (Vec<(TokenKind, String)>, usize) {
        tokens(crate::boogie::LANGUAGE, text)
    }

    fn boogie_texts(text: &str) -> Vec<String> {
        boogie(text).0.into_iter().map(|(_, t)| t).collect()
    }

    #[test]
    fn the_longest_sign_wins_and_ranges_are_not_decimals() {
        use TokenKind::*;
        let (found, _) = tokens(PLAIN.into(), "0..n-1 --> x' := 1.5");
        let texts: Vec<&str> = found.iter().map(|(_, t)| t.as_str()).collect();
        assert_eq!(
            texts,
            ["0", "..", "n", "-", "1", "-->", "x", "'", ":=", "1.5"]
        );
        assert_eq!((found[0].0, found[9].0), (Integer, Decimal));
        assert_eq!(plain("<=> <-> <= => -> -->").0.len(), 6);
        assert_eq!(plain("var größe `P[1].pc`").0, [Word, Name, Quoted]);
    }

    #[test]
    fn comments_are_blanks() {
        assert_eq!(plain("a /* b \n c */ d // e\nf").0.len(), 3);
        assert_eq!(plain("/*/ a */ b").0.len(), 1);
        assert_eq!(plain("a /* b").1, 1);
        assert_eq!(plain("a /*/").1, 1);
    }

    #[test]
    fn garbage_is_reported_once() {
        assert_eq!(plain("a \0\0\0\0 b").1, 1);
        assert_eq!(plain("x ≤ y").1, 1);
        assert_eq!(plain("3x").1, 1);
        assert_eq!(plain("`a\nb").1, 1);
        assert_eq!(plain("``").1, 1);
    }

    #[test]
    fn names_of_boogie_have_unusual_letters() {
        assert_eq!(
            boogie_texts("~i~4 #t~post0 ULTIMATE.start \\while x'"),
            ["~i~4", "#t~post0", "ULTIMATE.start", "while", "x'"]
        );
        assert_eq!(boogie("\\while").0[0].0, TokenKind::Name);
        assert_eq!(boogie("while").0[0].0, TokenKind::Word);
    }

    #[test]
    fn signs_of_boogie_have_two_spellings() {
        assert_eq!(
            boogie_texts("a<==>b==>c<==d:=e::f<:g"),
            [
                "a", "<==>", "b", "==>", "c", "<==", "d", ":=", "e", "::", "f", "<:", "g"
            ]
        );
        assert_eq!(
            boogie_texts("a ⇔ ¬b ∧ c ≤ 1"),
            boogie_texts("a <==> !b && c <= 1")
        );
        assert_eq!(boogie_texts("∀ x"), ["forall", "x"]);
    }

    #[test]
    fn numbers_of_boogie_have_kinds() {
        use TokenKind::*;
        let kinds = |t: &str| boogie(t).0.into_iter().map(|(k, _)| k).collect::<Vec<_>>();
        assert_eq!(
            kinds("12 1.5 2e10 1.0e-3 3bv8 0x1.8e3f24e8"),
            [Integer, Decimal, Decimal, Decimal, Bits, Float]
        );
        assert_eq!(
            kinds("1.x 2e 3bv"),
            [Integer, Name, Integer, Name, Integer, Name]
        );
    }

    #[test]
    fn comments_of_boogie_nest_where_that_closes_them() {
        let texts = boogie_texts;
        assert_eq!(texts("a /* b /* c */ d */ e // f\ng"), ["a", "e", "g"]);
        assert_eq!(texts("a /* b /* c */ d"), ["a", "d"]);
        assert_eq!(boogie("a /* b").1, 1);
        assert_eq!(boogie("a /*/").1, 1);
    }

    #[test]
    fn garbage_in_boogie_is_reported() {
        assert_eq!(boogie("a \0\0\0 b").1, 1);
        assert_eq!(boogie("a & b").1, 1);
        assert_eq!(boogie("\"open").1, 1);
        assert_eq!(boogie("\"a \\\" b\"").1, 0);
    }
}
