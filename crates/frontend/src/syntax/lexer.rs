//! The lexer: one token at a time, on demand.
//!
//! Tokens are not collected in advance, so that a huge or hopeless text costs no more than the
//! part of it that the parser wants to see.

use super::token::{Dialect, Token, TokenKind, Word, continues_name, starts_name};
use sectile_base::{Diagnostic, Diagnostics, Source, Span};

/// Splits a source text into tokens.
pub struct Lexer<'s> {
    text: &'s str,
    at: usize,
    dialect: Dialect,
    comments: Vec<Span>,
    stopped: bool,
}

/// Names with more bytes are refused.
const LONGEST_NAME: usize = 1_000;

/// Signs of one to three characters, longest first.
const SIGNS: &[(&str, TokenKind)] = &[
    ("-->", TokenKind::Arrow),
    ("<=>", TokenKind::Iff),
    ("<->", TokenKind::ThinIff),
    (":=", TokenKind::Assign),
    ("..", TokenKind::DotDot),
    ("=>", TokenKind::Implies),
    ("->", TokenKind::ThinArrow),
    ("<=", TokenKind::LessEqual),
    (">=", TokenKind::GreaterEqual),
    ("!=", TokenKind::NotEqual),
    ("==", TokenKind::DoubleEqual),
    ("&&", TokenKind::DoubleAnd),
    ("||", TokenKind::DoubleOr),
    ("(", TokenKind::LeftParen),
    (")", TokenKind::RightParen),
    ("[", TokenKind::LeftBracket),
    ("]", TokenKind::RightBracket),
    ("{", TokenKind::LeftBrace),
    ("}", TokenKind::RightBrace),
    (",", TokenKind::Comma),
    (";", TokenKind::Semicolon),
    (":", TokenKind::Colon),
    (".", TokenKind::Dot),
    ("'", TokenKind::Prime),
    ("?", TokenKind::Question),
    ("+", TokenKind::Plus),
    ("-", TokenKind::Minus),
    ("*", TokenKind::Star),
    ("/", TokenKind::Slash),
    ("=", TokenKind::Equal),
    ("<", TokenKind::Less),
    (">", TokenKind::Greater),
    ("!", TokenKind::Bang),
];

