//! Uninterpreted functions: verdicts, certificates, exports, and forged evidence.

use crate::common;

use common::{decided_and_certified, root, sectile, temporary};
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
