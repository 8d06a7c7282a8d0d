//! Options of `check` that are handed to engines and solvers, and how invariants are shown.

use crate::common;

use common::{sectile, sectile_with_input, temporary};
use serde_json::Value;

const SLAB: &[&str] = &["check", "models/elevator.sct", "--engine", "slab"];

fn slab(args: &[&str]) -> common::Ran {
    let all: Vec<&str> = SLAB.iter().chain(args).copied().collect();
    sectile(&all)
}

#[test]
fn every_way_of_interpolation_can_be_chosen() {
    for method in sectile_solver_native::interpolate::Method::ALL {
        let ran = slab(&["--interpolation", method.name(), "--timeout", "60s"]);
        assert!(
            ran.out.starts_with("safe: holds") || ran.out.starts_with("safe: unknown"),
            "{}: {} {}",
            method.name(),
            ran.out,
            ran.err
        );
    }
    assert_eq!(slab(&["--interpolation", "mcmillan"]).out, "safe: holds\n");
}

#[test]
fn an_unknown_way_of_interpolation_is_refused_as_smt_refuses_it() {
    let why = |ran: common::Ran| {
        assert_eq!((ran.out.as_str(), ran.code), ("", 2));
        let line = ran.err.lines().next().unwrap_or_default().to_string();
        line.split_once(": ").map(|(_, rest)| rest.to_string())
    };
    let check = why(slab(&["--interpolation", "magic"]));
    let smt = why(sectile_with_input(
        &["smt", "-", "--interpolation", "magic"],
        "",
    ));
    assert!(check.is_some_and(|c| Some(c) == smt));
}

#[test]
fn interpolation_is_a_matter_of_the_embedded_solver() {
    for solver in ["z3", "cvc5", "some command"] {
        let ran = slab(&["--interpolation", "sp", "--solver", solver]);
        assert_eq!((ran.out.as_str(), ran.code), ("", 2), "{solver}");
        assert!(ran.err.contains("--interpolation"), "{}", ran.err);
        assert!(ran.err.contains(solver), "{}", ran.err);
    }
}

/// The predicates that a run uses, with their sources.
fn born(args: &[&str]) -> Vec<(String, String)> {
    let all: Vec<&str> = args
        .iter()
        .chain(&["--format", "events"])
        .copied()
        .collect();
    let ran = slab(&all);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let lines = ran
        .out
        .lines()
        .map(|l| serde_json::from_str(l).expect("lines are JSON"));
    let text = |v: &Value| v.as_str().unwrap_or_default().to_string();
    lines
        .filter(|v: &Value| v["event"] == "predicate-born")
        .map(|v| (text(&v["predicate"]), text(&v["source"])))
        .collect()
}

#[test]
fn prescribed_predicates_reach_the_engine() {
    let args = [
        "--slab-paper",
        "--predicates",
        "pc = 1; pc = 2;\n req <= Max;",
    ];
    let prescribed: Vec<String> = born(&args)
        .into_iter()
        .filter(|(_, source)| source == "prescribed")
        .map(|(predicate, _)| predicate)
        .collect();
    assert!(!prescribed.is_empty());
    let known = ["pc = 1", "pc = 2", "req <= Max"];
    assert!(
        prescribed.iter().all(|p| known.contains(&p.as_str())),
        "{prescribed:?}"
    );
    let own = born(&["--slab-paper"]);
    assert!(
        own.iter().all(|(_, source)| source != "prescribed"),
        "{own:?}"
    );
}

#[test]
fn mistakes_in_predicates_are_shown_at_their_places() {
    for (text, place, line, caret) in [
        (
            "pc = 1; frob > 2",
            "<--predicates>:1:9",
            "1 | pc = 1; frob > 2",
            8,
        ),
        ("pc = 1;\n  pc +;", "<--predicates>:2:7", "2 |   pc +;", 6),
        (
            "pc = 1; current + 1",
            "<--predicates>:1:9",
            "1 | pc = 1; current + 1",
            8,
        ),
        ("pc' = 1", "<--predicates>:1:", "1 | pc' = 1", 2),
    ] {
        let ran = slab(&["--predicates", text]);
        assert_eq!((ran.out.as_str(), ran.code), ("", 3), "{text}: {}", ran.err);
        assert!(ran.err.starts_with("error["), "{}", ran.err);
        assert!(ran.err.contains(place), "{text}: {}", ran.err);
        assert!(ran.err.contains(line), "{text}: {}", ran.err);
        let under = ran.err.lines().find(|l| l.contains('^')).expect("a caret");
        assert!(under.find('^') >= Some(4 + caret), "{text}: {}", ran.err);
    }
    // All mistakes are told, in order.
    let ran = slab(&["--predicates", "a = 1; pc = 1; b = 2"]);
    assert!(
        ran.err.contains(":1:1\n") && ran.err.contains(":1:16\n"),
        "{}",
        ran.err
    );
}

