//! Parses atoms of expressions: literals, parentheses, calls, references.

use super::ast::{Access, Builtin, Call, Expr, ExprKind, Name, NumberKind, Reference, TypeItem};
use super::lexer::TokenKind;
use super::parser::{Parsed, Parser};
use crate::messages::Report as _;
use sectile_base::{Diagnostic, Rat, Span};

const BUILTINS: [Builtin; 4] = [Builtin::Abs, Builtin::Min, Builtin::Max, Builtin::Real];

/// The advice about types of indices.
pub const INDICES_HELP: &str = "indices are `int`, `real` or `bool`";

impl<'s> Parser<'s> {
    /// A variable or an element of one, as the target of an assignment.
    pub fn reference(&mut self, what: &str) -> Parsed {
        let name = self.name(what)?;
        self.reference_after(name)
    }

    pub(super) fn atom(&mut self) -> Parsed {
        let token = self.peek();
        match (token.kind, token.text) {
            (TokenKind::Integer | TokenKind::Decimal, _) => self.number(),
            (TokenKind::Word, "true" | "false") => Ok(self.truth_value()),
            (TokenKind::Sign, "(") => self.parenthesised(),
            (TokenKind::Sign, "[") if self.is_filled() => self.filled(),
            (TokenKind::Sign, "{") if self.peek_at(1).is_name() && self.at_ahead(2, "=") => {
                self.nested(Parser::record)
            }
            (TokenKind::Word, "keep") => self.keep(),
            (TokenKind::Word, _) if self.is_taken_for_name() && !self.at_ahead(1, "(") => {
                self.advance();
                let name = self.name_of(token);
                self.reference_after(name)
            }
            (TokenKind::Word, text) => match BUILTINS.iter().find(|b| b.name() == text) {
                Some(function) if self.at_ahead(1, "(") || !self.is_misused() => {
                    self.advance();
                    self.builtin(token.span, *function)
                }
                None if !self.is_misused() => Err(self.unexpected("an expression", None)),
                _ => {
                    self.take_for_name("an expression")?;
                    self.advance();
                    let name = self.name_of(token);
                    self.reference_after(name)
                }
            },
            // An ordinary name unless a parenthesis follows.
            (TokenKind::Name, "floor") if self.at_ahead(1, "(") => {
                self.advance();
                self.builtin(token.span, Builtin::Floor)
            }
            (TokenKind::Name | TokenKind::Quoted, _) => {
                self.advance();
                let name = self.name_of(token);
                match self.at("(") {
                    true => self.call(name),
                    false => self.reference_after(name),
                }
            }
            _ => Err(self.unexpected("an expression", None)),
        }
    }

    /// Whether the next keyword is probably meant as a name: it belongs to declarations, and
    /// follows another token on the same line.
    fn is_misused(&mut self) -> bool {
        let token = self.peek();
        let declares = self.language.words[1..]
            .iter()
            .any(|w| w.contains(&token.text));
        let builtin = BUILTINS.iter().any(|b| b.name() == token.text);
        (declares || builtin)
            && self.language.takes_keywords_for_names
            && !self.at_line_start()
            && !["where", "when", "any", "havoc", "skip"].contains(&token.text)
    }

    /// `true` or `false`, which is the next token.
    pub fn truth_value(&mut self) -> Expr {
        let token = self.advance();
        Expr::at(token.span, ExprKind::Bool(token.text == "true"))
    }

    /// A number without an exponent.
    pub fn number(&mut self) -> Parsed {
        let token = self.advance();
        // The rest of a malformed number has been reported by the lexer.
        let end = token.text.find(|c: char| c != '.' && !c.is_ascii_digit());
        let digits = &token.text[..end.unwrap_or(token.text.len())];
        let kind = match token.kind {
            TokenKind::Decimal => NumberKind::Decimal,
            _ => NumberKind::Integer,
        };
        match digits.parse::<Rat>() {
            Ok(value) => Ok(Expr::at(token.span, ExprKind::Number(value, kind))),
            Err(problem) => Err(self.error("lexical", token.span, problem.to_string(), "")),
        }
    }

    fn parenthesised(&mut self) -> Parsed {
        let open = self.advance().span;
        let inner = self.with_arrow(false, Parser::expression)?;
        let end = self.close(open, ")")?;
        if self.at("'") {
            let span = self.advance().span;
            let help = "prime the variables inside of the parentheses";
            self.wrong(span, "only variables can be primed", help);
        }
        let inner = Expr::at(open.to(end.span), inner.kind);
        self.accesses(inner, Vec::new())
    }

