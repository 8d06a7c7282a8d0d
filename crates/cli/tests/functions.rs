//! Uninterpreted functions: verdicts, certificates, exports, and forged evidence.

use crate::common;

use common::clauses::{Said, ask};
use common::{decided_and_certified, installed, root, sectile, temporary};
use std::path::PathBuf;

/// The models and programs with functions, each with its lines `// expect: PROPERTY VERDICT`.
fn models() -> Vec<(PathBuf, Vec<String>)> {
    let entries = std::fs::read_dir(root().join("models/functions")).expect("the folder is there");
    let files = entries.map(|e| e.expect("it can be listed").path());
    let is_model = |p: &PathBuf| p.extension().is_some_and(|e| e != "smt2");
    let mut files: Vec<PathBuf> = files.filter(is_model).collect();
    files.sort();
    assert!(files.len() >= 2);
    let expected = |path: &PathBuf| {
        let text = std::fs::read_to_string(path).expect("it can be read");
        let lines = text.lines().filter_map(|l| l.strip_prefix("// expect: "));
        lines.map(|l| l.replacen(' ', ": ", 1)).collect()
    };
    files
        .into_iter()
        .map(|p| (p.clone(), expected(&p)))
        .collect()
}

/// Engines that take functions as they are, and one to which they are arrays.
#[test]
fn engines_agree_on_functions() {
    for (path, expected) in models() {
        let name = path.to_string_lossy().into_owned();
        for engine in ["auto", "slab", "kojak", "impact", "predabs", "poly"] {
            if engine == "poly" && name.ends_with(".bpl") {
                continue;
            }
            decided_and_certified(&name, &["--engine", engine], &expected);
        }
    }
}

/// Evidence about another function, and an invariant that needs more than congruence, are refused.
#[test]
fn forged_tables_and_invariants_are_found_out() {
    let name = "models/functions/cache.sct";
    let certificate = temporary("forged-functions.cert", "");
    let out = certificate.to_string_lossy().into_owned();
    let ran = sectile(&["check", name, "--certificate", &out, "--timeout", "60s"]);
    assert_eq!(ran.code, 10, "{}{}", ran.out, ran.err);
    let text = std::fs::read_to_string(&certificate).expect("it was written");
    let table = text
        .lines()
        .find(|l| l.trim_start().starts_with("hash = ["));
    let table = table
        .expect("a run has the table of the function")
        .to_string();
    let forged = |from: &str, to: &str| {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text, "{from}");
        let path = temporary("forged-function.cert", &changed);
        let ran = sectile(&["certify", name, &path.to_string_lossy()]);
        std::fs::remove_file(path).expect("the file was there");
        (ran.code, ran.out + &ran.err)
    };
    let (code, said) = forged(&table, "  hash = [int -> 7]");
    assert!(code != 0 && said.contains("same: refused"), "{said}");
    let (code, said) = forged("hash(key)", "hash(now)");
    assert!(code != 0 && said.contains("refused"), "{said}");
    std::fs::remove_file(certificate).expect("the file was there");
}

/// What is exported means the same.
#[test]
fn exports_keep_functions() {
    let name = "models/functions/cache.sct";
    for (to, ending) in [("sct", "sct"), ("vmt", "vmt"), ("chc", "smt2")] {
        let exported = sectile(&["export", name, "--to", to, "--property", "stored"]);
        assert_eq!(exported.code, 0, "{to}: {}", exported.err);
        let path = temporary(&format!("functions.{ending}"), &exported.out);
        let ran = sectile(&["check", &path.to_string_lossy(), "--timeout", "60s"]);
        let first = ran.out.lines().next().unwrap_or_default();
        assert!(
            first.ends_with(": holds") || first == "sat",
            "{to}: {}{}",
            ran.out,
            ran.err
        );
        std::fs::remove_file(path).expect("the file was there");
    }
}