#[test]
fn engines_that_do_not_use_predicates_are_named() {
    let args = [
        "check",
        "models/rw.sct",
        "--predicates",
        "nr > 0",
        "--engine",
    ];
    let with = |more: &[&str]| {
        let all: Vec<&str> = args.iter().chain(more).copied().collect();
        sectile(&all)
    };
    let warning = "warning: engine kinduction does not use --predicates\n";
    assert_eq!(with(&["kinduction"]).err, warning);
    assert_eq!(with(&["kinduction", "--quiet"]).err, "");
    assert_eq!(with(&["slab"]).err, "");
    // Which engine `auto` takes is known afterwards; finite systems are searched.
    let args = ["check", "models/deque.sct", "--predicates", "f[0]"];
    let ran = sectile(&args);
    assert_eq!(
        (ran.out.as_str(), ran.err.as_str()),
        (
            "safe: holds\n",
            "warning: engine explicit does not use --predicates\n"
        )
    );
}

#[test]
fn predicates_of_programs_are_plain_conditions() {
    let args = [
        "check",
        "models/lecture-a.imp",
        "--engine",
        "slab",
        "--timeout",
        "30s",
        "--predicates",
    ];
    let with = |text: &str| {
        let all: Vec<&str> = args.iter().copied().chain([text]).collect();
        sectile(&all)
    };
    assert_eq!(with("0 <= i; x < N").out, "end: violated\n");
    assert_eq!(with("nothing > 0").code, 3);
    // Locations are no part of the state's variables.
    assert_eq!(with("l4").code, 3);
}

#[test]
fn slab_paper_is_short_for_its_option() {
    let statistics = |args: &[&str]| {
        let all: Vec<&str> = args.iter().chain(&["--format", "json"]).copied().collect();
        let ran = slab(&all);
        assert_eq!(ran.code, 0, "{}", ran.err);
        let mut value: Value = serde_json::from_str(&ran.out).expect("it is JSON");
        let found = value["properties"][0]["statistics"].take();
        let mut found = found.as_object().expect("it is an object").clone();
        found.remove("solver_seconds");
        found
    };
    let short = statistics(&["--slab-paper"]);
    assert_eq!(short, statistics(&["--set", "slab-paper=true"]));
    assert_ne!(short, statistics(&[]));
    let ran = sectile(&["check", "models/rw.sct", "--engine", "bmc", "--slab-paper"]);
    assert_eq!((ran.out.as_str(), ran.code), ("", 2));
    assert!(ran.err.contains("slab-paper"), "{}", ran.err);
}

const COUNTER: &str = "\
var x : int = 0
var y : int = 0
var z : int = 0
up: x < 10 --> x := x + 1, z := z + 1
down: x > 0 --> x := x - 1, y := y + 1
invariant low: x >= 0
invariant high: x <= 10
";

#[test]
fn invariants_are_shown_a_condition_a_line_without_what_the_proof_does_not_need() {
    let model = temporary("counter.sct", COUNTER);
    let file = model.to_str().expect("the path is text");
    let evidence = temporary("counter.cert", "");
    let out = evidence.to_str().expect("the path is text");
    for engine in ["slab", "kinduction"] {
        let args = [
            "check",
            file,
            "--engine",
            engine,
            "--model",
            "--certificate",
            out,
        ];
        let ran = sectile(&args);
        assert_eq!(ran.code, 0, "{engine}: {} {}", ran.out, ran.err);
        // Nothing about y and z is needed.
        assert!(
            !ran.out.contains('y') && !ran.out.contains('z'),
            "{}",
            ran.out
        );
        let certified = sectile(&["certify", file, out]);
        assert_eq!(
            certified.code, 0,
            "{engine}: {} {}",
            certified.out, certified.err
        );
    }
    std::fs::remove_file(model).expect("it can be removed");
    std::fs::remove_file(evidence).expect("it can be removed");
}

#[test]
fn the_invariant_of_the_elevator_fits_on_a_few_lines() {
    let ran = slab(&["--model"]);
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!(lines[..2], ["safe: holds", "  invariant"]);
    assert!(lines.len() <= 8, "{}", ran.out);
    assert!(
        lines.iter().all(|l| l.chars().count() <= 100),
        "{}",
        ran.out
    );
}

