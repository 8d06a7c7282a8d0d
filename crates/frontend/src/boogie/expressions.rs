//! Text to expressions.

use super::ast::{Access, Construct, Expr, ExprKind, Operator, Type, TypeKind};
use super::lexer::TokenKind;
use super::parser::{Parsed, Parser, is};
use sectile_base::{Diagnostic, Int, Rat, Span};

/// The signs and words of operators.
const OPERATORS: &[(&str, Operator)] = &[
    ("<==>", Operator::Iff),
    ("==>", Operator::Implies),
    ("<==", Operator::Explies),
    ("||", Operator::Or),
    ("&&", Operator::And),
    ("==", Operator::Equal),
    ("!=", Operator::NotEqual),
    ("<", Operator::Less),
    ("<=", Operator::LessEqual),
    (">", Operator::Greater),
    (">=", Operator::GreaterEqual),
    ("<:", Operator::Extends),
    ("++", Operator::Concatenate),
    ("+", Operator::Plus),
    ("-", Operator::Minus),
    ("*", Operator::Times),
    ("/", Operator::Over),
    ("div", Operator::Div),
    ("mod", Operator::Mod),
    ("%", Operator::Mod),
    ("**", Operator::Power),
];

/// The largest exponent of a decimal number.
const MOST_EXPONENT: u32 = 10_000;

/// An expression.
///
/// All operators of one bracket are collected first and grouped by their levels then: a level of
/// brackets costs few frames of the stack.
pub fn expression(p: &mut Parser<'_>) -> Parsed<Expr> {
    let mut operands = vec![operand(p)?];
    let mut operators = Vec::new();
    while let Some(operator) = operator(p) {
        operators.push((operator, p.advance().span));
        operands.push(operand(p)?);
    }
    for level in (0..=Operator::TIGHTEST).rev() {
        (operands, operators) = grouped(p, level, operands, operators)?;
    }
    Ok(operands.pop().expect("grouping leaves one operand"))
}

fn operator(p: &mut Parser<'_>) -> Option<Operator> {
    let token = p.peek();
    let found = OPERATORS.iter().find(|(text, _)| is(token, text));
    found.map(|(_, operator)| *operator)
}

type Operators = Vec<(Operator, Span)>;

/// Replaces the longest chains of operators of one level by single operands.
fn grouped(
    p: &mut Parser<'_>,
    level: u8,
    operands: Vec<Expr>,
    operators: Operators,
) -> Parsed<(Vec<Expr>, Operators)> {
    if operators.iter().all(|(o, _)| o.level() != level) {
        return Ok((operands, operators));
    }
    let mut rest = Vec::new();
    let mut results = Vec::new();
    let mut operands = operands.into_iter();
    let mut chain = vec![
        operands
            .next()
            .expect("there is one operand more than operators"),
    ];
    let mut links: Operators = Vec::new();
    for (operator, operand) in operators.into_iter().zip(operands) {
        if operator.0.level() == level {
            links.push(operator);
        } else {
            results.push(chained(
                p,
                std::mem::take(&mut chain),
                std::mem::take(&mut links),
            )?);
            rest.push(operator);
        }
        chain.push(operand);
    }
    results.push(chained(p, chain, links)?);
    Ok((results, rest))
}

/// One chain of operators of the same level.
fn chained(p: &mut Parser<'_>, mut list: Vec<Expr>, links: Operators) -> Parsed<Expr> {
    let span = list[0].span.to(list[list.len() - 1].span);
    let Some(&(first, place)) = links.first() else {
        return Ok(list.remove(0));
    };
    let error = |p: &mut Parser<'_>, at: Span, message: &str, help: &str| {
        p.report(Diagnostic::error("syntax", at, message).help(help))
    };
    if first.level() == Operator::Equal.level() && links.len() > 1 {
        let help = "write `a < b && b < c`";
        return Err(error(p, links[1].1, "comparisons cannot be chained", help));
    }
    if let Some(other) = links.iter().find(|l| l.0 != first && first.level() == 1) {
        let message = "`==>` and `<==` cannot be mixed";
        return Err(error(p, other.1, message, "use parentheses"));
    }
    let construct = match first {
        Operator::Extends => Some(Construct::PartialOrder),
        Operator::Concatenate => Some(Construct::BitVector),
        Operator::Power => Some(Construct::Power),
        _ => None,
    };
    if let Some(construct) = construct {
        let kind = ExprKind::Unsupported(construct, list);
        return Ok(Expr { kind, span: place });
    }
    let operators = links.into_iter().map(|(o, _)| o).collect();
    let kind = ExprKind::Chain(list, operators);
    Ok(Expr { kind, span })
}

