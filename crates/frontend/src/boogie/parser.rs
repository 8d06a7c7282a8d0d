//! The parser's ground: tokens with lookahead, names, brackets, attributes, messages.

use super::ast::Name;
use super::lexer::{Lexer, Token, TokenKind};
use sectile_base::{Diagnostic, Diagnostics, Source, Span};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// The most brackets, blocks and prefix operators that may be open at one place.
pub const NESTING: usize = 256;

/// Stands for an error that has been added to the diagnostics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reported;

/// A result, or the knowledge that a mistake was reported.
pub type Parsed<T> = Result<T, Reported>;

/// Reads the tokens of one source.
pub struct Parser<'s> {
    source: &'s Source,
    lexer: Lexer<'s>,
    buffer: VecDeque<Token<'s>>,
    previous: Span,
    diagnostics: Diagnostics,
    names: BTreeMap<&'s str, Arc<str>>,
    depth: usize,
    stopped: bool,
    /// Type parameters of the declaration that is being read.
    pub type_parameters: Vec<Arc<str>>,
}

impl<'s> Parser<'s> {
    /// A parser at the beginning of the source.
    pub fn new(source: &'s Source) -> Parser<'s> {
        Parser {
            source,
            lexer: Lexer::new(source),
            buffer: VecDeque::new(),
            previous: Span::default(),
            diagnostics: Diagnostics::new(),
            names: BTreeMap::new(),
            depth: 0,
            stopped: false,
            type_parameters: Vec::new(),
        }
    }

    /// What was found wrong, and the places of the comments.
    pub fn finish(self) -> (Diagnostics, Vec<Span>) {
        (self.diagnostics, self.lexer.into_comments())
    }

    /// The next token.
    pub fn peek(&mut self) -> Token<'s> {
        self.peek_at(0)
    }