/// Up and down again; the search of all states is the first to prove it.
const UP_AND_DOWN: &str = "
var x : int = 0
var y : int = 0
var up : bool = true
inc: up and x < 10 --> x := x + 1, y := y + 2
turn: up and x = 10 --> up := false
dec: not up and x > 0 --> x := x - 1, y := y - 2
back: not up and x = 0 --> up := true
invariant p: y <= 20 and y >= 0
";

/// The same as clauses.
const UP: &str = "(set-logic HORN)
(declare-fun inv (Int Int) Bool)
(assert (forall ((x Int)) (=> (= x 0) (inv x x))))
(assert (forall ((x Int) (y Int)) (=> (and (inv x y) (< x 10)) (inv (+ x 1) (+ y 2)))))
(assert (forall ((x Int) (y Int)) (=> (and (inv x y) (>= x 10) (not (= y 20))) false)))
(check-sat)
";

#[test]
fn invariants_that_are_shown_do_not_list_states() {
    for (name, text) in [("up.sct", UP_AND_DOWN), ("up.smt2", UP)] {
        let file = temporary(name, text);
        let ran = sectile(&["check", file.to_str().expect("text"), "--model"]);
        assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
        assert!(ran.out.lines().all(|l| l.len() < 100), "{}", ran.out);
        assert!(ran.out.contains("2 * x = y") || ran.out.contains("(= (* 2 a0) a1)"));
        std::fs::remove_file(file).expect("the file was there");
    }
}

#[test]
fn the_first_violation_may_be_the_last_property() {
    let program =
        "procedure main(x: int)\n{\n  assert x <= x;\n  assert x <= 7;\n  assert x <= 6;\n}\n";
    let file = temporary("first_violation.bpl", program);
    let name = file.to_str().expect("text");
    let all = sectile(&["check", name]);
    assert_eq!(all.out.lines().count(), 3, "{}", all.out);
    let some = sectile(&["check", name, "--first-violation"]);
    assert_eq!(some.code, 10);
    assert_eq!(some.out, "assert_3: holds\nassert_4: violated\n");
    std::fs::remove_file(file).expect("the file was there");
}

/// `--interpolation all` has a row for every method, and all agree.
#[test]
fn all_interpolations_are_compared() {
    let args = [
        "check",
        "models/lecture-c.imp",
        "--property",
        "take",
        "--engine",
        "kojak",
        "--set",
        "facts=off",
        "--interpolation",
        "all",
    ];
    let ran = sectile(&args);
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!(
        (lines[0], lines.len(), ran.code),
        ("take", 12, 0),
        "{}{}",
        ran.out,
        ran.err
    );
    assert!(
        lines[1].contains("splits") && lines[1].ends_with("seconds"),
        "{}",
        lines[1]
    );
    assert!(
        lines[2..].iter().all(|l| l.contains(" holds ")),
        "{}",
        ran.out
    );
    // They are different ways, and the engine uses the one that is asked for.
    let counters = |name: &str| {
        let line = lines.iter().find(|l| l.trim_start().starts_with(name));
        let line = line.expect("every way has a line");
        line.split_whitespace().nth(3).map(ToString::to_string)
    };
    assert_ne!(counters("sp "), counters("wp "), "{}", ran.out);
}

/// F2: nodes and predicates that the user chooses.
#[test]
fn nodes_are_split_by_hand() {
    let check = |split: &str| {
        sectile(&[
            "check",
            "models/elevator-dom.sct",
            "--engine",
            "slab",
            "--slab-paper",
            "--split",
            split,
            "--format",
            "json",
        ])
    };
    let ran = check("n2: pc = 1; n5: pc = 2; n5: req <= Max");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("\"iterations\": 0"), "{}", ran.out);
    assert!(ran.out.contains("\"splits\": 3"), "{}", ran.out);
    let ran = check("n9: pc = 1");
    assert_eq!(ran.code, 20, "{}", ran.err);
    assert!(ran.out.contains("there is no node n9"), "{}", ran.out);
    for (wrong, code, message) in [
        ("pc = 1", 2, "--split is"),
        ("m2: pc = 1", 2, "guide"),
        ("n2: px = 1", 3, "<--split>"),
    ] {
        let ran = check(wrong);
        assert_eq!(ran.code, code, "{wrong}: {}", ran.err);
        assert!(ran.err.contains(message), "{wrong}: {}", ran.err);
    }
}
