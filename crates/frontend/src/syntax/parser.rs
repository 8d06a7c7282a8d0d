//! The basis of all parsers: tokens with lookahead, names, brackets, messages.

use super::ast::{Arm, Expr, Name};
use super::language::Language;
use super::lexer::{Lexer, Token, TokenKind};
use crate::messages::{Report, Reported};
use sectile_base::{Diagnostic, Diagnostics, Source, Span};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

/// The maximum nesting of brackets, blocks and prefix operators.
pub const NESTING: usize = 256;

/// A result, unless an error was reported.
pub type Parsed<T = Expr> = Result<T, Reported>;

/// Reads the tokens of a source according to a language.
pub struct Parser<'s> {
    source: &'s Source,
    lexer: Lexer<'s>,
    pub(super) language: Language,
    buffer: VecDeque<Token<'s>>,
    previous: Span,
    diagnostics: Diagnostics,
    names: BTreeMap<&'s str, Arc<str>>,
    depth: usize,
    braces: usize,
    pub(super) temporal: bool,
    /// Whether temporal operators are those of linear time.
    pub(super) linear: bool,
    /// Whether `->` ends the expression, because `-->` was probably meant.
    pub(super) arrow_ends: bool,
    /// Keywords that were reported as names and are not reported again.
    taken_for_names: BTreeSet<&'s str>,
    stopped: bool,
    /// The positions where declarations and statements begin.
    pub starts: BTreeSet<u32>,
    /// The type parameters of the current declaration.
    pub type_parameters: Vec<Arc<str>>,
}

impl<'s> Parser<'s> {
    /// A parser at the beginning of the source.
    pub fn new(source: &'s Source, language: impl Into<Language>) -> Parser<'s> {
        let language = language.into();
        Parser {
            source,
            lexer: Lexer::new(source, language),
            language,
            buffer: VecDeque::new(),
            previous: Span::default(),
            diagnostics: Diagnostics::new(),
            names: BTreeMap::new(),
            depth: 0,
            braces: 0,
            temporal: false,
            linear: false,
            arrow_ends: false,
            taken_for_names: BTreeSet::new(),
            stopped: false,
            starts: BTreeSet::new(),
            type_parameters: Vec::new(),
        }
    }

    /// The errors and warnings, and the positions of the comments.
    pub fn finish(self) -> (Diagnostics, Vec<Span>) {
        (self.diagnostics, self.lexer.comments)
    }

    /// The next token.
    pub fn peek(&mut self) -> Token<'s> {
        self.peek_at(0)
    }

    /// Records that a declaration or a statement begins here.
    pub fn begin(&mut self) {
        let start = self.peek().span.start;
        self.starts.insert(start);
    }

