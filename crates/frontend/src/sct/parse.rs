//! From text to declarations.

use super::ast::{
    Action, Body, ChannelItem, Choose, CommandItem, ConditionKind, Declarator, FairItem, Fairness,
    ForAll, FunctionItem, Item, Parameter, ProcessItem, Symbols, SymbolsKind,
};
use crate::messages::did_you_mean;
use crate::syntax::{
    Binder, Claim, ClaimKind, Dialect, Parsed, Parser, Reported, TokenKind, TypeItem,
};
use sectile_base::{Diagnostics, Source, Span};
use std::collections::BTreeSet;

/// The keywords and operators of the language.
pub(super) const DIALECT: Dialect = Dialect {
    reserved: &[
        "param", "enum", "const", "assume", "define", "var", "init", "restrict", "clock", "stay",
        "process", "compose", "relation", "when", "any", "where", "havoc", "skip", "keep", "bool",
        "int", "nat",
    ],
    claims: CLAIMS,
    c_operators: false,
};

const CLAIMS: &[&str] = &["invariant", "error", "ctl", "ltl"];

/// The keywords that begin other declarations: all up to `relation`.
const STARTERS: &[&str] = DIALECT.reserved.split_at(13).0;

/// Help about types.
pub(super) const TYPES_HELP: &str = "types are `bool`, `int`, `nat`, `real`, `lo..hi`, `{a, b}`, \
                                     `[int]int`, `record {...}` and names of types";

/// Help about actions.
const ACTIONS: &str = "actions are `x := e`, `x := any v where ...`, `havoc x`, `skip`, `forall i \
                       in lo..hi: ...` and `if c then ... else ...`";

const BLOCKS: &str =
    "several actions inside of `if` or `forall` stand in braces: `{x := 1, y := 2}`";

/// The declarations of a text, its mistakes, and the positions of its comments.
pub(super) struct Text {
    pub items: Vec<Item>,
    pub diagnostics: Diagnostics,
    pub comments: Vec<Span>,
    /// The positions at which declarations begin.
    pub starts: BTreeSet<u32>,
}

/// Reads all declarations.
pub(super) fn parse(source: &Source) -> Text {
    let mut p = Parser::new(source, DIALECT);
    let mut items = Vec::new();
    while !p.at_end() {
        if p.at("}") {
            let span = p.advance().span;
            p.wrong(span, "there is no `{` for this `}`", "");
            continue;
        }
        match item(&mut p) {
            Ok(item) => items.push(item),
            Err(Reported) => recover(&mut p, 0),
        }
    }
    let starts = std::mem::take(&mut p.starts);
    let (diagnostics, comments) = p.finish();
    Text {
        items,
        diagnostics,
        comments,
        starts,
    }
}

/// Skips to what is probably the next declaration, or to the end of a block at depth `braces`.
fn recover(p: &mut Parser<'_>, braces: usize) {
    while !p.at_end() && !p.at_any(STARTERS) && !p.at_any(CLAIMS) {
        // Two names in a row: most likely a misspelt keyword.
        let misspelt = p.peek().is_name()
            && p.at_line_start()
            && (p.at_ahead(1, ":") || p.peek_at(1).kind == TokenKind::Name);
        if misspelt || (p.at("}") && braces > 0 && p.open_braces() <= braces) {
            return;
        }
        p.advance();
    }
}

/// `fair` or `strongly fair`, an optional `if` condition, and a command or a process.
fn fair(p: &mut Parser<'_>) -> Parsed<Item> {
    let fairness = match p.peek().text {
        "strongly" => {
            p.advance();
            Fairness::Strong
        }
        _ => Fairness::Weak,
    };
    if p.peek().text != "fair" {
        let help = "fairness is written `fair` or `strongly fair`";
        return Err(p.unexpected("`fair`", Some(help)));
    }
    p.advance();
    let condition = p.behind("if")?;
    let start = p.peek().span;
    let fairness = Some(FairItem {
        fairness,
        condition,
    });
    match item(p)? {
        Item::Command(command) => Ok(Item::Command(CommandItem {
            fairness,
            ..command
        })),
        Item::Process(process) => Ok(Item::Process(ProcessItem {
            fairness,
            ..process
        })),
        _ => {
            let message = "only commands and processes can be fair";
            Err(p.wrong(start, message, "write `fair name: guard --> x := e`"))
        }
    }
}

