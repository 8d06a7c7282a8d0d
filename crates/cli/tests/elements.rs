//! Programs whose proofs need conditions on all elements of arrays.
#![allow(clippy::print_stderr)]

use crate::common;

use common::clauses::{Said, ask};
use common::{decided_and_certified, installed, root, sectile, sectile_with_input, temporary};

const PROGRAMS: [&str; 4] = ["initialise", "copy", "maximum", "find"];

fn path(name: &str) -> String {
    let path = root().join(format!("models/elements/{name}.bpl"));
    path.to_string_lossy().into_owned()
}

/// The verdicts of the header, `PROPERTY: VERDICT`.
fn expected(name: &str) -> Vec<String> {
    let text = std::fs::read_to_string(path(name)).expect("it can be read");
    let lines = text.lines().filter_map(|l| l.strip_prefix("// expect: "));
    lines.map(|l| l.replacen(' ', ": ", 1)).collect()
}

/// The first property of each holds, the second one has a bug; all evidence is read back.
#[test]
fn loops_over_arrays_are_decided_and_certified() {
    for name in PROGRAMS {
        let expected = expected(name);
        assert_eq!(expected.len(), 2);
        decided_and_certified(&path(name), &[], &expected);
    }
}

/// The invariant says what holds for all elements, and is refused where it says too much.
#[test]
fn certificates_speak_of_all_elements() {
    let name = path("initialise");
    let certificate = temporary("all.cert", "");
    let out = certificate.to_string_lossy().into_owned();
    let only = ["--property", "assert_20", "--certificate", &out, "--model"];
    let ran = sectile(&[&["check", &name][..], &only].concat());
    assert!(ran.out.contains("for all k: "), "{}{}", ran.out, ran.err);
    let text = std::fs::read_to_string(&certificate).expect("it was written");
    assert!(text.contains("\nfor-all k\n"), "{text}");
    let forged = text.replace("for-all k\n", "for-all i\n");
    for (wrong, why) in [
        (forged, "is a name of the model"),
        (text.replace("for-all k\n", ""), "k"),
        (text.replace("= 7", "= 8"), "refused"),
    ] {
        std::fs::write(&certificate, wrong).expect("it can be written");
        let ran = sectile(&["certify", &name, &out]);
        assert_ne!(ran.code, 0, "{}", ran.out);
        let said = format!("{}{}", ran.out, ran.err);
        assert!(said.contains(why), "{why}: {said}");
    }
    std::fs::remove_file(certificate).expect("the file was there");
}

const CLAUSES: &str = "(set-logic HORN)
(declare-fun P (Int (Array Int Int) Int) Bool)
(declare-fun Q (Int (Array Int Int) Int) Bool)
(assert (forall ((a (Array Int Int)) (n Int)) (P 0 a n)))
(assert (forall ((i Int) (a (Array Int Int)) (n Int)) (=> (and (P i a n) (< i n)) (P (+ i 1) (store a i 7) n))))
(assert (forall ((i Int) (a (Array Int Int)) (n Int)) (=> (and (P i a n) (>= i n)) (Q 0 a n))))
(assert (forall ((j Int) (a (Array Int Int)) (n Int)) (=> (and (Q j a n) (< j n)) (Q (+ j 1) a n))))
(assert (forall ((j Int) (a (Array Int Int)) (n Int)) (=> (and (Q j a n) (< j n) (distinct (select a j) 7)) false)))
(check-sat)
";

/// Models of clauses have quantifiers, which z3 accepts.
#[test]
fn models_are_accepted_by_z3() {
    let options = [
        "check",
        "-",
        "--input",
        "chc",
        "--model",
        "--timeout",
        "120s",
    ];
    let found = sectile_with_input(&options, CLAUSES);
    let (verdict, model) = found.out.split_once('\n').expect("there is a model");
    assert_eq!(verdict, "sat", "{}{}", found.out, found.err);
    assert!(model.contains("(forall ((k Int)) "), "{model}{}", found.err);
    if !installed("z3") {
        eprintln!("SKIPPED: z3 is not installed");
        return;
    }
    let said = ask("z3", CLAUSES, model, "elements", 60);
    assert_eq!(said, Said::Accepted, "{model}");
}

/// A claim about all values is one about any value. Runs that go on after it are not believed.
#[test]
fn claims_about_all_values_are_decided() {
    let program = "procedure main(n : int) {\n  var a : [int]int; var i : int;\n  i := 0;\n\
                   \x20 while (i < n) { a[i] := 7; i := i + 1; }\n\
                   \x20 assert (forall k : int :: 0 <= k && k < n ==> a[k] == 7);\n}\n\
                   procedure wrong(n : int) requires n >= 2; {\n  var a : [int]int;\n\
                   \x20 a[0] := 1; a[1] := 2;\n\
                   \x20 assert (forall k, l : int :: 0 <= k && k < l && l < n ==> a[k] > a[l]);\n}\n\
                   procedure after() {\n  var x : int; var a : [int]int;\n\
                   \x20 assert (forall k : int :: { a[k] } a[k] > x);\n  assert false;\n}\n\
                   procedure never() {\n  var x : int;\n\
                   \x20 assert (forall k : int :: { k } k > x);\n  assert false;\n}\n";
    let file = temporary("for-all.bpl", program);
    let name = file.to_string_lossy().into_owned();
    let verdicts = ["assert_5: holds", "assert_10: violated", "assert_20: holds"];
    for verdict in verdicts {
        let (property, _) = verdict.split_once(':').expect("it has one");
        let only = ["--property", property];
        decided_and_certified(&name, &only, &[verdict.to_string()]);
    }
    let only = ["--property", "assert_14", "--property", "assert_15"];
    let args = [&["check", &name, "--timeout", "2s"][..], &only].concat();
    let ran = sectile(&args);
    assert!(ran.out.starts_with("assert_14: violated\n"), "{}", ran.out);
    assert!(ran.out.contains("\nassert_15: unknown ("), "{}", ran.out);
    assert_eq!(ran.code, 10, "{}", ran.err);
    std::fs::remove_file(file).expect("it is there");
}