    /// Reads the arguments `(a, b)` of a call, and the position of the closing parenthesis.
    fn arguments(&mut self) -> Parsed<(Vec<Expr>, Span)> {
        let open = self.expect("(")?.span;
        let list = self.optional_list(")", Parser::expression)?;
        let end = self.close(open, ")")?;
        Ok((list, end.span))
    }

    /// A call whose name has been read.
    pub fn call(&mut self, name: Name) -> Parsed {
        let (arguments, end) = self.arguments()?;
        let mut fields = Vec::new();
        while self.eat(".") {
            fields.push(self.name("the name of a field")?);
        }
        let span = name.span.to(fields.last().map_or(end, |f| f.span));
        let kind = ExprKind::Call(Box::new(Call {
            name,
            arguments,
            fields,
        }));
        Ok(Expr::at(span, kind))
    }

    /// A call of a function whose name is a keyword, which has been read.
    pub fn builtin(&mut self, word: Span, function: Builtin) -> Parsed {
        let (arguments, end) = self.arguments()?;
        let kind = ExprKind::Builtin(function, arguments);
        Ok(Expr::at(word.to(end), kind))
    }

    fn keep(&mut self) -> Parsed {
        let word = self.advance();
        let open = self.expect("(")?.span;
        let list = self.comma_list(|p| p.reference("a variable"))?;
        let end = self.close(open, ")")?;
        Ok(Expr::at(word.span.to(end.span), ExprKind::Keep(list)))
    }

    /// The indices, members and prime after a name.
    fn reference_after(&mut self, base: Name) -> Parsed {
        let start = base.span;
        let mut prime = self.early_prime();
        if prime.is_some() && self.at("[") {
            return self.elements_of_next(base, prime);
        }
        let mut accesses = Vec::new();
        let indices = self.indices(start, &mut accesses)?;
        let mut members = Vec::new();
        // After an array update there are no members.
        while accesses.is_empty() && self.eat(".") {
            let name = self.name("the name of a variable of the process")?;
            members.push((name, self.indices(start, &mut accesses)?));
        }
        let mut members = members.into_iter();
        let member = members.next();
        if accesses.is_empty() && self.at("'") {
            prime = Some(self.prime());
        }
        let span = start.to(self.previous());
        let plain = indices.is_empty() && member.is_none() && prime.is_none();
        let kind = if plain {
            ExprKind::Name(base)
        } else {
            ExprKind::Reference(Box::new(Reference {
                base,
                indices,
                member,
                further: members.collect(),
                prime,
            }))
        };
        self.accesses(Expr::at(span, kind), accesses)
    }

    /// Element accesses and updates after an array; `found` has already been read.
    fn accesses(&mut self, array: Expr, mut found: Vec<Access>) -> Parsed {
        while self.at("[") {
            found.push(self.access(array.span)?);
        }
        let Some(last) = found.last() else {
            return Ok(array);
        };
        let span = last.span;
        Ok(Expr::at(span, ExprKind::Indexed(Box::new(array), found)))
    }

    /// Reads `[i, j]` or `[i, j := v]` after an array.
    fn access(&mut self, array: Span) -> Parsed<Access> {
        let open = self.advance().span;
        let indices = self.comma_list(Parser::expression)?;
        let value = self.behind(":=")?;
        let end = self.close(open, "]")?;
        Ok(Access {
            indices,
            value,
            span: array.to(end.span),
        })
    }

    /// Whether `[int ->` comes next.
    fn is_filled(&mut self) -> bool {
        let index = self.peek_at(1);
        let own = index.is("real") || self.language.words[1].contains(&index.text);
        index.is("[") || ((own || index.is_name()) && self.at_ahead(2, "->"))
    }

    /// Reads `{kind = ask, from = i}`.
    fn record(&mut self) -> Parsed {
        let open = self.advance().span;
        let fields = self.comma_list(|p| {
            let name = p.name("the name of a field")?;
            p.expect_with("=", "a record is written `{kind = ask, from = i}`")?;
            Ok((name, p.expression()?))
        })?;
        let end = self.close(open, "}")?;
        Ok(Expr::at(open.to(end.span), ExprKind::Record(fields)))
    }

    /// Reads `record {kind : kinds, from : 0..n-1}`, after its first word.
    fn record_type(&mut self, start: Span, help: &str) -> Parsed<TypeItem> {
        let open = self.expect("{")?.span;
        let fields = self.comma_list(|p| {
            let name = p.name("the name of a field")?;
            p.expect_with(":", "a field has a type: `record {kind : int}`")?;
            Ok((name, p.type_item(help)?))
        })?;
        let end = self.close(open, "}")?;
        Ok(TypeItem::Record(fields, start.to(end.span)))
    }

