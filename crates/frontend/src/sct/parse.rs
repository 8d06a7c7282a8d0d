//! From text to declarations.

use super::ast::{
    Action, Body, Choose, CommandItem, ConditionKind, Declarator, Item, ProcessItem, PropertyItem,
    PropertyItemKind, Symbols, SymbolsKind, TypeItem,
};
use crate::elaborate::closest;
use crate::syntax::{Binder, Dialect, Expr, ExprKind, Name, Parser, Reported, TokenKind, Word};
use sectile_base::{Diagnostic, Diagnostics, Source, Span};

/// The tokens and operators of the language.
pub(super) const DIALECT: Dialect = Dialect {
    reserved: &[
        "param",
        "enum",
        "const",
        "assume",
        "define",
        "var",
        "init",
        "restrict",
        "clock",
        "stay",
        "process",
        "compose",
        "relation",
        "invariant",
        "error",
        "ctl",
        "when",
        "any",
        "where",
        "havoc",
        "skip",
        "keep",
        "bool",
        "int",
        "nat",
    ],
    c_operators: false,
};

/// The keywords that begin a declaration.
const STARTERS: &[&str] = &[
    "param",
    "enum",
    "const",
    "assume",
    "define",
    "var",
    "init",
    "restrict",
    "clock",
    "stay",
    "process",
    "compose",
    "relation",
    "invariant",
    "error",
    "ctl",
];

/// What a text says, what is wrong with it, and where its `//` comments are.
pub(super) struct Parsed {
    pub items: Vec<Item>,
    pub diagnostics: Diagnostics,
    pub comments: Vec<Span>,
}

/// Reads all declarations.
pub(super) fn parse(source: &Source) -> Parsed {
    let mut parser = Parser::new(source, DIALECT);
    let mut items = Vec::new();
    while !parser.at(TokenKind::End) {
        if parser.at(TokenKind::RightBrace) {
            let span = parser.advance().span;
            let diagnostic = Diagnostic::error("syntax", span, "there is no `{` for this `}`");
            parser.report(diagnostic);
            continue;
        }
        match item(&mut parser) {
            Ok(item) => items.push(item),
            Err(Reported) => recover(&mut parser, 0),
        }
    }
    let (diagnostics, comments) = parser.finish();
    Parsed {
        items,
        diagnostics,
        comments,
    }
}

/// Skips to what is probably the next declaration, or to the end of a block at depth `braces`.
fn recover(parser: &mut Parser<'_>, braces: usize) {
    loop {
        let token = parser.peek();
        let starts = match token.kind {
            TokenKind::End => true,
            TokenKind::RightBrace => parser.open_braces() <= braces && braces > 0,
            TokenKind::Reserved => STARTERS.contains(&parser.text(token)),
            TokenKind::Name | TokenKind::Quoted => {
                // Two names in a row: most likely a misspelt keyword.
                let next = parser.peek_at(1).kind;
                parser.at_line_start() && matches!(next, TokenKind::Colon | TokenKind::Name)
            }
            _ => false,
        };
        if starts {
            return;
        }
        parser.advance();
    }
}

fn item(parser: &mut Parser<'_>) -> Result<Item, Reported> {
    let token = parser.peek();
    if matches!(token.kind, TokenKind::Name | TokenKind::Quoted) {
        return command(parser);
    }
    if token.kind != TokenKind::Reserved || !STARTERS.contains(&parser.text(token)) {
        let help = "a declaration starts with a keyword such as `var` or `invariant`, a command \
                    with its name and `:`";
        return Err(parser.unexpected("a declaration or a command", Some(help.to_string())));
    }
    match parser.text(token) {
        "process" => process(parser),
        "relation" => relation(parser),
        "invariant" => property(parser, PropertyItemKind::Invariant),
        "error" => property(parser, PropertyItemKind::Error),
        "ctl" => property(parser, PropertyItemKind::Ctl),
        word => {
            parser.advance();
            match word {
                "param" => parameter(parser),
                "enum" => enumeration(parser),
                "const" => symbols(parser, SymbolsKind::Constant),
                "var" => symbols(parser, SymbolsKind::Variable),
                "clock" => symbols(parser, SymbolsKind::Clock),
                "define" => definition(parser),
                "compose" => compose(parser),
                "assume" => condition(parser, ConditionKind::Assume),
                "init" => condition(parser, ConditionKind::Init),
                "restrict" => condition(parser, ConditionKind::Restrict),
                _ => condition(parser, ConditionKind::Stay),
            }
        }
    }
}