/// An atom with the prefix operators before it and the indices behind it.
fn operand(p: &mut Parser<'_>) -> Parsed<Expr> {
    let mut prefixes = Vec::new();
    while p.at("!") || p.at("-") {
        let token = p.advance();
        prefixes.push((token.text == "!", token.span));
        if prefixes.len() > super::parser::NESTING {
            break;
        }
    }
    p.nested(prefixes.len(), |p| {
        let mut expr = atom(p)?;
        while p.at("[") {
            expr = indexed(p, expr)?;
        }
        for (negation, span) in prefixes.into_iter().rev() {
            let span = span.to(expr.span);
            let inner = Box::new(expr);
            let kind = match negation {
                true => ExprKind::Not(inner),
                false => ExprKind::Negate(inner),
            };
            expr = Expr { kind, span };
        }
        Ok(expr)
    })
}

/// `e[i, j]`, `e[i := f]`, `e[8:0]`. The parts of a chain of indices are kept side by side.
fn indexed(p: &mut Parser<'_>, whole: Expr) -> Parsed<Expr> {
    let open = p.advance().span;
    let mut bits = false;
    let (indices, value) = p.nested(1, |p| {
        let mut indices = Vec::new();
        let mut value = None;
        if !p.at("]") && !p.at(":=") {
            indices = p.comma_list(expression)?;
        }
        if p.eat(":=") {
            value = Some(expression(p)?);
        } else if p.eat(":") {
            bits = true;
            indices.push(expression(p)?);
        }
        Ok((indices, value))
    })?;
    let end = p.close(open, "]")?.span;
    let span = whole.span.to(end);
    let access = Access {
        indices,
        value,
        span,
    };
    let kind = match whole.kind {
        ExprKind::Unsupported(construct, mut parts) => {
            parts.extend(access.indices.into_iter().chain(access.value));
            // What is refused is what stands in front.
            let kind = ExprKind::Unsupported(construct, parts);
            return Ok(Expr {
                kind,
                span: whole.span,
            });
        }
        kind if bits => {
            let span = whole.span;
            let mut parts = vec![Expr { kind, span }];
            parts.extend(access.indices);
            ExprKind::Unsupported(Construct::BitVector, parts)
        }
        ExprKind::Indexed(map, mut accesses) => {
            accesses.push(access);
            ExprKind::Indexed(map, accesses)
        }
        kind => {
            let span = whole.span;
            ExprKind::Indexed(Box::new(Expr { kind, span }), vec![access])
        }
    };
    Ok(Expr { kind, span })
}

fn atom(p: &mut Parser<'_>) -> Parsed<Expr> {
    let token = p.peek();
    let start = token.span;
    let simple = |kind: ExprKind| Expr { kind, span: start };
    match token.kind {
        TokenKind::Integer => {
            p.advance();
            let value: Int = token.text.parse().expect("digits are a number");
            Ok(simple(ExprKind::Integer(value)))
        }
        TokenKind::Decimal => {
            p.advance();
            match decimal(token.text) {
                Some(value) => Ok(simple(ExprKind::Decimal(value))),
                None => {
                    let message = "the exponent of this number is too large";
                    let diagnostic = Diagnostic::error("size", start, message);
                    Err(p.report(diagnostic.help(format!("at most {MOST_EXPONENT} is allowed"))))
                }
            }
        }
        TokenKind::Bits | TokenKind::Float | TokenKind::Text => {
            p.advance();
            let construct = match token.kind {
                TokenKind::Bits => Construct::BitVector,
                TokenKind::Float => Construct::Float,
                _ => Construct::Text,
            };
            Ok(simple(ExprKind::Unsupported(construct, Vec::new())))
        }
        TokenKind::Name => {
            p.advance();
            let name = p.name_of(token);
            if !p.at("(") {
                return Ok(simple(ExprKind::Name(name.text)));
            }
            let (arguments, end) = arguments(p)?;
            Ok(Expr {
                kind: ExprKind::Apply(name, arguments),
                span: start.to(end),
            })
        }
        TokenKind::Word => word(p),
        TokenKind::Sign if token.text == "(" => parenthesis(p),
        TokenKind::Sign if token.text == "|" => code_expression(p),
        _ => Err(p.unexpected("an expression", None)),
    }
}

