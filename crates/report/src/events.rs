//! Events as JSON lines, as `schemas/events.schema.json` describes them.
//!
//! The first line of a stream names its version and the input, the last one has the verdicts; the
//! lines between are what the engines told, in order. The key `event` says what a line is.

use crate::CheckReport;
use crate::json::{VERSION, input_json, object, property_json};
use sectile_engine::{Event, Picture, PictureEdge, PictureNode, SliceReason, Sliced};
use serde_json::{Map, Value, json};

/// The first line: version and input.
pub fn first_line(report: &CheckReport) -> String {
    line(json!({ "event": "input", "version": VERSION, "input": input_json(report) }))
}

/// One event as a line. `seconds` is the time since the check began.
pub fn event_line(event: &Event, seconds: f64) -> String {
    let (name, body) = words(event);
    let mut object = Map::new();
    object.insert("event".to_string(), json!(name));
    object.insert("seconds".to_string(), json!(milliseconds(seconds)));
    if let Value::Object(fields) = body {
        object.extend(fields);
    }
    line(Value::Object(object))
}

/// The last line: the results of all properties, as in the JSON document.
pub fn last_line(report: &CheckReport) -> String {
    let properties: Vec<Value> = report.properties.iter().map(property_json).collect();
    line(json!({ "event": "verdicts", "properties": properties }))
}

fn line(value: Value) -> String {
    format!("{value}\n")
}

/// Rounded: a clock does not tell more.
fn milliseconds(seconds: f64) -> f64 {
    (seconds * 1000.0).round() / 1000.0
}

/// What an event is called, and what it says.
fn words(event: &Event) -> (&'static str, Value) {
    match event {
        Event::Started { engine, property } => {
            ("started", json!({ "engine": engine, "property": property }))
        }
        Event::Resumed { engine } => ("resumed", json!({ "engine": engine })),
        Event::Phase { name } => ("phase", json!({ "name": name })),
        Event::Part { index, of, name } => {
            ("part", json!({ "index": index, "of": of, "name": name }))
        }
        Event::BoundRefuted { depth } => ("bound-refuted", json!({ "depth": depth })),
        Event::States { count, depth } => ("states", json!({ "count": count, "depth": depth })),
        Event::Counter { name, value } => ("counter", json!({ "name": name, "value": value })),
        Event::Abstraction {
            step,
            nodes,
            edges,
            predicates,
        } => (
            "abstraction",
            json!({ "step": step, "nodes": nodes, "edges": edges, "predicates": predicates }),
        ),
        Event::PathFound { nodes, relations } => (
            "path-found",
            json!({ "nodes": nodes, "relations": relations }),
        ),
        Event::PathStates { states, formula } => (
            "path-states",
            json!({ "states": states, "formula": formula }),
        ),
        Event::PathEmptied { position, loops } => (
            "path-emptied",
            json!({ "position": position, "loops": loops }),
        ),
        Event::PathRefuted {
            first,
            last,
            interpolants,
        } => ("path-refuted", refuted(*first, *last, interpolants)),
        Event::PathConcretized { steps } => ("path-concretized", json!({ "steps": steps })),
        Event::PredicateBorn { predicate, source } => (
            "predicate-born",
            json!({ "predicate": predicate, "source": source }),
        ),
        Event::Split {
            node,
            halves,
            predicate,
        } => (
            "split",
            json!({ "node": node, "halves": halves, "predicate": predicate }),
        ),
        Event::Sliced { what, reason } => ("sliced", sliced(what, *reason)),
        Event::Lemma { formula, source } => {
            ("lemma", json!({ "formula": formula, "source": source }))
        }
        Event::NotInductive {
            candidate,
            depth,
            before,
            step,
            after,
        } => (
            "not-inductive",
            json!({
                "candidate": candidate,
                "depth": depth,
                "before": object(before),
                "step": step,
                "after": object(after),
            }),
        ),
        Event::Covered { vertex, by } => ("covered", json!({ "vertex": vertex, "by": by })),
        Event::Picture(picture) => ("picture", picture_json(picture)),
    }
}

fn refuted(first: usize, last: usize, interpolants: &[(usize, String)]) -> Value {
    let list: Vec<Value> = interpolants
        .iter()
        .map(|(position, formula)| json!({ "position": position, "formula": formula }))
        .collect();
    json!({ "first": first, "last": last, "interpolants": list })
}

fn sliced(what: &Sliced, reason: SliceReason) -> Value {
    match what {
        Sliced::Node(node) => json!({ "what": "node", "node": node, "reason": code(reason) }),
        Sliced::Relation { from, to, name } => json!({
            "what": "relation",
            "from": from,
            "to": to,
            "relation": name,
            "reason": code(reason),
        }),
    }
}

/// The reason as programs read it.
fn code(reason: SliceReason) -> &'static str {
    match reason {
        SliceReason::Inconsistent => "inconsistent",
        SliceReason::ForwardUnreachable => "forward-unreachable",
        SliceReason::BackwardUnreachable => "backward-unreachable",
        SliceReason::Bypassed => "bypassed",
        SliceReason::Simplified => "simplified",
    }
}

fn picture_json(picture: &Picture) -> Value {
    let nodes: Vec<Value> = picture.nodes.iter().map(node_json).collect();
    let edges: Vec<Value> = picture.edges.iter().map(edge_json).collect();
    json!({ "step": picture.step, "title": picture.title, "nodes": nodes, "edges": edges })
}

fn node_json(node: &PictureNode) -> Value {
    json!({
        "id": node.id,
        "label": node.label,
        "initial": node.initial,
        "error": node.error,
        "removed": node.removed.map(code),
    })
}

fn edge_json(edge: &PictureEdge) -> Value {
    json!({
        "from": edge.from,
        "to": edge.to,
        "relation": edge.relation,
        "removed": edge.removed.map(code),
    })
}