impl<'s> Lexer<'s> {
    /// A lexer at the beginning of the source.
    pub fn new(source: &'s Source, dialect: Dialect) -> Lexer<'s> {
        let text = source.text();
        Lexer {
            text,
            // Editors of some systems begin files with a byte order mark.
            at: if text.starts_with('\u{feff}') { 3 } else { 0 },
            dialect,
            comments: Vec::new(),
            stopped: false,
        }
    }

    /// The places of the `//` comments seen so far, slashes included.
    pub fn comments(&self) -> &[Span] {
        &self.comments
    }

    /// Whether the rest of the text is not looked at.
    pub fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// Gives nothing but the end from now on.
    pub fn stop(&mut self) {
        self.stopped = true;
    }

    /// The next token. What is no token is reported and left out.
    pub fn next(&mut self, diagnostics: &mut Diagnostics) -> Token {
        while !self.stopped {
            self.skip_blanks(diagnostics);
            let start = self.at;
            let rest = &self.text[start..];
            let Some(first) = rest.chars().next() else {
                break;
            };
            let kind = if starts_name(first) {
                self.name()
            } else if first.is_ascii_digit() {
                self.number(diagnostics)
            } else if first == '`' {
                self.quoted(diagnostics)
            } else if let Some((sign, kind)) = SIGNS.iter().find(|s| rest.starts_with(s.0)) {
                self.at += sign.len();
                *kind
            } else {
                match self.unknown(first, diagnostics) {
                    Some(kind) => kind,
                    None => continue,
                }
            };
            return self.token(kind, start, diagnostics);
        }
        let end = if self.stopped {
            self.at
        } else {
            self.text.len()
        };
        Token {
            kind: TokenKind::End,
            span: Span::new(end, end),
        }
    }

    /// The token from `start` to here. Of names that nobody can mean only the beginning is kept:
    /// they would turn up in messages.
    fn token(&self, kind: TokenKind, start: usize, diagnostics: &mut Diagnostics) -> Token {
        let mut span = Span::new(start, self.at);
        if matches!(kind, TokenKind::Name | TokenKind::Quoted) && self.at - start > LONGEST_NAME {
            let mut end = start + LONGEST_NAME;
            while !self.text.is_char_boundary(end) {
                end -= 1;
            }
            span = Span::new(start, end);
            let message = format!("this name is longer than {LONGEST_NAME} bytes");
            diagnostics.push(Diagnostic::error("lexical", span, message).help("shorten it"));
        }
        Token { kind, span }
    }

    fn skip_blanks(&mut self, diagnostics: &mut Diagnostics) {
        loop {
            let rest = &self.text[self.at..];
            let blanks = rest.len() - rest.trim_start().len();
            self.at += blanks;
            let rest = &rest[blanks..];
            if rest.starts_with("//") {
                let length = rest.find('\n').unwrap_or(rest.len());
                self.comments.push(Span::new(self.at, self.at + length));
                self.at += length;
            } else if let Some(inside) = rest.strip_prefix("/*") {
                match inside.find("*/") {
                    Some(length) => self.at += length + 4,
                    None => return self.open_comment(diagnostics),
                }
            } else {
                return;
            }
        }
    }

    fn open_comment(&mut self, diagnostics: &mut Diagnostics) {
        let span = Span::new(self.at, self.at + 2);
        diagnostics.push(
            Diagnostic::error("lexical", span, "this comment is not closed")
                .help("close it with `*/`; comments between `/*` and `*/` do not nest"),
        );
        self.at = self.text.len();
    }

    fn name(&mut self) -> TokenKind {
        let rest = &self.text[self.at..];
        let length = rest.find(|c| !continues_name(c)).unwrap_or(rest.len());
        let word = &rest[..length];
        self.at += length;
        match Word::of(word) {
            Some(keyword) => TokenKind::Word(keyword),
            None if self.dialect.reserved.contains(&word) => TokenKind::Reserved,
            None => TokenKind::Name,
        }
    }

    fn number(&mut self, diagnostics: &mut Diagnostics) -> TokenKind {
        let start = self.at;
        self.digits();
        let rest = &self.text.as_bytes()[self.at..];
        if rest.first() == Some(&b'.') && rest.get(1).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
            self.digits();
        }
        let rest = &self.text[self.at..];
        let tail = rest.find(|c| !continues_name(c)).unwrap_or(rest.len());
        if tail > 0 {
            let span = Span::new(start, self.at + tail);
            diagnostics.push(
                Diagnostic::error("lexical", span, "letters cannot follow a number directly").help(
                    "names start with a letter or `_`, products need `*`, numbers are decimal",
                ),
            );
            self.at += tail;
        }
        TokenKind::Number
    }

    fn digits(&mut self) {
        let rest = self.text[self.at..].bytes();
        self.at += rest.take_while(u8::is_ascii_digit).count();
    }

    /// A name in backquotes. One that is not closed ends where an identifier would, so that the
    /// rest of the line makes sense.
    fn quoted(&mut self, diagnostics: &mut Diagnostics) -> TokenKind {
        let start = self.at;
        let inside = &self.text[start + 1..];
        let length = inside.find(['`', '\n']).unwrap_or(inside.len());
        let problem = if !inside[length..].starts_with('`') {
            let word = inside.find(|c| !continues_name(c)).unwrap_or(inside.len());
            self.at += 1 + word;
            let help = "close it with a backquote on the same line";
            Some(("this name in backquotes is not closed", help))
        } else if inside[..length].trim().is_empty() {
            self.at += length + 2;
            let help = "write the name between the backquotes";
            Some(("a name cannot be empty", help))
        } else {
            self.at += length + 2;
            None
        };
        if let Some((message, help)) = problem {
            let span = Span::new(start, self.at);
            diagnostics.push(Diagnostic::error("lexical", span, message).help(help));
        }
        TokenKind::Quoted
    }

