//! The outline of a text, for editors.

use super::ast::{
    Action, Body, ChannelItem, CommandItem, Declarator, FairItem, Item, ProcessItem, Symbols,
    SymbolsKind, all_actions,
};
use super::parse::{DIALECT, parse};
use crate::outline::{Collector, Outline, OutlineKind, type_text};
use crate::syntax::Expr;
use sectile_base::{Source, Span};

/// The declarations of a text and the uses of its names.
pub(super) fn outline(source: &Source) -> Outline {
    let text = parse(source);
    let mut all = Collector::new(source, DIALECT.into(), text.starts);
    items(&mut all, &text.items);
    all.finish(false)
}

fn items(all: &mut Collector<'_>, list: &[Item]) {
    for item in list {
        declaration(all, item);
    }
}

fn declaration(all: &mut Collector<'_>, item: &Item) {
    match item {
        Item::Parameter(parameter) => {
            let range = parameter.range.as_ref().map(|(low, high)| {
                let (low, high) = (all.source.slice(low.span), all.source.slice(high.span));
                format!("{low}..{high}")
            });
            let sort = range.unwrap_or_else(|| "int".to_string());
            all.declare(&parameter.name, OutlineKind::Parameter, sort);
        }
        Item::Enumeration(name, values) => {
            all.declare(name, OutlineKind::Type, String::new());
            all.values(values, &name.text);
        }
        Item::Type(name, sort) => {
            let text = type_text(all.source, sort);
            let index = all.declare(name, OutlineKind::Type, text);
            let outside = all.parent.replace(index);
            all.parts(sort);
            all.parent = outside;
        }
        Item::Symbols(symbols) => variables(all, symbols),
        Item::Function(function) => {
            all.declare(
                &function.name,
                OutlineKind::Function,
                type_text(all.source, &function.result),
            );
        }
        Item::Channel(channel) => channels(all, channel),
        Item::Definition(name, parameters, body) => {
            all.declare(name, OutlineKind::Definition, String::new());
            let whole = all.declaration(name.span);
            for parameter in parameters {
                all.declare_in(parameter, String::new(), whole);
            }
            all.expression(body);
        }
        Item::Condition(_, formula, _) => all.expression(formula),
        Item::Command(command) => self::command(all, command),
        Item::Process(process) => self::process(all, process),
        Item::Property(claim) => {
            all.declare(&claim.name, OutlineKind::Property, String::new());
            if let Some(formula) = claim.kind.formula() {
                all.expression(formula);
            }
        }
        Item::Aggregates(_) | Item::Synchronous(_) => {}
    }
}

fn variables(all: &mut Collector<'_>, symbols: &Symbols) {
    let kind = match symbols.kind {
        SymbolsKind::Variable => OutlineKind::Variable,
        SymbolsKind::Constant => OutlineKind::Constant,
        SymbolsKind::Clock => OutlineKind::Clock,
    };
    let sort = type_text(all.source, &symbols.sort);
    declarators(all, &symbols.declarators, kind, &sort);
    all.parts(&symbols.sort);
    if let Some(initial) = &symbols.initial {
        all.expression(initial);
    }
}

fn channels(all: &mut Collector<'_>, channel: &ChannelItem) {
    let sort = type_text(all.source, &channel.holds);
    declarators(all, &channel.declarators, OutlineKind::Channel, &sort);
    all.parts(&channel.holds);
}

fn declarators(all: &mut Collector<'_>, list: &[Declarator], kind: OutlineKind, sort: &str) {
    for declarator in list {
        all.declare(&declarator.name, kind, sort.to_string());
        let whole = all.declaration(declarator.name.span);
        all.binders(&declarator.indices, whole);
    }
}

fn process(all: &mut Collector<'_>, process: &ProcessItem) {
    let index = all.declare(&process.name, OutlineKind::Process, String::new());
    let whole = all.block_behind(process.name.span);
    let start = all.symbols[index].whole;
    all.symbols[index].whole = start.to(whole);
    all.binders(&process.indices, whole);
    fairness(all, process.fairness.as_ref());
    let outside = (all.parent.replace(index), all.scope);
    all.scope = whole;
    items(all, &process.items);
    (all.parent, all.scope) = outside;
}

fn fairness(all: &mut Collector<'_>, item: Option<&FairItem>) {
    if let Some(condition) = item.and_then(|i| i.condition.as_ref()) {
        all.expression(condition);
    }
}

fn command(all: &mut Collector<'_>, command: &CommandItem) {
    all.declare(&command.name, OutlineKind::Command, String::new());
    all.binders(&command.indices, command.span);
    fairness(all, command.fairness.as_ref());
    if let Some(when) = &command.when {
        all.expression(when);
    }
    match &command.body {
        Body::Guarded(guard, actions) => {
            all.expression(guard);
            for action in all_actions(actions) {
                self::action(all, action, command.span);
            }
        }
        Body::Relation(chosen, formula) => {
            for (name, sort) in chosen {
                all.declare_in(name, type_text(all.source, sort), command.span);
            }
            all.expression(formula);
        }
    }
}

fn action(all: &mut Collector<'_>, action: &Action, command: Span) {
    for expression in action.expressions() {
        all.expression(expression);
    }
    match action {
        Action::Assign(target, _) | Action::Havoc(target) | Action::Send(target, _) => {
            all.write(target);
        }
        Action::Receive(channel, target) => {
            all.write(channel);
            target.iter().for_each(|t| all.write(t));
        }
        Action::Any(target, choose) => {
            all.write(target);
            all.declare_in(&choose.name, String::new(), command);
        }
        Action::Choose(choose, sort) => {
            all.declare_in(&choose.name, type_text(all.source, sort), command);
        }
        Action::ForAll(for_all) => {
            let inside = all_actions(&for_all.actions);
            let ends = inside.iter().flat_map(|a| a.expressions());
            let scope = ends.fold(for_all.span, |span, e: &Expr| span.to(e.span));
            all.binders(&for_all.binders, scope);
        }
        Action::Skip | Action::If(..) => {}
    }
}