fn condition(parser: &mut Parser<'_>, kind: ConditionKind) -> Result<Item, Reported> {
    let start = parser.previous();
    let formula = parser.expression()?;
    let span = start.to(parser.previous());
    Ok(Item::Condition(kind, formula, span))
}

fn parameter(parser: &mut Parser<'_>) -> Result<Item, Reported> {
    let name = parser.name("the name of a parameter")?;
    if !parser.at(TokenKind::Equal) {
        let help = "a parameter has a default: `param n = 3`".to_string();
        return Err(parser.unexpected("`=`", Some(help)));
    }
    parser.advance();
    Ok(Item::Parameter(name, parser.expression()?))
}

fn enumeration(parser: &mut Parser<'_>) -> Result<Item, Reported> {
    let name = parser.name("the name of an enumeration")?;
    parser.expect(TokenKind::Equal, "`=`")?;
    Ok(Item::Enumeration(name, values(parser)?))
}

/// `{a, b, c}`.
fn values(parser: &mut Parser<'_>) -> Result<Vec<Name>, Reported> {
    let open = parser.expect(TokenKind::LeftBrace, "`{`")?;
    let list = parser.comma_list(|p| p.name("a value"))?;
    parser.close(open, TokenKind::RightBrace)?;
    Ok(list)
}

fn symbols(parser: &mut Parser<'_>, kind: SymbolsKind) -> Result<Item, Reported> {
    let declarators = parser.comma_list(|p| {
        let what = match kind {
            SymbolsKind::Constant => "the name of a constant",
            SymbolsKind::Variable => "the name of a variable",
            SymbolsKind::Clock => "the name of a clock",
        };
        let name = p.name(what)?;
        let indices = index_binders(p)?;
        Ok(Declarator { name, indices })
    })?;
    let mut sort = TypeItem::Real;
    if kind != SymbolsKind::Clock {
        if !parser.at(TokenKind::Colon) {
            let help = "the type comes behind a colon: `var x : int`".to_string();
            return Err(parser.unexpected("`:`", Some(help)));
        }
        parser.advance();
        sort = type_item(parser)?;
    }
    let mut initial = None;
    if parser.at(TokenKind::Equal) {
        let equal = parser.advance().span;
        let value = parser.expression()?;
        match kind {
            SymbolsKind::Variable => initial = Some(value),
            SymbolsKind::Constant => {
                let message = "a constant has no initial value";
                let help = "say what is known about it by `assume`, or use `param` or `define`";
                parser.report(Diagnostic::error("syntax", equal, message).help(help));
            }
            SymbolsKind::Clock => {
                let message = "a clock always starts at 0";
                parser.report(Diagnostic::error("syntax", equal, message));
            }
        }
    }
    Ok(Item::Symbols(Symbols {
        kind,
        declarators,
        sort,
        initial,
    }))
}

/// `[i : 1..n, j : 1..n]`, or nothing.
fn index_binders(parser: &mut Parser<'_>) -> Result<Vec<Binder>, Reported> {
    let open = parser.peek();
    if !parser.eat(TokenKind::LeftBracket) {
        return Ok(Vec::new());
    }
    let list = parser.comma_list(|p| {
        if !matches!(p.peek().kind, TokenKind::Name | TokenKind::Quoted) {
            let help = "an index is declared with its range: `[i : 1..n]`".to_string();
            return Err(p.unexpected("the name of an index", Some(help)));
        }
        let name = p.name("the name of an index")?;
        // `i in 1..n` is how quantifiers say the same.
        if !p.eat(TokenKind::Word(Word::In)) {
            p.expect(TokenKind::Colon, "`:` and the range of the index")?;
        }
        let (low, high) = p.range()?;
        Ok(Binder { name, low, high })
    })?;
    parser.close(open, TokenKind::RightBracket)?;
    Ok(list)
}