    /// The token `n` positions after the next one.
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
        if token.kind == TokenKind::End {
            return token;
        }
        if token.is("{") {
            self.braces += 1;
        } else if token.is("}") {
            self.braces = self.braces.saturating_sub(1);
        }
        self.previous = token.span;
        token
    }

    /// The number of open braces, for finding the end of a block after an error.
    pub fn open_braces(&self) -> usize {
        self.braces
    }

    /// Whether the next token is the first one of its line.
    pub fn at_line_start(&mut self) -> bool {
        let next = self.peek();
        self.line_ends_before(next) || self.previous.end == 0
    }

    fn line_ends_before(&self, token: Token<'s>) -> bool {
        let between = Span {
            start: self.previous.end,
            end: token.span.start,
        };
        self.source.slice(between).contains('\n')
    }

    /// The position of the last token that was taken.
    pub fn previous(&self) -> Span {
        self.previous
    }

    /// The text of the last token that was taken.
    pub fn previous_text(&self) -> &'s str {
        self.source.slice(self.previous)
    }

    /// Whether the end of the text is reached.
    pub fn at_end(&mut self) -> bool {
        self.peek().kind == TokenKind::End
    }

    /// Whether the next token is this keyword or sign.
    pub fn at(&mut self, text: &str) -> bool {
        self.peek().is(text)
    }

    /// Whether the next token is one of these.
    pub fn at_any(&mut self, texts: &[&str]) -> bool {
        let token = self.peek();
        texts.iter().any(|text| token.is(text))
    }

    /// Whether the token `n` positions after the next one is this keyword or sign.
    pub fn at_ahead(&mut self, n: usize, text: &str) -> bool {
        self.peek_at(n).is(text)
    }

    /// Takes the next token if it is this keyword or sign.
    pub fn eat(&mut self, text: &str) -> bool {
        let found = self.at(text);
        if found {
            self.advance();
        }
        found
    }

    /// Takes a keyword or sign that is required here.
    pub fn expect(&mut self, text: &str) -> Parsed<Token<'s>> {
        self.expect_as(text, &format!("`{text}`"), None)
    }

    /// The same with advice.
    pub fn expect_with(&mut self, text: &str, help: &str) -> Parsed<Token<'s>> {
        self.expect_as(text, &format!("`{text}`"), Some(help))
    }

    /// The same with a description of what is expected.
    pub fn expect_as(&mut self, text: &str, what: &str, help: Option<&str>) -> Parsed<Token<'s>> {
        if self.at(text) {
            return Ok(self.advance());
        }
        Err(self.unexpected(what, help))
    }

    /// Takes the bracket that closes the one at `open`.
    pub fn close(&mut self, open: Span, text: &str) -> Parsed<Token<'s>> {
        if self.at(text) {
            return Ok(self.advance());
        }
        let (at, sign) = (self.source.position(open.start), self.source.slice(open));
        let (line, column) = (at.line, at.column);
        let help = format!("it closes the `{sign}` at line {line}, column {column}");
        Err(self.unexpected(&format!("`{text}`"), Some(&help)))
    }

    /// Takes a name; `what` describes what it names.
    pub fn name(&mut self, what: &str) -> Parsed<Name> {
        let token = self.peek();
        let keyword = token.kind == TokenKind::Word;
        if !keyword && !token.is_name() {
            return Err(self.unexpected(what, None));
        }
        if keyword && !self.is_taken_for_name() {
            self.take_for_name(what)?;
        }
        self.advance();
        Ok(self.name_of(token))
    }

    /// Whether the next token is a keyword that was reported as a name before.
    pub fn is_taken_for_name(&mut self) -> bool {
        let token = self.peek();
        token.kind == TokenKind::Word && self.taken_for_names.contains(token.text)
    }

    /// Reports that the next token is a keyword, which was probably meant as a name.
    pub(super) fn take_for_name(&mut self, what: &str) -> Parsed<()> {
        let token = self.peek();
        let help = self.language.help.keyword.replace("{}", token.text);
        if !self.language.takes_keywords_for_names {
            return Err(self.unexpected(what, Some(&help)));
        }
        let message = format!("expected {what}, found {}", describe(token));
        // On the same line, the keyword is meant as a name; on the next one it begins a declaration
        // or statement.
        let meant = !self.at_line_start();
        self.wrong(token.span, message, &help);
        if !meant {
            return Err(Reported);
        }
        self.taken_for_names.insert(token.text);
        Ok(())
    }

    /// The name of a token.
    pub fn name_of(&mut self, token: Token<'s>) -> Name {
        let text = token.text;
        let shared = self.names.entry(text).or_insert_with(|| Arc::from(text));
        Name {
            text: shared.clone(),
            span: token.span,
            quoted: token.kind == TokenKind::Quoted,
        }
    }

    /// Reports that something else was expected here.
    pub fn unexpected(&mut self, expected: &str, help: Option<&str>) -> Reported {
        let token = self.peek();
        let message = format!("expected {expected}, found {}", describe(token));
        self.wrong(self.gap_before(token), message, help.unwrap_or_default())
    }

    /// The position for a missing token: on the line of the token before it.
    fn gap_before(&self, token: Token<'s>) -> Span {
        let next_line = self.line_ends_before(token);
        if (next_line || token.kind == TokenKind::End) && self.previous.end > 0 {
            let end = self.previous.end as usize;
            return Span::new(end, end);
        }
        token.span
    }

    /// Reports a syntax error.
    pub fn wrong(&mut self, span: Span, message: impl Into<String>, help: &str) -> Reported {
        self.error("syntax", span, message, help)
    }

    /// Stops reading.
    fn stop(&mut self) {
        self.stopped = true;
        self.lexer.stopped = true;
        self.buffer.clear();
    }

    /// Runs `inner` one level deeper.
    pub fn nested<T>(&mut self, inner: impl FnOnce(&mut Parser<'s>) -> Parsed<T>) -> Parsed<T> {
        if self.depth == NESTING {
            let span = self.peek().span;
            let help = self.language.help.about_nesting();
            self.error("nesting", span, "nesting too deep", help);
            // The rest is most likely generated: more messages would not help.
            self.stop();
            return Err(Reported);
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    /// Reads `(Q)`, or `(*)` for a nondeterministic choice.
    pub fn condition(&mut self, help: &str) -> Parsed<Option<Expr>> {
        let open = self.expect_with("(", help)?.span;
        let condition = match self.eat("*") {
            true => None,
            false => Some(self.expression()?),
        };
        self.close(open, ")")?;
        Ok(condition)
    }

    /// Reads `if (Q) a else if (R) b else c`.
    pub fn conditional_statement<B>(
        &mut self,
        help: &str,
        body: fn(&mut Parser<'s>) -> Parsed<B>,
    ) -> Parsed<(Vec<Arm<B>>, Option<B>)> {
        let mut arms = Vec::new();
        loop {
            let start = self.advance().span;
            let condition = self.condition(help)?;
            let span = start.to(self.previous());
            let body_of_arm = body(self)?;
            arms.push(Arm {
                condition,
                body: body_of_arm,
                span,
            });
            if !self.eat("else") {
                return Ok((arms, None));
            }
            if !self.at("if") {
                return Ok((arms, Some(body(self)?)));
            }
        }
    }

    /// Reads one or more items, separated by commas.
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

    /// The same for zero or more items, up to a closing bracket.
    pub fn optional_list<T>(
        &mut self,
        close: &str,
        item: impl FnMut(&mut Parser<'s>) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        match self.at(close) {
            true => Ok(Vec::new()),
            false => self.comma_list(item),
        }
    }
}

impl Report for Parser<'_> {
    /// Adds a message. After too many messages, the rest of the text is not read.
    fn report(&mut self, diagnostic: Diagnostic) -> Reported {
        // After the lexer has given up, errors of the parser are only consequences.
        if !self.stopped && !self.lexer.stopped {
            self.diagnostics.push(diagnostic);
            if self.diagnostics.is_full() {
                self.stop();
            }
        }
        Reported
    }
}

/// A token as it is described in messages.
pub fn describe(token: Token<'_>) -> String {
    let text = token.text;
    match token.kind {
        TokenKind::End => "the end of the text".to_string(),
        TokenKind::Word => format!("the keyword `{text}`"),
        TokenKind::Name | TokenKind::Quoted => format!("the name `{text}`"),
        TokenKind::Text => "a text".to_string(),
        TokenKind::Bits | TokenKind::Float => "a number".to_string(),
        TokenKind::Integer | TokenKind::Decimal if text.len() > 20 => "a number".to_string(),
        TokenKind::Integer | TokenKind::Decimal => format!("the number `{text}`"),
        TokenKind::Sign => format!("`{text}`"),
    }
}
