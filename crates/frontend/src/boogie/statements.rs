//! Parser of statements.

use super::ast::{
    Block, Body, Call, Clause, Expr, Item, Name, Role, Statement, StatementKind, Target, While,
};
use super::constructs::{CALL_FORALL, CONCURRENCY as CONCURRENT, RECORD};
use super::declarations::variables;
use super::parser::{Parsed, Parser, Reported, attributes};
use crate::syntax::{ExprKind, TokenKind};
use sectile_base::Span;

/// Words of concurrency, which are names elsewhere.
const CONCURRENCY: &[&str] = &["fork", "join", "atomic", "par", "yield", "async"];

/// `{ var x : int; statements }`.
pub fn body(p: &mut Parser<'_>) -> Parsed<Body> {
    let open = p.expect("{")?.span;
    let mut locals = Vec::new();
    while p.eat("var") {
        attributes(p)?;
        match variables(p) {
            Ok(list) => locals.extend(list),
            Err(Reported) => after_mistake(p),
        }
    }
    let block = p.nested(|p| Ok(items(p)))?;
    let end = p.close(open, "}")?.span;
    Ok(Body { locals, block, end })
}

/// `{ statements }`.
fn block(p: &mut Parser<'_>) -> Parsed<Block> {
    let help = "the branches of conditionals and loops stand in braces";
    let open = p.expect_with("{", help)?.span;
    let block = p.nested(|p| Ok(items(p)))?;
    p.close(open, "}")?;
    Ok(block)
}

fn items(p: &mut Parser<'_>) -> Block {
    let mut found = Vec::new();
    // A declaration cannot stand here: a closing brace is missing before it.
    while !p.at("}") && !p.at_end() && !starts_declaration(p) {
        if p.peek().kind == TokenKind::Name && p.at_ahead(1, ":") {
            let token = p.advance();
            p.advance();
            found.push(Item::Label(p.name_of(token)));
            continue;
        }
        match statement(p) {
            Ok(statement) => found.push(Item::Statement(statement)),
            Err(Reported) => after_mistake(p),
        }
    }
    Block { items: found }
}

/// Skips the rest of a statement, with its braces.
fn after_mistake(p: &mut Parser<'_>) {
    let mut depth = 0_usize;
    while !p.at_end() && (depth > 0 || !(p.at("}") || starts_declaration(p))) {
        let token = p.advance();
        depth += usize::from(token.is("{"));
        depth -= usize::from(token.is("}"));
        if depth == 0 && (token.is("}") || token.is(";")) {
            return;
        }
    }
}

fn starts_declaration(p: &mut Parser<'_>) -> bool {
    p.at_any(&["procedure", "implementation", "axiom", "function"])
}

fn statement(p: &mut Parser<'_>) -> Parsed<Statement> {
    let start = p.peek();
    let (kind, head) = match start.kind {
        TokenKind::Word => keyword(p)?,
        TokenKind::Name if is_concurrency(p) => (concurrency(p)?, None),
        TokenKind::Name => (assignment(p)?, None),
        _ => {
            let help = "statements are assignments, `assert`, `assume`, `havoc`, `call`, `if`, \
                        `while`, `goto`, `break` and `return`";
            return Err(p.unexpected("a statement", Some(help)));
        }
    };
    Ok(Statement {
        kind,
        span: head.unwrap_or_else(|| start.span.to(p.previous())),
    })
}

fn is_concurrency(p: &mut Parser<'_>) -> bool {
    CONCURRENCY.contains(&p.peek().text) && ![":=", ",", "["].iter().any(|sign| p.at_ahead(1, sign))
}

/// Skips a statement of concurrency; the text in its braces is read.
fn concurrency(p: &mut Parser<'_>) -> Parsed<StatementKind> {
    p.advance();
    if p.at("{") {
        block(p)?;
    } else {
        while !p.eat(";") {
            if p.at_end() || p.at("}") || p.at("{") {
                return Err(p.unexpected("`;`", None));
            }
            p.advance();
        }
    }
    Ok(StatementKind::Unsupported(&CONCURRENT))
}