fn type_item(parser: &mut Parser<'_>) -> Result<TypeItem, Reported> {
    let token = parser.peek();
    let simple = match (token.kind, parser.text(token)) {
        (TokenKind::Reserved, "bool") => Some(TypeItem::Bool),
        (TokenKind::Reserved, "int") => Some(TypeItem::Int),
        (TokenKind::Reserved, "nat") => Some(TypeItem::Nat),
        (TokenKind::Word(Word::Real), _) if parser.peek_at(1).kind != TokenKind::LeftParen => {
            Some(TypeItem::Real)
        }
        _ => None,
    };
    if let Some(simple) = simple {
        parser.advance();
        return Ok(simple);
    }
    if token.kind == TokenKind::LeftBrace {
        return Ok(TypeItem::Values(values(parser)?));
    }
    if token.kind == TokenKind::LeftBracket {
        parser.advance();
        return parser.nested(|p| {
            let index = type_item(p)?;
            p.close(token, TokenKind::RightBracket)?;
            let element = type_item(p)?;
            let span = token.span.to(p.previous());
            Ok(TypeItem::Array(Box::new(index), Box::new(element), span))
        });
    }
    let help = "types are `bool`, `int`, `nat`, `real`, `lo..hi`, `{a, b}`, `[int]int` and the \
                names of enumerations";
    let begins = matches!(
        token.kind,
        TokenKind::Name
            | TokenKind::Quoted
            | TokenKind::Number
            | TokenKind::Minus
            | TokenKind::LeftParen
            | TokenKind::Word(Word::Abs | Word::Min | Word::Max | Word::Floor)
    );
    if !begins {
        return Err(parser.unexpected("a type", Some(help.to_string())));
    }
    let low = parser.arithmetic()?;
    if parser.eat(TokenKind::DotDot) {
        let high = parser.arithmetic()?;
        return Ok(TypeItem::Range(low, high));
    }
    match low.kind {
        ExprKind::Name(name) => Ok(TypeItem::Named(name)),
        _ => Err(parser.unexpected("`..`", Some(help.to_string()))),
    }
}

fn definition(parser: &mut Parser<'_>) -> Result<Item, Reported> {
    let name = parser.name("the name of a definition")?;
    let open = parser.peek();
    let mut parameters = Vec::new();
    if parser.eat(TokenKind::LeftParen) {
        parameters = parser.comma_list(|p| p.name("the name of a parameter"))?;
        parser.close(open, TokenKind::RightParen)?;
    }
    parser.expect(TokenKind::Equal, "`=`")?;
    let body = parser.expression()?;
    Ok(Item::Definition(name, parameters, body))
}

fn compose(parser: &mut Parser<'_>) -> Result<Item, Reported> {
    let start = parser.previous();
    let token = parser.peek();
    if parser.text(token) == "synchronous" {
        parser.advance();
        return Ok(Item::Synchronous(start.to(token.span)));
    }
    let help = "without `compose synchronous` processes interleave".to_string();
    Err(parser.unexpected("`synchronous`", Some(help)))
}

fn property(parser: &mut Parser<'_>, kind: PropertyItemKind) -> Result<Item, Reported> {
    let start = parser.advance();
    let word = parser.text(start);
    let name = parser.name("the name of the property")?;
    if !parser.at(TokenKind::Colon) {
        let help = format!("a property has a name: `{word} NAME: ...`");
        return Err(parser.unexpected("`:`", Some(help)));
    }
    parser.advance();
    let formula = match kind {
        PropertyItemKind::Ctl => parser.temporal_formula()?,
        _ => parser.expression()?,
    };
    Ok(Item::Property(PropertyItem {
        kind,
        name,
        formula,
        span: start.span.to(parser.previous()),
    }))
}

/// What stands between the name of a command and its `:`.
struct Head {
    name: Name,
    indices: Vec<Binder>,
    when: Option<Expr>,
}

fn command(parser: &mut Parser<'_>) -> Result<Item, Reported> {
    let first = parser.peek();
    let second = parser.peek_at(1);
    let follows = matches!(second.kind, TokenKind::Colon | TokenKind::LeftBracket);
    let when = second.kind == TokenKind::Reserved && parser.text(second) == "when";
    if !follows && !when {
        return Err(no_command(parser));
    }
    let name = parser.name("the name of a command")?;
    let indices = index_binders(parser)?;
    let head = Head {
        name,
        indices,
        when: when_condition(parser)?,
    };
    parser.expect(TokenKind::Colon, "`:` behind the name of the command")?;
    let guard = parser.expression()?;
    if !parser.at(TokenKind::Arrow) {
        let help = "a command is written `name: guard --> x := e`; a formula over primed \
                    variables needs the keyword `relation` in front";
        return Err(parser.unexpected("`-->`", Some(help.to_string())));
    }
    parser.advance();
    let actions = parser.comma_list(action)?;
    let body = Body::Guarded(guard, actions);
    Ok(finish_command(parser, head, body, first.span))
}