/// Mistakes in declarations and uses are told with their places.
#[test]
fn mistakes_with_functions() {
    for (text, expected) in [
        (
            "function f(int)\n",
            "a function is declared by `function f(int) : int`",
        ),
        ("function f() : int\n", "expected a type"),
        (
            "predicate p(0..3)\n",
            "the arguments and results of a function have no range",
        ),
        (
            "function f(int) : int\nvar f : int\n",
            "`f` is declared twice",
        ),
        (
            "function f(int) : int\nvar x : int = f(1, 2)\n",
            "`f` has 1 argument, not 2",
        ),
        (
            "function f(int) : int\nvar x : int = f\n",
            "`f` is a function",
        ),
        (
            "function f(int) : int\nvar x : int = f[1]\n",
            "`f` is a function",
        ),
        (
            "function f(bool) : int\nvar x : int = f(1)\n",
            "expected `bool`",
        ),
        (
            "process P { function f(int) : int }\n",
            "a function cannot stand inside of a process",
        ),
    ] {
        let text = format!("{text}var done : bool = false\ngo: true --> done := true\n");
        let path = temporary("mistake.sct", &text);
        let ran = sectile(&["show", &path.to_string_lossy()]);
        assert!(
            ran.code == 3 && ran.err.contains(expected),
            "{text}\n{}",
            ran.err
        );
        std::fs::remove_file(path).expect("the file was there");
    }
}

/// What Horn clauses with functions are: declarations, clauses, and the answer.
const CLAUSES: [(&str, &str, &str); 12] = [
    // True for all functions, by congruence: of one clause, and of two.
    (
        "equal",
        "(declare-fun f (Int) Int)(declare-fun p (Int Int) Bool)
         (assert (forall ((x Int)) (p x x)))
         (assert (forall ((x Int) (y Int)) (=> (p x y) (p (f x) (f y)))))
         (assert (forall ((x Int) (y Int)) (=> (p x y) (= x y))))",
        "sat",
    ),
    (
        "table",
        "(declare-fun f (Int) Int)(declare-fun p (Int Int) Bool)
         (assert (forall ((x Int)) (p x (f x))))
         (assert (forall ((x Int) (y Int)) (=> (p x y) (p (+ x 1) (f (+ x 1))))))
         (assert (forall ((x Int) (y Int)) (=> (and (p x y) (distinct y (f x))) false)))",
        "sat",
    ),
    // Two arguments, reals.
    (
        "reals",
        "(declare-fun g (Int Real) Real)(declare-fun p (Int Real) Bool)(declare-fun q (Real) Bool)
         (assert (forall ((x Int)) (p x (g x 1.0))))
         (assert (forall ((x Int) (y Int) (a Real)) (=> (and (p x a) (= y x)) (q (- a (g y 1.0))))))
         (assert (forall ((a Real)) (=> (q a) (= a 0.0))))",
        "sat",
    ),
    // Two predicates in a body.
    (
        "bodies",
        "(declare-fun f (Int) Int)(declare-fun p (Int) Bool)(declare-fun q (Int) Bool)
         (assert (p 0))
         (assert (forall ((x Int)) (=> (p x) (p (+ x 1)))))
         (assert (forall ((x Int) (y Int)) (=> (and (p x) (p y) (= x y)) (q (- (f x) (f y))))))
         (assert (forall ((a Int)) (=> (q a) (= a 0))))",
        "sat",
    ),
    // A constant is a function without arguments.
    (
        "constant",
        "(declare-const c Int)(declare-fun p (Int) Bool)
         (assert (p c))
         (assert (forall ((x Int)) (=> (p x) (p (+ x 1)))))
         (assert (forall ((x Int)) (=> (and (p x) (< x c)) false)))",
        "sat",
    ),
    // A derivation in which no function occurs.
    (
        "derived",
        "(declare-fun f (Int) Int)(declare-fun p (Int) Bool)
         (assert (p 0))
         (assert (forall ((x Int)) (=> (p x) (p (f x)))))
         (assert (forall ((x Int)) (=> (p x) (p (+ x 2)))))
         (assert (forall ((x Int)) (=> (p x) (< x 5))))",
        "unsat",
    ),
    (
        "derived-from-two",
        "(declare-fun f (Int) Int)(declare-fun p (Int) Bool)(declare-fun q (Int) Bool)
         (assert (p 1))
         (assert (forall ((x Int)) (=> (p x) (q (f x)))))
         (assert (forall ((x Int) (y Int)) (=> (and (p x) (p y)) (p (+ x y)))))
         (assert (forall ((x Int)) (=> (p x) (< x 5))))",
        "unsat",
    ),
    // Some functions make them true, and others do not: the clauses are satisfiable.
    (
        "some",
        "(declare-fun f (Int) Int)(declare-fun p (Int) Bool)
         (assert (p 0))
         (assert (forall ((x Int)) (=> (p x) (p (f x)))))
         (assert (not (p 7)))",
        "unknown",
    ),
    (
        "some-constant",
        "(declare-const c Int)(declare-fun p (Int) Bool)
         (assert (p c))
         (assert (forall ((x Int)) (=> (p x) (< x 5))))",
        "unknown",
    ),
    // No function makes them true: they are unsatisfiable.
    (
        "none",
        "(declare-fun f (Int) Int)(declare-fun p (Int) Bool)
         (assert (p (f 0)))
         (assert (forall ((x Int)) (not (p x))))",
        "unknown",
    ),
    // Without predicates.
    (
        "bare",
        "(declare-fun f (Int) Int)
         (assert (forall ((x Int)) (= (f x) 0)))",
        "unknown",
    ),
    (
        "bare-equal",
        "(declare-fun f (Int) Int)
         (assert (forall ((x Int) (y Int)) (=> (= x y) (= (f x) (f y)))))",
        "sat",
    ),
];

