//! The JSON output keeps to its published schema.

mod common;

use common::{root, sectile};
use serde_json::Value;

/// The part of JSON Schema that our schema uses.
fn check(schema: &Value, root: &Value, value: &Value, at: &str) {
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        let pointer = reference.trim_start_matches('#');
        let target = root.pointer(pointer).expect("references lead somewhere");
        return check(target, root, value, at);
    }
    if let Some(kind) = schema.get("type") {
        let kinds: Vec<&str> = match kind {
            Value::Array(list) => list.iter().filter_map(Value::as_str).collect(),
            other => other.as_str().into_iter().collect(),
        };
        assert!(
            kinds.iter().any(|k| is(k, value)),
            "{at}: {value} is not {kinds:?}"
        );
    }
    if let Some(allowed) = schema.get("enum").and_then(Value::as_array) {
        assert!(
            allowed.contains(value),
            "{at}: {value} is not among {allowed:?}"
        );
    }
    for name in schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        let name = name.as_str().expect("names are strings");
        assert!(value.get(name).is_some(), "{at}: {name} is missing");
    }
    if let Some(object) = value.as_object() {
        for (name, inner) in object {
            let own = schema.pointer(&format!("/properties/{name}"));
            match own.or_else(|| schema.get("additionalProperties")) {
                Some(Value::Bool(false)) => panic!("{at}: {name} is not in the schema"),
                Some(s) => check(s, root, inner, &format!("{at}/{name}")),
                None => {}
            }
        }
    }
    if let (Some(items), Some(list)) = (schema.get("items"), value.as_array()) {
        for (i, inner) in list.iter().enumerate() {
            check(items, root, inner, &format!("{at}/{i}"));
        }
    }
}

fn is(kind: &str, value: &Value) -> bool {
    match kind {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "null" => value.is_null(),
        other => panic!("the schema uses an unknown type {other}"),
    }
}

#[test]
fn json_of_explore_keeps_to_its_schema() {
    let text = std::fs::read_to_string(root().join("schemas/explore.schema.json"));
    let schema: Value = serde_json::from_str(&text.expect("it is there")).expect("it is JSON");
    for args in [
        &["models/deque.sct"][..],
        &["models/chardriver.sct"],
        &["models/elevator.sct", "-D", "bug=1", "--domain", "-2..3"],
        &["models/lecture-c.imp", "--domain", "-1..3"],
    ] {
        let mut all = vec!["explore", "--format", "json"];
        all.extend(args);
        let ran = sectile(&all);
        let value: Value = serde_json::from_str(&ran.out)
            .unwrap_or_else(|e| panic!("{args:?}: {e}: {} {}", ran.out, ran.err));
        check(&schema, &schema, &value, "");
    }
}

#[test]
fn json_reports_keep_to_the_schema() {
    let text = std::fs::read_to_string(root().join("schemas/check.schema.json"));
    let schema: Value = serde_json::from_str(&text.expect("it is there")).expect("it is JSON");
    for args in [
        &["models/rw.sct"][..],
        &["models/elevator.sct", "-D", "bug=1"],
        &["models/deque.sct"],
        &["models/lecture-a.imp"],
        &["models/lecture-c.imp", "--timeout", "1s"],
        &["models/chardriver.sct"],
        &["models/rw.sct", "--no-certify"],
        &["models/fig10.sct", "--engine", "bmc", "--set", "depth=2"],
    ] {
        let mut all = vec!["check", "--format", "json"];
        all.extend(args);
        let ran = sectile(&all);
        let value: Value = serde_json::from_str(&ran.out)
            .unwrap_or_else(|e| panic!("{args:?}: {e}: {} {}", ran.out, ran.err));
        check(&schema, &schema, &value, "");
    }
}
