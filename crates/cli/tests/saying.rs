//! What is said beside a verdict: warnings, the next command to try, the story of a run, the
//! instance that a certificate is about.

use crate::common;

use common::schema::Schema;
use common::{Ran, sectile, sectile_with_input, temporary};
use serde_json::Value;

/// Checks a model in the native language.
fn check(model: &str, more: &[&str]) -> Ran {
    let mut args = vec!["check", "-", "--input", "sct"];
    args.extend(more);
    sectile_with_input(&args, model)
}

/// The warnings of a document: those of the model, and those of the first property.
fn warnings(model: &str) -> (Vec<Value>, Vec<Value>) {
    let ran = check(model, &["--format", "json"]);
    let document: Value = serde_json::from_str(&ran.out).expect("it is JSON");
    Schema::read("check.schema.json").check(&document);
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let property = &document["properties"][0]["warnings"];
    (list(&document["warnings"]), list(property))
}

fn codes(list: &[Value]) -> Vec<&str> {
    list.iter().filter_map(|w| w["code"].as_str()).collect()
}

/// That the warning about the model, or else that about its property, has this code and line.
fn warned(model: &str, code: &str, line: Option<u64>) {
    let (of_model, of_property) = warnings(model);
    let mut all = of_model.iter().chain(&of_property);
    let found = all.find(|w| w["code"] == code);
    let found = found.unwrap_or_else(|| panic!("{code}: {of_model:?} {of_property:?}"));
    assert_eq!(found["line"].as_u64(), line, "{found}");
    let text = check(model, &[]).err;
    assert!(text.contains(&format!("warning[{code}]: ")), "{text}");
    assert_eq!(check(model, &["--quiet"]).err, "");
}

#[test]
fn a_model_without_initial_states_is_told() {
    let model = "var x : int = 0\ninit x = 1\nup: true --> x := x + 1\ninvariant no: false\n";
    warned(model, "empty", None);
    warned(model, "vacuous", Some(4));
    assert_eq!(check(model, &[]).code, 0);
}

#[test]
fn assumptions_that_contradict_each_other_are_told() {
    let model = "const c : int\nassume c > 1\nassume c < 0\nvar x : int = 0\n\
                 up: true --> x := x + 1\ninvariant no: false\n";
    warned(model, "contradiction", None);
}

#[test]
fn programs_that_no_run_gets_into_are_told() {
    let told = |language: &str, program: &str| {
        let args = ["check", "-", "--input", language, "--format", "json"];
        let ran = sectile_with_input(&args, program);
        let document: Value = serde_json::from_str(&ran.out).expect("it is JSON");
        let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
        let (of_model, of_property) = (
            list(&document["warnings"]),
            list(&document["properties"][0]["warnings"]),
        );
        let lines = of_model.iter().map(|w| w["line"].as_u64());
        let lines: Vec<Option<u64>> = lines.collect();
        let all: Vec<Value> = [of_model, of_property].concat();
        let all = codes(&all).into_iter().map(ToString::to_string);
        (all.collect::<Vec<_>>(), lines)
    };
    let both = vec!["contradiction".to_string(), "vacuous".to_string()];
    let program =
        "procedure main(n : int)\nrequires n > 3;\nrequires n < 2;\n{ assert n == 17; }\n";
    assert_eq!(told("boogie", program), (both.clone(), vec![Some(3)]));
    let program = "assume(x > 3);\ny := x + 1;\nassume(y < x);\nassert(x = 9);\n";
    assert_eq!(told("imp", program), (both, vec![Some(3)]));
    // A claim before the assumption that stops all runs, and one that a loop stands before.
    let none: (Vec<String>, Vec<Option<u64>>) = (Vec::new(), Vec::new());
    let program = "assume(x > 3);\nwhile (y < x) { y := y + 1; }\nassert(y > 3);\n";
    assert_eq!(told("imp", program), none);
    let program = "assume(x > 3);\nassert(x > 2);\nassume(x < 1);\n";
    let first = (vec!["contradiction".to_string()], vec![Some(3)]);
    assert_eq!(told("imp", program), first);
    // A claim that no run gets past fails.
    let program = "procedure main(x : int)\n{ assume x == 4;\nassert x == 5;\nassert x < 9; }\n";
    assert_eq!(told("boogie", program), none);
}

#[test]
fn a_command_that_never_happens_is_told() {
    let model = "var x : 0..3 = 0\nup: x = 7 --> x := 0\ninvariant low: x < 3\n";
    warned(model, "never", Some(2));
    // Of a family, one instance that happens is enough; what a parameter switches off is meant.
    let model = "param bug = 0\nvar x : 0..3 = 0\nvar f[i : 1..2] : bool = false\n\
                 up[i : 1..2]: x = i + 2 --> f[i] := true\nwrong: bug = 1 --> x := 1\n\
                 invariant low: x < 3\n";
    let (of_model, _) = warnings(model);
    assert_eq!(of_model, Vec::<Value>::new());
}