/// `1.5e-3` as a number.
fn decimal(text: &str) -> Option<Rat> {
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let value: Rat = mantissa.parse().ok()?;
    let negative = exponent.starts_with('-');
    let digits = exponent.trim_start_matches(['-', '+']);
    let exponent: u32 = digits.parse().ok().filter(|e| *e <= MOST_EXPONENT)?;
    let zeros = "0".repeat(exponent as usize);
    let power: Rat = format!("1{zeros}").parse().ok()?;
    Some(match negative {
        true => &value / &power,
        false => &value * &power,
    })
}

fn arguments(p: &mut Parser<'_>) -> Parsed<(Vec<Expr>, Span)> {
    let open = p.expect("(")?.span;
    let list = p.nested(1, |p| match p.at(")") {
        true => Ok(Vec::new()),
        false => p.comma_list(expression),
    })?;
    let end = p.close(open, ")")?.span;
    Ok((list, end))
}

/// An expression that starts with a word of the language.
fn word(p: &mut Parser<'_>) -> Parsed<Expr> {
    let token = p.peek();
    let start = token.span;
    let simple = |kind: ExprKind| Expr { kind, span: start };
    match token.text {
        "true" | "false" => {
            p.advance();
            Ok(simple(ExprKind::Bool(token.text == "true")))
        }
        "if" => p.nested(1, conditional),
        "forall" | "exists" | "lambda" => p.nested(1, quantified),
        "old" | "int" | "real" => {
            p.advance();
            let open = p.expect("(")?.span;
            let inner = Box::new(p.nested(1, expression)?);
            let end = p.close(open, ")")?.span;
            let kind = match token.text {
                "old" => ExprKind::Old(inner),
                "int" => ExprKind::ToInt(inner),
                _ => ExprKind::ToReal(inner),
            };
            Ok(Expr {
                kind,
                span: start.to(end),
            })
        }
        _ => Err(p.unexpected("an expression", None)),
    }
}

/// `if c then a else if d then b else e`.
fn conditional(p: &mut Parser<'_>) -> Parsed<Expr> {
    let start = p.peek().span;
    let mut arms = Vec::new();
    loop {
        p.expect("if")?;
        let condition = expression(p)?;
        p.expect("then")?;
        let value = expression(p)?;
        arms.push((condition, value));
        p.expect_with("else", Some("a conditional expression has both branches"))?;
        if !p.at("if") {
            break;
        }
    }
    let otherwise = expression(p)?;
    let span = start.to(otherwise.span);
    let kind = ExprKind::If(arms, Box::new(otherwise));
    Ok(Expr { kind, span })
}

/// `forall <T> x, y : int :: { trigger } e`, without its parentheses.
fn quantified(p: &mut Parser<'_>) -> Parsed<Expr> {
    let token = p.advance();
    let construct = match token.text {
        "lambda" => Construct::Lambda,
        _ => Construct::Quantifier,
    };
    let known = p.type_parameters.len();
    type_parameters(p)?;
    if !p.at("::") {
        p.comma_list(|p| {
            p.attributes()?;
            let names = p.comma_list(|p| p.name("a variable"))?;
            p.expect(":")?;
            one_type(p)?;
            Ok(names)
        })?;
    }
    p.expect("::")?;
    while p.at("{") {
        if p.at_ahead(1, ":") {
            p.attributes()?;
            continue;
        }
        let open = p.advance().span;
        p.comma_list(expression)?;
        p.close(open, "}")?;
    }
    let inside = expression(p)?;
    p.type_parameters.truncate(known);
    Ok(Expr {
        span: token.span,
        kind: ExprKind::Unsupported(construct, vec![inside]),
    })
}

fn parenthesis(p: &mut Parser<'_>) -> Parsed<Expr> {
    let open = p.advance().span;
    let inner = p.nested(1, |p| match p.at("var") {
        true => let_expression(p),
        false => expression(p),
    })?;
    let end = p.close(open, ")")?.span;
    Ok(Expr {
        kind: inner.kind,
        span: open.to(end),
    })
}

