//! Expressions by operator precedence.

use super::ast::{
    Binder, Comparison, Connective, Expr, ExprKind, Factor, Quantified, Quantifier, Sign, Temporal,
};
use super::parser::{Parser, Reported};
use super::token::{Token, TokenKind, Word};
use sectile_base::{Diagnostic, Span};

/// How tightly operators bind, from loose to tight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Iff,
    Implies,
    Or,
    And,
    Not,
    Compare,
    Sum,
    Product,
    Unary,
}

pub(super) type Parsed = Result<Expr, Reported>;

const QUANTIFIERS: &str = "quantifiers are written `forall i in lo..hi: ...`";

impl Parser<'_> {
    /// An expression of any kind.
    pub fn expression(&mut self) -> Parsed {
        self.nested(|p| p.operators(Level::Iff))
    }

    /// An expression in which temporal operators may stand.
    pub fn temporal_formula(&mut self) -> Parsed {
        let before = std::mem::replace(&mut self.temporal, true);
        let result = self.expression();
        self.temporal = before;
        result
    }

    /// An expression without comparisons and connectives, such as a bound of a range.
    pub fn arithmetic(&mut self) -> Parsed {
        self.nested(|p| p.operators(Level::Sum))
    }

    /// An operand and all operators that bind at least as tightly as `loosest`.
    fn operators(&mut self, loosest: Level) -> Parsed {
        self.operand_inside(|p| p.operators_here(loosest))
    }

    fn operators_here(&mut self, loosest: Level) -> Parsed {
        let mut left = self.operand(loosest)?;
        while let Some(level) = self.operator_level() {
            if level < loosest {
                break;
            }
            left = match level {
                Level::Iff => self.connected(left, Connective::Iff, Level::Iff, Level::Implies)?,
                Level::Implies => {
                    self.connected(left, Connective::Implies, Level::Implies, Level::Or)?
                }
                Level::Or => self.connected(left, Connective::Or, Level::Or, Level::And)?,
                Level::And => self.connected(left, Connective::And, Level::And, Level::Not)?,
                Level::Not | Level::Compare => self.compared(left)?,
                Level::Sum => self.sum(left)?,
                Level::Product | Level::Unary => self.product(left)?,
            };
        }
        Ok(left)
    }

    /// The level of the operator that comes next, if one does.
    fn operator_level(&mut self) -> Option<Level> {
        Some(match self.peek().kind {
            TokenKind::Iff | TokenKind::ThinIff => Level::Iff,
            TokenKind::Implies | TokenKind::ThinArrow => Level::Implies,
            TokenKind::Word(Word::Or) | TokenKind::DoubleOr => Level::Or,
            TokenKind::Word(Word::And) | TokenKind::DoubleAnd => Level::And,
            TokenKind::Equal
            | TokenKind::DoubleEqual
            | TokenKind::NotEqual
            | TokenKind::Less
            | TokenKind::LessEqual
            | TokenKind::Greater
            | TokenKind::GreaterEqual
            | TokenKind::Word(Word::In) => Level::Compare,
            TokenKind::Plus | TokenKind::Minus => Level::Sum,
            TokenKind::Star | TokenKind::Slash | TokenKind::Word(Word::Div | Word::Mod) => {
                Level::Product
            }
            _ => return None,
        })
    }

    /// Takes an operator, with a message where it belongs to another language.
    fn operator(&mut self) -> Token {
        let token = self.advance();
        let instead = match token.kind {
            TokenKind::ThinIff => "<=>",
            TokenKind::ThinArrow => "=>",
            TokenKind::DoubleOr => "or",
            TokenKind::DoubleAnd => "and",
            TokenKind::DoubleEqual => "=",
            TokenKind::Bang => "not",
            _ => return token,
        };
        if !self.dialect.c_operators {
            let message = format!("`{}` is not an operator here", self.text(token));
            let diagnostic = Diagnostic::error("syntax", token.span, message);
            self.report(diagnostic.help(format!("write `{instead}`")));
        }
        token
    }

    fn connected(&mut self, first: Expr, kind: Connective, level: Level, next: Level) -> Parsed {
        let mut list = vec![first];
        while self.operator_level() == Some(level) {
            self.operator();
            list.push(self.operators(next)?);
        }
        Ok(spanning(list, |list| ExprKind::Connected(kind, list)))
    }

    fn compared(&mut self, first: Expr) -> Parsed {
        let mut span = first.span;
        let mut rest = Vec::new();
        while self.operator_level() == Some(Level::Compare) {
            let comparison = match self.operator().kind {
                TokenKind::NotEqual => Comparison::NotEqual,
                TokenKind::Less => Comparison::Less,
                TokenKind::LessEqual => Comparison::LessEqual,
                TokenKind::Greater => Comparison::Greater,
                TokenKind::GreaterEqual => Comparison::GreaterEqual,
                TokenKind::Word(Word::In) => Comparison::In,
                _ => Comparison::Equal,
            };
            let operand = match comparison {
                Comparison::In => self.collection()?,
                _ => self.operators(Level::Sum)?,
            };
            span = span.to(operand.span);
            rest.push((comparison, operand));
        }
        let kind = ExprKind::Compared(Box::new(first), rest);
        Ok(Expr { kind, span })
    }

    /// What stands behind `in`: `{a, b}` or `lo..hi`.
    fn collection(&mut self) -> Parsed {
        let open = self.peek();
        if self.eat(TokenKind::LeftBrace) {
            let members = self.nested(|p| p.comma_list(Parser::expression))?;
            let end = self.close(open, TokenKind::RightBrace)?;
            return Ok(Expr {
                kind: ExprKind::Set(members),
                span: open.span.to(end.span),
            });
        }
        let (low, high) = self.range()?;
        Ok(Expr {
            span: low.span.to(high.span),
            kind: ExprKind::Range(Box::new((low, high))),
        })
    }

    /// `lo..hi`.
    pub fn range(&mut self) -> Result<(Expr, Expr), Reported> {
        let low = self.arithmetic()?;
        if !self.at(TokenKind::DotDot) {
            let help = "a range is written `lo..hi`, a set of values `{a, b}`".to_string();
            return Err(self.unexpected("`..`", Some(help)));
        }
        self.advance();
        Ok((low, self.arithmetic()?))
    }

    fn sum(&mut self, first: Expr) -> Parsed {
        let mut span = first.span;
        let mut list = vec![(Sign::Plus, first)];
        while self.operator_level() == Some(Level::Sum) {
            let sign = match self.advance().kind {
                TokenKind::Plus => Sign::Plus,
                _ => Sign::Minus,
            };
            let operand = self.operators(Level::Product)?;
            span = span.to(operand.span);
            list.push((sign, operand));
        }
        let kind = ExprKind::Sum(list);
        Ok(Expr { kind, span })
    }

    fn product(&mut self, first: Expr) -> Parsed {
        let mut span = first.span;
        let mut list = Vec::new();
        while self.operator_level() == Some(Level::Product) {
            let factor = match self.advance().kind {
                TokenKind::Star => Factor::Times,
                TokenKind::Slash => Factor::Over,
                TokenKind::Word(Word::Div) => Factor::Div,
                _ => Factor::Mod,
            };
            let operand = self.operators(Level::Unary)?;
            span = span.to(operand.span);
            list.push((factor, operand));
        }
        let kind = ExprKind::Product(Box::new(first), list);
        Ok(Expr { kind, span })
    }

    /// A prefix operator with its operand, or an atom.
    fn operand(&mut self, context: Level) -> Parsed {
        let token = self.peek();
        match token.kind {
            TokenKind::Word(Word::Not) | TokenKind::Bang => self.negation(token, context),
            TokenKind::Minus => {
                self.advance();
                let inner = self.nested(|p| p.operators(Level::Unary))?;
                let span = token.span.to(inner.span);
                let kind = ExprKind::Negate(Box::new(inner));
                Ok(Expr { kind, span })
            }
            TokenKind::Word(Word::If) => self.conditional(),
            TokenKind::Word(Word::Forall) => self.quantified(Quantifier::Forall),
            TokenKind::Word(Word::Exists) => self.quantified(Quantifier::Exists),
            TokenKind::Word(Word::Max) if !self.call_follows() => self.quantified(Quantifier::Max),
            TokenKind::Word(Word::Min) if !self.call_follows() => self.quantified(Quantifier::Min),
            TokenKind::Name => match self.text(token) {
                "sum" if self.binder_follows() => self.quantified(Quantifier::Sum),
                "count" if self.binder_follows() => self.quantified(Quantifier::Count),
                _ if self.temporal => self.temporal_operand(context),
                _ => self.atom(),
            },
            _ => self.atom(),
        }
    }

    fn call_follows(&mut self) -> bool {
        self.peek_at(1).kind == TokenKind::LeftParen
    }

    /// Whether `name in` comes behind the next token: `sum` and `count` are ordinary names
    /// elsewhere.
    fn binder_follows(&mut self) -> bool {
        matches!(self.peek_at(1).kind, TokenKind::Name | TokenKind::Quoted)
            && self.peek_at(2).kind == TokenKind::Word(Word::In)
    }

    fn negation(&mut self, token: Token, context: Level) -> Parsed {
        // `!` binds as tightly as in C; `not` reaches over comparisons.
        let level = match token.kind {
            TokenKind::Bang => Level::Unary,
            _ => Parser::prefix_level(context),
        };
        self.operator();
        let inner = self.nested(|p| p.operators(level))?;
        let span = token.span.to(inner.span);
        let kind = ExprKind::Not(Box::new(inner));
        Ok(Expr { kind, span })
    }

    /// How far `not` or a temporal operator reaches: over a comparison, unless it stands inside of
    /// one itself, as in `b' = not b`.
    fn prefix_level(context: Level) -> Level {
        match context > Level::Not {
            true => Level::Unary,
            false => Level::Not,
        }
    }

    fn temporal_operand(&mut self, context: Level) -> Parsed {
        let token = self.peek();
        let operator = match self.text(token) {
            "AX" => Temporal::Ax,
            "EX" => Temporal::Ex,
            "AF" => Temporal::Af,
            "EF" => Temporal::Ef,
            "AG" => Temporal::Ag,
            "EG" => Temporal::Eg,
            "A" | "E" if self.peek_at(1).kind == TokenKind::LeftBracket => return self.until(),
            _ => return self.atom(),
        };
        let level = Parser::prefix_level(context);
        self.advance();
        let inner = self.nested(|p| p.operators(level))?;
        Ok(Expr {
            span: token.span.to(inner.span),
            kind: ExprKind::Temporal(operator, vec![inner]),
        })
    }

    /// `A[p U q]` and its three relatives.
    fn until(&mut self) -> Parsed {
        let path = self.advance();
        let all = self.text(path) == "A";
        let open = self.advance();
        let first = self.expression()?;
        let token = self.peek();
        let operator = match (self.text(token), all) {
            ("U", true) => Temporal::Au,
            ("U", false) => Temporal::Eu,
            ("W", true) => Temporal::Aw,
            ("W", false) => Temporal::Ew,
            _ => {
                let help = "path formulas are written `A[p U q]`, `E[p U q]`, `A[p W q]`, \
                            `E[p W q]`; a family called `A` or `E` needs backquotes here";
                return Err(self.unexpected("`U` or `W`", Some(help.to_string())));
            }
        };
        self.advance();
        let second = self.expression()?;
        let end = self.close(open, TokenKind::RightBracket)?;
        Ok(Expr {
            kind: ExprKind::Temporal(operator, vec![first, second]),
            span: path.span.to(end.span),
        })
    }

    /// `if c then a else b`; chains of `else if` are one node.
    fn conditional(&mut self) -> Parsed {
        let start = self.peek().span;
        let mut branches = Vec::new();
        loop {
            self.advance();
            let condition = self.expression()?;
            self.expect(TokenKind::Word(Word::Then), "`then`")?;
            let value = self.expression()?;
            if !self.at_word(Word::Else) {
                let help = "every `if` in an expression has an `else`".to_string();
                return Err(self.unexpected("`else`", Some(help)));
            }
            self.advance();
            branches.push((condition, value));
            if !self.at_word(Word::If) {
                break;
            }
        }
        let otherwise = self.expression()?;
        let span = start.to(otherwise.span);
        let kind = ExprKind::If(branches, Box::new(otherwise));
        Ok(Expr { kind, span })
    }

    fn quantified(&mut self, quantifier: Quantifier) -> Parsed {
        let word = self.advance();
        let binders = self.comma_list(|p| {
            let name = p.name("an index")?;
            if !p.at_word(Word::In) {
                return Err(p.unexpected("`in`", Some(QUANTIFIERS.to_string())));
            }
            p.advance();
            if p.at(TokenKind::LeftBrace) {
                return Err(p.unexpected("a range", Some(QUANTIFIERS.to_string())));
            }
            let (low, high) = p.range()?;
            Ok(Binder { name, low, high })
        })?;
        if !self.at(TokenKind::Colon) {
            return Err(self.unexpected("`:`", Some(QUANTIFIERS.to_string())));
        }
        self.advance();
        let body = self.expression()?;
        let span = word.span.to(body.span);
        let kind = ExprKind::Quantified(Box::new(Quantified {
            quantifier,
            span: word.span,
            binders,
            body,
        }));
        Ok(Expr { kind, span })
    }
}

/// A node over all of the list, with the span of all of it.
fn spanning(list: Vec<Expr>, kind: impl FnOnce(Vec<Expr>) -> ExprKind) -> Expr {
    let spans = list.iter().map(|e| e.span);
    let span = spans.reduce(Span::to).unwrap_or_default();
    Expr {
        kind: kind(list),
        span,
    }
}