fn item(p: &mut Parser<'_>) -> Parsed<Item> {
    p.begin();
    let token = p.peek();
    // These are not keywords, so that models that use them as names keep their meaning.
    let names_a_command = [":", "[", "when"].iter().any(|text| p.at_ahead(1, text));
    if matches!(token.text, "fair" | "strongly") && !names_a_command {
        return fair(p);
    }
    if token.kind == TokenKind::Name && p.peek_at(1).is_name() {
        match token.text {
            "type" => return type_name(p),
            "chan" => return channel(p),
            "function" => return function(p, false),
            "predicate" => return function(p, true),
            _ => {}
        }
    }
    if token.is_name() {
        return command(p);
    }
    // No declaration has a colon after its keyword, so this is meant as the name of a command.
    if p.at_any(STARTERS) && p.at_ahead(1, ":") {
        if p.is_taken_for_name() {
            return command(p);
        }
        let word = p.advance();
        let message = format!(
            "the keyword `{}` cannot be the name of a command",
            word.text
        );
        let help = format!("in backquotes, `` `{}` ``, it can", word.text);
        return Err(p.wrong(word.span, message, &help));
    }
    if !p.at_any(STARTERS) && !p.at_any(CLAIMS) {
        let help = match token.text {
            ":=" => "the value at the start is written with `=`: `var x : int = 0`",
            "int" | "bool" | "nat" | "real" => "a variable is declared by `var x : int = 0`",
            ";" => "lines do not end with a mark; assignments of one step are separated by `,`",
            _ => {
                "a declaration starts with a keyword such as `var` or `invariant`, a command with \
                 its name and `:`"
            }
        };
        return Err(p.unexpected("a declaration or a command", Some(help)));
    }
    p.advance();
    match token.text {
        "process" => process(p),
        "relation" => relation(p),
        "invariant" | "error" | "ctl" | "ltl" => property(p),
        "param" => parameter(p),
        "enum" => {
            let name = p.name("the name of an enumeration")?;
            p.expect("=")?;
            Ok(Item::Enumeration(name, p.values()?))
        }
        "const" => symbols(p, SymbolsKind::Constant),
        "var" => symbols(p, SymbolsKind::Variable),
        "clock" => symbols(p, SymbolsKind::Clock),
        "define" => definition(p),
        "compose" => compose(p),
        "assume" => condition(p, ConditionKind::Assume),
        "init" => condition(p, ConditionKind::Init),
        "restrict" => condition(p, ConditionKind::Restrict),
        _ => condition(p, ConditionKind::Stay),
    }
}

fn parameter(p: &mut Parser<'_>) -> Parsed<Item> {
    let name = p.name("the name of a parameter")?;
    let range = p.eat(":").then(|| p.range()).transpose()?;
    p.expect_with("=", "a parameter has a default: `param n = 3`")?;
    let default = p.expression()?;
    Ok(Item::Parameter(Parameter {
        name,
        range,
        default,
    }))
}

fn condition(p: &mut Parser<'_>, kind: ConditionKind) -> Parsed<Item> {
    let start = p.previous();
    let formula = p.expression()?;
    let span = start.to(p.previous());
    Ok(Item::Condition(kind, formula, span))
}

/// `type msg = record {kind : kinds, from : 0..n-1}`.
fn type_name(p: &mut Parser<'_>) -> Parsed<Item> {
    p.advance();
    let name = p.name("the name of a type")?;
    p.expect_with(
        "=",
        "a type is declared by `type msg = record {kind : int}`",
    )?;
    Ok(match p.type_item(TYPES_HELP)? {
        TypeItem::Values(values) => Item::Enumeration(name, values),
        sort => Item::Type(name, sort),
    })
}

