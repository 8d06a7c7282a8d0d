//! The report as one HTML page: verdicts, evidence, source, and the replay of what engines did.
//!
//! The page is the template `assets/report.html` with the style and the scripts beside it put in,
//! and one block of JSON that the scripts show. It needs no network.
//!
//! | what | where |
//! |---|---|
//! | what engines did, step by step | `record` |
//! | graphs that change | `scene`, `layout` |
//! | the model: variables, processes, lines | `model` |
//! | evidence: obligations, cells, derivations | `proofs`, `cells`, `derivation` |

mod cells;
mod derivation;
mod layout;
mod model;
mod proofs;
mod record;
mod scene;

pub use record::Recorder;

use crate::json::{input_json, property_json};
use crate::{CheckReport, PropertyReport, Status};
use record::StoryData;
use sectile_base::Source;
use sectile_model::{Certificate, Module, Task};
use sectile_terms::Terms;
use serde_json::{Value, json};
use std::collections::BTreeMap;

const TEMPLATE: &str = include_str!("../../assets/report.html");
const STYLE: &str = include_str!("../../assets/report.css");

/// The scripts, in the order in which they are read.
const SCRIPTS: [&str; 7] = [
    include_str!("../../assets/basics.js"),
    include_str!("../../assets/expression.js"),
    include_str!("../../assets/trace.js"),
    include_str!("../../assets/evidence.js"),
    include_str!("../../assets/plane.js"),
    include_str!("../../assets/timeline.js"),
    include_str!("../../assets/report.js"),
];

/// Graphs are shown as long as all graphs together have no more parts.
const MOST_PARTS: usize = 400_000;

/// The work of engines that did not decide is shown as long as there is no more text.
const MOST_TEXT: usize = 6_000_000;

/// Longer sources are not shown.
const LONGEST_SOURCE: usize = 1_000_000;

/// What the page is made of.
pub struct PageInput<'p> {
    /// The command that was typed.
    pub command: String,
    /// The version of the program.
    pub version: &'p str,
    /// The results.
    pub report: &'p CheckReport,
    /// The file.
    pub source: &'p Source,
    /// The store of the model and the certificates.
    pub terms: &'p Terms,
    /// The model and its properties.
    pub module: &'p Module,
    /// For each property of the report its certificate and a text that replays it.
    pub evidence: Vec<Option<PageEvidence<'p>>>,
}

/// The evidence for one property.
pub struct PageEvidence<'p> {
    /// The certificate, about the model as read.
    pub certificate: &'p Certificate,
    /// Commands for a shell that check it again.
    pub test: String,
}

/// The page.
pub fn page(input: &PageInput<'_>, recorder: Recorder) -> String {
    let data = data(input, recorder);
    let title = format!(
        "{}: {}",
        file_name(&input.report.file),
        summary(input.report)
    );
    let scripts = SCRIPTS.join("\n");
    let parts = [
        ("{{title}}", escaped(&title)),
        ("{{style}}", STYLE.to_string()),
        ("{{data}}", inside_script(&data.to_string())),
        ("{{scripts}}", scripts),
    ];
    filled(TEMPLATE, &parts)
}

/// The template with its places filled, each by itself: texts are not looked at again.
fn filled(template: &str, parts: &[(&str, String)]) -> String {
    let mut out = String::new();
    let mut rest = template;
    while let Some(at) = rest.find("{{") {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        match parts.iter().find(|(name, _)| from.starts_with(name)) {
            Some((name, text)) => {
                out.push_str(text);
                rest = &from[name.len()..];
            }
            None => {
                out.push_str("{{");
                rest = &from[2..];
            }
        }
    }
    out.push_str(rest);
    out
}

/// JSON that cannot end the element it stands in, nor begin a comment there.
fn inside_script(json: &str) -> String {
    json.replace('<', "\\u003c")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}

