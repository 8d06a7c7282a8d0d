//! Atoms of expressions: literals, brackets, calls, references.

use super::ast::{Access, Builtin, Call, Expr, ExprKind, IndexType, Name, NumberKind, Reference};
use super::expression::Parsed;
use super::parser::{Parser, Reported};
use super::token::{TokenKind, Word};
use sectile_base::{Diagnostic, Rat, Span};

impl Parser<'_> {
    /// A variable or an element: what can be assigned.
    pub fn reference(&mut self, what: &str) -> Parsed {
        let name = self.name(what)?;
        self.reference_after(name)
    }

    pub(super) fn atom(&mut self) -> Parsed {
        let token = self.peek();
        let kind = match token.kind {
            TokenKind::Number => return self.number(),
            TokenKind::Word(Word::True) => ExprKind::Bool(true),
            TokenKind::Word(Word::False) => ExprKind::Bool(false),
            TokenKind::LeftParen => return self.parenthesised(),
            TokenKind::LeftBracket if self.is_filled() => return self.filled(),
            TokenKind::Word(Word::Abs) => return self.builtin(Builtin::Abs),
            TokenKind::Word(Word::Min) => return self.builtin(Builtin::Min),
            TokenKind::Word(Word::Max) => return self.builtin(Builtin::Max),
            TokenKind::Word(Word::Real) => return self.builtin(Builtin::Real),
            TokenKind::Word(Word::Floor) => return self.builtin(Builtin::Floor),
            TokenKind::Reserved if self.text(token) == "keep" => return self.keep(),
            TokenKind::Name | TokenKind::Quoted => {
                self.advance();
                let name = self.name_of(token);
                if self.at(TokenKind::LeftParen) {
                    let (arguments, end) = self.arguments()?;
                    return Ok(Expr {
                        kind: ExprKind::Call(Box::new(Call { name, arguments })),
                        span: token.span.to(end),
                    });
                }
                return self.reference_after(name);
            }
            _ => return Err(self.unexpected("an expression", None)),
        };
        self.advance();
        Ok(Expr {
            kind,
            span: token.span,
        })
    }

    fn number(&mut self) -> Parsed {
        let token = self.advance();
        // What follows the digits in a malformed number has been reported by the lexer.
        let text = self.text(token);
        let end = text.find(|c: char| c != '.' && !c.is_ascii_digit());
        let digits = &text[..end.unwrap_or(text.len())];
        let kind = match digits.contains('.') {
            true => NumberKind::Decimal,
            false => NumberKind::Integer,
        };
        match digits.parse::<Rat>() {
            Ok(value) => Ok(Expr {
                kind: ExprKind::Number(value, kind),
                span: token.span,
            }),
            Err(problem) => {
                let diagnostic = Diagnostic::error("lexical", token.span, problem.to_string());
                Err(self.report(diagnostic))
            }
        }
    }

    fn parenthesised(&mut self) -> Parsed {
        let open = self.advance();
        let inner = self.expression()?;
        let end = self.close(open, TokenKind::RightParen)?;
        if self.at(TokenKind::Prime) {
            let span = self.advance().span;
            let diagnostic = Diagnostic::error("syntax", span, "only variables can be primed");
            self.report(diagnostic.help("prime the variables inside of the parentheses"));
        }
        let inner = Expr {
            kind: inner.kind,
            span: open.span.to(end.span),
        };
        self.accesses(inner, Vec::new())
    }

    /// `(a, b)` behind a name, and the place of the closing bracket.
    fn arguments(&mut self) -> Result<(Vec<Expr>, Span), Reported> {
        let open = self.expect(TokenKind::LeftParen, "`(`")?;
        let list = match self.at(TokenKind::RightParen) {
            true => Vec::new(),
            false => self.comma_list(Parser::expression)?,
        };
        let end = self.close(open, TokenKind::RightParen)?;
        Ok((list, end.span))
    }

    fn builtin(&mut self, function: Builtin) -> Parsed {
        let word = self.advance();
        let (arguments, end) = self.arguments()?;
        Ok(Expr {
            kind: ExprKind::Builtin(function, arguments),
            span: word.span.to(end),
        })
    }

    fn keep(&mut self) -> Parsed {
        let word = self.advance();
        let open = self.expect(TokenKind::LeftParen, "`(`")?;
        let list = self.comma_list(|p| p.reference("a variable"))?;
        let end = self.close(open, TokenKind::RightParen)?;
        Ok(Expr {
            kind: ExprKind::Keep(list),
            span: word.span.to(end.span),
        })
    }

    /// Indices, member and prime behind a name.
    fn reference_after(&mut self, base: Name) -> Parsed {
        let start = base.span;
        let mut prime = self.early_prime();
        if prime.is_some() && self.at(TokenKind::LeftBracket) {
            return self.elements_of_next(base, prime);
        }
        let mut accesses = Vec::new();
        let indices = self.indices(start, &mut accesses)?;
        let mut members = Vec::new();
        // Behind an update of an array there is no member any more.
        while accesses.is_empty() && self.eat(TokenKind::Dot) {
            let name = self.name("the name of a variable of the process")?;
            members.push((name, self.indices(start, &mut accesses)?));
        }
        let mut members = members.into_iter();
        let member = members.next();
        if accesses.is_empty() && self.at(TokenKind::Prime) {
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
        self.accesses(Expr { kind, span }, accesses)
    }

    /// Elements and updates behind an array, after those that were read already.
    fn accesses(&mut self, array: Expr, mut found: Vec<Access>) -> Parsed {
        while self.at(TokenKind::LeftBracket) {
            found.push(self.access(array.span)?);
        }
        let Some(last) = found.last() else {
            return Ok(array);
        };
        Ok(Expr {
            span: last.span,
            kind: ExprKind::Indexed(Box::new(array), found),
        })
    }

    /// `[i, j]` or `[i, j := v]` behind an array.
    fn access(&mut self, array: Span) -> Result<Access, Reported> {
        let open = self.advance();
        let indices = self.comma_list(Parser::expression)?;
        let value = match self.eat(TokenKind::Assign) {
            true => Some(self.expression()?),
            false => None,
        };
        let end = self.close(open, TokenKind::RightBracket)?;
        Ok(Access {
            indices,
            value,
            span: array.to(end.span),
        })
    }

    /// Whether `[int ->` comes next.
    fn is_filled(&mut self) -> bool {
        let typed = matches!(
            self.peek_at(1).kind,
            TokenKind::Name | TokenKind::Quoted | TokenKind::Reserved | TokenKind::Word(Word::Real)
        );
        let nested = self.peek_at(1).kind == TokenKind::LeftBracket;
        nested || (typed && self.peek_at(2).kind == TokenKind::ThinArrow)
    }

    /// `[int -> 0]`, an array with the same element everywhere.
    fn filled(&mut self) -> Parsed {
        let open = self.advance();
        let index = self.index_type()?;
        self.expect(TokenKind::ThinArrow, "`->`")?;
        let value = self.expression()?;
        let end = self.close(open, TokenKind::RightBracket)?;
        let array = Expr {
            kind: ExprKind::Filled(Box::new(index), Box::new(value)),
            span: open.span.to(end.span),
        };
        self.accesses(array, Vec::new())
    }

    /// The type of the indices of an array.
    fn index_type(&mut self) -> Result<IndexType, Reported> {
        let open = self.peek();
        match open.kind {
            TokenKind::Word(Word::Real) => {
                self.advance();
                Ok(IndexType::Real)
            }
            TokenKind::LeftBracket => {
                self.advance();
                self.nested(|p| {
                    let index = p.index_type()?;
                    p.close(open, TokenKind::RightBracket)?;
                    let element = p.index_type()?;
                    Ok(IndexType::Array(Box::new(index), Box::new(element)))
                })
            }
            // The simple types are words of some languages.
            TokenKind::Reserved if ["int", "bool"].contains(&self.text(open)) => {
                self.advance();
                Ok(IndexType::Named(self.name_of(open)))
            }
            _ => Ok(IndexType::Named(self.name("a type")?)),
        }
    }

    fn prime(&mut self) -> Span {
        let span = self.advance().span;
        if self.at(TokenKind::Prime) {
            let second = self.advance().span;
            let diagnostic = Diagnostic::error("syntax", second, "a variable is primed once");
            self.report(diagnostic.help("`x'` is the value of `x` after the step"));
            // Thousands of primes are one mistake.
            while self.eat(TokenKind::Prime) {}
        }
        span
    }

    /// A prime in front of indices, which arrays have, or of a dot, where it does not belong.
    fn early_prime(&mut self) -> Option<Span> {
        let next = self.peek_at(1).kind;
        let early = matches!(next, TokenKind::LeftBracket | TokenKind::Dot);
        if !self.at(TokenKind::Prime) || !early {
            return None;
        }
        let span = self.advance().span;
        if next == TokenKind::Dot {
            self.report(misplaced_prime(span));
        }
        Some(span)
    }

    /// `a'[i]`: elements of the array after the step.
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
        let whole = self.accesses(Expr { kind, span }, Vec::new())?;
        match self.at(TokenKind::Dot) {
            true => Err(self.report(misplaced_prime(prime.unwrap_or(span)))),
            false => Ok(whole),
        }
    }

    /// The indices behind a name, if there are any; an update `[i := v]` is put aside.
    fn indices(&mut self, start: Span, updates: &mut Vec<Access>) -> Result<Vec<Expr>, Reported> {
        if !self.at(TokenKind::LeftBracket) {
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

/// A prime that stands before indices or a dot.
pub fn misplaced_prime(span: Span) -> Diagnostic {
    let diagnostic = Diagnostic::error("syntax", span, "the prime comes last");
    diagnostic.help("write `f[i]'` and `P[i].x'`")
}