/// Reports a name that begins nothing.
fn no_command(parser: &mut Parser<'_>) -> Reported {
    let token = parser.advance();
    let word = parser.text(token);
    let next = parser.peek();
    let mut diagnostic = Diagnostic::error(
        "syntax",
        token.span,
        format!("`{word}` begins no declaration"),
    );
    diagnostic = match (closest(word, STARTERS.iter().copied()), next.kind) {
        (Some(close), _) => diagnostic.help(format!("did you mean `{close}`?")),
        (None, TokenKind::Assign) => {
            diagnostic.help("assignments stand behind `-->` of a command, with commas between")
        }
        _ => diagnostic.help("a command is written `name: guard --> x := e`"),
    };
    parser.report(diagnostic)
}

fn when_condition(parser: &mut Parser<'_>) -> Result<Option<Expr>, Reported> {
    match parser.eat_reserved("when") {
        true => parser.expression().map(Some),
        false => Ok(None),
    }
}

fn finish_command(parser: &mut Parser<'_>, head: Head, body: Body, start: Span) -> Item {
    Item::Command(CommandItem {
        name: head.name,
        indices: head.indices,
        when: head.when,
        body,
        span: start.to(parser.previous()),
    })
}

fn relation(parser: &mut Parser<'_>) -> Result<Item, Reported> {
    let start = parser.advance().span;
    let name = parser.name("the name of the relation")?;
    let indices = index_binders(parser)?;
    let mut chosen = Vec::new();
    if parser.eat_reserved("any") {
        chosen = parser.comma_list(|p| {
            let name = p.name("the name of a chosen value")?;
            p.expect(TokenKind::Colon, "`:` and the type of the value")?;
            Ok((name, type_item(p)?))
        })?;
    }
    let head = Head {
        name,
        indices,
        when: when_condition(parser)?,
    };
    parser.expect(TokenKind::Colon, "`:` behind the name of the relation")?;
    let formula = parser.expression()?;
    if parser.at(TokenKind::Arrow) {
        let help = "a relation is one formula; a guarded command has no `relation` in front";
        return Err(parser.unexpected("the end of the formula", Some(help.to_string())));
    }
    let body = Body::Relation(chosen, formula);
    Ok(finish_command(parser, head, body, start))
}

fn action(parser: &mut Parser<'_>) -> Result<Action, Reported> {
    if parser.eat_reserved("skip") {
        return Ok(Action::Skip);
    }
    if parser.eat_reserved("havoc") {
        return Ok(Action::Havoc(parser.reference("a variable")?));
    }
    if parser.eat_reserved("any") {
        let name = parser.name("the name of the chosen value")?;
        if !parser.at(TokenKind::Colon) {
            let help = "write `any v : int where ...`, or `x := any v where ...`".to_string();
            return Err(parser.unexpected("`:`", Some(help)));
        }
        parser.advance();
        let sort = type_item(parser)?;
        let condition = where_condition(parser)?;
        return Ok(Action::Choose(Choose { name, condition }, sort));
    }
    let target = parser.reference("an assignment")?;
    if !parser.at(TokenKind::Assign) {
        let help = match parser.peek().kind {
            TokenKind::Equal => "assignments are written with `:=`",
            _ => "actions are `x := e`, `x := any v where ...`, `havoc x` and `skip`",
        };
        return Err(parser.unexpected("`:=`", Some(help.to_string())));
    }
    parser.advance();
    if !parser.eat_reserved("any") {
        return Ok(Action::Assign(target, parser.expression()?));
    }
    let name = parser.name("the name of the chosen value")?;
    let condition = where_condition(parser)?;
    Ok(Action::Any(target, Choose { name, condition }))
}

fn where_condition(parser: &mut Parser<'_>) -> Result<Option<Expr>, Reported> {
    match parser.eat_reserved("where") {
        true => parser.expression().map(Some),
        false => Ok(None),
    }
}

fn process(parser: &mut Parser<'_>) -> Result<Item, Reported> {
    parser.advance();
    let name = parser.name("the name of a process")?;
    let indices = index_binders(parser)?;
    let open = parser.expect(TokenKind::LeftBrace, "`{`")?;
    let depth = parser.open_braces();
    let mut items = Vec::new();
    while !parser.at(TokenKind::RightBrace) && !parser.at(TokenKind::End) {
        if parser.at_reserved("process") {
            let span = parser.peek().span;
            let message = "a process cannot stand inside of a process";
            let diagnostic = Diagnostic::error("syntax", span, message);
            parser.report(diagnostic.help("close the process before it with `}`"));
            // Read for its own mistakes and to find its end.
            parser.nested(process)?;
            continue;
        }
        match item(parser) {
            Ok(item) => items.push(item),
            Err(Reported) => recover(parser, depth),
        }
    }
    parser.close(open, TokenKind::RightBrace)?;
    Ok(Item::Process(ProcessItem {
        name,
        indices,
        items,
    }))
}
