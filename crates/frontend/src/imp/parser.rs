//! Parses programs.

use super::ast::{Block, Program, Statement, StatementKind};
use crate::messages::Report as _;
use crate::syntax::{
    Claim, ClaimKind, Dialect, Name, Parsed, Parser, Reported, Token, TokenKind, TypeItem, describe,
};
use sectile_base::{Diagnostics, Source, Span};
use std::collections::BTreeSet;

/// The keywords and operators of the language.
pub const DIALECT: Dialect = Dialect {
    reserved: &[
        "param", "var", "init", "while", "loop", "skip", "assume", "assert", "bool", "int", "nat",
    ],
    claims: &CLAIMS,
    c_operators: true,
};

const DECLARATIONS: [&str; 3] = ["param", "var", "init"];
const TYPES: [&str; 3] = ["bool", "int", "nat"];
const STATEMENTS: &[&str] = &["while", "loop", "skip", "assume", "assert"];
const CLAIMS: [&str; 6] = ["always", "invariant", "error", "ctl", "ltl", "terminates"];

/// A parsed text: the program, the errors, and the positions of comments.
pub struct Text {
    /// As complete as the errors allow.
    pub program: Program,
    pub diagnostics: Diagnostics,
    pub comments: Vec<Span>,
    /// The positions where declarations and statements begin.
    pub starts: BTreeSet<u32>,
}

/// Parses a complete file.
pub fn parse(source: &Source) -> Text {
    let mut parser = Parser::new(source, DIALECT);
    let mut program = Program::default();
    while parser.at_any(&DECLARATIONS) {
        if declaration(&mut parser, &mut program).is_err() {
            recover(&mut parser);
        }
        parser.eat(";");
    }
    program.body = statements(&mut parser, Ending::Program);
    while parser.at_any(&CLAIMS) {
        match claim(&mut parser) {
            Ok(claim) => program.claims.push(claim),
            Err(Reported) => recover(&mut parser),
        }
        parser.eat(";");
        skip_to_claim(&mut parser);
    }
    let starts = std::mem::take(&mut parser.starts);
    let (diagnostics, comments) = parser.finish();
    Text {
        program,
        diagnostics,
        comments,
        starts,
    }
}

/// Reports other text between the properties once, and skips it.
fn skip_to_claim(p: &mut Parser<'_>) {
    if p.at_end() || p.at_any(&CLAIMS) {
        return;
    }
    let help = match p.previous_text() {
        "AX" | "EX" | "AF" | "EF" | "AG" | "EG" => "temporal operators belong in `ctl` properties",
        _ => "properties come after the program",
    };
    expected(p, "a property or the end of the file", help);
    while !p.at_end() && !p.at_any(&CLAIMS) {
        p.advance();
    }
}

/// Continues after the statement or declaration that contains an error.
fn recover(p: &mut Parser<'_>) {
    let mut open = 0;
    while !p.at_end() && (open > 0 || !(p.at_any(&[";", "}"]) || p.at_any(&CLAIMS))) {
        let token = p.advance();
        if token.is("{") {
            open += 1;
        } else if token.is("}") {
            open -= 1;
            if open == 0 {
                return;
            }
        }
    }
}

/// Reports what was expected at the current token.
fn expected(p: &mut Parser<'_>, what: &str, help: &str) -> Reported {
    let token = p.peek();
    let message = format!("expected {what}, found {}", describe(token));
    p.wrong(token.span, message, help)
}

fn declaration(p: &mut Parser<'_>, program: &mut Program) -> Parsed<()> {
    p.begin();
    if p.eat("param") {
        let name = p.name("the name of a parameter")?;
        p.expect_as("=", "`=` and a value", None)?;
        program.parameters.push((name, p.expression()?));
    } else if p.eat("init") {
        program.initial.push(p.expression()?);
    } else {
        p.advance();
        variables(p, &mut program.variables)?;
    }
    Ok(())
}

/// Reads `x, y : int, b : bool`: a type applies to all names since the previous type.
fn variables(p: &mut Parser<'_>, found: &mut Vec<(Name, TypeItem)>) -> Parsed<()> {
    let mut pending: Vec<Name> = Vec::new();
    loop {
        pending.push(p.name("the name of a variable")?);
        if p.eat(",") {
            continue;
        }
        let help = "a declaration is written `var x, y : int, b : bool;`";
        p.expect_as(":", "`:` and a type", Some(help))?;
        let kind = variable_type(p)?;
        found.extend(pending.drain(..).map(|name| (name, kind.clone())));
        if !p.eat(",") {
            return Ok(());
        }
    }
}

