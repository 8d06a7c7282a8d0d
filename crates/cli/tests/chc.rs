//! Horn clauses and VMT from the command line: one bare line, models that others accept,
//! derivations, and models of ours that come back.
#![allow(clippy::print_stderr)]

mod common;

use common::{Ran, installed, root, sectile, sectile_with_input, temporary, zoo};
use sectile_smtlib::{Tree, read};
use std::path::Path;
use std::process::Command;

fn check(text: &str, more: &[&str]) -> Ran {
    let mut arguments = vec!["check", "-", "--input", "chc", "--timeout", "30s"];
    arguments.extend(more);
    sectile_with_input(&arguments, text)
}

/// The commands of a script with this name.
fn commands<'t>(tree: &'t Tree<'_>, name: &str) -> Vec<&'t str> {
    let is = |e: &&sectile_smtlib::Sexp| {
        let head = tree.list(**e).and_then(|l| l.first().copied());
        head.and_then(|h| tree.symbol(h)) == Some(name)
    };
    let found = tree.roots().iter().filter(is);
    found.map(|&e| tree.source(e)).collect()
}

/// Whether z3 agrees that the definitions make every assertion of the script true.
fn z3_accepts(script: &str, model: &str, name: &str) -> bool {
    let tree = read(script).expect("the script can be read");
    let definitions = read(model).expect("the model can be read");
    let list = definitions.list(definitions.roots()[0]);
    let list = list.expect("a model is a list of definitions").iter();
    let mut text: String = list.map(|&d| definitions.source(d)).collect();
    let assertions = commands(&tree, "assert");
    for assertion in &assertions {
        let formula = assertion.trim_start_matches("(assert").trim();
        let formula = &formula[..formula.len() - 1];
        text.push_str(&format!("(push)(assert (not {formula}))(check-sat)(pop)\n"));
    }
    let file = temporary(name, &text);
    let output = Command::new("z3").arg("-T:60").arg(&file).output();
    let output = output.expect("z3 was found before");
    std::fs::remove_file(file).expect("the file can be removed");
    let answers = String::from_utf8_lossy(&output.stdout).into_owned();
    let lines: Vec<&str> = answers.lines().collect();
    lines.len() == assertions.len() && lines.iter().all(|l| *l == "unsat")
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

/// Every engine that proves it gives a model of every predicate that z3 accepts.
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
            z3_accepts(SAFE, model, "safe-model.smt2"),
            "{engine}: {model}"
        );
        proved += 1;
    }
    assert!(proved >= 4, "only {proved} engines gave a model");
}

/// Calls of functions that are not recursive are unfolded; the functions get a meaning all the same.
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
    assert!(z3_accepts(text, model, "unfolded-model.smt2"), "{model}");
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

#[test]
fn what_is_refused_has_code_3() {
    for text in [
        "(declare-fun P ((Array Int Int)) Bool)",
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
