//! Parser of operands and types.

use super::ast::{Bound, Type, TypeKind};
use super::constructs::{
    BIT_VECTOR, CODE_EXPRESSION, FLOAT, LAMBDA, LET, POLYMORPHIC_MAP, RECORD, TEXT, USER_TYPE,
};
use super::parser::{Parsed, Parser, attributes};
use crate::messages::Report as _;
use crate::syntax::{
    Access, Builtin, Construct, Expr, ExprKind, Level, NumberKind, TokenKind, Unbounded,
};
use sectile_base::{Rat, Span};

/// The largest exponent of a decimal number.
const MOST_EXPONENT: u32 = 10_000;

/// An atom followed by indices and fields.
pub fn operand(p: &mut Parser<'_>, _: Level) -> Parsed {
    let mut expr = atom(p)?;
    loop {
        if p.at("[") {
            expr = indexed(p, expr)?;
        } else if p.eat("!") {
            p.name("a field")?;
            let span = expr.span.to(p.previous());
            expr = unsupported(&RECORD, vec![expr], span);
        } else {
            return Ok(expr);
        }
    }
}

fn unsupported(construct: &'static Construct, parts: Vec<Expr>, span: Span) -> Expr {
    let kind = ExprKind::Builtin(Builtin::Unsupported(construct), parts);
    Expr::at(span, kind)
}

/// `e[i, j]`, `e[i := f]`, `e[8:0]`. The parts of a chain of indices are kept side by side.
fn indexed(p: &mut Parser<'_>, mut whole: Expr) -> Parsed {
    let open = p.advance().span;
    let mut indices = Vec::new();
    if !p.at("]") && !p.at(":=") {
        indices = p.comma_list(Parser::expression)?;
    }
    let value = p.behind(":=")?;
    let bits = value.is_none() && p.eat(":");
    if bits {
        indices.push(p.expression()?);
    }
    let span = whole.span.to(p.close(open, "]")?.span);
    match &mut whole.kind {
        // The part before the indices is refused.
        ExprKind::Builtin(Builtin::Unsupported(_), parts) => {
            parts.extend(indices.into_iter().chain(value));
            return Ok(whole);
        }
        _ if bits => {
            indices.insert(0, whole);
            return Ok(unsupported(&BIT_VECTOR, indices, span));
        }
        _ => {}
    }
    let access = Access {
        indices,
        value,
        span,
    };
    let kind = match whole.kind {
        ExprKind::Indexed(map, mut accesses) => {
            accesses.push(access);
            ExprKind::Indexed(map, accesses)
        }
        _ => ExprKind::Indexed(Box::new(whole), vec![access]),
    };
    Ok(Expr::at(span, kind))
}

fn atom(p: &mut Parser<'_>) -> Parsed {
    let token = p.peek();
    let construct = match (token.kind, token.text) {
        (TokenKind::Integer, _) => return p.number(),
        (TokenKind::Decimal, _) => return decimal(p),
        (TokenKind::Bits, _) => &BIT_VECTOR,
        (TokenKind::Float, _) => &FLOAT,
        (TokenKind::Text, _) => &TEXT,
        (TokenKind::Name, _) => {
            p.advance();
            let name = p.name_of(token);
            if p.at("(") {
                return p.call(name);
            }
            let (kind, span) = (ExprKind::Name(name), token.span);
            return Ok(Expr::at(span, kind));
        }
        (TokenKind::Word, "true" | "false") => return Ok(p.truth_value()),
        (TokenKind::Word, "forall" | "exists") => return p.nested(quantified),
        (TokenKind::Word, "lambda") => return p.nested(lambda),
        (TokenKind::Word, "old") => return function(p, Builtin::Old),
        (TokenKind::Word, "int") => return function(p, Builtin::Floor),
        (TokenKind::Word, "real") => return function(p, Builtin::Real),
        (TokenKind::Sign, "(") => return parenthesis(p),
        (TokenKind::Sign, "|") => return code_expression(p),
        (TokenKind::Sign, "{") => return record(p),
        _ => return Err(p.unexpected("an expression", None)),
    };
    p.advance();
    Ok(unsupported(construct, Vec::new(), token.span))
}

/// A number with a point or an exponent.
fn decimal(p: &mut Parser<'_>) -> Parsed {
    let token = p.advance();
    let Some(value) = decimal_value(token.text) else {
        let message = "the exponent of this number is too large";
        let help = format!("at most {MOST_EXPONENT} is allowed");
        return Err(p.error("size", token.span, message, help));
    };
    let kind = ExprKind::Number(value, NumberKind::Decimal);
    Ok(Expr::at(token.span, kind))
}