/// `var x := e; f`.
fn let_expression(p: &mut Parser<'_>) -> Parsed<Expr> {
    let start = p.advance().span;
    p.comma_list(|p| p.name("a variable"))?;
    p.expect(":=")?;
    let mut parts = p.comma_list(expression)?;
    p.expect(";")?;
    parts.push(expression(p)?);
    Ok(Expr {
        kind: ExprKind::Unsupported(Construct::Let, parts),
        span: start,
    })
}

/// `|{ ... }|`, whose statements are passed over.
fn code_expression(p: &mut Parser<'_>) -> Parsed<Expr> {
    let start = p.advance().span;
    p.expect("{")?;
    while !(p.at("}") && p.at_ahead(1, "|")) {
        if p.at_end() {
            p.close(start, "}|")?;
        }
        p.advance();
    }
    p.advance();
    let end = p.advance().span;
    Ok(Expr {
        kind: ExprKind::Unsupported(Construct::CodeExpression, Vec::new()),
        span: start.to(end),
    })
}

/// `<T, U>`, remembered as parameters of the declaration.
pub fn type_parameters(p: &mut Parser<'_>) -> Parsed<()> {
    if p.eat("<") {
        let names = p.comma_list(|p| p.name("a type parameter"))?;
        p.type_parameters.extend(names.into_iter().map(|n| n.text));
        p.expect(">")?;
    }
    Ok(())
}

/// A type.
pub fn one_type(p: &mut Parser<'_>) -> Parsed<Type> {
    let token = p.peek();
    let start = token.span;
    let known = p.type_parameters.len();
    if p.at("<") || p.at("[") {
        type_parameters(p)?;
        let open = p.expect("[")?.span;
        let kind = p.nested(1, |p| {
            let mut indices = Vec::new();
            if !p.at("]") {
                indices = p.comma_list(one_type)?;
            }
            p.close(open, "]")?;
            Ok(TypeKind::Map(indices, Box::new(one_type(p)?)))
        })?;
        let kind = match p.type_parameters.len() > known {
            true => TypeKind::Unsupported(Construct::PolymorphicMap),
            false => kind,
        };
        p.type_parameters.truncate(known);
        let span = start.to(p.previous());
        return Ok(Type { kind, span });
    }
    let mut atom = type_atom(p)?;
    // Arguments make it a type that has no meaning here.
    while starts_type_argument(p) {
        match p.at("[") {
            true => p.nested(1, one_type)?,
            false => type_atom(p)?,
        };
        let span = start.to(p.previous());
        let kind = TypeKind::Unsupported(Construct::UserType);
        atom = Type { kind, span };
    }
    Ok(atom)
}

fn starts_type_argument(p: &mut Parser<'_>) -> bool {
    let token = p.peek();
    let word = matches!(token.text, "int" | "bool" | "real");
    token.kind == TokenKind::Name
        || (token.kind == TokenKind::Word && word)
        || p.at("(")
        || p.at("[")
}

fn type_atom(p: &mut Parser<'_>) -> Parsed<Type> {
    let token = p.peek();
    let kind = match token.text {
        "bool" => TypeKind::Bool,
        "int" => TypeKind::Int,
        "real" => TypeKind::Real,
        "(" if token.kind == TokenKind::Sign => {
            let open = p.advance().span;
            let inner = p.nested(1, one_type)?;
            p.close(open, ")")?;
            return Ok(inner);
        }
        _ if token.kind == TokenKind::Name => named_type(p, token.text),
        _ => {
            let help = "types are `bool`, `int` and `real`";
            return Err(p.unexpected("a type", Some(help)));
        }
    };
    p.advance();
    Ok(Type {
        kind,
        span: token.span,
    })
}

fn named_type(p: &mut Parser<'_>, name: &str) -> TypeKind {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if p.type_parameters.iter().any(|t| **t == *name) {
        return TypeKind::Unsupported(Construct::UserType);
    }
    if name.strip_prefix("bv").is_some_and(digits) {
        return TypeKind::Unsupported(Construct::BitVector);
    }
    let sizes = name.strip_prefix("float").and_then(|s| s.split_once('e'));
    if name == "rmode" || sizes.is_some_and(|(a, b)| digits(a) && digits(b)) {
        return TypeKind::Unsupported(Construct::Float);
    }
    match name {
        "string" | "regex" => TypeKind::Unsupported(Construct::Text),
        _ => TypeKind::Named(name.into()),
    }
}
