//! Parses expressions by operator precedence.

use super::ast::{
    Binder, Builtin, Comparison, Connective, Expr, ExprKind, Quantified, Quantifier, Sign, Temporal,
};
use super::language::{Level, Linear, Operator};
use super::lexer::{Token, TokenKind};
use super::parser::{Parsed, Parser};
use sectile_base::Span;
use sectile_model::Ctl;

const QUANTIFIERS: &str = "quantifiers are written `forall i in lo..hi: ...`";

/// Operands of operators of one level; the last operand is still missing.
struct Chain {
    operands: Vec<Expr>,
    operators: Vec<(Operator, Span)>,
}

impl Chain {
    fn level(&self) -> Level {
        self.operators[0].0.level()
    }

    /// The operands after the first one, with what `pick` returns for their operators.
    fn rest<T>(self, pick: impl Fn(Operator) -> Option<T>) -> (Box<Expr>, Vec<(T, Expr)>) {
        let mut operands = self.operands.into_iter();
        let first = operands.next().expect("a chain has operands");
        let picked = self.operators.into_iter().filter_map(|(o, _)| pick(o));
        (Box::new(first), picked.zip(operands).collect())
    }
}

impl<'s> Parser<'s> {
    /// Reads an expression of any kind.
    pub fn expression(&mut self) -> Parsed {
        self.nested(|p| p.operators(Level::Iff))
    }

    /// Reads an expression that may contain temporal operators.
    pub fn temporal_formula(&mut self) -> Parsed {
        let before = std::mem::replace(&mut self.temporal, true);
        let result = self.expression();
        self.temporal = before;
        result
    }

    /// Reads an expression that may contain linear-time operators.
    pub fn linear_formula(&mut self) -> Parsed {
        let before = std::mem::replace(&mut self.linear, true);
        let result = self.temporal_formula();
        self.linear = before;
        result
    }

    /// Reads the guard of a command. A `->` outside of parentheses is left to the caller.
    pub fn guard(&mut self) -> Parsed {
        self.with_arrow(true, Parser::expression)
    }

    /// Runs `inner` with a setting for whether `->` ends expressions.
    pub(super) fn with_arrow<T>(
        &mut self,
        ends: bool,
        inner: impl FnOnce(&mut Parser<'s>) -> Parsed<T>,
    ) -> Parsed<T> {
        let before = std::mem::replace(&mut self.arrow_ends, ends);
        let result = inner(self);
        self.arrow_ends = before;
        result
    }

    /// Reads the expression after a word or sign, if that comes next.
    pub fn behind(&mut self, text: &str) -> Parsed<Option<Expr>> {
        self.eat(text).then(|| self.expression()).transpose()
    }

    /// Reads an expression without comparisons and connectives, such as a bound of a range.
    pub fn arithmetic(&mut self) -> Parsed {
        self.nested(|p| p.operators(Level::Sum))
    }

    /// Reads an operand and all operators that bind at least as tightly as `loosest`.
    ///
    /// Incomplete chains are kept in a list, the loosest first, so that each level of parentheses
    /// uses few stack frames, however many levels of operators it has.
    fn operators(&mut self, loosest: Level) -> Parsed {
        let mut open: Vec<Chain> = Vec::new();
        let mut operand = self.operand(loosest)?;
        loop {
            let next = self.operator_at().filter(|o| o.level() >= loosest);
            while let Some(chain) = open.pop_if(|c| next.is_none_or(|o| o.level() < c.level())) {
                operand = self.chained(chain, operand)?;
            }
            let Some(next) = next else {
                return Ok(operand);
            };
            let link = (next, self.operator().span);
            match open.last_mut() {
                Some(chain) if chain.level() == next.level() => {
                    chain.operands.push(operand);
                    chain.operators.push(link);
                }
                _ => open.push(Chain {
                    operands: vec![operand],
                    operators: vec![link],
                }),
            }
            operand = match next {
                Operator::Comparison(Comparison::In) => self.collection()?,
                _ => self.operand(next.level())?,
            };
        }
    }

    /// The next operator, if there is one.
    fn operator_at(&mut self) -> Option<Operator> {
        let token = self.peek();
        if self.arrow_ends && token.is("->") {
            return None;
        }
        if self.linear && token.kind == TokenKind::Name {
            match token.text {
                "U" => return Some(Operator::Linear(Linear::Until)),
                "W" => return Some(Operator::Linear(Linear::Weak)),
                "R" => return Some(Operator::Linear(Linear::Release)),
                _ => {}
            }
        }
        let mut known = self.language.operators.iter();
        let found = known.find(|(text, _)| token.is(text));
        found.map(|(_, operator)| *operator)
    }

    /// Takes an operator, and reports it if another spelling is required.
    fn operator(&mut self) -> Token<'s> {
        let meaning = self.operator_at();
        let token = self.advance();
        if matches!(meaning, Some(Operator::Linear(_))) {
            return token;
        }
        let mut known = self.language.operators.iter();
        let usual = known.find(|(_, operator)| Some(*operator) == meaning);
        let usual = usual.map_or("not", |(usual, _)| usual);
        if token.text != usual && !self.language.all_spellings {
            let message = format!("`{}` is not an operator here", token.text);
            self.wrong(token.span, message, &format!("write `{usual}`"));
        }
        token
    }

