//! The parser's ground: tokens with lookahead, names, brackets, messages.

use super::ast::Name;
use super::lexer::Lexer;
use super::token::{Dialect, Token, TokenKind, Word};
use sectile_base::{Diagnostic, Diagnostics, Source, Span};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// The most brackets and prefix operators that may be open at one place.
pub const NESTING: usize = 256;

/// The most operands inside of operands at one place, whatever stands between them.
const OPERANDS: usize = 600;

/// Stands for an error that has been added to the diagnostics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reported;

/// Reads tokens of one source on behalf of a language.
pub struct Parser<'s> {
    source: &'s Source,
    lexer: Lexer<'s>,
    pub(super) dialect: Dialect,
    buffer: VecDeque<Token>,
    previous: Span,
    diagnostics: Diagnostics,
    names: BTreeMap<&'s str, Arc<str>>,
    depth: usize,
    operands: usize,
    braces: usize,
    pub(super) temporal: bool,
    stopped: bool,
}

impl<'s> Parser<'s> {
    /// A parser at the beginning of the source.
    pub fn new(source: &'s Source, dialect: Dialect) -> Parser<'s> {
        Parser {
            source,
            lexer: Lexer::new(source, dialect),
            dialect,
            buffer: VecDeque::new(),
            previous: Span::default(),
            diagnostics: Diagnostics::new(),
            names: BTreeMap::new(),
            depth: 0,
            operands: 0,
            braces: 0,
            temporal: false,
            stopped: false,
        }
    }

    /// What was found wrong, and the places of the `//` comments.
    pub fn finish(self) -> (Diagnostics, Vec<Span>) {
        let comments = self.lexer.comments().to_vec();
        (self.diagnostics, comments)
    }

    /// The next token.
    pub fn peek(&mut self) -> Token {
        self.peek_at(0)
    }

    /// The token `n` places behind the next one.
    pub fn peek_at(&mut self, n: usize) -> Token {
        while self.buffer.len() <= n {
            let token = self.lexer.next(&mut self.diagnostics);
            self.buffer.push_back(token);
        }
        self.buffer[n]
    }

    /// Takes the next token.
    pub fn advance(&mut self) -> Token {
        let token = self.peek();
        self.buffer.pop_front();
        match token.kind {
            TokenKind::End => return token,
            TokenKind::LeftBrace => self.braces += 1,
            TokenKind::RightBrace => self.braces = self.braces.saturating_sub(1),
            _ => {}
        }
        self.previous = token.span;
        token
    }

    /// How many braces are open, for finding the end of a block after a mistake.
    pub fn open_braces(&self) -> usize {
        self.braces
    }

    /// Whether the next token is the first one of its line.
    pub fn at_line_start(&mut self) -> bool {
        let between = Span {
            start: self.previous.end,
            end: self.peek().span.start,
        };
        self.source.slice(between).contains('\n') || self.previous.end == 0
    }

    /// The place of the token that was taken last.
    pub fn previous(&self) -> Span {
        self.previous
    }

    /// The text of a token.
    pub fn text(&self, token: Token) -> &'s str {
        self.source.slice(token.span)
    }

    /// Whether the next token is of this kind.
    pub fn at(&mut self, kind: TokenKind) -> bool {
        self.peek().kind == kind
    }

    /// Whether the next token is this keyword of the language.
    pub fn at_reserved(&mut self, word: &str) -> bool {
        let token = self.peek();
        token.kind == TokenKind::Reserved && self.text(token) == word
    }

