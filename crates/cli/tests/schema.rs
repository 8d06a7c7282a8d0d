//! The JSON output keeps to its published schemas.

use crate::common;

use common::schema::Schema;
use common::{sectile, temporary};
use sectile_engine::{Event, Picture, PictureEdge, PictureNode, SliceReason, Sliced};
use sectile_report::event_line;
use serde_json::Value;

/// Runs a command and checks every value that it prints.
fn keeps_to(schema: &str, command: &[&str], args: &[&str]) -> Vec<Value> {
    let schema = Schema::read(schema);
    let all: Vec<&str> = command.iter().chain(args).copied().collect();
    let ran = sectile(&all);
    let stream = serde_json::Deserializer::from_str(&ran.out).into_iter::<Value>();
    let values: Vec<Value> = stream
        .map(|v| v.unwrap_or_else(|e| panic!("{args:?}: {e}: {} {}", ran.out, ran.err)))
        .collect();
    assert!(!values.is_empty(), "{args:?}: {}", ran.err);
    values.iter().for_each(|v| schema.check(v));
    values
}

#[test]
fn json_of_explore_keeps_to_its_schema() {
    for args in [
        &["models/deque.sct"][..],
        &["models/chardriver.sct"],
        &["models/elevator.sct", "-D", "bug=1", "--domain", "-2..3"],
        &["models/lecture-c.imp", "--domain", "-1..3"],
    ] {
        let command = ["explore", "--format", "json"];
        let values = keeps_to("explore.schema.json", &command, args);
        assert_eq!(values.len(), 1, "{args:?}");
    }
}

/// Checks that end in every way: both verdicts, unknown, without certificate, CTL, programs.
const CHECKS: &[&[&str]] = &[
    &["models/rw.sct"],
    &["models/elevator.sct", "-D", "bug=1"],
    &["models/deque.sct"],
    &["models/lecture-a.imp"],
    &["models/lecture-c.imp", "--timeout", "1s"],
    &["models/chardriver.sct"],
    &["models/rw.sct", "--no-certify"],
    &["models/fig10.sct", "--engine", "bmc", "--set", "depth=2"],
];

#[test]
fn json_reports_keep_to_the_schema() {
    for args in CHECKS {
        let command = ["check", "--format", "json"];
        let values = keeps_to("check.schema.json", &command, args);
        assert_eq!(values.len(), 1, "{args:?}");
    }
}

#[test]
fn the_middle_of_a_long_run_is_left_out() {
    let text = "x := 0; while (x < 12000) { x := x + 1; } assert false;";
    let file = temporary("long.imp", text);
    let file = file.to_str().expect("a path in text");
    let command = ["check", "--engine", "walk", "--format", "json"];
    let values = keeps_to("check.schema.json", &command, &[file]);
    let evidence = &values[0]["properties"][0]["evidence"];
    let listed = evidence["steps"].as_array().expect("a list").len();
    let after = evidence["omitted"]["after"].as_u64().expect("a number");
    let omitted = evidence["omitted"]["states"].as_u64().expect("a number");
    assert_eq!((listed, after), (20_000, 10_000));
    assert!(omitted > 4000, "{omitted}");
    let ran = sectile(&["check", "--engine", "walk", "--trace", file]);
    assert!(
        ran.out.contains(&format!("...  {omitted} states")),
        "{}",
        ran.err
    );
    std::fs::remove_file(file).expect("the file is there");
}

#[test]
fn event_streams_keep_to_the_schema() {
    for args in CHECKS {
        let command = ["check", "--format", "events"];
        let values = keeps_to("events.schema.json", &command, args);
        let names: Vec<&str> = values.iter().filter_map(|v| v["event"].as_str()).collect();
        assert_eq!(names.first(), Some(&"input"), "{args:?}");
        assert_eq!(names.get(1), Some(&"started"), "{args:?}");
        assert_eq!(names.last(), Some(&"verdicts"), "{args:?}");
        let ends = names.iter().filter(|n| ["input", "verdicts"].contains(n));
        assert_eq!(ends.count(), 2, "{args:?}: {names:?}");
    }
}

#[test]
fn a_stream_is_one_object_a_line_and_ends_with_the_result_of_the_document() {
    let check = |format: &str| {
        sectile(&[
            "check",
            "models/elevator.sct",
            "-D",
            "bug=1",
            "--format",
            format,
        ])
    };
    let (stream, document) = (check("events"), check("json"));
    assert_eq!((stream.code, document.code), (10, 10));
    let lines: Vec<Value> = stream
        .out
        .lines()
        .map(|l| serde_json::from_str(l).expect("every line is a value"))
        .collect();
    let document: Value = serde_json::from_str(&document.out).expect("it is a document");
    let last = lines.last().expect("there are lines");
    assert_eq!(lines[0]["input"], document["input"]);
    assert_eq!(lines[0]["version"], document["version"]);
    // Times differ from run to run; all the rest is the same.
    for key in ["name", "kind", "verdict", "engine", "certified", "evidence"] {
        assert_eq!(last["properties"][0][key], document["properties"][0][key]);
    }
}