    /// Completes a chain with its last operand.
    fn chained(&mut self, mut chain: Chain, last: Expr) -> Parsed {
        let mut span = chain.operands[0].span.to(last.span);
        chain.operands.push(last);
        let links = &chain.operators;
        let (first, place) = links[0];
        if first.level() == Level::Compare && links.len() > 1 && !self.language.chains_comparisons {
            let message = "comparisons cannot be chained";
            return Err(self.wrong(links[1].1, message, "write `a < b && b < c`"));
        }
        let other = links.iter().find(|l| l.0 != first);
        if first.level() == Level::Implies
            && let Some(other) = other
        {
            let message = "`==>` and `<==` cannot be mixed";
            return Err(self.wrong(other.1, message, "use parentheses"));
        }
        let kind = match first {
            Operator::Connective(connective) => ExprKind::Connected(connective, chain.operands),
            Operator::Explies => {
                chain.operands.reverse();
                ExprKind::Connected(Connective::Implies, chain.operands)
            }
            Operator::Comparison(_) => {
                let (first, rest) = chain.rest(|o| match o {
                    Operator::Comparison(comparison) => Some(comparison),
                    _ => None,
                });
                ExprKind::Compared(first, rest)
            }
            Operator::Linear(_) => {
                let (first, rest) = chain.rest(|o| match o {
                    Operator::Linear(linear) => Some(linear),
                    _ => None,
                });
                return Ok(linear_chain(*first, rest));
            }
            Operator::Sign(_) => {
                let (first, mut rest) = chain.rest(|o| match o {
                    Operator::Sign(sign) => Some(sign),
                    _ => None,
                });
                rest.insert(0, (Sign::Plus, *first));
                ExprKind::Sum(rest)
            }
            Operator::Factor(_) => {
                let (first, rest) = chain.rest(|o| match o {
                    Operator::Factor(factor) => Some(factor),
                    _ => None,
                });
                ExprKind::Product(first, rest)
            }
            Operator::Unsupported(_, construct) => {
                span = place;
                ExprKind::Builtin(Builtin::Unsupported(construct), chain.operands)
            }
        };
        Ok(Expr::at(span, kind))
    }

    /// Reads the right operand of `in`: `{a, b}` or `lo..hi`.
    fn collection(&mut self) -> Parsed {
        let open = self.peek().span;
        if self.eat("{") {
            let members = self.nested(|p| p.comma_list(Parser::expression))?;
            let end = self.close(open, "}")?;
            return Ok(Expr::at(open.to(end.span), ExprKind::Set(members)));
        }
        let (low, high) = self.range()?;
        let span = low.span.to(high.span);
        Ok(Expr::at(span, ExprKind::Range(Box::new((low, high)))))
    }