    /// Reads `[int -> 0]`, an array with the same element everywhere.
    fn filled(&mut self) -> Parsed {
        let open = self.advance().span;
        let index = self.type_item(INDICES_HELP)?;
        self.expect("->")?;
        let value = self.expression()?;
        let end = self.close(open, "]")?;
        let kind = ExprKind::Filled(Box::new(index), Box::new(value));
        self.accesses(Expr::at(open.to(end.span), kind), Vec::new())
    }

    /// Reads a type; `help` lists the types.
    pub fn type_item(&mut self, help: &str) -> Parsed<TypeItem> {
        let token = self.peek();
        let simple = match token.text {
            _ if token.kind != TokenKind::Word => None,
            "bool" => Some(TypeItem::Bool),
            "int" => Some(TypeItem::Int),
            "nat" => Some(TypeItem::Nat),
            "real" if !self.at_ahead(1, "(") => Some(TypeItem::Real),
            _ => None,
        };
        if let Some(simple) = simple {
            self.advance();
            return Ok(simple);
        }
        if self.at("{") {
            return Ok(TypeItem::Values(self.values()?));
        }
        if token.kind == TokenKind::Name && token.text == "record" && self.at_ahead(1, "{") {
            self.advance();
            return self.nested(|p| p.record_type(token.span, help));
        }
        if self.eat("[") {
            return self.nested(|p| {
                let index = p.type_item(help)?;
                p.close(token.span, "]")?;
                let element = p.type_item(help)?;
                let span = token.span.to(p.previous());
                Ok(TypeItem::Array(Box::new(index), Box::new(element), span))
            });
        }
        let number = matches!(token.kind, TokenKind::Integer | TokenKind::Decimal);
        if !number && !token.is_name() && !self.at_any(&["-", "(", "abs", "min", "max", "floor"]) {
            return Err(self.unexpected("a type", Some(help)));
        }
        let low = self.arithmetic()?;
        if self.eat("..") {
            return Ok(TypeItem::Range(low, self.arithmetic()?));
        }
        match low.kind {
            ExprKind::Name(name) => Ok(TypeItem::Named(name)),
            _ => Err(self.unexpected("`..`", Some(help))),
        }
    }

    /// Reads `{a, b, c}`, the values of an enumeration.
    pub fn values(&mut self) -> Parsed<Vec<Name>> {
        let open = self.expect("{")?.span;
        let list = self.comma_list(|p| p.name("a value"))?;
        self.close(open, "}")?;
        Ok(list)
    }

    fn prime(&mut self) -> Span {
        let span = self.advance().span;
        if self.at("'") {
            let second = self.advance().span;
            let help = "`x'` is the value of `x` after the step";
            self.wrong(second, "a variable is primed once", help);
            // Report repeated primes only once.
            while self.eat("'") {}
        }
        span
    }

    /// A prime before indices, which is allowed for arrays, or before a dot, where it is misplaced.
    fn early_prime(&mut self) -> Option<Span> {
        let dot = self.at_ahead(1, ".");
        if !self.at("'") || !(dot || self.at_ahead(1, "[")) {
            return None;
        }
        let span = self.advance().span;
        if dot {
            self.report(misplaced_prime(span));
        }
        Some(span)
    }

    /// Reads `a'[i]`: an element of the array after the step.
    fn elements_of_next(&mut self, base: Name, prime: Option<Span>) -> Parsed {
        let span = base.span.to(self.previous());
        let array = Reference {
            base,
            indices: Vec::new(),
            member: None,
            further: Vec::new(),
            prime,
        };
        let kind = ExprKind::Reference(Box::new(array));
        let whole = self.accesses(Expr::at(span, kind), Vec::new())?;
        match self.at(".") {
            true => Err(self.report(misplaced_prime(prime.unwrap_or(span)))),
            false => Ok(whole),
        }
    }

    /// The indices after a name, if any; updates `[i := v]` are added to `updates`.
    fn indices(&mut self, start: Span, updates: &mut Vec<Access>) -> Parsed<Vec<Expr>> {
        if !self.at("[") {
            return Ok(Vec::new());
        }
        let access = self.access(start)?;
        if access.value.is_none() {
            return Ok(access.indices);
        }
        updates.push(access);
        Ok(Vec::new())
    }
}

/// The error for a prime before indices or a dot.
pub fn misplaced_prime(span: Span) -> Diagnostic {
    let diagnostic = Diagnostic::error("syntax", span, "the prime comes last");
    diagnostic.help("write `f[i]'` and `P[i].x'`")
}