    /// The token `n` places behind the next one.
    pub fn peek_at(&mut self, n: usize) -> Token<'s> {
        while self.buffer.len() <= n {
            let token = self.lexer.next(&mut self.diagnostics);
            self.buffer.push_back(token);
        }
        self.buffer[n]
    }

    /// Takes the next token.
    pub fn advance(&mut self) -> Token<'s> {
        let token = self.peek();
        self.buffer.pop_front();
        if token.kind != TokenKind::End {
            self.previous = token.span;
        }
        token
    }

    /// The place of the token that was taken last.
    pub fn previous(&self) -> Span {
        self.previous
    }

    /// Whether the text is at its end.
    pub fn at_end(&mut self) -> bool {
        self.peek().kind == TokenKind::End
    }

    /// Whether the next token is this sign or word of the language.
    pub fn at(&mut self, text: &str) -> bool {
        is(self.peek(), text)
    }

    /// Whether the token `n` places behind the next one is this sign or word.
    pub fn at_ahead(&mut self, n: usize, text: &str) -> bool {
        is(self.peek_at(n), text)
    }

    /// Takes the next token if it is this sign or word.
    pub fn eat(&mut self, text: &str) -> bool {
        let found = self.at(text);
        if found {
            self.advance();
        }
        found
    }

    /// Takes a sign or word that must be there.
    pub fn expect(&mut self, text: &str) -> Parsed<Token<'s>> {
        self.expect_with(text, None)
    }

    /// The same with advice.
    pub fn expect_with(&mut self, text: &str, help: Option<&str>) -> Parsed<Token<'s>> {
        if self.at(text) {
            return Ok(self.advance());
        }
        Err(self.unexpected(&format!("`{text}`"), help))
    }

    /// Takes the bracket that closes `open`.
    pub fn close(&mut self, open: Span, text: &str) -> Parsed<Token<'s>> {
        if self.at(text) {
            return Ok(self.advance());
        }
        let at = self.source.position(open.start);
        let sign = self.source.slice(open);
        let help = format!(
            "it closes the `{sign}` at line {}, column {}",
            at.line, at.column
        );
        Err(self.unexpected(&format!("`{text}`"), Some(&help)))
    }

    /// Takes a name; `what` says what it names.
    pub fn name(&mut self, what: &str) -> Parsed<Name> {
        let token = self.peek();
        if token.kind == TokenKind::Name {
            self.advance();
            return Ok(self.name_of(token));
        }
        let help = match token.kind {
            TokenKind::Word => {
                Some("words of the language cannot be names; `\\` before one makes it a name")
            }
            _ => None,
        };
        Err(self.unexpected(what, help))
    }

    /// The name that a token is.
    pub fn name_of(&mut self, token: Token<'s>) -> Name {
        let text = token.text;
        let shared = self.names.entry(text).or_insert_with(|| Arc::from(text));
        Name {
            text: shared.clone(),
            span: token.span,
        }
    }

    /// One or more of something, with commas between.
    pub fn comma_list<T>(
        &mut self,
        mut item: impl FnMut(&mut Parser<'s>) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        let mut list = vec![item(self)?];
        while self.eat(",") {
            list.push(item(self)?);
        }
        Ok(list)
    }

    /// Passes over `{:name arguments}`, any number of them.
    pub fn attributes(&mut self) -> Parsed<()> {
        while self.at("{") && self.at_ahead(1, ":") {
            let open = self.advance().span;
            let mut depth = 1_usize;
            while depth > 0 {
                if self.at_end() {
                    self.close(open, "}")?;
                }
                let token = self.advance();
                if is(token, "{") {
                    depth += 1;
                } else if is(token, "}") {
                    depth -= 1;
                }
            }
        }
        Ok(())
    }

    /// Reports that something else was expected here.
    pub fn unexpected(&mut self, expected: &str, help: Option<&str>) -> Reported {
        let token = self.peek();
        let found = describe(token);
        let message = format!("expected {expected}, found {found}");
        let mut diagnostic = Diagnostic::error("syntax", self.gap_before(token), message);
        diagnostic.help = help.map(ToString::to_string);
        self.report(diagnostic)
    }

    /// The place where a missing token belongs: on the line of what stands before it.
    fn gap_before(&self, token: Token<'s>) -> Span {
        let between = Span {
            start: self.previous.end,
            end: token.span.start,
        };
        let next_line = self.source.slice(between).contains('\n');
        if (next_line || token.kind == TokenKind::End) && self.previous.end > 0 {
            let end = self.previous.end as usize;
            return Span::new(end, end);
        }
        token.span
    }

    /// Adds a message. Where there are too many already, the rest of the text is not read.
    pub fn report(&mut self, diagnostic: Diagnostic) -> Reported {
        // Where the lexer gave up, what the parser misses is an echo.
        if !self.stopped && !self.lexer.is_stopped() {
            self.diagnostics.push(diagnostic);
            if self.diagnostics.is_full() {
                self.stop();
            }
        }
        Reported
    }

    /// Reads no further.
    fn stop(&mut self) {
        self.stopped = true;
        self.lexer.stop();
        self.buffer.clear();
    }

    /// Runs `inner` so many levels deeper.
    pub fn nested<T>(
        &mut self,
        levels: usize,
        inner: impl FnOnce(&mut Parser<'s>) -> Parsed<T>,
    ) -> Parsed<T> {
        if self.depth + levels > NESTING {
            let span = self.peek().span;
            let help =
                format!("at most {NESTING} brackets, blocks and prefix operators may be open");
            self.report(Diagnostic::error("nesting", span, "nesting too deep").help(help));
            // What follows is most likely generated: its echoes would help nobody.
            self.stop();
            return Err(Reported);
        }
        self.depth += levels;
        let result = inner(self);
        self.depth -= levels;
        result
    }
}

/// Whether a token is this sign or word of the language.
pub fn is(token: Token<'_>, text: &str) -> bool {
    matches!(token.kind, TokenKind::Sign | TokenKind::Word) && token.text == text
}

/// A token in the words of a message.
fn describe(token: Token<'_>) -> String {
    let text = token.text;
    match token.kind {
        TokenKind::End => "the end of the text".to_string(),
        TokenKind::Word => format!("the keyword `{text}`"),
        TokenKind::Name => format!("the name `{text}`"),
        TokenKind::Text => "a text".to_string(),
        TokenKind::Integer if text.len() > 20 => "a number".to_string(),
        TokenKind::Integer => format!("the number `{text}`"),
        TokenKind::Decimal | TokenKind::Bits | TokenKind::Float => "a number".to_string(),
        TokenKind::Sign => format!("`{text}`"),
    }
}