    /// Reads `lo..hi`.
    pub fn range(&mut self) -> Parsed<(Expr, Expr)> {
        let low = self.arithmetic()?;
        let help = "a range is written `lo..hi`, a set of values `{a, b}`";
        self.expect_with("..", help)?;
        Ok((low, self.arithmetic()?))
    }

    /// Reads a prefix operator with its operand, or an operand without one.
    fn operand(&mut self, context: Level) -> Parsed {
        let token = self.peek();
        if token.is("not") || token.is("!") {
            // `!` binds as tightly as in C; `not` binds more loosely than comparisons.
            let level = match token.kind {
                TokenKind::Sign => Level::Unary,
                _ => reach(context),
            };
            self.operator();
            return self.prefixed(token.span, level, |e| ExprKind::Not(Box::new(e)));
        }
        if self.eat("-") {
            return self.prefixed(token.span, Level::Unary, |e| ExprKind::Negate(Box::new(e)));
        }
        match token.is("if") {
            true => self.conditional(),
            false => (self.language.operand)(self, context),
        }
    }

    /// Reads the operand of the prefix operator at `span`.
    fn prefixed(&mut self, span: Span, level: Level, kind: fn(Expr) -> ExprKind) -> Parsed {
        let inner = self.nested(|p| p.operators(level))?;
        Ok(Expr::at(span.to(inner.span), kind(inner)))
    }

    /// Reads an operand in the languages with the shared expressions.
    pub(super) fn shared_operand(&mut self, context: Level) -> Parsed {
        let token = self.peek();
        let quantifier = match (token.kind, token.text) {
            (TokenKind::Word, "forall") => Quantifier::Forall,
            (TokenKind::Word, "exists") => Quantifier::Exists,
            (TokenKind::Word, _) if self.is_taken_for_name() => return self.atom(),
            (TokenKind::Word, "max") if !self.at_ahead(1, "(") => Quantifier::Max,
            (TokenKind::Word, "min") if !self.at_ahead(1, "(") => Quantifier::Min,
            (TokenKind::Name, "sum") if self.binder_follows() => Quantifier::Sum,
            (TokenKind::Name, "count") if self.binder_follows() => Quantifier::Count,
            (TokenKind::Name, _) if self.temporal => return self.temporal_operand(context),
            _ => return self.atom(),
        };
        self.quantified(quantifier)
    }

    /// Whether `name in` follows the next token: otherwise `sum` and `count` are ordinary names.
    fn binder_follows(&mut self) -> bool {
        self.peek_at(1).is_name() && self.at_ahead(2, "in")
    }

    fn temporal_operand(&mut self, context: Level) -> Parsed {
        let token = self.peek();
        let operator: fn(Box<Ctl>) -> Ctl = match token.text {
            // Formulas about one path are recognised by their position.
            "X" if self.linear => Ctl::Ax,
            "F" if self.linear => Ctl::Af,
            "G" if self.linear => Ctl::Ag,
            _ if self.linear => return self.atom(),
            "AX" => Ctl::Ax,
            "EX" => Ctl::Ex,
            "AF" => Ctl::Af,
            "EF" => Ctl::Ef,
            "AG" => Ctl::Ag,
            "EG" => Ctl::Eg,
            "A" | "E" if self.at_ahead(1, "[") => return self.until(),
            _ => return self.atom(),
        };
        self.advance();
        let inner = self.nested(|p| p.operators(reach(context)))?;
        let span = token.span.to(inner.span);
        let temporal = Temporal::Unary(operator, Box::new(inner));
        Ok(Expr::at(span, ExprKind::Temporal(temporal)))
    }