fn variable_type(p: &mut Parser<'_>) -> Parsed<TypeItem> {
    let help = "types are `bool`, `int`, `nat`, `real`, ranges `lo..hi` and `{a, b}`";
    let (span, message) = match p.type_item(help)? {
        TypeItem::Named(name) => (name.span, format!("there is no type `{}`", name.text)),
        TypeItem::Record(_, span) => (span, "variables cannot be records here".to_string()),
        TypeItem::Array(_, _, span) => (span, "variables cannot be arrays here".to_string()),
        of => return Ok(of),
    };
    Err(p.error("type", span, message, help))
}

/// How a list of statements ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ending {
    /// At the end of the file or at the first property.
    Program,
    /// At a closing brace.
    Brace,
}

fn at_ending(p: &mut Parser<'_>, ending: Ending) -> bool {
    p.at_end() || (p.at("}") && ending == Ending::Brace) || p.at_any(&CLAIMS)
}

/// Statements separated by `;`, up to the ending. Errors are reported, and parsing continues after
/// them.
fn statements(p: &mut Parser<'_>, ending: Ending) -> Block {
    let mut block = Block::default();
    loop {
        let found = labels(p);
        if at_ending(p, ending) {
            block.end_labels = found;
            return block;
        }
        match statement(p, found) {
            Ok(statement) => {
                separator(p, ending, &statement);
                block.statements.push(statement);
            }
            Err(Reported) => after_mistake(p, ending),
        }
    }
}

/// The `;` after a statement, which may be missing after `}` and at the end.
fn separator(p: &mut Parser<'_>, ending: Ending, statement: &Statement) {
    if p.eat(";") || at_ending(p, ending) || ends_with_brace(p, statement) {
        return;
    }
    let help = "statements are separated by `;`";
    p.unexpected("`;`", Some(help));
    // If a statement follows, only the `;` is missing.
    if !starts_statement(p) {
        after_mistake(p, ending);
    }
}

/// Whether a statement ends with `}` or `}*`.
fn ends_with_brace(p: &Parser<'_>, statement: &Statement) -> bool {
    match p.previous_text() {
        "}" => true,
        "*" => !ends_with_havoc(statement),
        _ => false,
    }
}

fn ends_with_havoc(statement: &Statement) -> bool {
    let last = statement.blocks().pop().and_then(|b| b.statements.last());
    match statement.kind {
        StatementKind::Havoc(_) => true,
        StatementKind::Loop(_) => false,
        _ => last.is_some_and(ends_with_havoc),
    }
}

fn starts_statement(p: &mut Parser<'_>) -> bool {
    let named = p.peek().is_name() && (p.at_ahead(1, ":=") || p.at_ahead(1, ":"));
    named || p.at_any(&["?", "{", "if"]) || p.at_any(STATEMENTS) || p.at_any(&CLAIMS)
}

fn after_mistake(p: &mut Parser<'_>, ending: Ending) {
    recover(p);
    p.eat(";");
    if ending == Ending::Program && p.at("}") {
        p.advance();
    }
}

/// `l1: l2:` before a statement or at an end.
fn labels(p: &mut Parser<'_>) -> Vec<Name> {
    std::iter::from_fn(|| optional_name(p)).collect()
}

fn statement(p: &mut Parser<'_>, labels: Vec<Name>) -> Parsed<Statement> {
    p.begin();
    let start = p.peek();
    let (kind, span) = match (start.kind, start.text) {
        (TokenKind::Sign, "?") => {
            p.advance();
            (StatementKind::Test(p.expression()?), None)
        }
        (TokenKind::Sign, "{") => {
            let body = braces(p)?;
            let kind = match p.eat("*") {
                true => StatementKind::Loop(body),
                false => StatementKind::Block(body),
            };
            (kind, Some(start.span))
        }
        (TokenKind::Word, "if") => {
            let (arms, otherwise) = p.conditional_statement(&condition_help("if"), body)?;
            let head = arms[0].span;
            (StatementKind::If(arms, otherwise), Some(head))
        }
        (TokenKind::Word, "else") => {
            let help = "`else` follows the statement of its `if` directly, without `;`";
            return Err(p.wrong(start.span, "`else` without `if`", help));
        }
        (TokenKind::Word, word) if DIALECT.reserved.contains(&word) || CLAIMS.contains(&word) => {
            keyword(p, start)?
        }
        (TokenKind::Name | TokenKind::Quoted, _) => (assignment(p)?, None),
        _ => {
            let help = "statements are `x := e`, `?Q`, `if`, `while`, `loop`, `skip`, `assume`, \
                        `assert` and `{ ... }`";
            let reported = expected(p, "a statement", help);
            if start.is("(") {
                // Parsing the nested expression finds its end, or refuses it, faster than
                // `recover`.
                let _ = p.expression();
            }
            return Err(reported);
        }
    };
    Ok(Statement {
        labels,
        kind,
        span: span.unwrap_or_else(|| start.span.to(p.previous())),
    })
}

