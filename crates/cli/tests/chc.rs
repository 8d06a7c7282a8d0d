//! Horn clauses and VMT from the command line: one bare line, models that others accept,
//! derivations, and models of ours that come back.
#![allow(clippy::print_stderr)]

use crate::common;

use common::clauses::{Said, ask};
use common::{Ran, installed, root, sectile, sectile_with_input, zoo};
use std::path::Path;

fn check(text: &str, more: &[&str]) -> Ran {
    let mut arguments = vec!["check", "-", "--input", "chc", "--timeout", "30s"];
    arguments.extend(more);
    sectile_with_input(&arguments, text)
}

/// Whether the installed solvers agree that the definitions make every assertion of the script true.
fn accepted(script: &str, model: &str, name: &str) -> bool {
    let solvers = ["z3", "cvc5"].into_iter().filter(|s| installed(s));
    let mut said = solvers.map(|s| (s, ask(s, script, model, name, 60)));
    said.all(|(solver, verdict)| {
        // The other solver may be too weak for a clause, but must not contradict.
        verdict == Said::Accepted || (solver == "cvc5" && verdict == Said::Open)
    })
}

const SAFE: &str = "(set-logic HORN)
(declare-fun |loop:1| (Int Int) Bool)
(declare-fun middle (Int Int) Bool)
(declare-fun |it's| (Int) Bool)
(declare-fun nowhere (Bool) Bool)
(assert (forall ((n Int)) (=> (>= n 0) (|loop:1| 0 n))))
(assert (forall ((i Int) (n Int)) (=> (and (|loop:1| i n) (< i n)) (middle i n))))
(assert (forall ((i Int) (n Int)) (=> (middle i n) (|loop:1| (+ i 1) n))))
(assert (forall ((i Int) (n Int)) (=> (and (|loop:1| i n) (>= i n)) (|it's| (- i n)))))
(assert (forall ((d Int)) (=> (and (|it's| d) (distinct d 0)) false)))
(check-sat)
";

const UNSAFE: &str = "(set-logic HORN)
(declare-fun P (Int Real) Bool)
(assert (P 0 0.5))
(assert (forall ((i Int) (r Real) (j Int)) (=> (and (P i r) (= j (+ i 2))) (P j (* 2.0 r)))))
(assert (forall ((i Int) (r Real)) (=> (and (P i r) (> r 3.0) (> i 5)) false)))
(check-sat)
";

#[test]
fn one_bare_line() {
    let safe = check(SAFE, &[]);
    assert_eq!((safe.out.as_str(), safe.code), ("sat\n", 0), "{}", safe.err);
    let violated = check(UNSAFE, &[]);
    assert_eq!(
        (violated.out.as_str(), violated.code),
        ("unsat\n", 10),
        "{}",
        violated.err
    );
    let bounded = check(SAFE, &["--engine", "bmc", "--set", "depth=3", "--quiet"]);
    assert_eq!(
        (bounded.out.as_str(), bounded.err.as_str(), bounded.code),
        ("unknown\n", "", 20)
    );
}

#[test]
fn no_clauses_and_no_queries() {
    for (text, answer) in [
        ("(set-logic HORN)\n(check-sat)", "sat\n"),
        ("(declare-fun P () Bool)\n(assert P)\n(check-sat)", "sat\n"),
        ("(assert false)\n(check-sat)", "unsat\n"),
        (
            "(declare-fun P () Bool)\n(assert P)\n(assert (not P))\n(check-sat)",
            "unsat\n",
        ),
    ] {
        assert_eq!(check(text, &[]).out, answer, "{text}");
    }
}

#[test]
fn several_queries_are_one_question() {
    let text = SAFE.replace(
        "(check-sat)",
        "(assert (forall ((i Int) (n Int)) (=> (and (middle i n) (= i 3)) false)))\n(check-sat)",
    );
    assert_eq!(check(&text, &[]).out, "unsat\n");
}

/// Every engine that proves it gives a model of every predicate that z3 and cvc5 accept.
#[test]
fn models_are_complete_and_accepted() {
    if !installed("z3") {
        return;
    }
    let mut proved = 0;
    for engine in [
        "auto",
        "kojak",
        "impact",
        "elim",
        "slab",
        "predabs",
        "kinduction",
    ] {
        let ran = check(SAFE, &["--engine", engine, "--model"]);
        let Some(model) = ran.out.strip_prefix("sat\n") else {
            assert_eq!(ran.out, "unknown\n", "{engine}: {}", ran.err);
            continue;
        };
        for name in ["|loop:1|", "middle", "|it's|", "nowhere"] {
            let definition = format!("(define-fun {name} (");
            assert!(model.contains(&definition), "{engine}: {name}\n{model}");
        }
        assert_eq!(model.matches("define-fun").count(), 4, "{engine}");
        assert!(
            accepted(SAFE, model, "safe-model.smt2"),
            "{engine}: {model}"
        );
        proved += 1;
    }
    assert!(proved >= 4, "only {proved} engines gave a model");
}

/// 10 and 11 lead to each other and are not reached: only runs without repetition are excluded.
#[test]
fn induction_over_runs_without_repetition_gives_a_model() {
    let text = "(declare-fun P (Int) Bool)
(assert (P 0))
(assert (forall ((x Int)) (=> (and (P x) (< x 5)) (P (+ x 1)))))
(assert (forall ((x Int)) (=> (and (P x) (= x 10)) (P 11))))
(assert (forall ((x Int)) (=> (and (P x) (= x 11)) (P 10))))
(assert (forall ((x Int)) (=> (and (P x) (= x 11)) (P 12))))
(assert (forall ((x Int)) (=> (and (P x) (= x 12)) false)))
(check-sat)
";
    let plain = ["--engine", "kinduction", "--set", "lemmas=false", "--model"];
    let ran = check(text, &plain);
    let model = ran.out.strip_prefix("sat\n").filter(|m| !m.is_empty());
    let model = model.unwrap_or_else(|| panic!("{} {}", ran.out, ran.err));
    assert!(accepted(text, model, "induction-model.smt2"), "{model}");
}

/// A protocol in one relation, with its phase in a number: the model says what each phase leaves
/// behind.
#[test]
fn what_phases_establish_is_the_model() {
    let text = "(declare-fun P (Int Int Int Int) Bool)
(assert (forall ((p Int) (x Int) (y Int) (z Int)) (=> (and (= p 0) (= x 0) (= y 0) (= z 1)) (P p x y z))))
(assert (forall ((p Int) (x Int) (y Int) (z Int) (q Int) (u Int) (v Int) (w Int))
  (=> (and (P p x y z) (or (and (= p 0) (= q 1) (>= u 3) (= v y) (= w (+ z u)))
                           (and (= p 1) (= q 2) (= u x) (= v (+ x x)) (= w z))
                           (and (= p 2) (= q p) (= u x) (= v y) (= w (+ z 1)))))
      (P q u v w))))
(assert (forall ((p Int) (x Int) (y Int) (z Int)) (=> (and (P p x y z) (= p 2) (< y 6)) false)))
(check-sat)
";
    let ran = check(text, &["--engine", "kinduction", "--model"]);
    let model = ran.out.strip_prefix("sat\n").filter(|m| !m.is_empty());
    let model = model.unwrap_or_else(|| panic!("{} {}", ran.out, ran.err));
    assert!(accepted(text, model, "phases-model.smt2"), "{model}");
    let wrong = text.replace("(< y 6)", "(< y 7)");
    let ran = check(&wrong, &["--engine", "kinduction", "--trace"]);
    assert!(ran.out.starts_with("unsat\n"), "{} {}", ran.out, ran.err);
}

/// Calls of functions that are not recursive are unfolded; the functions get a meaning all the same.
/// A loop that writes into an array, one element of which is asked about.
fn with_arrays(limit: i64) -> String {
    format!(
        "(set-logic HORN)
(declare-fun Loop (Int Int (Array Int Int)) Bool)
(declare-fun End ((Array Int Int) Int) Bool)
(assert (forall ((n Int) (a (Array Int Int))) (Loop 0 n (store a 7 42))))
(assert (forall ((i Int) (n Int) (x Int) (a (Array Int Int)))
  (=> (and (Loop i n a) (< i n) (< x 77)) (Loop (+ i 1) n (store a i x)))))
(assert (forall ((i Int) (n Int) (a (Array Int Int)))
  (=> (and (Loop i n a) (>= i n)) (End a (select a 7)))))
(assert (forall ((a (Array Int Int)) (x Int)) (=> (and (End a x) (> (select a 7) {limit})) false)))
(check-sat)
"
    )
}

#[test]
fn arrays_in_clauses() {
    let script = with_arrays(76);
    let ran = check(&script, &["--model"]);
    assert!(ran.out.starts_with("sat\n"), "{} {}", ran.out, ran.err);
    let model = ran.out.strip_prefix("sat\n").expect("just seen");
    assert!(model.contains("(Array Int Int)"), "{model} {}", ran.err);
    assert!(accepted(&script, model, "arrays"), "{model}");
    // The written element may be larger than this.
    let ran = check(&with_arrays(70), &["--trace"]);
    assert!(ran.out.starts_with("unsat\n"), "{} {}", ran.out, ran.err);
    assert!(ran.out.contains("[7 := 7"), "{}", ran.out);
}

#[test]
fn unfolded_predicates_have_a_meaning() {
    if !installed("z3") {
        return;
    }
    let text = "(set-logic HORN)
(declare-fun inc (Int Int) Bool)
(declare-fun twice (Int Int) Bool)
(declare-fun loop (Int) Bool)
(assert (forall ((x Int) (y Int)) (=> (= y (+ x 1)) (inc x y))))
(assert (forall ((x Int) (y Int) (z Int)) (=> (and (inc x y) (inc y z)) (twice x z))))
(assert (loop 0))
(assert (forall ((x Int) (y Int)) (=> (and (loop x) (twice x y)) (loop y))))
(assert (forall ((x Int)) (=> (and (loop x) (< x 0)) false)))
(check-sat)
";
    let ran = check(text, &["--model"]);
    let model = ran.out.strip_prefix("sat\n");
    let model = model.unwrap_or_else(|| panic!("{} {}", ran.out, ran.err));
    assert!(accepted(text, model, "unfolded-model.smt2"), "{model}");
    let violated = text.replace("(< x 0)", "(= x 4)");
    let ran = check(&violated, &["--trace"]);
    assert!(ran.out.starts_with("unsat\n"), "{} {}", ran.out, ran.err);
    assert!(ran.out.contains("twice(2, 4) by clause 2"), "{}", ran.out);
}

#[test]
fn derivations_are_printed() {
    let ran = check(UNSAFE, &["--trace"]);
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!(lines[0], "unsat");
    assert!(lines[1].contains("P(0, 1/2) by clause 1"), "{}", ran.out);
    assert!(
        lines[5].contains("false by clause 3 (line 5) from 4"),
        "{}",
        ran.out
    );
}

/// As a tree the derivation would have a million leaves; every fact is derived once.
#[test]
fn derivations_share_what_they_rest_on() {
    let depth = 20;
    let mut text = String::from(
        "(declare-fun P0 (Int) Bool)\n(assert (forall ((x Int)) (=> (and (< 0 x) (< x 3)) (P0 x))))\n",
    );
    for i in 1..=depth {
        let below = i - 1;
        text.push_str(&format!("(declare-fun P{i} (Int) Bool)\n"));
        text.push_str(&format!(
            "(assert (forall ((x Int) (y Int)) (=> (and (P{below} x) (P{below} y)) (P{i} (+ x y)))))\n"
        ));
    }
    text.push_str(&format!(
        "(assert (forall ((x Int)) (=> (and (P{depth} x) (> x 5)) false)))"
    ));
    let ran = check(&text, &["--trace"]);
    assert!(ran.out.starts_with("unsat\n"), "{} {}", ran.out, ran.err);
    assert_eq!(ran.out.lines().count(), 1 + depth + 2, "{}", ran.out);
    assert!(ran.out.contains(&format!("P{depth}(")), "{}", ran.out);
}

#[test]
fn what_is_refused_has_code_3() {
    for text in [
        "(declare-datatypes ((L 0)) (((nil) (cons (tail L)))))",
        "(assert",
        "(set-logic QF_LIA)",
        "(assert (forall ((x Int)) (P x)))",
    ] {
        let ran = check(text, &[]);
        assert_eq!((ran.out.as_str(), ran.code), ("", 3), "{text}");
        assert!(
            ran.err.contains("error[") && ran.err.contains("<stdin>:1:"),
            "{}",
            ran.err
        );
    }
}

/// A text that is cut off has code 3 and a place in it, wherever it is cut.
#[test]
fn texts_that_are_cut_off_have_code_3() {
    for end in (40..SAFE.len()).step_by(50) {
        let text = &SAFE[..end];
        let opened = text.matches('(').count();
        let ran = check(text, &[]);
        if opened == text.matches(')').count() {
            continue;
        }
        assert_eq!((ran.out.as_str(), ran.code), ("", 3), "{text}");
        let place = ran.err.split("<stdin>:").nth(1).expect("there is a place");
        let line = place
            .split(':')
            .next()
            .and_then(|l| l.parse::<usize>().ok());
        let lines = text.lines().count();
        assert!(line.is_some_and(|l| l <= lines + 1), "{}", ran.err);
    }
}

/// The second premise of the middle clause is no part of the graph: 8 is not derived, but some run
/// of the graph gets there.
const NONLINEAR: &str = "(set-logic HORN)
(declare-fun F (Int Int) Bool)
(assert (forall ((x Int)) (=> (and (<= 0 x) (<= x 1)) (F x 1))))
(assert (forall ((x Int) (a Int) (b Int))
  (=> (and (> x 1) (<= x 3) (F (- x 1) a) (F (- x 2) b)) (F x (+ a b)))))
(assert (forall ((x Int) (a Int)) (=> (and (F x a) (> a 7)) false)))
(check-sat)
";

#[test]
fn runs_that_the_clauses_do_not_have_are_not_believed() {
    assert_eq!(check(NONLINEAR, &[]).out, "sat\n");
    let explore = |more: &[&str]| {
        let mut arguments = vec!["explore", "-", "--input", "chc", "--domain", "-1..9"];
        arguments.extend(more);
        sectile_with_input(&arguments, NONLINEAR)
    };
    let ran = explore(&[]);
    assert_eq!(ran.code, 20, "{}{}", ran.out, ran.err);
    let note = "note: the graph allows more than the file does (clause 2)";
    assert!(ran.out.contains(note), "{}", ran.out);
    let doubt = "satisfiable: unknown (the run may not exist)";
    assert!(ran.out.contains(doubt), "{}", ran.out);
    let json = explore(&["--format", "json"]).out;
    let json: serde_json::Value = serde_json::from_str(&json).expect("it is JSON");
    assert_eq!(json["approximate"], serde_json::json!(["clause 2"]));
    let answer = &json["properties"][0]["answer"];
    assert_eq!(answer, "unknown (the run may not exist)");
    let mut doubted = 0;
    for seed in ["1", "2", "3", "4", "5", "6", "7", "8"] {
        let arguments = ["simulate", "-", "--input", "chc", "--seed", seed];
        let ran = sectile_with_input(&arguments, NONLINEAR);
        assert_eq!(ran.code, 0, "{}", ran.err);
        let doubts = ran.out.contains("this may not be a run of the file");
        assert_eq!(doubts, ran.out.contains("clause 2"), "{}", ran.out);
        doubted += usize::from(doubts);
    }
    assert!(doubted > 0, "some run takes the clause");
    // A file whose graph says exactly what it does needs no such words.
    let arguments = ["explore", "-", "--input", "chc", "--domain", "-1..9"];
    let ran = sectile_with_input(&arguments, SAFE);
    assert!(!ran.out.contains("note:"), "{}", ran.out);
}

#[test]
fn clauses_are_shown_and_read_back() {
    let shown = sectile_with_input(&["show", "-", "--input", "chc"], SAFE);
    assert_eq!(shown.code, 0, "{}", shown.err);
    assert_eq!(check(&shown.out, &[]).out, "sat\n", "{}", shown.out);
    let exported = sectile_with_input(&["export", "-", "--input", "chc", "--to", "chc"], UNSAFE);
    assert_eq!(check(&exported.out, &[]).out, "unsat\n", "{}", exported.out);
}

/// Models of the zoo that are decided quickly, with their parameters and a property.
const ZOO: &[(&str, &[&str], &str)] = &[
    ("models/deque.sct", &["-D", "n=5"], "holds"),
    (
        "models/bakery.sct",
        &["-D", "n=2", "-D", "bug=1"],
        "violated",
    ),
    ("models/lecture-c.imp", &[], ""),
    ("models/sum-bug.bpl", &[], "violated"),
];

#[test]
fn exported_models_keep_their_verdicts() {
    assert!(!zoo().is_empty());
    for (file, parameters, expected) in ZOO {
        assert!(Path::new(&root()).join(file).exists(), "{file}");
        let mut direct = vec!["check", *file, "--timeout", "30s", "--quiet"];
        direct.extend(*parameters);
        let direct = sectile(&direct);
        let first = direct.out.lines().next().unwrap_or("");
        if !expected.is_empty() {
            assert!(first.ends_with(expected), "{file}: {}", direct.out);
        }
        let verdict = if first.ends_with("violated") {
            "unsat"
        } else {
            "sat"
        };
        let mut export = vec!["export", *file, "--to", "chc"];
        export.extend(*parameters);
        let clauses = sectile(&export);
        assert_eq!(clauses.code, 0, "{file}: {}", clauses.err);
        let back = check(&clauses.out, &["--quiet"]);
        let wrong = if verdict == "sat" { "unsat" } else { "sat" };
        assert_ne!(back.out.trim(), wrong, "{file}\n{}", clauses.out);
        eprintln!("{file} as clauses: {}", back.out.trim());
        export[3] = "vmt";
        let vmt = sectile(&export);
        assert_eq!(vmt.code, 0, "{file}: {}", vmt.err);
        let arguments = [
            "check",
            "-",
            "--input",
            "vmt",
            "--timeout",
            "30s",
            "--quiet",
        ];
        let back = sectile_with_input(&arguments, &vmt.out);
        let again: Vec<&str> = back.out.lines().collect();
        for (line, old) in again.iter().zip(direct.out.lines()) {
            let contradicts = (line.ends_with(": holds") && old.ends_with(": violated"))
                || (line.ends_with(": violated") && old.ends_with(": holds"));
            assert!(!contradicts, "{file}: {line}, but {old}");
        }
        eprintln!("{file} as VMT: {}", again.join(", "));
        assert!(!again.is_empty(), "{file}: {}", back.err);
    }
}

/// What pyvmt 0.0.4 wrote for models of ours: annotations stand inside `let`.
#[test]
fn files_of_pyvmt_are_read() {
    for (file, verdicts) in [
        (
            "counter",
            "invar-property0: holds\ninvar-property1: violated\n",
        ),
        (
            "tanks",
            "invar-property0: holds\ninvar-property1: violated\n",
        ),
        ("light", "live-property0: holds\n"),
    ] {
        let name = format!("models/pyvmt/{file}.vmt");
        let ran = sectile(&["check", &name, "--timeout", "60s"]);
        assert_eq!(ran.out, verdicts, "{file}: {}", ran.err);
    }
}