/// `function f(int, bool) : int` or `predicate p(int)`.
fn function(p: &mut Parser<'_>, is_predicate: bool) -> Parsed<Item> {
    let start = p.advance().span;
    let (what, help) = match is_predicate {
        true => (
            "the name of a predicate",
            "a predicate is declared by `predicate p(int)`",
        ),
        false => (
            "the name of a function",
            "a function is declared by `function f(int) : int`",
        ),
    };
    let name = p.name(what)?;
    let open = p.peek().span;
    p.expect_with("(", help)?;
    let arguments = p.comma_list(|p| p.type_item(TYPES_HELP))?;
    p.close(open, ")")?;
    let result = match is_predicate {
        true => TypeItem::Bool,
        false => {
            p.expect_with(":", help)?;
            p.type_item(TYPES_HELP)?
        }
    };
    let span = start.to(p.previous());
    Ok(Item::Function(FunctionItem {
        name,
        arguments,
        result,
        span,
    }))
}

/// `chan c : 4 of msg` or `chan c : unbounded of msg`.
fn channel(p: &mut Parser<'_>) -> Parsed<Item> {
    p.advance();
    let declarators = declarators(p, "the name of a channel")?;
    let help = "a channel has a length and a type: `chan c : 4 of int`";
    p.expect_with(":", help)?;
    let capacity = match p.peek().text {
        "unbounded" => {
            p.advance();
            None
        }
        _ => Some(p.arithmetic()?),
    };
    if p.peek().text != "of" {
        return Err(p.unexpected("`of` and the type of the messages", Some(help)));
    }
    p.advance();
    let holds = p.type_item(TYPES_HELP)?;
    Ok(Item::Channel(ChannelItem {
        declarators,
        capacity,
        holds,
    }))
}

fn declarators(p: &mut Parser<'_>, what: &str) -> Parsed<Vec<Declarator>> {
    p.comma_list(|p| {
        let name = p.name(what)?;
        Ok(Declarator {
            front: name.text.len(),
            indices: index_binders(p)?,
            name,
        })
    })
}