    /// Reports a character that is no token; gives the token that was meant, if that is clear.
    fn unknown(&mut self, first: char, diagnostics: &mut Diagnostics) -> Option<TokenKind> {
        let span = Span::new(self.at, self.at + first.len_utf8());
        self.at += first.len_utf8();
        if first.is_control() || first == char::REPLACEMENT_CHARACTER {
            let code = u32::from(first);
            diagnostics.push(
                Diagnostic::error(
                    "lexical",
                    span,
                    format!("unexpected character U+{code:04X}: this is not a text file"),
                )
                .help("models are text in UTF-8; is this the right file?"),
            );
            // One such character tells enough; a binary file would have thousands.
            self.stop();
            return None;
        }
        let known = LOOK_ALIKES.iter().find(|(c, ..)| *c == first);
        let help = match known {
            Some((_, spelling, _)) => format!("write `{spelling}`"),
            None => "a name with unusual characters can be written in backquotes".to_string(),
        };
        diagnostics.push(
            Diagnostic::error("lexical", span, format!("unexpected character `{first}`"))
                .help(help),
        );
        known.map(|(_, _, kind)| *kind)
    }
}

/// Signs that people write or paste, and what the languages write for them.
const LOOK_ALIKES: &[(char, &str, TokenKind)] = &[
    ('≤', "<=", TokenKind::LessEqual),
    ('≥', ">=", TokenKind::GreaterEqual),
    ('≠', "!=", TokenKind::NotEqual),
    ('∧', "and", TokenKind::Word(Word::And)),
    ('∨', "or", TokenKind::Word(Word::Or)),
    ('¬', "not", TokenKind::Word(Word::Not)),
    ('⇒', "=>", TokenKind::Implies),
    ('→', "-->", TokenKind::Arrow),
    ('⇔', "<=>", TokenKind::Iff),
    ('↔', "<=>", TokenKind::Iff),
    ('∀', "forall", TokenKind::Word(Word::Forall)),
    ('∃', "exists", TokenKind::Word(Word::Exists)),
    ('∈', "in", TokenKind::Word(Word::In)),
    ('−', "-", TokenKind::Minus),
    ('–', "-", TokenKind::Minus),
    ('·', "*", TokenKind::Star),
    ('×', "*", TokenKind::Star),
    ('&', "and", TokenKind::Word(Word::And)),
    ('|', "or", TokenKind::Word(Word::Or)),
    ('~', "not", TokenKind::Word(Word::Not)),
    ('%', "mod", TokenKind::Word(Word::Mod)),
    ('’', "'", TokenKind::Prime),
    ('′', "'", TokenKind::Prime),
];

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Dialect = Dialect {
        reserved: &["var"],
        c_operators: false,
    };

    fn kinds(text: &str) -> (Vec<TokenKind>, usize) {
        let source = Source::new("t", text);
        let mut lexer = Lexer::new(&source, PLAIN);
        let mut diagnostics = Diagnostics::new();
        let mut found = Vec::new();
        loop {
            let token = lexer.next(&mut diagnostics);
            if token.kind == TokenKind::End {
                return (found, diagnostics.iter().count());
            }
            found.push(token.kind);
        }
    }

    #[test]
    fn the_longest_sign_wins_and_ranges_are_not_decimals() {
        use TokenKind::*;
        assert_eq!(
            kinds("0..n-1 --> x' := 1.5").0,
            [
                Number, DotDot, Name, Minus, Number, Arrow, Name, Prime, Assign, Number
            ]
        );
        assert_eq!(kinds("<=> <-> <= => -> -->").0.len(), 6);
        assert_eq!(kinds("var größe `P[1].pc`").0, [Reserved, Name, Quoted]);
    }

    #[test]
    fn comments_are_blanks() {
        assert_eq!(kinds("a /* b \n c */ d // e\nf").0.len(), 3);
        assert_eq!(kinds("/*/ a */ b").0.len(), 1);
        assert_eq!(kinds("a /* b").1, 1);
        assert_eq!(kinds("a /*/").1, 1);
    }

    #[test]
    fn garbage_is_reported_once() {
        assert_eq!(kinds("a \0\0\0\0 b").1, 1);
        assert_eq!(kinds("x ≤ y").1, 1);
        assert_eq!(kinds("3x").1, 1);
        assert_eq!(kinds("`a\nb").1, 1);
        assert_eq!(kinds("``").1, 1);
    }
}
