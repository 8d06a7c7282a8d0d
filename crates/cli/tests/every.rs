//! `check --forall n` and its certificates, as a person uses them.

use crate::common;

use common::schema::Schema;
use common::{Ran, sectile, sectile_with_input, temporary};
use serde_json::{Value, json};

const MODEL: &str = "models/bakery.sct";

#[test]
fn a_proof_is_written_checked_and_refused_when_changed() {
    let ran = sectile(&["check", MODEL, "--forall", "n", "--certificate", "-"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(ran.err, "mutex: holds for every n >= 1\n");
    let certificate = ran.out;
    assert!(certificate.starts_with("sectile certificate for every size 1\n"));
    let piped = sectile_with_input(&["certify", MODEL, "-"], &certificate);
    assert_eq!(piped.code, 0, "{}", piped.out);
    assert!(
        piped
            .out
            .starts_with("mutex: accepted (holds for every n >= 1, ")
    );
    // The same clauses prove nothing about the model with the bug.
    let bug = sectile_with_input(&["certify", MODEL, "-", "-D", "bug=1"], &certificate);
    assert_eq!(bug.code, 10, "{}", bug.out);
    assert!(bug.out.starts_with("mutex: refused"), "{}", bug.out);
    let clauses = certificate.lines().filter(|l| l.starts_with("clause "));
    for left_out in clauses {
        let less = certificate.replace(&format!("{left_out}\n"), "");
        let ran = sectile_with_input(&["certify", MODEL, "-"], &less);
        assert_eq!(ran.code, 10, "without {left_out}: {}", ran.out);
    }
}

#[test]
fn texts_that_are_no_certificates_are_refused_with_their_line() {
    let head = "sectile certificate for every size 1\nsize n\n";
    for (rest, message) in [
        ("", "there is no `property` in it"),
        ("clause true\n", ":3: `property NAME` must come first"),
        ("property mutex\nnonsense\n", ":4: this is not understood"),
    ] {
        let ran = sectile_with_input(&["certify", MODEL, "-"], &format!("{head}{rest}"));
        assert!(ran.err.contains(message), "{} {}", ran.out, ran.err);
        assert!(ran.code != 0);
    }
    let injected = format!("{head}property mutex\nclause true; restrict false\n");
    let ran = sectile_with_input(&["certify", MODEL, "-"], &injected);
    assert_eq!(ran.code, 10, "{} {}", ran.out, ran.err);
}

#[test]
fn what_does_not_qualify_is_said_with_its_place() {
    let text = "param n = 2\nvar s : int = 0\nprocess P[i : 0..n-1] {\n  go: s < n --> s := s + 1\n}\n\
                invariant few: s <= 100\n";
    let file = temporary("every-size.sct", text);
    let path = file.to_str().expect("text");
    let ran = sectile(&["check", path, "--forall", "n"]);
    assert_eq!(ran.code, 20, "{} {}", ran.out, ran.err);
    let reason = "few: unknown (unsupported)\n  reached: `n` is compared with data\n";
    assert_eq!(ran.out, reason);
    assert!(ran.err.contains("`n` is compared with data"), "{}", ran.err);
    assert!(ran.err.contains(":4:7"), "{}", ran.err);
    let ran = sectile(&["check", path, "--forall", "m"]);
    assert!(
        ran.err.contains("the file has no parameter `m`"),
        "{}",
        ran.err
    );
    std::fs::remove_file(file).expect("the file can be removed");
}

#[test]
fn a_violation_comes_with_its_run() {
    let arguments = ["check", MODEL, "--forall", "n", "-D", "bug=1", "--trace"];
    let ran = sectile(&arguments);
    assert_eq!(ran.code, 10, "{}", ran.err);
    assert!(
        ran.out
            .starts_with("mutex: violated with n = 2 (the smallest)\n"),
        "{}",
        ran.out
    );
    assert!(ran.out.contains("P[1].pc"), "{}", ran.out);
}

/// The document of a check for every size.
fn document(ran: &Ran) -> Value {
    let value = serde_json::from_str(&ran.out).unwrap_or_else(|e| panic!("{e}: {}", ran.err));
    Schema::read("check.schema.json").check(&value);
    value
}

#[test]
fn documents_say_what_is_proved_for_every_size() {
    let ran = sectile(&["check", MODEL, "--forall", "n", "--format", "json"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let document = document(&ran);
    assert_eq!(
        document["input"]["parameters"],
        json!({ "bug": "0", "pair": "0", "exact": "0" })
    );
    let property = &document["properties"][0];
    assert_eq!(property["verdict"], "holds");
    assert_eq!(property["certified"], true);
    assert_eq!(property["forall"], json!({ "parameter": "n", "from": 1 }));
    let evidence = &property["evidence"];
    assert_eq!(evidence["kind"], "every-size");
    assert_eq!(evidence["from"], 1);
    assert_eq!(evidence["stands_for_larger"], 3);
    let clauses = evidence["clauses"].as_array().expect("they are listed");
    let quantified = clauses.iter().filter_map(Value::as_str);
    let quantified = quantified.filter(|c| c.starts_with("forall i in 0..n-1"));
    assert_eq!(quantified.count(), clauses.len());
    assert!(clauses.len() > 1);
    // The stream ends with the same.
    let ran = sectile(&["check", MODEL, "--forall", "n", "--format", "events"]);
    let schema = Schema::read("events.schema.json");
    let lines = ran.out.lines().map(serde_json::from_str::<Value>);
    let lines: Vec<Value> = lines.map(|l| l.expect("it is JSON")).collect();
    lines.iter().for_each(|l| schema.check(l));
    let last = &lines.last().expect("there are lines")["properties"][0];
    assert_eq!(last["evidence"], *evidence);
}

#[test]
fn documents_have_the_counters_of_a_proof() {
    let typed = ["check", "models/ticket.sct", "--property", "zbound"];
    let more = ["--forall", "n", "--format", "json"];
    let ran = sectile(&[typed, more].concat());
    assert_eq!(ran.code, 0, "{}", ran.err);
    let document = document(&ran);
    let evidence = &document["properties"][0]["evidence"];
    let counter = &evidence["counters"][0];
    let (name, counts) = (counter["name"].as_str(), counter["counts"].as_str());
    assert!(counts.expect("it has a text").starts_with("count "));
    let clauses = evidence["clauses"].to_string();
    assert!(clauses.contains(name.expect("it has a name")), "{clauses}");
}

#[test]
fn documents_say_where_a_property_is_violated() {
    let typed = ["check", MODEL, "--forall", "n", "-D", "bug=1", "--format"];
    let ran = sectile(&[&typed[..], &["json"]].concat());
    assert_eq!(ran.code, 10, "{}", ran.err);
    let document = document(&ran);
    let property = &document["properties"][0];
    let sizes = json!({ "parameter": "n", "violated_at": 2, "smallest": true });
    assert_eq!(property["forall"], sizes);
    assert_eq!(property["evidence"]["kind"], "trace");
    let ran = sectile(&[&typed[..], &["sarif"]].concat());
    assert_eq!(ran.code, 10, "{}", ran.err);
    let scanned: Value = serde_json::from_str(&ran.out).expect("it is JSON");
    let result = &scanned["runs"][0]["results"][0];
    let text = result["message"]["text"].as_str().expect("it is said");
    assert!(text.starts_with("mutex is violated with n = 2 (the smallest)"));
    assert_eq!(result["level"], "error");
    assert!(result["codeFlows"].is_array());
    let ran = sectile(&["check", MODEL, "--forall", "n", "--format", "sarif"]);
    let scanned: Value = serde_json::from_str(&ran.out).expect("it is JSON");
    let result = &scanned["runs"][0]["results"][0];
    assert_eq!(result["message"]["text"], "mutex holds for every n >= 1");
}

#[test]
fn documents_say_what_does_not_qualify() {
    let file = "models/protocols/filter-lock.sct";
    let typed = ["check", file, "--forall", "n", "--property", "mutex", "-q"];
    let ran = sectile(&[&typed[..], &["--format", "json"]].concat());
    assert_eq!((ran.code, ran.err.as_str()), (20, ""));
    let document = document(&ran);
    let property = &document["properties"][0];
    assert_eq!(property["reason"], "unsupported");
    let warning = &property["warnings"][0];
    assert_eq!(warning["code"], "every-n");
    assert_eq!(warning["message"], property["reached"]);
    assert_eq!(warning["line"], 33);
}

/// The command behind `try:`.
fn tried(ran: &Ran) -> Option<Vec<String>> {
    let mut lines = ran.out.lines();
    let line = lines.find_map(|l| l.strip_prefix("  try: sectile "))?;
    Some(line.split_whitespace().map(ToString::to_string).collect())
}

#[test]
fn a_proof_for_one_size_offers_one_for_all() {
    let typed = ["check", MODEL, "-D", "n=3", "-D", "bug=0", "--seed", "7"];
    let ran = sectile(&typed);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let next = tried(&ran).expect("something is offered");
    let expected = "check models/bakery.sct --property mutex -D bug=0 --seed 7 --forall n";
    assert_eq!(next.join(" "), expected);
    let next: Vec<&str> = next.iter().map(String::as_str).collect();
    let ran = sectile(&next);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(ran.out, "mutex: holds for every n >= 1\n");
    let ran = sectile(&[&typed[..], &["--format", "json"]].concat());
    let hint = format!("sectile {expected}");
    assert_eq!(document(&ran)["properties"][0]["hint"], hint);
}

#[test]
fn nothing_is_offered_that_the_text_does_not_allow() {
    for args in [
        &[MODEL, "-D", "bug=1"][..],
        &[MODEL, "--engine", "slab"],
        &[MODEL, "--quiet"],
        &["models/protocols/filter-lock.sct", "--property", "mutex"],
        &["models/fig10.sct"],
    ] {
        let ran = sectile(&[&["check"], args].concat());
        assert_eq!(tried(&ran), None, "{args:?}: {}", ran.out);
    }
}