    /// Takes the next token if it is of this kind.
    pub fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.at(kind);
        if found {
            self.advance();
        }
        found
    }

    /// Takes the next token if it is this keyword of the language.
    pub fn eat_reserved(&mut self, word: &str) -> bool {
        let found = self.at_reserved(word);
        if found {
            self.advance();
        }
        found
    }

    /// Takes a token that must be there; `what` says what it is, with its backquotes.
    pub fn expect(&mut self, kind: TokenKind, what: &str) -> Result<Token, Reported> {
        if self.at(kind) {
            return Ok(self.advance());
        }
        Err(self.unexpected(what, None))
    }

    /// Takes the bracket that closes `open`.
    pub fn close(&mut self, open: Token, kind: TokenKind) -> Result<Token, Reported> {
        if self.at(kind) {
            return Ok(self.advance());
        }
        let what = match kind {
            TokenKind::RightParen => "`)`",
            TokenKind::RightBracket => "`]`",
            _ => "`}`",
        };
        let at = self.source.position(open.span.start);
        let help = format!(
            "it closes the `{}` at line {}, column {}",
            self.text(open),
            at.line,
            at.column
        );
        Err(self.unexpected(what, Some(help)))
    }

    /// Takes a name; `what` says what it names.
    pub fn name(&mut self, what: &str) -> Result<Name, Reported> {
        let token = self.peek();
        match token.kind {
            TokenKind::Name | TokenKind::Quoted => {
                self.advance();
                Ok(self.name_of(token))
            }
            TokenKind::Word(_) | TokenKind::Reserved => {
                let word = self.text(token);
                let message = format!("expected {what}, found the keyword `{word}`");
                let help =
                    format!("keywords cannot be names; in backquotes, `` `{word}` ``, it can");
                // On the same line it is meant as the name; on the next one it starts something.
                let meant = !self.at_line_start();
                self.report(Diagnostic::error("syntax", token.span, message).help(help));
                if !meant {
                    return Err(Reported);
                }
                self.advance();
                Ok(self.name_of(token))
            }
            _ => Err(self.unexpected(what, None)),
        }
    }

    /// The name that a token is.
    pub(super) fn name_of(&mut self, token: Token) -> Name {
        let quoted = token.kind == TokenKind::Quoted;
        let text = self.text(token);
        let text = if quoted { text.trim_matches('`') } else { text };
        let shared = self.names.entry(text).or_insert_with(|| Arc::from(text));
        Name {
            text: shared.clone(),
            span: token.span,
            quoted,
        }
    }

    /// Reports that something else was expected here.
    pub fn unexpected(&mut self, expected: &str, help: Option<String>) -> Reported {
        let token = self.peek();
        let found = self.describe(token);
        let mut diagnostic = Diagnostic::error(
            "syntax",
            self.gap_before(token),
            format!("expected {expected}, found {found}"),
        );
        diagnostic.help = help;
        self.report(diagnostic)
    }

    /// The place where a missing token belongs: on the line of what stands before it.
    fn gap_before(&self, token: Token) -> Span {
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

    /// A token in the words of a message.
    pub fn describe(&self, token: Token) -> String {
        let text = self.text(token);
        match token.kind {
            TokenKind::End => "the end of the text".to_string(),
            TokenKind::Word(_) | TokenKind::Reserved => format!("the keyword `{text}`"),
            TokenKind::Name => format!("the name `{text}`"),
            TokenKind::Quoted => format!("the name {text}"),
            TokenKind::Number if text.len() > 20 => "a number".to_string(),
            TokenKind::Number => format!("the number `{text}`"),
            _ => format!("`{text}`"),
        }
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

    /// Runs `inner` one level deeper.
    pub fn nested<T>(
        &mut self,
        inner: impl FnOnce(&mut Parser<'s>) -> Result<T, Reported>,
    ) -> Result<T, Reported> {
        if self.depth == NESTING {
            return Err(self.too_deep());
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    /// Runs `inner` as one more operand inside of operands. These are limited as well: the stack
    /// must do for all levels of operators between the brackets.
    pub(super) fn operand_inside<T>(
        &mut self,
        inner: impl FnOnce(&mut Parser<'s>) -> Result<T, Reported>,
    ) -> Result<T, Reported> {
        if self.operands == OPERANDS {
            return Err(self.too_deep());
        }
        self.operands += 1;
        let result = inner(self);
        self.operands -= 1;
        result
    }

    fn too_deep(&mut self) -> Reported {
        let span = self.peek().span;
        let diagnostic = Diagnostic::error("nesting", span, "nesting too deep").help(format!(
            "at most {NESTING} brackets and prefix operators may be open; name parts by definitions"
        ));
        self.report(diagnostic);
        // What follows is most likely generated: its echoes would help nobody.
        self.stop();
        Reported
    }

    /// One or more of something, with commas between.
    pub fn comma_list<T>(
        &mut self,
        mut item: impl FnMut(&mut Parser<'s>) -> Result<T, Reported>,
    ) -> Result<Vec<T>, Reported> {
        let mut list = vec![item(self)?];
        while self.eat(TokenKind::Comma) {
            list.push(item(self)?);
        }
        Ok(list)
    }

    /// Whether the token is a keyword of expressions.
    pub(super) fn at_word(&mut self, word: Word) -> bool {
        self.at(TokenKind::Word(word))
    }
}
