//! The model as the page needs it: variables with their processes, steps with their lines.

use sectile_base::{Source, Span};
use sectile_model::{Field, Model, Module};
use sectile_terms::{Symbol, Terms};
use serde_json::{Value, json};

/// More edges or locations are not described.
const MOST: usize = 20_000;

pub(crate) fn model_json(terms: &Terms, source: &Source, module: &Module) -> Value {
    let model = &module.model;
    let families = model
        .families
        .list
        .iter()
        .map(|f| json!({ "name": f.name, "first": f.range.0, "last": f.range.1 }));
    let locations = model.locations.iter().take(MOST).map(|l| {
        let line = source.position(l.span.start).line;
        json!({ "name": l.name, "line": line })
    });
    let locations: Vec<Value> = match model.is_system() {
        true => Vec::new(),
        false => locations.collect(),
    };
    let edges = model.edges.iter().take(MOST).map(|e| {
        let mut edge = json!({ "name": e.command.name, "lines": lines(source, e.command.span) });
        let processes: Vec<Value> = e.command.parts.iter().filter_map(process).collect();
        if let (Value::Object(fields), false) = (&mut edge, processes.is_empty()) {
            fields.insert("processes".to_string(), Value::Array(processes));
        }
        edge
    });
    json!({
        "variables": symbols(terms, model, &model.variables),
        "constants": symbols(terms, model, &model.rigid),
        "families": families.collect::<Vec<_>>(),
        "locations": locations,
        "edges": edges.collect::<Vec<_>>(),
    })
}

/// The first and the last line of a place; nothing for what the source does not spell out, such as
/// the time that passes.
pub(crate) fn lines(source: &Source, span: Span) -> Option<[usize; 2]> {
    let last = span.end.max(span.start + 1) - 1;
    let [from, to] = [span.start, last].map(|at| source.position(at).line);
    (span != Span::default()).then_some([from, to])
}

/// A place in the source with the text there.
pub(crate) fn span_json(source: &Source, span: Span) -> Value {
    let line = source.position(span.start).line;
    let text = source.text().get(span.start as usize..span.end as usize);
    json!({ "line": line, "text": text.unwrap_or_default().trim() })
}

fn process(field: &Field) -> Option<Value> {
    field.process.map(|(family, index)| json!([family, index]))
}

fn symbols(terms: &Terms, model: &Model, list: &[Symbol]) -> Vec<Value> {
    let all = list.iter().map(|&s| {
        let field = model.families.field(s);
        match field.and_then(|f| Some((f, process(f)?))) {
            Some((field, process)) => {
                let short = field.own_name();
                json!({ "name": terms.name(s), "process": process, "field": short })
            }
            None => json!({ "name": terms.name(s) }),
        }
    });
    all.collect()
}
