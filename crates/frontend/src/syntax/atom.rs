//! Atoms of expressions: literals, brackets, calls, references.

use super::ast::{Builtin, Call, Expr, ExprKind, Name, NumberKind, Reference};
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
        Ok(Expr {
            kind: inner.kind,
            span: open.span.to(end.span),
        })
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
        let mut prime = self.misplaced_prime();
        let indices = self.indices()?;
        let mut members = Vec::new();
        while self.eat(TokenKind::Dot) {
            let name = self.name("the name of a variable of the process")?;
            members.push((name, self.indices()?));
        }
        let mut members = members.into_iter();
        let member = members.next();
        if self.at(TokenKind::Prime) {
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
        Ok(Expr { kind, span })
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

    /// A prime in front of the indices, where it does not belong.
    fn misplaced_prime(&mut self) -> Option<Span> {
        let next = self.peek_at(1).kind;
        let misplaced = matches!(next, TokenKind::LeftBracket | TokenKind::Dot);
        if !self.at(TokenKind::Prime) || !misplaced {
            return None;
        }
        let span = self.advance().span;
        let diagnostic = Diagnostic::error("syntax", span, "the prime comes last");
        self.report(diagnostic.help("write `f[i]'` and `P[i].x'`"));
        Some(span)
    }

    fn indices(&mut self) -> Result<Vec<Expr>, Reported> {
        let open = self.peek();
        if !self.eat(TokenKind::LeftBracket) {
            return Ok(Vec::new());
        }
        let list = self.comma_list(Parser::expression)?;
        self.close(open, TokenKind::RightBracket)?;
        Ok(list)
    }
}