#[test]
fn a_request_that_makes_no_sense_begins_no_stream() {
    for args in [
        &["--engine", "warp"][..],
        &["--property", "nothing"],
        &["--set", "warp=9"],
        &["--solver", "no-such-program"],
    ] {
        let mut all = vec!["check", "models/rw.sct", "--format", "events"];
        all.extend(args);
        let ran = sectile(&all);
        assert_eq!(
            (ran.out.as_str(), ran.code),
            ("", 2),
            "{args:?}: {}",
            ran.err
        );
    }
}

fn picture() -> Picture {
    let node = |id, initial, removed| PictureNode {
        id,
        label: vec!["pc = \"1\"".to_string()],
        initial,
        error: !initial,
        labelled: initial,
        removed,
    };
    let edge = |removed| PictureEdge {
        from: 0,
        to: 1,
        relation: "up".to_string(),
        removed,
    };
    Picture {
        step: 1,
        title: "split n2 by pc = 1".to_string(),
        nodes: vec![
            node(0, true, None),
            node(1, false, Some(SliceReason::ForwardUnreachable)),
        ],
        edges: vec![edge(None), edge(Some(SliceReason::Inconsistent))],
    }
}

/// One event of every kind, slices with every reason.
fn one_of_each() -> Vec<Event> {
    let text = || "x <= 3".to_string();
    let mut events = vec![
        Event::Started {
            engine: "slab",
            property: text(),
        },
        Event::Decided {
            property: text(),
            status: "unknown",
            reason: text(),
        },
        Event::Resumed { engine: "slab" },
        Event::NotInductive {
            candidate: text(),
            depth: 2,
            before: vec![(text(), text())],
            step: text(),
            after: Vec::new(),
        },
        Event::Phase { name: "slice" },
        Event::Part {
            index: 1,
            of: 2,
            name: text(),
        },
        Event::BoundRefuted { depth: 3 },
        Event::States { count: 7, depth: 2 },
        Event::Counter {
            name: "splits",
            value: u64::MAX,
        },
        Event::Abstraction {
            step: 0,
            nodes: 4,
            edges: 9,
            predicates: 2,
        },
        Event::PathFound {
            nodes: vec![0, 2, 3],
            relations: vec![text(), text()],
        },
        Event::PathRefuted {
            first: 0,
            last: 2,
            interpolants: vec![(1, text())],
        },
        Event::PathStates {
            states: vec![text()],
            formula: text(),
        },
        Event::PathEmptied {
            position: Some(1),
            loops: vec![(1, 2)],
        },
        Event::PathEmptied {
            position: None,
            loops: Vec::new(),
        },
        Event::PathConcretized { steps: 4 },
        Event::PredicateBorn {
            predicate: text(),
            source: "interpolant",
        },
        Event::Split {
            node: 2,
            halves: [4, 5],
            predicate: text(),
        },
        Event::Lemma {
            formula: text(),
            source: "seed",
        },
        Event::Adopted {
            formula: text(),
            from: "slab",
        },
        Event::Covered { vertex: 3, by: 1 },
        Event::Picture(Box::new(picture())),
    ];
    for reason in [
        SliceReason::Inconsistent,
        SliceReason::ForwardUnreachable,
        SliceReason::BackwardUnreachable,
        SliceReason::Bypassed,
        SliceReason::Simplified,
    ] {
        events.push(Event::Sliced {
            what: Sliced::Node { node: 3 },
            reason,
        });
        events.push(Event::Sliced {
            what: Sliced::Relation {
                from: 1,
                to: 2,
                name: text(),
            },
            reason,
        });
    }
    events
}

#[test]
fn every_kind_of_event_has_its_place_in_the_schema() {
    let schema = Schema::read("events.schema.json");
    let mut names = std::collections::BTreeSet::new();
    for event in one_of_each() {
        let line = event_line(&event, 0.12345);
        assert_eq!(line.matches('\n').count(), 1, "{line}");
        let value: Value = serde_json::from_str(&line).expect("it is JSON");
        schema.check(&value);
        assert_eq!(value["seconds"], 0.123);
        names.insert(value["event"].as_str().map(ToString::to_string));
    }
    // All of the schema but the first and the last line.
    assert_eq!(names.len(), 22, "{names:?}");
}

#[test]
#[should_panic(expected = "halves is missing")]
fn an_event_that_lacks_something_is_noticed() {
    let line = r#"{"event":"split","seconds":0.5,"node":2,"predicate":"x <= 3"}"#;
    let value: Value = serde_json::from_str(line).expect("it is JSON");
    Schema::read("events.schema.json").check(&value);
}
