//! Reads `[[contender]]` tables.

use super::fields::{Fields, Located};
use super::{Contender, Program};
use crate::answer::{Answers, Matcher};
use crate::command::{Placeholder, Template, words};
use sectile_base::Span;

/// The keys of a contender.
pub(super) const KEYS: [&str; 6] = ["name", "engine", "options", "command", "answers", "version"];

/// Reads one contender.
pub(super) fn contender(fields: Fields<'_, '_>) -> Option<Contender> {
    let name = fields.text("name").map(|n| n.text);
    let engine = fields.text("engine");
    let command = fields.texts("command");
    let version = fields.texts("version");
    let version = version.and_then(|list| template(fields, &list));
    let (program, usual) = match (engine, command) {
        (Some(engine), None) => (ours(fields, &engine)?, engine.text),
        (None, Some(list)) => {
            let template = template(fields, &list)?;
            let usual = template.program().to_string();
            (external(fields, template)?, usual)
        }
        _ => {
            fields.messages.refuse(
                fields.span,
                "a contender has either an `engine` or a `command`",
                "write engine = \"kinduction\" for an engine of ours, or command = \"z3 {chc}\"",
            );
            return None;
        }
    };
    Some(Contender {
        name: name.unwrap_or(usual),
        program,
        version,
    })
}

fn ours(fields: Fields<'_, '_>, engine: &Located) -> Option<Program> {
    if fields.get("answers").is_some() {
        let help = "remove it: verdicts are read from our own report";
        let message = "our engines need no `answers`";
        fields.messages.refuse(fields.span, message, help);
    }
    let list = fields.texts("options").unwrap_or_default();
    Some(Program::Engine {
        engine: engine.text.clone(),
        options: split(fields, &list)?,
    })
}

fn external(fields: Fields<'_, '_>, template: Template) -> Option<Program> {
    if fields.get("options").is_some() {
        let help = "write them into the command";
        fields
            .messages
            .refuse(fields.span, "a command has no `options`", help);
    }
    let keys = ["holds", "violated", "unknown"];
    let answers = match fields.table("answers", "`answers`", &keys) {
        Some(table) => answers(table),
        None if template.uses(Placeholder::Chc) => Answers::horn(),
        None => {
            fields.messages.refuse(
                fields.span,
                "it is not known how to read the answers of this command",
                "add answers = { holds = \"safe\", violated = \"unsafe\" }: whole lines, or \
                 regular expressions between slashes",
            );
            return None;
        }
    };
    Some(Program::Command { template, answers })
}

fn answers(fields: Fields<'_, '_>) -> Answers {
    let read = |key: &str| {
        let list = fields.texts(key).unwrap_or_default();
        let matchers = list
            .iter()
            .filter_map(|item| fields.messages.accept(item.span, Matcher::read(&item.text)));
        matchers.collect()
    };
    Answers {
        holds: read("holds"),
        violated: read("violated"),
        unknown: read("unknown"),
    }
}

/// A command: one text that is split into words, or a list of words.
fn template(fields: Fields<'_, '_>, list: &[Located]) -> Option<Template> {
    let first = list.first().map_or(Span::new(0, 0), |l| l.span);
    let refuse = |e| {
        let help = "the placeholders are {chc}, {vmt} and {file}";
        fields.messages.refuse(first, e, help);
    };
    Template::new(split(fields, list)?).map_err(refuse).ok()
}

fn split(fields: Fields<'_, '_>, list: &[Located]) -> Option<Vec<String>> {
    match list {
        [one] => fields.messages.accept(one.span, words(&one.text)),
        _ => Some(list.iter().map(|l| l.text.clone()).collect()),
    }
}