/// A statement that starts with a keyword, and its position if that is not all of it.
fn keyword(p: &mut Parser<'_>, start: Token<'_>) -> Parsed<(StatementKind, Option<Span>)> {
    let word = start.text;
    if TYPES.contains(&word) {
        let help = format!("variables are declared before the program: `var x : {word};`");
        return Err(expected(p, "a statement", &help));
    }
    if DECLARATIONS.contains(&word) {
        let message = format!("`{word}` cannot stand among statements");
        return Err(p.wrong(start.span, message, "declarations come before the program"));
    }
    p.advance();
    Ok(match word {
        "skip" => (StatementKind::Skip, None),
        "assume" => (StatementKind::Test(p.expression()?), None),
        "assert" => {
            let name = optional_name(p);
            (StatementKind::Assert(name, p.expression()?), None)
        }
        "while" => {
            let condition = p.condition(&condition_help("while"))?;
            let head = start.span.to(p.previous());
            let body = body(p)?;
            (StatementKind::While(condition, body), Some(head))
        }
        _ => {
            if !p.at("{") {
                let help = "a loop is written `loop { ... }` or `{ ... }*`";
                return Err(p.unexpected("`{`", Some(help)));
            }
            (StatementKind::Loop(braces(p)?), Some(start.span))
        }
    })
}

/// Reads `NAME:`, if it comes next.
fn optional_name(p: &mut Parser<'_>) -> Option<Name> {
    if !p.peek().is_name() || !p.at_ahead(1, ":") {
        return None;
    }
    let name = p.name("a name").ok();
    p.advance();
    name
}

fn assignment(p: &mut Parser<'_>) -> Parsed<StatementKind> {
    let name = p.name("a variable")?;
    if p.at("=") {
        let span = p.peek().span;
        let help = format!("an assignment is written `{} := e`", name.text);
        return Err(p.wrong(span, "expected `:=`, found `=`", &help));
    }
    let help = "an assignment is written `x := e`, a label `l:`";
    p.expect_as(":=", "`:=` or `:`", Some(help))?;
    if p.eat("*") {
        return Ok(StatementKind::Havoc(name));
    }
    Ok(StatementKind::Assign(name, p.expression()?))
}

fn condition_help(word: &str) -> String {
    format!("the condition stands in parentheses: `{word} (Q) ...`")
}

/// The body of a conditional or loop.
fn body(p: &mut Parser<'_>) -> Parsed<Block> {
    p.nested(|p| {
        let found = labels(p);
        let inner = statement(p, found)?;
        Ok(match inner.kind {
            StatementKind::Block(block) if inner.labels.is_empty() => block,
            _ => Block {
                statements: vec![inner],
                end_labels: Vec::new(),
            },
        })
    })
}

/// `{ ... }`.
fn braces(p: &mut Parser<'_>) -> Parsed<Block> {
    let open = p.advance().span;
    p.nested(|p| {
        let block = statements(p, Ending::Brace);
        p.close(open, "}")?;
        Ok(block)
    })
}

fn claim(p: &mut Parser<'_>) -> Parsed<Claim> {
    p.begin();
    let start = p.advance();
    let word = start.text;
    if word == "terminates" {
        return Ok(Claim {
            name: Name {
                text: word.into(),
                span: start.span,
                quoted: false,
            },
            kind: ClaimKind::Terminates,
            span: start.span,
        });
    }
    let name = optional_name(p);
    let (name, kind) = match (word, name) {
        ("always", name) => {
            let places = p.comma_list(|p| p.name("a label"))?;
            if !p.eat("=>") && !p.eat("->") {
                let help = "write `always NAME: l => Q`; for all locations, `invariant NAME: Q`";
                return Err(p.unexpected("`=>`", Some(help)));
            }
            let formula = p.expression()?;
            let name = name.unwrap_or_else(|| places[0].clone());
            (name, ClaimKind::At(places, formula))
        }
        (_, None) => {
            let help = format!("write `{word} NAME: ...`");
            return Err(p.unexpected("the property's name and `:`", Some(&help)));
        }
        ("ctl", Some(name)) => (name, ClaimKind::Ctl(p.temporal_formula()?)),
        ("ltl", Some(name)) => (name, ClaimKind::Ltl(p.linear_formula()?)),
        ("invariant", Some(name)) => (name, ClaimKind::Invariant(p.expression()?)),
        (_, Some(name)) => (name, ClaimKind::Error(p.expression()?)),
    };
    let span = start.span.to(p.previous());
    Ok(Claim { name, kind, span })
}
