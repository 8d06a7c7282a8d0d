//! `[[contender]]`.

use super::fields::{CODE, Fields, Located};
use super::{Contender, Kind};
use crate::answer::{Answers, Matcher};
use crate::command::{Placeholder, Template, words};
use sectile_base::{Diagnostic, Diagnostics, Span};
use toml::de::DeTable;

const KEYS: [&str; 6] = ["name", "engine", "options", "command", "answers", "version"];

/// Reads one contender.
pub(super) fn contender(
    table: &DeTable<'_>,
    span: Span,
    diagnostics: &mut Diagnostics,
) -> Option<Contender> {
    let fields = Fields::new(table, span, "a contender", &KEYS, diagnostics);
    let name = fields.text("name", diagnostics).map(|n| n.text);
    let engine = fields.text("engine", diagnostics);
    let command = fields.texts("command", diagnostics);
    let version = fields.texts("version", diagnostics);
    let version = version.and_then(|list| template(&list, diagnostics));
    let (kind, usual) = match (engine, command) {
        (Some(engine), None) => (ours(&fields, &engine, diagnostics)?, engine.text),
        (None, Some(list)) => {
            let template = template(&list, diagnostics)?;
            let usual = template.program().to_string();
            (external(&fields, template, diagnostics)?, usual)
        }
        _ => {
            let message = "a contender has either an `engine` or a `command`";
            let error = Diagnostic::error(CODE, span, message);
            diagnostics.push(error.help(
                "write engine = \"kinduction\" for an engine of ours, or command = \"z3 {chc}\"",
            ));
            return None;
        }
    };
    Some(Contender {
        name: name.unwrap_or(usual),
        kind,
        version,
    })
}

fn ours(fields: &Fields<'_, '_>, engine: &Located, diagnostics: &mut Diagnostics) -> Option<Kind> {
    if fields.get("answers").is_some() {
        let error = Diagnostic::error(CODE, fields.span, "our engines need no `answers`");
        diagnostics.push(error.help("remove it: verdicts are read from our own report"));
    }
    let list = fields.texts("options", diagnostics).unwrap_or_default();
    Some(Kind::Engine {
        engine: engine.text.clone(),
        options: split(&list, diagnostics)?,
    })
}

fn external(
    fields: &Fields<'_, '_>,
    template: Template,
    diagnostics: &mut Diagnostics,
) -> Option<Kind> {
    if fields.get("options").is_some() {
        let error = Diagnostic::error(CODE, fields.span, "a command has no `options`");
        diagnostics.push(error.help("write them into the command"));
    }
    let answers = match fields.table("answers", diagnostics) {
        Some((table, span)) => answers(table, span, diagnostics)?,
        None if template.uses(Placeholder::Chc) => Answers::horn(),
        None => {
            let message = "how the answers of this command are read is not known";
            let error = Diagnostic::error(CODE, fields.span, message);
            diagnostics.push(error.help(
                "add answers = { holds = \"safe\", violated = \"unsafe\" }: whole lines, or \
                 regular expressions between slashes",
            ));
            return None;
        }
    };
    Some(Kind::Command { template, answers })
}

fn answers(table: &DeTable<'_>, span: Span, diagnostics: &mut Diagnostics) -> Option<Answers> {
    let keys = ["holds", "violated", "unknown"];
    let fields = Fields::new(table, span, "`answers`", &keys, diagnostics);
    let mut read = |key: &str| {
        let list = fields.texts(key, diagnostics).unwrap_or_default();
        let mut matchers = Vec::new();
        for item in list {
            match Matcher::read(&item.text) {
                Ok(matcher) => matchers.push(matcher),
                Err(e) => diagnostics.push(Diagnostic::error(CODE, item.span, e)),
            }
        }
        matchers
    };
    Some(Answers {
        holds: read("holds"),
        violated: read("violated"),
        unknown: read("unknown"),
    })
}

/// A command: one text that is split into words, or a list of words.
fn template(list: &[Located], diagnostics: &mut Diagnostics) -> Option<Template> {
    let first = list.first().map_or(Span::new(0, 0), |l| l.span);
    let words = split(list, diagnostics)?;
    match Template::new(words) {
        Ok(template) => Some(template),
        Err(e) => {
            let error = Diagnostic::error(CODE, first, e);
            diagnostics.push(error.help("the placeholders are {chc}, {vmt} and {file}"));
            None
        }
    }
}

fn split(list: &[Located], diagnostics: &mut Diagnostics) -> Option<Vec<String>> {
    let [one] = list else {
        return Some(list.iter().map(|l| l.text.clone()).collect());
    };
    match words(&one.text) {
        Ok(words) => Some(words),
        Err(e) => {
            diagnostics.push(Diagnostic::error(CODE, one.span, e));
            None
        }
    }
}