#[test]
fn a_step_that_vanishes_at_the_end_of_a_range_is_told() {
    let model = |guard: &str| {
        format!("var x : 0..3 = 0\nup: {guard} --> x := x + 1\ninvariant low: x < 9\n")
    };
    warned(&model("true"), "blocked", Some(2));
    let told = check(&model("true"), &[]).err;
    assert!(
        told.contains("out of its range: 3 steps lead there"),
        "{told}"
    );
    let (of_model, _) = warnings(&model("x < 3"));
    assert_eq!(of_model, Vec::<Value>::new());
    // A choice that is not possible is none, and there are others.
    let choice = "var x : 0..3 = 0\npick: true --> x := any v where v > 0\ninvariant low: x < 9\n";
    assert_eq!(codes(&warnings(choice).0), Vec::<&str>::new());
}

#[test]
fn a_step_that_vanishes_in_states_that_are_not_reached_is_not_told() {
    let semaphore = "var sem : 0..1 = 1\nvar a : bool = false\n\
                     take: not a and sem > 0 --> a := true, sem := sem - 1\n\
                     give: a --> a := false, sem := sem + 1\ninvariant p: sem <= 1\n";
    assert_eq!(codes(&warnings(semaphore).0), Vec::<&str>::new());
    // What is too far away for a short run is told as what it is.
    let far = "var x : 0..90 = 0\nup: true --> x := x + 1\ninvariant low: x < 99\n";
    warned(far, "blocked", Some(2));
    let told = check(far, &[]).err;
    assert!(
        told.contains("out of its range, if a run ever gets there"),
        "{told}"
    );
}

#[test]
fn properties_that_say_nothing_are_told() {
    let model = |property: &str| {
        format!("var x : 0..3 = 0\nvar y : bool = false\nup: x < 3 --> x := x + 1\n{property}\n")
    };
    for property in [
        "invariant p: x = 9 => y",
        "invariant p: forall i in 1..2: x = 9 + i => y",
        "error p: x = 9",
        "ctl p: AG(x = 9 => AF y)",
        "ctl p: AG(x = 9 => y)",
    ] {
        warned(&model(property), "vacuous", Some(4));
    }
    for property in [
        "invariant p: x = 3 => not y",
        "invariant p: 0 <= x and x <= 3",
        "invariant p: (x = 9 => y) and (x = 1 => not y)",
        "error p: x = 3 and y",
        "ctl p: AG(x = 2 => EF x = 3)",
    ] {
        let (of_model, of_property) = warnings(&model(property));
        assert_eq!((of_model, of_property), (vec![], vec![]), "{property}");
    }
}