fn symbols(p: &mut Parser<'_>, kind: SymbolsKind) -> Parsed<Item> {
    let what = match kind {
        SymbolsKind::Constant => "the name of a constant",
        SymbolsKind::Variable => "the name of a variable",
        SymbolsKind::Clock => "the name of a clock",
    };
    let declarators = declarators(p, what)?;
    let mut sort = TypeItem::Real;
    if kind != SymbolsKind::Clock {
        p.expect_with(":", "the type comes after a colon: `var x : int`")?;
        sort = p.type_item(TYPES_HELP)?;
    }
    let mut initial = None;
    if p.at("=") {
        let equal = p.advance().span;
        let value = p.expression()?;
        match kind {
            SymbolsKind::Variable => initial = Some(value),
            SymbolsKind::Constant => {
                let help = "state what is known about it with `assume`, or use `param` or `define`";
                p.wrong(equal, "a constant has no initial value", help);
            }
            SymbolsKind::Clock => _ = p.wrong(equal, "a clock always starts at 0", ""),
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
fn index_binders(p: &mut Parser<'_>) -> Parsed<Vec<Binder>> {
    let open = p.peek().span;
    if !p.eat("[") {
        return Ok(Vec::new());
    }
    let list = p.comma_list(|p| {
        if !p.peek().is_name() {
            let help = "an index is declared with its range: `[i : 1..n]`";
            return Err(p.unexpected("the name of an index", Some(help)));
        }
        let name = p.name("the name of an index")?;
        // Quantifiers write this as `i in 1..n`.
        if !p.eat("in") {
            p.expect_as(":", "`:` and the range of the index", None)?;
        }
        let (low, high) = p.range()?;
        Ok(Binder { name, low, high })
    })?;
    p.close(open, "]")?;
    Ok(list)
}

fn definition(p: &mut Parser<'_>) -> Parsed<Item> {
    let name = p.name("the name of a definition")?;
    let open = p.peek().span;
    let mut parameters = Vec::new();
    if p.eat("(") {
        if &*name.text == "floor" {
            let message = "`floor(...)` is a function of the language";
            p.wrong(name.span, message, "give the definition another name");
        }
        parameters = p.comma_list(|p| p.name("the name of a parameter"))?;
        p.close(open, ")")?;
    }
    p.expect("=")?;
    let body = p.expression()?;
    Ok(Item::Definition(name, parameters, body))
}

fn compose(p: &mut Parser<'_>) -> Parsed<Item> {
    let start = p.previous();
    if p.peek().text == "synchronous" {
        let end = p.advance().span;
        return Ok(Item::Synchronous(start.to(end)));
    }
    let help = "without `compose synchronous` processes interleave";
    Err(p.unexpected("`synchronous`", Some(help)))
}

fn property(p: &mut Parser<'_>) -> Parsed<Item> {
    let (start, word) = (p.previous(), p.previous_text());
    let name = p.name("the name of the property")?;
    p.expect_with(":", &format!("a property has a name: `{word} NAME: ...`"))?;
    let kind = match word {
        "ctl" => ClaimKind::Ctl(p.temporal_formula()?),
        "ltl" => ClaimKind::Ltl(p.linear_formula()?),
        "error" => ClaimKind::Error(p.expression()?),
        _ => ClaimKind::Invariant(p.expression()?),
    };
    let span = start.to(p.previous());
    Ok(Item::Property(Claim { name, kind, span }))
}

fn command(p: &mut Parser<'_>) -> Parsed<Item> {
    let start = p.peek().span;
    if ![":", "[", "when"].iter().any(|text| p.at_ahead(1, text)) {
        return Err(no_command(p));
    }
    let name = p.name("the name of a command")?;
    let indices = index_binders(p)?;
    let when = p.behind("when")?;
    p.expect_as(":", "`:` after the name of the command", None)?;
    let guard = p.guard()?;
    let help = match p.at("->") {
        true => "the arrow between guard and actions is `-->`; implication is `=>`",
        false => {
            "a command is written `name: guard --> x := e`; a formula over primed variables needs \
             the keyword `relation` in front"
        }
    };
    p.expect_with("-->", help)?;
    let actions = p.comma_list(action)?;
    if p.at("else") {
        return Err(p.unexpected("the end of the command", Some(BLOCKS)));
    }
    Ok(Item::Command(CommandItem {
        name,
        indices,
        when,
        body: Body::Guarded(guard, actions),
        fairness: None,
        span: start.to(p.previous()),
    }))
}

/// Reports a name that does not begin a declaration.
fn no_command(p: &mut Parser<'_>) -> Reported {
    let token = p.advance();
    let otherwise = match (token.text, p.peek().text) {
        (_, ":=") => "assignments stand after the `-->` of a command, with commas between",
        (_, "(") => {
            "the indices of a command stand in brackets: `take[k : 1..n]: guard --> x := e`"
        }
        ("record", _) => "a record is a type: `type msg = record {kind : int}`",
        ("assert", _) => "what holds in all states is written `invariant NAME: ...`",
        _ => "a command is written `name: guard --> x := e`",
    };
    let starters = STARTERS.iter().chain(CLAIMS).copied();
    let help = did_you_mean(token.text, starters, otherwise);
    let message = format!("`{}` does not begin a declaration", token.text);
    p.wrong(token.span, message, &help)
}

fn relation(p: &mut Parser<'_>) -> Parsed<Item> {
    let start = p.previous();
    let name = p.name("the name of the relation")?;
    let indices = index_binders(p)?;
    let mut chosen = Vec::new();
    if p.eat("any") {
        chosen = p.comma_list(|p| {
            let name = p.name("the name of a chosen value")?;
            p.expect_as(":", "`:` and the type of the value", None)?;
            Ok((name, p.type_item(TYPES_HELP)?))
        })?;
    }
    let when = p.behind("when")?;
    p.expect_as(":", "`:` after the name of the relation", None)?;
    let formula = p.expression()?;
    if p.at("-->") {
        let help = "a relation is one formula; a guarded command has no `relation` in front";
        return Err(p.unexpected("the end of the formula", Some(help)));
    }
    Ok(Item::Command(CommandItem {
        name,
        indices,
        when,
        body: Body::Relation(chosen, formula),
        fairness: None,
        span: start.to(p.previous()),
    }))
}

/// One action, or several in braces.
fn block(p: &mut Parser<'_>) -> Parsed<Vec<Action>> {
    let open = p.peek().span;
    if !p.eat("{") {
        return p.nested(|p| Ok(vec![action(p)?]));
    }
    let actions = p.nested(|p| p.comma_list(action))?;
    p.close(open, "}")?;
    Ok(actions)
}

/// `forall j in 0..n-1 with j != i: actions`, after its keyword.
fn for_all(p: &mut Parser<'_>) -> Parsed<Action> {
    let span = p.previous();
    let binders = p.binders()?;
    let condition = match p.peek().text == "with" {
        true => {
            p.advance();
            Some(p.expression()?)
        }
        false => None,
    };
    let help = "write `forall i in lo..hi: x[i] := e`, with a condition after `with`";
    p.expect_with(":", help)?;
    Ok(Action::ForAll(ForAll {
        binders,
        condition,
        actions: block(p)?,
        span,
    }))
}

/// `if c then a else b`, after its keyword; `else` may be left out.
fn conditional(p: &mut Parser<'_>) -> Parsed<Action> {
    let mut branches = Vec::new();
    loop {
        let condition = p.expression()?;
        p.expect("then")?;
        branches.push((condition, block(p)?));
        if !p.eat("else") {
            return Ok(Action::If(branches, Vec::new()));
        }
        if !p.eat("if") {
            return Ok(Action::If(branches, block(p)?));
        }
    }
}

fn action(p: &mut Parser<'_>) -> Parsed<Action> {
    if p.eat("skip") {
        return Ok(Action::Skip);
    }
    if p.eat("forall") {
        return for_all(p);
    }
    if p.eat("if") {
        return conditional(p);
    }
    if p.eat("havoc") {
        return Ok(Action::Havoc(p.reference("a variable")?));
    }
    if p.eat("any") {
        let name = p.name("the name of the chosen value")?;
        let help = "write `any v : int where ...`, or `x := any v where ...`";
        p.expect_with(":", help)?;
        let sort = p.type_item(TYPES_HELP)?;
        let condition = p.behind("where")?;
        return Ok(Action::Choose(Choose { name, condition }, sort));
    }
    if p.peek().kind == TokenKind::Name && p.at_ahead(1, "(") {
        match p.peek().text {
            "send" => return send(p),
            "receive" => return receive(p),
            _ => {}
        }
    }
    if p.at("{") || p.peek().kind == TokenKind::Word && !p.is_taken_for_name() {
        return Err(p.unexpected("an action", Some(ACTIONS)));
    }
    let target = p.reference("an assignment")?;
    let help = match p.at("=") {
        true => "assignments are written with `:=`",
        false => ACTIONS,
    };
    p.expect_with(":=", help)?;
    if !p.eat("any") {
        return Ok(Action::Assign(target, p.expression()?));
    }
    let name = p.name("the name of the chosen value")?;
    let condition = p.behind("where")?;
    Ok(Action::Any(target, Choose { name, condition }))
}

/// `send(c, e)`.
fn send(p: &mut Parser<'_>) -> Parsed<Action> {
    p.advance();
    let open = p.advance().span;
    let channel = p.reference("a channel")?;
    p.expect_with(",", "write `send(c, e)`")?;
    let message = p.expression()?;
    p.close(open, ")")?;
    Ok(Action::Send(channel, message))
}

/// `receive(c, x)` or `receive(c)`.
fn receive(p: &mut Parser<'_>) -> Parsed<Action> {
    p.advance();
    let open = p.advance().span;
    let channel = p.reference("a channel")?;
    let target = p.eat(",").then(|| p.reference("a variable")).transpose()?;
    p.close(open, ")")?;
    Ok(Action::Receive(channel, target))
}

fn process(p: &mut Parser<'_>) -> Parsed<Item> {
    let name = p.name("the name of a process")?;
    let indices = index_binders(p)?;
    let open = p.expect("{")?.span;
    let depth = p.open_braces();
    let mut items = Vec::new();
    while !p.at("}") && !p.at_end() {
        if p.at("process") {
            let span = p.advance().span;
            let message = "a process cannot stand inside of a process";
            p.wrong(span, message, "close the process before it with `}`");
            // Read for its own mistakes and to find its end.
            p.nested(process)?;
            continue;
        }
        match item(p) {
            Ok(item) => items.push(item),
            Err(Reported) => recover(p, depth),
        }
    }
    p.close(open, "}")?;
    Ok(Item::Process(ProcessItem {
        name,
        indices,
        items,
        fairness: None,
    }))
}
