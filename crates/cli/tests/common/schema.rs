//! The part of JSON Schema that our schemas use.

use super::root;
use serde_json::Value;

/// A schema with its name, to which references inside it are relative.
pub struct Schema {
    root: Value,
}

impl Schema {
    /// The schema in this file of `schemas/`.
    pub fn read(file: &str) -> Schema {
        let text = std::fs::read_to_string(root().join("schemas").join(file));
        let text = text.unwrap_or_else(|e| panic!("{file}: {e}"));
        Schema {
            root: serde_json::from_str(&text).expect("schemas are JSON"),
        }
    }

    /// Panics where the value does not keep to the schema.
    pub fn check(&self, value: &Value) {
        self.at(&self.root, value, "");
    }

    fn at(&self, schema: &Value, value: &Value, place: &str) {
        if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
            return self.follow(reference, value, place);
        }
        if let Some(branches) = schema.get("oneOf").and_then(Value::as_array) {
            return self.at(self.branch(branches, value), value, place);
        }
        self.kind(schema, value, place);
        for name in list(schema, "required") {
            let name = name.as_str().expect("names are strings");
            assert!(value.get(name).is_some(), "{place}: {name} is missing");
        }
        if let Some(object) = value.as_object() {
            for (name, inner) in object {
                let own = schema.pointer(&format!("/properties/{name}"));
                match own.or_else(|| schema.get("additionalProperties")) {
                    Some(Value::Bool(false)) => panic!("{place}: {name} is not in the schema"),
                    Some(s) => self.at(s, inner, &format!("{place}/{name}")),
                    None => {}
                }
            }
        }
        if let (Some(items), Some(list)) = (schema.get("items"), value.as_array()) {
            for (i, inner) in list.iter().enumerate() {
                self.at(items, inner, &format!("{place}/{i}"));
            }
        }
    }

    fn follow(&self, reference: &str, value: &Value, place: &str) {
        let (file, pointer) = reference.split_once('#').expect("references have a `#`");
        let other;
        let whole = if file.is_empty() {
            self
        } else {
            other = Schema::read(file);
            &other
        };
        let target = whole.root.pointer(pointer);
        whole.at(target.expect("references lead somewhere"), value, place);
    }

    /// The branch whose `event` is that of the value.
    fn branch<'s>(&'s self, branches: &'s [Value], value: &Value) -> &'s Value {
        let event = value.get("event").expect("every line has an `event`");
        let target = |b: &'s Value| {
            let reference = b["$ref"].as_str().expect("branches are references");
            let pointer = reference.trim_start_matches('#');
            self.root
                .pointer(pointer)
                .expect("references lead somewhere")
        };
        let mut all = branches.iter().map(target);
        let found = all.find(|b| b["properties"]["event"]["enum"][0] == *event);
        found.unwrap_or_else(|| panic!("the schema has no event {event}"))
    }

    fn kind(&self, schema: &Value, value: &Value, place: &str) {
        if let Some(kind) = schema.get("type") {
            let kinds: Vec<&str> = match kind {
                Value::Array(list) => list.iter().filter_map(Value::as_str).collect(),
                other => other.as_str().into_iter().collect(),
            };
            assert!(
                kinds.iter().any(|k| is(k, value)),
                "{place}: {value} is not {kinds:?}"
            );
        }
        if let Some(allowed) = schema.get("enum").and_then(Value::as_array) {
            assert!(
                allowed.contains(value),
                "{place}: {value} is not among {allowed:?}"
            );
        }
    }
}

fn list<'s>(schema: &'s Value, key: &str) -> impl Iterator<Item = &'s Value> {
    schema
        .get(key)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
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
