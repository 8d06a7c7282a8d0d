//! Events as JSON lines, as `schemas/events.schema.json` describes them.
//!
//! The first line of a stream names its version and the input, the last one has the verdicts; the
//! lines between are what the engines told, in order. The key `event` says what a line is.

use crate::CheckReport;
use crate::json::{VERSION, input_json, property_json};
use sectile_engine::Event;
use serde_json::{Value, json};

/// The first line: version and input.
pub fn first_line(report: &CheckReport) -> String {
    line(json!({ "event": "input", "version": VERSION, "input": input_json(report) }))
}

/// One event as a line. `seconds` is the time since the check began.
pub fn event_line(event: &Event, seconds: f64) -> String {
    let mut value = json!(event);
    if let Value::Object(fields) = &mut value {
        // Rounded: a clock does not tell more than milliseconds.
        let seconds = (seconds * 1000.0).round() / 1000.0;
        fields.shift_insert(1, "seconds".to_string(), json!(seconds));
    }
    line(value)
}

/// The last line: the results of all properties, as in the JSON document.
pub fn last_line(report: &CheckReport) -> String {
    let properties: Vec<Value> = report.properties.iter().map(property_json).collect();
    line(json!({ "event": "verdicts", "warnings": report.warnings, "properties": properties }))
}

fn line(value: Value) -> String {
    format!("{value}\n")
}