/// Time for clauses: those that stay open may use all of it.
fn time(expected: &str) -> &'static str {
    match expected {
        "unknown" => "2s",
        _ => "60s",
    }
}

/// What is proved of all functions is true of some; what is derived with a function is derived for
/// that one only.
#[test]
fn clauses_with_functions_ask_for_some_function() {
    for (name, clauses, expected) in CLAUSES {
        let script = format!("(set-logic HORN)\n{clauses}\n(check-sat)\n");
        let file = temporary(&format!("functions-{name}.smt2"), &script);
        let path = file.to_str().expect("a path of text");
        for engine in ["auto", "kojak", "horn"] {
            let mut args = vec![
                "check",
                path,
                "--engine",
                engine,
                "--timeout",
                time(expected),
            ];
            if engine == "auto" {
                args.push("--model");
            }
            let ran = sectile(&args);
            let (verdict, model) = ran.out.split_once('\n').expect("there is a line");
            let may_give_up = engine != "auto" && verdict == "unknown";
            assert!(
                verdict == expected || may_give_up,
                "{name} by {engine}: {}{}",
                ran.out,
                ran.err
            );
            if engine == "auto" && verdict == "unknown" {
                assert!(ran.err.contains("unknown because: "), "{name}: {}", ran.err);
            }
            if engine == "auto" && verdict == "sat" {
                assert!(model.starts_with("(\n"), "{name}: {}{}", ran.out, ran.err);
                if installed("z3") {
                    let said = ask("z3", &script, model, &format!("functions-{name}.model"), 20);
                    assert_eq!(said, Said::Accepted, "{name}: {model}");
                }
            }
        }
        std::fs::remove_file(file).expect("it is there");
    }
}

/// Evidence about clauses with functions is checked like all other, and a derivation that uses one is
/// refused.
#[test]
fn certificates_about_clauses_with_functions() {
    for (name, clauses, expected) in CLAUSES {
        let script = format!("(set-logic HORN)\n{clauses}\n(check-sat)\n");
        let file = temporary(&format!("certified-functions-{name}.smt2"), &script);
        let path = file.to_str().expect("a path of text");
        let certificate = temporary(&format!("functions-{name}.cert"), "");
        let out = certificate.to_str().expect("a path of text");
        let ran = sectile(&[
            "check",
            path,
            "--certificate",
            out,
            "--timeout",
            time(expected),
        ]);
        assert_eq!(ran.out, format!("{expected}\n"), "{name}: {}", ran.err);
        if expected != "unknown" {
            let ran = sectile(&["certify", path, out]);
            assert_eq!(ran.code, 0, "{name}: {}{}", ran.out, ran.err);
        }
        std::fs::remove_file(file).expect("it is there");
        std::fs::remove_file(certificate).expect("it is there");
    }
}