/// A text of HTML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// The verdict of one property, or how many have which.
fn summary(report: &CheckReport) -> String {
    if let [only] = report.properties.as_slice() {
        return format!("{} {}", only.name, only.status.word());
    }
    let statuses = [Status::Violated, Status::Unknown, Status::Holds];
    let counts = statuses.into_iter().filter_map(|status| {
        let count = report.properties.iter().filter(|p| p.status == status);
        let count = count.count();
        (count > 0).then(|| format!("{count} {}", status.word()))
    });
    counts.collect::<Vec<_>>().join(", ")
}

fn data(input: &PageInput<'_>, recorder: Recorder) -> Value {
    let report = input.report;
    let properties = report.properties.iter().enumerate();
    let properties = properties.map(|(k, p)| property(input, k, p));
    let text = input.source.text();
    let text = if text.len() > LONGEST_SOURCE {
        ""
    } else {
        text
    };
    json!({
        "format": 1,
        "version": input.version,
        "command": input.command,
        "input": input_json(report),
        "warnings": report.warnings,
        "source": text,
        "model": model::model_json(input.terms, input.source, input.module),
        "properties": properties.collect::<Vec<_>>(),
        "stories": stories(report, recorder),
    })
}

/// The result as in the JSON document, with what only the page shows.
fn property(input: &PageInput<'_>, position: usize, report: &PropertyReport) -> Value {
    let mut page = serde_json::Map::new();
    let property = input.module.property(&report.name);
    if let Some(property) = property {
        page.insert(
            "text".to_string(),
            model::span_json(input.source, property.span),
        );
    }
    let evidence = input.evidence.get(position).and_then(Option::as_ref);
    if let (Some(property), Some(evidence)) = (property, evidence) {
        let task = Task::new(input.terms, &input.module.model, property);
        let certificate = evidence.certificate;
        page.insert("test".to_string(), json!(evidence.test));
        let parts = [
            (
                "obligations",
                proofs::obligations(&task, input.source, certificate),
            ),
            (
                "cells",
                cells::cells_json(&task, report.status, certificate),
            ),
            (
                "derivation",
                derivation::derivation_json(&task, input.source, certificate),
            ),
        ];
        let known = parts
            .into_iter()
            .filter_map(|(name, value)| Some((name, value?)));
        page.extend(known.map(|(name, value)| (name.to_string(), value)));
    }
    let mut result = property_json(report);
    if let Value::Object(fields) = &mut result {
        fields.insert("page".to_string(), Value::Object(page));
    }
    result
}

/// The stories, those of the engines that decided first.
fn stories(report: &CheckReport, recorder: Recorder) -> Vec<StoryData> {
    let mut order: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for (k, p) in report.properties.iter().enumerate() {
        order.insert((p.name.as_str(), p.engine.as_str()), k);
    }
    let place = |s: &record::Story| {
        let key = (s.property.as_str(), s.engine.as_str());
        order.get(&key).copied().unwrap_or(usize::MAX)
    };
    let mut stories = recorder.into_stories();
    stories.sort_by_key(place);
    let (mut parts, mut text) = (0, 0);
    let finished = stories.into_iter().filter_map(|story| {
        let mut decided = report.properties.iter();
        let decided = decided.find(|p| p.name == story.property && p.engine == story.engine);
        let evidence = decided.and_then(|p| p.evidence.as_ref());
        let evidence = evidence.map(|e| json!(e).to_string()).unwrap_or_default();
        parts += story.parts();
        text += story.written();
        let is_shown = decided.is_some() || text <= MOST_TEXT;
        is_shown.then(|| story.finish(parts <= MOST_PARTS, &evidence))
    });
    finished.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_not_read_as_places_and_cannot_end_a_script() {
        let parts = [("{{a}}", "{{b}}".to_string()), ("{{b}}", "x".to_string())];
        assert_eq!(filled("<{{a}}|{{b}}|{{c}}>", &parts), "<{{b}}|x|{{c}}>");
        let text = inside_script(r#"{"a":"</script><!--\u2028"}"#);
        assert!(!text.contains('<'), "{text}");
        let read: Value = serde_json::from_str(&text).expect("it is JSON");
        assert_eq!(read["a"], "</script><!--\u{2028}");
    }
}
