//! What is exported means the same.
#![allow(clippy::print_stderr)]

use crate::common;

use common::{installed, root, sectile, sectile_with_input, temporary, zoo};
use std::path::Path;
use std::process::Command;

fn name(file: &Path) -> String {
    let name = file.file_name().and_then(|n| n.to_str());
    format!("models/{}", name.expect("file names are text"))
}

#[test]
fn flat_files_read_back_as_the_same_model() {
    for file in zoo() {
        let model = name(&file);
        let flat = sectile(&["export", &model, "--to", "sct"]);
        assert_eq!(flat.code, 0, "{model}: {}", flat.err);
        let again =
            sectile_with_input(&["export", "-", "--input", "sct", "--to", "sct"], &flat.out);
        assert_eq!(again.code, 0, "{model}: {}\n{}", again.err, flat.out);
        if model.ends_with(".sct") {
            assert_eq!(flat.out, again.out, "{model}: printing is stable");
        } else {
            // A program's symbols are declared in another order first, which turns some
            // comparisons round; from then on nothing changes.
            let args = ["export", "-", "--input", "sct", "--to", "sct"];
            let third = sectile_with_input(&args, &again.out);
            assert_eq!(again.out, third.out, "{model}: printing is stable");
        }
        // The flat file is the same model: the same Horn clauses come out of both.
        if model.ends_with(".sct") {
            let first = sectile(&["export", &model, "--to", "vmt"]);
            let second =
                sectile_with_input(&["export", "-", "--input", "sct", "--to", "vmt"], &flat.out);
            // The first line names the file.
            let body = |text: &str| text.split_once('\n').map(|(_, b)| b.to_string());
            assert!(
                body(&first.out) == body(&second.out),
                "{model}: the same system"
            );
        }
    }
}

/// Runs z3 on a text with a limit of this many seconds.
fn z3(text: &str, name: &str, seconds: u32) -> String {
    let file = temporary(name, text);
    let output = Command::new("z3")
        .arg(format!("-T:{seconds}"))
        .arg(&file)
        .output()
        .expect("z3 was found before");
    std::fs::remove_file(file).expect("the file can be removed");
    String::from_utf8_lossy(&output.stdout).trim().to_string()
}

/// Safety properties with their verdicts, which z3 finds quickly, and some that it does not.
const CLAUSES: &[(&str, &[&str], &str, &str)] = &[
    ("elevator.sct", &[], "safe", "sat"),
    ("elevator.sct", &["bug=1"], "safe", "unsat"),
    ("elevator.sct", &["bug=2"], "safe", "unsat"),
    ("elevator-dom.sct", &[], "safe", "sat"),
    ("deque.sct", &[], "safe", "sat"),
    ("deque.sct", &["bug=1"], "safe", "unsat"),
    ("deque-int.sct", &[], "safe", "sat"),
    ("bakery.sct", &[], "mutex", "sat"),
    ("bakery.sct", &["bug=1"], "mutex", "unsat"),
    ("bakery-fine.sct", &[], "mutex", "sat"),
    ("bakery-fine.sct", &["bug=1"], "mutex", "unsat"),
    ("fischer.sct", &[], "mutex", "sat"),
    ("fischer.sct", &["bug=1"], "mutex", "unsat"),
    ("fischer.sct", &["bug=2"], "mutex", "unsat"),
    ("rw.sct", &[], "exclusive", "sat"),
    ("rw.sct", &[], "strong", "sat"),
    ("bakery-001.sct", &[], "mutex", "sat"),
    ("fig10.sct", &[], "safe", "sat"),
    ("sum.imp", &[], "safe", "sat"),
    ("sum.imp", &["bug=1"], "safe", "unsat"),
    ("lecture-a.imp", &[], "end", "unsat"),
    ("lecture-b.imp", &[], "end", "sat"),
    ("lecture-c.imp", &[], "take", "sat"),
    ("lecture-c.imp", &[], "release", "unsat"),
    ("ticket.sct", &[], "zbound", "sat"),
    ("ticket.sct", &[], "mutex", "sat"),
    ("ticket.sct", &["bug=1"], "mutex", "unsat"),
    ("airport-ticket.sct", &[], "p1", "sat"),
    ("airport-ticket.sct", &["bug=1"], "p2", "unsat"),
    ("airport-ticket.sct", &["bug=2"], "p1", "unsat"),
    ("airport-bakery.sct", &[], "p1", "sat"),
    ("airport-bakery.sct", &["bug=1"], "p3", "unsat"),
    ("chardriver.sct", &[], "sem1", "sat"),
    ("chardriver.sct", &["bug=1"], "sem2", "unsat"),
];

