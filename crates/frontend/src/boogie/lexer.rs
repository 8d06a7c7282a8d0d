//! Tokens of Boogie programs.
//!
//! Tokens are made on demand, so that a hopeless text costs no more than the part that the parser
//! wants to see. Signs that have two spellings come out in one.

use sectile_base::{Diagnostic, Diagnostics, Source, Span};

/// The kinds of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// The end of the text.
    End,
    /// A name.
    Name,
    /// A word of the language.
    Word,
    /// A number without a sign and a point.
    Integer,
    /// A number with a point or an exponent.
    Decimal,
    /// A bit-vector such as `3bv8`.
    Bits,
    /// A floating-point number such as `0x1.8e3f24e8`.
    Float,
    /// A text in quotes.
    Text,
    /// Everything else.
    Sign,
}

/// A token, its place and its text: of signs, the spelling in ASCII.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'s> {
    /// What it is.
    pub kind: TokenKind,
    /// Where it stands.
    pub span: Span,
    /// How it is written.
    pub text: &'s str,
}

/// Splits a text into tokens.
pub struct Lexer<'s> {
    text: &'s str,
    at: usize,
    comments: Vec<Span>,
    stopped: bool,
    /// Whether comments nest, as far as is known.
    nesting: bool,
}

/// Names with more bytes are refused.
const LONGEST_NAME: usize = 1_000;

/// Words that cannot be names.
const WORDS: &[&str] = &[
    "assert",
    "assume",
    "axiom",
    "bool",
    "break",
    "call",
    "complete",
    "const",
    "div",
    "else",
    "ensures",
    "exists",
    "extends",
    "false",
    "finite",
    "forall",
    "free",
    "function",
    "goto",
    "havoc",
    "if",
    "implementation",
    "int",
    "invariant",
    "lambda",
    "mod",
    "modifies",
    "old",
    "procedure",
    "real",
    "requires",
    "return",
    "returns",
    "then",
    "true",
    "type",
    "unique",
    "var",
    "where",
    "while",
];

/// Signs, longest first, with their spelling in ASCII.
const SIGNS: &[(&str, &str)] = &[
    ("<==>", "<==>"),
    ("==>", "==>"),
    ("<==", "<=="),
    (":=", ":="),
    ("::", "::"),
    ("==", "=="),
    ("!=", "!="),
    ("<=", "<="),
    (">=", ">="),
    ("&&", "&&"),
    ("||", "||"),
    ("<:", "<:"),
    ("++", "++"),
    ("**", "**"),
    ("(", "("),
    (")", ")"),
    ("[", "["),
    ("]", "]"),
    ("{", "{"),
    ("}", "}"),
    (",", ","),
    (";", ";"),
    (":", ":"),
    ("<", "<"),
    (">", ">"),
    ("+", "+"),
    ("-", "-"),
    ("*", "*"),
    ("/", "/"),
    ("%", "%"),
    ("!", "!"),
    ("=", "="),
    ("|", "|"),
    ("⇔", "<==>"),
    ("⇒", "==>"),
    ("⇐", "<=="),
    ("∧", "&&"),
    ("∨", "||"),
    ("¬", "!"),
    ("≠", "!="),
    ("≤", "<="),
    ("≥", ">="),
    ("•", "::"),
];

/// Words that have a sign as another spelling.
const SIGN_WORDS: &[(&str, &str)] = &[("∀", "forall"), ("∃", "exists"), ("λ", "lambda")];

impl<'s> Lexer<'s> {
    /// A lexer at the beginning of the source.
    pub fn new(source: &'s Source) -> Lexer<'s> {
        let text = source.text();
        Lexer {
            text,
            // Editors of some systems begin files with a byte order mark.
            at: if text.starts_with('\u{feff}') { 3 } else { 0 },
            comments: Vec::new(),
            stopped: false,
            nesting: true,
        }
    }

    /// The places of the comments seen so far, their signs included.
    pub fn into_comments(self) -> Vec<Span> {
        self.comments
    }

    /// Gives nothing but the end from now on.
    pub fn stop(&mut self) {
        self.stopped = true;
    }

    /// Whether the rest of the text is not looked at.
    pub fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// The next token. What is no token is reported and left out.
    pub fn next(&mut self, diagnostics: &mut Diagnostics) -> Token<'s> {
        while !self.stopped {
            self.skip_blanks(diagnostics);
            let start = self.at;
            let rest = &self.text[start..];
            let Some(first) = rest.chars().next() else {
                break;
            };
            if let Some((sign, word)) = SIGN_WORDS.iter().find(|w| rest.starts_with(w.0)) {
                self.at += sign.len();
                return self.token(TokenKind::Word, start, Some(word), diagnostics);
            }
            if let Some((sign, text)) = SIGNS.iter().find(|s| rest.starts_with(s.0)) {
                self.at += sign.len();
                return self.token(TokenKind::Sign, start, Some(text), diagnostics);
            }
            let kind = if starts_name(first) {
                self.name()
            } else if first.is_ascii_digit() {
                self.number()
            } else if first == '"' {
                self.string(diagnostics)
            } else {
                self.unknown(first, diagnostics);
                continue;
            };
            return self.token(kind, start, None, diagnostics);
        }
        let end = if self.stopped {
            self.at
        } else {
            self.text.len()
        };
        Token {
            kind: TokenKind::End,
            span: Span::new(end, end),
            text: "",
        }
    }