/// A statement that starts with a word, with its position if that is not all of it.
fn keyword(p: &mut Parser<'_>) -> Parsed<(StatementKind, Option<Span>)> {
    const STATEMENTS: &[&str] = &[
        "assert", "assume", "havoc", "call", "goto", "break", "return",
    ];
    let token = p.peek();
    if STATEMENTS.contains(&token.text) {
        p.advance();
    }
    let kind = match token.text {
        "assert" => {
            attributes(p)?;
            StatementKind::Assert(p.expression()?)
        }
        "assume" => attributes(p)
            .and_then(|_| p.expression())
            .map(StatementKind::Assume)?,
        "havoc" => StatementKind::Havoc(p.comma_list(|p| p.name("a variable"))?),
        "call" => call(p)?,
        "goto" => StatementKind::Goto(p.comma_list(|p| p.name("a label"))?),
        "break" => {
            let label = (!p.at(";")).then(|| p.name("a label")).transpose()?;
            StatementKind::Break(label)
        }
        "return" => StatementKind::Return,
        "if" => {
            let (arms, otherwise) = p.conditional_statement(CONDITION_HELP, block)?;
            let head = arms[0].span;
            return Ok((StatementKind::If(arms, otherwise), Some(head)));
        }
        "while" => return repetition(p),
        "var" => {
            let message = "`var` cannot stand among statements";
            let help = "variables are declared at the beginning of the body";
            return Err(p.wrong(token.span, message, help));
        }
        "else" => {
            return Err(p.wrong(token.span, "`else` without `if`", ""));
        }
        _ => return Err(p.unexpected("a statement", None)),
    };
    p.expect(";")?;
    Ok((kind, None))
}

/// `x, m[i] := e, f;`
fn assignment(p: &mut Parser<'_>) -> Parsed<StatementKind> {
    let mut fields = false;
    let targets = p.comma_list(|p| target(p, &mut fields))?;
    if p.at("=") {
        let span = p.peek().span;
        let help = "an assignment is written `x := e`";
        return Err(p.wrong(span, "expected `:=`, found `=`", help));
    }
    p.expect_with(":=", "an assignment is written `x := e`, a label `l:`")?;
    let values = p.comma_list(Parser::expression)?;
    p.expect(";")?;
    Ok(match fields {
        true => StatementKind::Unsupported(&RECORD),
        false => StatementKind::Assign(targets, values),
    })
}

/// A variable with its indices; `fields` becomes true if it is a field of a record.
fn target(p: &mut Parser<'_>, fields: &mut bool) -> Parsed<Target> {
    let name = p.name("a variable")?;
    let mut indices = Vec::new();
    while p.at("[") || p.at("!") {
        if p.eat("!") {
            p.name("a field")?;
            *fields = true;
            continue;
        }
        let open = p.advance().span;
        indices.extend(p.optional_list("]", Parser::expression)?);
        p.close(open, "]")?;
    }
    let span = name.span.to(p.previous());
    Ok(Target {
        name,
        indices,
        span,
    })
}

/// `call x, y := P(e);`, `call P(e);`, `call forall P(*);`
fn call(p: &mut Parser<'_>) -> Parsed<StatementKind> {
    attributes(p)?;
    let forall = p.eat("forall");
    let mut names: Vec<Name> = p.comma_list(|p| p.name("a procedure or a variable"))?;
    let mut targets = Vec::new();
    if p.at(":=") || names.len() > 1 {
        p.expect(":=")?;
        targets = std::mem::take(&mut names);
        names.push(p.name("a procedure")?);
    }
    let callee = names.remove(0);
    let open = p.expect("(")?.span;
    let mut any = forall;
    let arguments = p.optional_list(")", |p| argument(p, &mut any))?;
    p.close(open, ")")?;
    if any {
        return Ok(StatementKind::Unsupported(&CALL_FORALL));
    }
    Ok(StatementKind::Call(Call {
        callee,
        arguments,
        targets,
    }))
}

/// An argument; `*` stands for any value in `call forall`.
fn argument(p: &mut Parser<'_>, any: &mut bool) -> Parsed<Expr> {
    if !p.at("*") {
        return p.expression();
    }
    *any = true;
    let span = p.advance().span;
    let kind = ExprKind::Bool(true);
    Ok(Expr::at(span, kind))
}

const CONDITION_HELP: &str = "the condition stands in parentheses";

/// `while (c) invariant e; { ... }`, with the position of its head.
fn repetition(p: &mut Parser<'_>) -> Parsed<(StatementKind, Option<Span>)> {
    let start = p.advance().span;
    let condition = p.condition(CONDITION_HELP)?;
    let head = start.to(p.previous());
    let mut invariants = Vec::new();
    while p.at("invariant") || p.at("free") {
        let start = p.peek().span;
        let free = p.eat("free");
        p.expect("invariant")?;
        attributes(p)?;
        let condition = p.expression()?;
        p.expect(";")?;
        invariants.push(Clause {
            role: Role::Invariant,
            free,
            condition,
            span: start.to(p.previous()),
        });
    }
    let body = block(p)?;
    let kind = StatementKind::While(While {
        condition,
        invariants,
        body,
    });
    Ok((kind, Some(head)))
}