#[test]
fn z3_finds_the_expected_verdict_of_exported_horn_clauses() {
    if !installed("z3") {
        return;
    }
    let mut decided = 0;
    for (model, parameters, property, expected) in CLAUSES {
        let model = format!("models/{model}");
        let mut args = vec!["export", &model, "--to", "chc", "--property", property];
        for p in *parameters {
            args.extend(["-D", p]);
        }
        let exported = sectile(&args);
        assert_eq!(exported.code, 0, "{args:?}: {}", exported.err);
        let answer = z3(&exported.out, "export.smt2", 8);
        if answer == "timeout" || answer == "unknown" {
            eprintln!("z3 does not decide {model} {parameters:?} {property} in time");
            continue;
        }
        assert_eq!(&answer, expected, "{model} {parameters:?} {property}");
        decided += 1;
    }
    assert!(decided >= 24, "z3 decides most of them: {decided}");
}

#[test]
fn every_safety_property_has_horn_clauses_and_every_model_vmt() {
    for file in zoo() {
        let model = name(&file);
        for target in ["vmt", "dot", "chc"] {
            let ran = sectile(&["export", &model, "--to", target]);
            assert_eq!(ran.code, 0, "{model} to {target}: {}", ran.err);
            assert!(!ran.out.is_empty());
        }
        let shown = sectile(&["show", &model]);
        assert_eq!(shown.code, 0, "{model}: {}", shown.err);
    }
    let ran = sectile(&[
        "export",
        "models/ticket.sct",
        "--to",
        "chc",
        "--property",
        "live",
    ]);
    assert_eq!(ran.code, 3, "liveness has no Horn clauses here");
    assert!(ran.err.contains("live"), "{}", ran.err);
}

#[test]
fn exported_vmt_is_well_formed_smt() {
    if !installed("z3") {
        return;
    }
    for file in zoo() {
        let model = name(&file);
        let ran = sectile(&["export", &model, "--to", "vmt"]);
        // The annotated formulas are definitions: z3 reads and sort-checks them all.
        let answer = z3(&(ran.out + "\n(check-sat)\n"), "export.vmt", 10);
        assert!(!answer.contains("error"), "{model}: {answer}");
    }
    assert!(root().is_dir());
}

/// Calls the program with many choices of values, and counts how often it reports an error.
const HARNESS: &str = "\
#include <setjmp.h>
#include <stdio.h>
static jmp_buf out;
static unsigned long long seed;
static int calls, errors;
int __VERIFIER_nondet_int(void)
{
  if (++calls > 2000) longjmp(out, 1);
  seed = seed * 6364136223846793005ull + 1442695040888963407ull;
  return (int)((seed >> 33) % 5) - 1;
}
void reach_error(void) { errors++; longjmp(out, 1); }
void abort(void) { longjmp(out, 1); }
int program(void);
int main(void)
{
  for (int k = 1; k <= 20000; k++) {
    seed = k;
    calls = 0;
    if (!setjmp(out)) program();
  }
  printf(\"%d\\n\", errors);
  return 0;
}
";

/// How many of the runs of an exported program violate its property.
fn runs_with_errors(model: &[&str]) -> u64 {
    let exported = sectile(&[&["export"], model, &["--to", "c"]].concat());
    assert_eq!(exported.code, 0, "{model:?}: {}", exported.err);
    let label = model.join("-").replace(['/', '.', '='], "-");
    let program = temporary(&format!("{label}.c"), &exported.out);
    let harness = temporary(&format!("{label}-harness.c"), HARNESS);
    let binary = temporary(&format!("{label}.out"), "");
    let built = Command::new("cc")
        .args(["-Dmain=program", "-fno-builtin", "-w", "-c", "-o"])
        .arg(binary.with_extension("o"))
        .arg(&program)
        .status();
    assert!(built.expect("cc runs").success(), "{}", exported.out);
    let linked = Command::new("cc")
        .args(["-fno-builtin", "-w", "-o"])
        .args([&binary, &harness, &binary.with_extension("o")])
        .status();
    assert!(linked.expect("cc runs").success());
    let ran = Command::new(&binary).output().expect("it runs");
    for file in [&program, &harness, &binary, &binary.with_extension("o")] {
        std::fs::remove_file(file).expect("the file was there");
    }
    let text = String::from_utf8_lossy(&ran.stdout);
    text.trim().parse().expect("the harness prints a number")
}

/// Programs in C reach their error where the property is violated, and nowhere else.
#[test]
fn programs_in_c_reach_their_errors() {
    if !installed("cc") {
        eprintln!("SKIPPED: cc is not installed");
        return;
    }
    assert_eq!(runs_with_errors(&["models/sum.bpl"]), 0);
    assert!(runs_with_errors(&["models/sum-bug.bpl"]) > 0);
    assert_eq!(runs_with_errors(&["models/ticket.sct"]), 0);
    assert!(runs_with_errors(&["models/lecture-a.imp"]) > 0);
}

/// What C cannot say is refused.
#[test]
fn reals_arrays_and_functions_have_no_c_form() {
    for (model, why) in [
        ("models/fischer.sct", "reals have no C form"),
        (
            "models/maps/fill.bpl",
            "arrays and functions have no C form",
        ),
        (
            "models/functions/cache.sct",
            "arrays and functions have no C form",
        ),
    ] {
        let ran = sectile(&["export", model, "--to", "c"]);
        assert!(
            ran.code == 3 && ran.err.contains(why),
            "{model}: {} {}",
            ran.code,
            ran.err
        );
    }
}