    /// Reads `A[p U q]` and its three variants.
    fn until(&mut self) -> Parsed {
        let path = self.advance();
        let open = self.advance().span;
        let first = self.expression()?;
        let operator: fn(Box<Ctl>, Box<Ctl>) -> Ctl = match (path.text, self.peek().text) {
            ("A", "U") => Ctl::Au,
            (_, "U") => Ctl::Eu,
            ("A", "W") => Ctl::Aw,
            (_, "W") => Ctl::Ew,
            _ => {
                let help = "path formulas are written `A[p U q]`, `E[p U q]`, `A[p W q]`, \
                            `E[p W q]`; a family called `A` or `E` needs backquotes here";
                return Err(self.unexpected("`U` or `W`", Some(help)));
            }
        };
        self.advance();
        let second = self.expression()?;
        let end = self.close(open, "]")?;
        let temporal = Temporal::Until(operator, Box::new((first, second)));
        Ok(Expr::at(
            path.span.to(end.span),
            ExprKind::Temporal(temporal),
        ))
    }

    /// Reads `if c then a else b`; a chain of `else if` is one node.
    fn conditional(&mut self) -> Parsed {
        let start = self.peek().span;
        let mut branches = Vec::new();
        while self.eat("if") {
            let condition = self.expression()?;
            self.expect("then")?;
            let value = self.expression()?;
            self.expect_with("else", "every `if` in an expression has an `else`")?;
            branches.push((condition, value));
        }
        let otherwise = self.expression()?;
        let span = start.to(otherwise.span);
        let kind = ExprKind::If(branches, Box::new(otherwise));
        Ok(Expr::at(span, kind))
    }

    fn quantified(&mut self, quantifier: Quantifier) -> Parsed {
        let word = self.advance();
        let binders = self.binders()?;
        self.expect_with(":", QUANTIFIERS)?;
        let body = self.expression()?;
        let span = word.span.to(body.span);
        let kind = ExprKind::Quantified(Box::new(Quantified {
            quantifier,
            span: word.span,
            binders,
            body,
        }));
        Ok(Expr::at(span, kind))
    }
}

impl Parser<'_> {
    /// Reads `i in 1..n, j in 1..n`.
    pub fn binders(&mut self) -> Parsed<Vec<Binder>> {
        self.comma_list(|p| {
            let name = p.name("an index")?;
            p.expect_with("in", QUANTIFIERS)?;
            if p.at("{") {
                return Err(p.unexpected("a range", Some(QUANTIFIERS)));
            }
            let (low, high) = p.range()?;
            Ok(Binder { name, low, high })
        })
    }
}

/// Builds a right-associative chain: `f U g U h` is `f U (g U h)`.
fn linear_chain(first: Expr, rest: Vec<(Linear, Expr)>) -> Expr {
    let (links, operands): (Vec<Linear>, Vec<Expr>) = rest.into_iter().unzip();
    let mut operands: Vec<Expr> = std::iter::once(first).chain(operands).collect();
    for link in links.into_iter().rev() {
        let (Some(right), Some(left)) = (operands.pop(), operands.pop()) else {
            break;
        };
        let span = left.span.to(right.span);
        let operator: fn(Box<Ctl>, Box<Ctl>) -> Ctl = match link {
            Linear::Until => Ctl::Au,
            Linear::Weak | Linear::Release => Ctl::Aw,
        };
        let parts = match link {
            Linear::Until | Linear::Weak => (left, right),
            Linear::Release => {
                let both = ExprKind::Connected(Connective::And, vec![left, right.clone()]);
                (right, Expr::at(span, both))
            }
        };
        let temporal = Temporal::Until(operator, Box::new(parts));
        operands.push(Expr::at(span, ExprKind::Temporal(temporal)));
    }
    operands.swap_remove(0)
}

/// The level of the operand of `not` or a temporal operator: it includes a comparison, unless the
/// operator is itself inside of one, as in `b' = not b`.
fn reach(context: Level) -> Level {
    match context > Level::Not {
        true => Level::Unary,
        false => Level::Not,
    }
}