#[test]
fn a_verdict_that_the_header_does_not_expect_is_told() {
    let model = "// expect: p violated\nparam n = 1\nvar x : int = 0\nup: x < n --> x := x + 1\n\
                 invariant p: x <= n\n";
    warned(model, "expectation", None);
    assert_eq!(check(model, &[]).code, 0);
    let ran = check(model, &["--expect"]);
    assert_eq!((ran.out.as_str(), ran.code), ("p: holds\n", 4));
    assert!(ran.err.contains("error: "), "{}", ran.err);
    // Another instance is none that the header speaks of.
    let ran = check(model, &["--expect", "-D", "n=2"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let right = model.replace("violated", "holds");
    assert_eq!(check(&right, &["--expect"]).code, 0);
}

#[test]
fn properties_that_counters_leave_out_are_told() {
    let model = "param n = 3\nprocess P[i : 1..n] {\n  var pc : {a, b} = a\n  \
                 go: pc = a --> pc := b\n}\ninvariant p: exists i in 1..n: P[i].pc = a or \
                 P[i].pc = b\nctl q: AG(EF(exists i in 1..n: P[i].pc = b))\n";
    let ran = check(model, &["--counters"]);
    assert!(
        ran.err.contains("`q` is left out"),
        "{}{}",
        ran.out,
        ran.err
    );
    let ran = check(model, &["--counters", "--format", "json", "--quiet"]);
    let document: Value = serde_json::from_str(&ran.out).expect("it is JSON");
    assert_eq!(document["warnings"][0]["code"], "counters");
    assert_eq!(ran.err, "");
}

/// The command behind `try:`.
fn hint(ran: &Ran) -> Vec<String> {
    let line = ran
        .out
        .lines()
        .find_map(|l| l.strip_prefix("  try: sectile "));
    let line = line.unwrap_or_else(|| panic!("no hint: {}", ran.out));
    line.split_whitespace().map(ToString::to_string).collect()
}

#[test]
fn hints_are_commands_that_keep_what_was_typed() {
    let typed = [
        "check",
        "models/ticket.sct",
        "--property",
        "mutex",
        "-D",
        "n=3",
        "--engine",
        "bmc",
        "--set",
        "depth=2",
    ];
    let ran = sectile(&typed);
    let next = hint(&ran);
    let expected = "check models/ticket.sct --property mutex -D n=3 --engine bmc --set depth=8";
    assert_eq!(next.join(" "), expected);
    let next: Vec<&str> = next.iter().map(String::as_str).collect();
    let again = sectile(&next);
    assert_eq!(again.code, 20, "{}", again.err);
    assert_ne!(hint(&again).join(" "), expected);
}

#[test]
fn no_hint_is_the_same_command_or_names_what_is_not_there() {
    let model = "var x : int = 0\nvar y : int = 0\nup: true --> x := x + y, y := y + 1\n\
                 invariant p: x >= 0\nctl q: AG(x >= y => AF(x > 5))\n";
    let file = temporary("hints.sct", model);
    let name = file.to_str().expect("text");
    for engine in [
        "explicit", "walk", "bmc", "partial", "poly", "kojak", "slab",
    ] {
        for property in ["p", "q"] {
            let args = ["check", name, "--engine", engine, "--property", property];
            let limits = ["--timeout", "1s"];
            let ran = sectile(&[&args[..], &limits[..]].concat());
            if ran.code != 20 {
                continue;
            }
            let next = hint(&ran).join(" ");
            assert!(!next.contains("n=2") && !next.contains("=N"), "{next}");
            let same = format!("check {name} --property {property} --engine {engine} --timeout 1s");
            assert_ne!(next, same);
            // What is tried is understood, however it ends.
            let short = next.replace("--timeout 5s", "--timeout 1s");
            let words: Vec<&str> = short.split_whitespace().collect();
            let code = sectile(&words).code;
            assert!([0, 10, 20].contains(&code), "{engine}: {next}");
        }
    }
    std::fs::remove_file(file).expect("it can be removed");
}

#[test]
fn explanations_are_those_of_the_engines_that_decided() {
    let ran = sectile(&["check", "models/fig10.sct", "--explain", "--jobs", "1"]);
    let document = sectile(&[
        "check",
        "models/fig10.sct",
        "--jobs",
        "1",
        "--format",
        "json",
    ]);
    let document: Value = serde_json::from_str(&document.out).expect("it is JSON");
    let engine = document["properties"][0]["engine"].as_str().expect("text");
    let lines: Vec<&str> = ran.out.lines().collect();
    let headings = lines.iter().filter(|l| l.contains(", explained by "));
    let headings: Vec<&&str> = headings.collect();
    assert!(headings.len() <= 1, "{}", ran.out);
    for heading in headings {
        assert_eq!(*heading, &format!("safe, explained by {engine}"));
    }
    for pair in lines
        .windows(2)
        .filter(|p| p[0].contains(", explained by "))
    {
        assert!(pair[1].starts_with("  "), "{}", ran.out);
    }
}

#[test]
fn a_certificate_is_about_one_instance() {
    let model = "param n = 1\nvar x : int = 0\nup: x < n --> x := x + 1\ninvariant p: x <= n\n";
    let file = temporary("instance.sct", model);
    let out = temporary("instance.cert", "");
    let (file, out) = (file.to_str().expect("text"), out.to_str().expect("text"));
    let ran = sectile(&["check", file, "-D", "n=2", "--certificate", out]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let refused = sectile(&["certify", file, out]);
    assert_eq!(refused.code, 10, "{}", refused.out);
    let why = "refused: the certificate has n = 2, the model n = 1\n";
    assert!(refused.out.starts_with(why), "{}", refused.out);
    let other = sectile(&["certify", file, out, "-D", "n=3"]);
    assert_eq!(other.code, 10, "{}", other.out);
    for more in [&["-D", "n=2"][..], &["--any-instance"]] {
        let ran = sectile(&[&["certify", file, out][..], more].concat());
        assert_eq!(ran.code, 0, "{}", ran.out);
        assert!(
            ran.out.starts_with("instance: n = 2\np: accepted"),
            "{}",
            ran.out
        );
    }
    for path in [file, out] {
        std::fs::remove_file(path).expect("it can be removed");
    }
}

#[test]
fn evidence_cannot_be_checked_and_not_checked() {
    let ran = sectile(&["check", "models/rw.sct", "--certify", "--no-certify"]);
    assert_eq!((ran.out.as_str(), ran.code), ("", 2));
}