/// `1.5e-3` as a number.
fn decimal_value(text: &str) -> Option<Rat> {
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

/// A function of one argument whose name is a keyword.
fn function(p: &mut Parser<'_>, function: Builtin) -> Parsed {
    let start = p.advance().span;
    let open = p.expect("(")?.span;
    let inner = p.expression()?;
    let end = p.close(open, ")")?.span;
    let kind = ExprKind::Builtin(function, vec![inner]);
    Ok(Expr::at(start.to(end), kind))
}

/// `forall <T> x, y : int :: { trigger } e`, without its parentheses.
fn quantified(p: &mut Parser<'_>) -> Parsed {
    let start = p.peek();
    let (bound, body) = all(p)?;
    let kind = ExprKind::Unbounded(Box::new(Unbounded {
        universal: start.text == "forall",
        bound,
        body,
    }));
    Ok(Expr::at(start.span.to(p.previous()), kind))
}

/// `lambda x : int :: e`, without its parentheses.
fn lambda(p: &mut Parser<'_>) -> Parsed {
    let span = p.peek().span;
    let (_, inside) = all(p)?;
    Ok(unsupported(&LAMBDA, vec![inside], span))
}

/// The variables of a quantifier and its body.
fn all(p: &mut Parser<'_>) -> Parsed<(Vec<Bound>, Expr)> {
    p.advance();
    let known = p.type_parameters.len();
    type_parameters(p)?;
    let mut bound = Vec::new();
    if !p.at("::") {
        bound = p.comma_list(|p| {
            attributes(p)?;
            let names = p.comma_list(|p| p.name("a variable"))?;
            p.expect(":")?;
            let of = one_type(p)?;
            let bound = |name| Bound {
                name,
                of: of.clone(),
            };
            Ok(names.into_iter().map(bound).collect::<Vec<_>>())
        })?;
    }
    p.expect("::")?;
    while p.at("{") {
        if p.at_ahead(1, ":") {
            attributes(p)?;
            continue;
        }
        let open = p.advance().span;
        p.comma_list(Parser::expression)?;
        p.close(open, "}")?;
    }
    let inside = p.expression()?;
    p.type_parameters.truncate(known);
    Ok((bound.concat(), inside))
}

fn parenthesis(p: &mut Parser<'_>) -> Parsed {
    let open = p.advance().span;
    let inner = match p.at("var") {
        true => p.nested(let_expression)?,
        false => p.expression()?,
    };
    let end = p.close(open, ")")?.span;
    Ok(Expr::at(open.to(end), inner.kind))
}

/// `var x := e; f`.
fn let_expression(p: &mut Parser<'_>) -> Parsed {
    let start = p.advance().span;
    p.comma_list(|p| p.name("a variable"))?;
    p.expect(":=")?;
    let mut parts = p.comma_list(Parser::expression)?;
    p.expect(";")?;
    parts.push(p.expression()?);
    Ok(unsupported(&LET, parts, start))
}

/// `{ base : 0, offset : 1 }`.
fn record(p: &mut Parser<'_>) -> Parsed {
    let open = p.advance().span;
    let fields = p.nested(|p| {
        p.comma_list(|p| {
            p.name("a field")?;
            p.expect(":")?;
            p.expression()
        })
    })?;
    let end = p.close(open, "}")?.span;
    Ok(unsupported(&RECORD, fields, open.to(end)))
}

/// `|{ ... }|`; its statements are skipped.
fn code_expression(p: &mut Parser<'_>) -> Parsed {
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
    Ok(unsupported(&CODE_EXPRESSION, Vec::new(), start.to(end)))
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
        let kind = p.nested(|p| {
            let indices = p.optional_list("]", one_type)?;
            p.close(open, "]")?;
            Ok(TypeKind::Map(indices, Box::new(one_type(p)?)))
        })?;
        let kind = match p.type_parameters.len() > known {
            true => TypeKind::Unsupported(&POLYMORPHIC_MAP),
            false => kind,
        };
        p.type_parameters.truncate(known);
        let span = start.to(p.previous());
        return Ok(Type { kind, span });
    }
    let mut atom = type_atom(p)?;
    // A type with arguments has no meaning here.
    while starts_type_argument(p) {
        match p.at("[") {
            true => p.nested(one_type)?,
            false => type_atom(p)?,
        };
        let span = start.to(p.previous());
        let kind = TypeKind::Unsupported(&USER_TYPE);
        atom = Type { kind, span };
    }
    Ok(atom)
}

fn starts_type_argument(p: &mut Parser<'_>) -> bool {
    p.peek().is_name() || p.at_any(&["int", "bool", "real", "(", "["])
}

fn type_atom(p: &mut Parser<'_>) -> Parsed<Type> {
    let token = p.peek();
    let kind = match token.text {
        "bool" => TypeKind::Bool,
        "int" => TypeKind::Int,
        "real" => TypeKind::Real,
        "(" if token.kind == TokenKind::Sign => {
            let open = p.advance().span;
            let inner = p.nested(one_type)?;
            p.close(open, ")")?;
            return Ok(inner);
        }
        "{" if token.kind == TokenKind::Sign => {
            let open = p.advance().span;
            p.nested(|p| {
                p.comma_list(|p| {
                    p.comma_list(|p| p.name("a field"))?;
                    p.expect(":")?;
                    one_type(p)
                })
            })?;
            let span = open.to(p.close(open, "}")?.span);
            let kind = TypeKind::Unsupported(&RECORD);
            return Ok(Type { kind, span });
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
        return TypeKind::Unsupported(&USER_TYPE);
    }
    if name.strip_prefix("bv").is_some_and(digits) {
        return TypeKind::Unsupported(&BIT_VECTOR);
    }
    let sizes = name.strip_prefix("float").and_then(|s| s.split_once('e'));
    if name == "rmode" || sizes.is_some_and(|(a, b)| digits(a) && digits(b)) {
        return TypeKind::Unsupported(&FLOAT);
    }
    match name {
        "string" | "regex" => TypeKind::Unsupported(&TEXT),
        _ => TypeKind::Named(name.into()),
    }
}