    /// The token from `start` to here. Of names that nobody can mean only the beginning is kept:
    /// they would turn up in messages.
    fn token(
        &self,
        kind: TokenKind,
        start: usize,
        spelling: Option<&'s str>,
        diagnostics: &mut Diagnostics,
    ) -> Token<'s> {
        let mut end = self.at;
        if kind == TokenKind::Name && end - start > LONGEST_NAME {
            end = start + LONGEST_NAME;
            while !self.text.is_char_boundary(end) {
                end -= 1;
            }
            let message = format!("this name is longer than {LONGEST_NAME} bytes");
            let span = Span::new(start, end);
            diagnostics.push(Diagnostic::error("lexical", span, message).help("shorten it"));
        }
        let text = spelling.unwrap_or(&self.text[start..end]);
        Token {
            kind,
            span: Span::new(start, end),
            // A backslash before a name says that it is no word of the language.
            text: text.strip_prefix('\\').unwrap_or(text),
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

    /// The length of the comment that the text starts with. Comments nest; where that leaves one
    /// open, they do not from there on: both conventions are in use.
    fn block_comment(&mut self, text: &str) -> Option<usize> {
        let nested = self.nesting.then(|| nested_comment(text)).flatten();
        self.nesting = nested.is_some();
        nested.or_else(|| text[2..].find("*/").map(|n| n + 4))
    }

    fn open_comment(&mut self, diagnostics: &mut Diagnostics) {
        let span = Span::new(self.at, self.at + 2);
        let diagnostic = Diagnostic::error("lexical", span, "this comment is not closed");
        diagnostics.push(diagnostic.help("close it with `*/`"));
        self.at = self.text.len();
    }

    fn name(&mut self) -> TokenKind {
        let rest = &self.text[self.at..];
        let length = rest.find(|c| !continues_name(c)).unwrap_or(rest.len());
        self.at += length;
        match WORDS.contains(&&rest[..length]) {
            true => TokenKind::Word,
            false => TokenKind::Name,
        }
    }

    fn digits(&mut self) -> usize {
        let rest = self.text[self.at..].bytes();
        let count = rest.take_while(u8::is_ascii_digit).count();
        self.at += count;
        count
    }

    fn byte(&self, ahead: usize) -> u8 {
        let bytes = self.text.as_bytes();
        bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    /// `12`, `1.5`, `2e10`, `3bv8`, `0x1.8e3f24e8`.
    fn number(&mut self) -> TokenKind {
        if self.byte(0) == b'0' && self.byte(1) == b'x' {
            let rest = &self.text[self.at..];
            let part = |c: char| c.is_ascii_alphanumeric() || c == '.';
            self.at += rest.find(|c| !part(c)).unwrap_or(rest.len());
            return TokenKind::Float;
        }
        self.digits();
        if self.byte(0) == b'b' && self.byte(1) == b'v' && self.byte(2).is_ascii_digit() {
            self.at += 2;
            self.digits();
            return TokenKind::Bits;
        }
        let mut kind = TokenKind::Integer;
        if self.byte(0) == b'.' && self.byte(1).is_ascii_digit() {
            self.at += 1;
            self.digits();
            kind = TokenKind::Decimal;
        }
        let sign = usize::from(matches!(self.byte(1), b'-' | b'+'));
        if self.byte(0) == b'e' && self.byte(1 + sign).is_ascii_digit() {
            self.at += 1 + sign;
            self.digits();
            kind = TokenKind::Decimal;
        }
        kind
    }

    fn string(&mut self, diagnostics: &mut Diagnostics) -> TokenKind {
        let start = self.at;
        let inside = &self.text[start + 1..];
        let mut escaped = false;
        for (i, c) in inside.char_indices() {
            match c {
                '\n' => break,
                '"' if !escaped => {
                    self.at += i + 2;
                    return TokenKind::Text;
                }
                _ => escaped = c == '\\' && !escaped,
            }
        }
        let span = Span::new(start, start + 1);
        let diagnostic = Diagnostic::error("lexical", span, "this text in quotes is not closed");
        diagnostics.push(diagnostic.help("close it with `\"` on the same line"));
        self.at += 1;
        TokenKind::Text
    }

    fn unknown(&mut self, first: char, diagnostics: &mut Diagnostics) {
        let span = Span::new(self.at, self.at + first.len_utf8());
        self.at += first.len_utf8();
        if first.is_control() {
            let code = u32::from(first);
            let message = format!("unexpected character U+{code:04X}: this is not a text file");
            let help = "programs are text in UTF-8; is this the right file?";
            diagnostics.push(Diagnostic::error("lexical", span, message).help(help));
            // One such character tells enough; a binary file would have thousands.
            self.stop();
            return;
        }
        let message = format!("unexpected character `{first}`");
        let help = match first {
            '&' => "write `&&`",
            '−' | '–' => "write `-`",
            '·' | '×' => "write `*`",
            _ => "Boogie has no such sign",
        };
        diagnostics.push(Diagnostic::error("lexical", span, message).help(help));
    }
}

/// The length of the comment that the text starts with, where comments nest.
fn nested_comment(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut depth = 0_usize;
    let mut i = 0;
    while i + 1 < bytes.len() {
        match (bytes[i], bytes[i + 1]) {
            (b'/', b'*') => {
                depth += 1;
                i += 2;
            }
            (b'*', b'/') => {
                depth -= 1;
                i += 2;
                if depth == 0 {
                    return Some(i);
                }
            }
            _ => i += 1,
        }
    }
    None
}

fn is_special(c: char) -> bool {
    matches!(
        c,
        '_' | '.' | '$' | '#' | '\'' | '`' | '~' | '^' | '?' | '\\'
    )
}

fn starts_name(c: char) -> bool {
    is_special(c) || c.is_alphabetic()
}

fn continues_name(c: char) -> bool {
    is_special(c) || c.is_alphanumeric()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> (Vec<(TokenKind, String)>, usize) {
        let source = Source::new("t", text);
        let mut lexer = Lexer::new(&source);
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

    fn texts(text: &str) -> Vec<String> {
        tokens(text).0.into_iter().map(|(_, t)| t).collect()
    }

    #[test]
    fn names_have_unusual_letters() {
        assert_eq!(
            texts("~i~4 #t~post0 ULTIMATE.start \\while x'"),
            ["~i~4", "#t~post0", "ULTIMATE.start", "while", "x'"]
        );
        assert_eq!(tokens("\\while").0[0].0, TokenKind::Name);
        assert_eq!(tokens("while").0[0].0, TokenKind::Word);
    }

    #[test]
    fn the_longest_sign_wins_and_signs_have_two_spellings() {
        assert_eq!(
            texts("a<==>b==>c<==d:=e::f<:g"),
            [
                "a", "<==>", "b", "==>", "c", "<==", "d", ":=", "e", "::", "f", "<:", "g"
            ]
        );
        assert_eq!(texts("a ⇔ ¬b ∧ c ≤ 1"), texts("a <==> !b && c <= 1"));
        assert_eq!(texts("∀ x"), ["forall", "x"]);
    }

    #[test]
    fn numbers_have_kinds() {
        use TokenKind::*;
        let kinds = |t: &str| tokens(t).0.into_iter().map(|(k, _)| k).collect::<Vec<_>>();
        assert_eq!(
            kinds("12 1.5 2e10 1.0e-3 3bv8 0x1.8e3f24e8"),
            [Integer, Decimal, Decimal, Decimal, Bits, Float]
        );
        assert_eq!(kinds("1.x"), [Integer, Name]);
    }

    #[test]
    fn comments_nest_where_that_closes_them() {
        assert_eq!(texts("a /* b /* c */ d */ e // f\ng"), ["a", "e", "g"]);
        assert_eq!(texts("a /* b /* c */ d"), ["a", "d"]);
        assert_eq!(tokens("a /* b").1, 1);
        assert_eq!(tokens("a /*/").1, 1);
    }

    #[test]
    fn garbage_is_reported() {
        assert_eq!(tokens("a \0\0\0 b").1, 1);
        assert_eq!(tokens("a & b").1, 1);
        assert_eq!(tokens("\"open").1, 1);
        assert_eq!(tokens("\"a \\\" b\"").1, 0);
    }
}
