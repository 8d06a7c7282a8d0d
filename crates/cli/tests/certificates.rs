//! Certificates: written by hand, written by `check`, and broken in every way we could think of.

use crate::common;

use common::{Ran, root, sectile, sectile_with_input, temporary};
use std::path::PathBuf;

fn hand_written() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join("models/certificates")).expect("they are there");
    let mut files: Vec<PathBuf> = entries
        .map(|e| e.expect("the folder can be listed").path())
        .filter(|p| p.extension().is_some_and(|e| e == "cert"))
        .collect();
    files.sort();
    assert!(files.len() >= 9);
    files
}

/// The model a certificate names.
fn model_of(text: &str) -> String {
    let line = text.lines().find_map(|l| l.strip_prefix("model "));
    format!("models/{}", line.expect("it names its model"))
}

fn certify_text(name: &str, text: &str) -> Ran {
    let file = temporary(name, text);
    let path = file.to_str().expect("text");
    let ran = sectile(&["certify", &model_of(text), path, "--any-instance"]);
    std::fs::remove_file(file).expect("the file can be removed");
    ran
}

#[test]
fn hand_written_invariants_are_accepted() {
    for file in hand_written() {
        let text = std::fs::read_to_string(&file).expect("it can be read");
        let path = file.to_str().expect("text");
        let ran = sectile(&["certify", &model_of(&text), path, "--any-instance"]);
        assert_eq!(ran.code, 0, "{}: {} {}", file.display(), ran.out, ran.err);
        assert!(ran.out.contains(": accepted (holds, "), "{}", ran.out);
    }
}

#[test]
fn a_certificate_on_standard_output_can_be_piped() {
    let model = "models/lecture-b.imp";
    let ran = sectile(&["check", model, "--certificate", "-"]);
    assert_eq!(
        (ran.code, ran.err.as_str()),
        (0, "end: holds\n"),
        "{}",
        ran.out
    );
    assert!(
        ran.out.starts_with("sectile certificate 1\n"),
        "{}",
        ran.out
    );
    assert!(!root().join("-").exists(), "no file has this name");
    let piped = sectile_with_input(&["certify", model, "-"], &ran.out);
    assert_eq!(piped.code, 0, "{}{}", piped.out, piped.err);
    assert!(
        piped.out.contains("end: accepted (holds, "),
        "{}",
        piped.out
    );
    // One stream cannot carry both.
    for format in ["json", "events"] {
        let ran = sectile(&["check", model, "--certificate", "-", "--format", format]);
        assert_eq!((ran.out.as_str(), ran.code), ("", 2), "{}", ran.err);
    }
}

#[test]
fn other_solvers_accept_them_too() {
    for solver in ["z3", "cvc5"] {
        if !common::installed(solver) {
            continue;
        }
        for name in ["elevator", "sum", "fischer", "ticket-mutex"] {
            let path = root().join(format!("models/certificates/{name}.cert"));
            let text = std::fs::read_to_string(&path).expect("it can be read");
            let file = path.to_str().expect("text");
            let model = model_of(&text);
            let args = [
                "certify",
                &model,
                file,
                "--any-instance",
                "--solver",
                solver,
            ];
            let ran = sectile(&args);
            assert_eq!(ran.code, 0, "{name} by {solver}: {} {}", ran.out, ran.err);
        }
    }
}

#[test]
fn induction_over_simple_paths_is_certified() {
    // Good states that cannot be reached form a cycle from which a bad one can be.
    let model = "var x : 0..9 = 0\nround: x < 3 --> x := x + 1\nback: x = 3 --> x := 0\n\
        island: 5 <= x < 8 --> x := x + 1\nagain: x = 8 --> x := 5\nleave: x = 8 --> x := 9\n\
        invariant never: x != 9\n";
    let file = temporary("simple.sct", model);
    let path = file.to_str().expect("text");
    let out = temporary("simple.cert", "");
    let certificate = out.to_str().expect("text");
    let args = [
        "check",
        path,
        "--engine",
        "kinduction",
        "--certificate",
        certificate,
    ];
    let ran = sectile(&args);
    assert_eq!(
        (ran.out.as_str(), ran.code),
        ("never: holds\n", 0),
        "{}",
        ran.err
    );
    let text = std::fs::read_to_string(&out).expect("it was written");
    assert!(text.contains("simple-paths"), "{text}");
    assert_eq!(sectile(&["certify", path, certificate]).code, 0);
    // Without the restriction to simple paths the same claim is wrong.
    let all_paths = text.replace(" simple-paths", "");
    std::fs::write(&out, all_paths).expect("it can be written");
    let ran = sectile(&["certify", path, certificate]);
    assert!(ran.out.contains("failed: induction step"), "{}", ran.out);
    std::fs::remove_file(file).expect("it can be removed");
    std::fs::remove_file(out).expect("it can be removed");
}

/// Every line of the body that is a whole formula.
fn formula_lines(text: &str) -> Vec<usize> {
    let lines: Vec<&str> = text.lines().collect();
    let whole = |i: &usize| {
        let indented = lines[*i].starts_with(' ');
        let starts = *i == 0 || !lines[*i - 1].starts_with(' ') || lines[*i - 1].ends_with(';');
        let last = lines.get(i + 1).is_none_or(|n| !n.starts_with(' '));
        indented && starts && (last || lines[*i].ends_with(';'))
    };
    (0..lines.len()).filter(whole).collect()
}

#[test]
fn without_one_of_its_conjuncts_each_is_refused() {
    let mut refused = 0;
    for file in hand_written() {
        let text = std::fs::read_to_string(&file).expect("it can be read");
        for dropped in formula_lines(&text) {
            let lines = text.lines().enumerate();
            let rest: Vec<&str> = lines
                .map(|(i, l)| if i == dropped { "  true;" } else { l })
                .collect();
            let ran = certify_text("dropped.cert", &rest.join("\n"));
            let what = format!("{} without line {}", file.display(), dropped + 1);
            assert_eq!(ran.code, 10, "{what}: {} {}", ran.out, ran.err);
            let named = ["initiation", "consecution of ", "property"];
            let failed = ran
                .out
                .lines()
                .find_map(|l| l.trim().strip_prefix("failed: "));
            let failed = failed.unwrap_or_else(|| panic!("{what}: {}", ran.out));
            assert!(
                named.iter().any(|n| failed.starts_with(n)),
                "{what}: {failed}"
            );
            refused += 1;
        }
    }
    assert!(refused >= 40, "{refused}");
}

#[test]
fn with_a_changed_constant_the_failed_obligation_is_named() {
    for (file, from, to, obligation) in [
        ("elevator.cert", "<= Max", "<= Max - 1", "initiation"),
        ("rw-strong.cert", "nw <= 1", "nw <= 0", "consecution of "),
        ("fig10.cert", "x > y", "x > y + 1", "consecution of a"),
    ] {
        let path = root().join("models/certificates").join(file);
        let text = std::fs::read_to_string(path).expect("it can be read");
        assert!(text.contains(from), "{file} contains {from}");
        let ran = certify_text("changed.cert", &text.replace(from, to));
        assert_eq!(ran.code, 10, "{file}: {} {}", ran.out, ran.err);
        assert!(
            ran.out.contains(&format!("failed: {obligation}")),
            "{file}: {}",
            ran.out
        );
        assert!(
            ran.out.contains("it fails for "),
            "{file} shows values: {}",
            ran.out
        );
    }
}

/// A certificate that `check` wrote.
fn written(args: &[&str]) -> String {
    let file = temporary("written.cert", "");
    let path = file.to_str().expect("text").to_string();
    let mut all = vec!["check"];
    all.extend(args);
    all.extend(["--certificate", &path]);
    let ran = sectile(&all);
    assert!(
        ran.code == 0 || ran.code == 10,
        "{args:?}: {} {}",
        ran.out,
        ran.err
    );
    let text = std::fs::read_to_string(&file).expect("it was written");
    std::fs::remove_file(file).expect("the file can be removed");
    text
}

#[test]
fn what_check_writes_certify_accepts() {
    for args in [
        &["models/rw.sct"][..],
        &["models/elevator.sct", "-D", "bug=1"],
        &["models/bakery.sct", "-D", "bug=1"],
        &["models/fischer.sct", "-D", "bug=2"],
        &["models/deque.sct"],
        &["models/lecture-a.imp"],
        &["models/sum.imp", "-D", "bug=1"],
        &["models/chardriver.sct", "--property", "nodeadlock"],
        &["models/chardriver.sct", "--property", "cdr"],
        &["models/airport-ticket.sct", "--property", "p1"],
    ] {
        let ran = certify_text("accepted.cert", &written(args));
        assert_eq!(ran.code, 0, "{args:?}: {} {}", ran.out, ran.err);
        assert!(ran.out.contains("accepted"), "{args:?}: {}", ran.out);
    }
}

/// Drops the lines from the n-th one with this prefix up to the next directive.
fn without_block(text: &str, prefix: &str, n: usize) -> String {
    let mut seen = 0;
    let mut dropping = false;
    let mut kept = Vec::new();
    for line in text.lines() {
        if !line.starts_with(' ') {
            dropping = line.starts_with(prefix) && {
                seen += 1;
                seen == n
            };
        }
        if !dropping {
            kept.push(line);
        }
    }
    assert!(seen >= n, "there is a {n}th {prefix}");
    kept.join("\n")
}

#[test]
fn a_run_with_a_cut_is_refused() {
    let run = written(&["models/elevator.sct", "-D", "bug=1"]);
    // Without the second step and the state after it.
    let cut = without_block(&without_block(&run, "step", 2), "state", 3);
    let ran = certify_text("cut.cert", &cut);
    assert_eq!(ran.code, 10, "{} {}", ran.out, ran.err);
    assert!(ran.out.contains("failed: step 2 of the run"), "{}", ran.out);
    // Without the last step: the end does not violate the property.
    let short = without_block(&without_block(&run, "step", 3), "state", 4);
    let ran = certify_text("short.cert", &short);
    assert!(ran.out.contains("failed: end of the run"), "{}", ran.out);
    // One state too few.
    let ran = certify_text("state.cert", &without_block(&run, "state", 2));
    assert!(ran.out.contains("failed: shape"), "{}", ran.out);
    // A start that is not initial.
    let ran = certify_text("start.cert", &run.replacen("pc = 0", "pc = 1", 1));
    assert!(ran.out.contains("failed: start of the run"), "{}", ran.out);
    // A wrong claim.
    let ran = certify_text("claim.cert", &run.replace("\nviolated\n", "\nholds\n"));
    assert!(ran.out.contains("failed: shape"), "{}", ran.out);
}

#[test]
fn k_inductive_certificates_are_checked_at_their_depth() {
    let model = "var x, y : int\ninit x = 0 and y = 0\nstep: true --> x := y, y := 0\ninvariant zero: x = 0\n";
    let file = temporary("k.sct", model);
    let path = file.to_str().expect("text");
    let certificate = |k: &str| {
        let text = format!(
            "sectile certificate 1\nproperty zero\nholds\nk-inductive {k}\ninvariant\n  x = 0\n"
        );
        let file = temporary("k.cert", &text);
        let ran = sectile(&["certify", path, file.to_str().expect("text")]);
        std::fs::remove_file(file).expect("it can be removed");
        ran
    };
    let ran = certificate("2");
    assert_eq!(ran.code, 0, "{} {}", ran.out, ran.err);
    let ran = certificate("1");
    assert_eq!(ran.code, 10, "{} {}", ran.out, ran.err);
    // One step back is induction as usual, unless runs with repeated states are left out.
    let refused = "failed: consecution of step";
    assert!(ran.out.contains(refused), "{}", ran.out);
    let ran = certificate("1 simple-paths");
    assert_eq!(ran.code, 10, "{} {}", ran.out, ran.err);
    assert!(ran.out.contains("failed: induction step"), "{}", ran.out);
    let ran = certificate("0");
    assert_eq!(ran.code, 10, "{} {}", ran.out, ran.err);
    std::fs::remove_file(&file).expect("it can be removed");
}

#[test]
fn malformed_certificates_are_bad_input() {
    for (text, place) in [
        ("", ":1:1"),
        ("hello\n", ":1:1"),
        ("sectile certificate 1\n", "property"),
        ("sectile certificate 1\nproperty nothing\nholds\n", ":2:1"),
        (
            "sectile certificate 1\nproperty safe\ninvariant\n  true\n",
            "holds",
        ),
        ("sectile certificate 1\nproperty safe\nholds\n", "evidence"),
        (
            "sectile certificate 1\nproperty safe\nholds\ninvariant\n  pc = 1 and\n    nonsense > 2\n",
            ":6:5",
        ),
        (
            "sectile certificate 1\nproperty safe\nviolated\nstate\n  pc = 0\n",
            "has no value",
        ),
        (
            "sectile certificate 1\nproperty safe\nviolated\nstep 99: x\n",
            "no command 99",
        ),
        (
            "sectile certificate 1\nproperty safe\nviolated\nstep 0: x\n",
            "is called",
        ),
        (
            "sectile certificate 1\nproperty safe\nk-inductive many\n",
            ":3:1",
        ),
        ("sectile certificate 1\nproperty safe\nfrobnicate\n", ":3:1"),
        (
            "sectile certificate 1\nproperty safe\nat l1\n  true\n",
            "no locations",
        ),
    ] {
        let file = temporary("malformed.cert", text);
        let ran = sectile(&[
            "certify",
            "models/elevator.sct",
            file.to_str().expect("text"),
        ]);
        assert_eq!((ran.out.as_str(), ran.code), ("", 3), "{text}: {}", ran.err);
        assert!(ran.err.contains(place), "{text}: {}", ran.err);
        std::fs::remove_file(file).expect("it can be removed");
    }
}

/// `y` does not stay 7 in the loop, but nobody who has made a round gets to the assertion.
const LEFT_AT_ONCE: &str = "\
procedure main()
{
  var x, y: int;
  y := 7;
  while (*) {
    assume x >= 0;
    y := y + x;
    x := -1;
  }
  assume x == 0;
  assert y == 7;
}
";

#[test]
fn unrolled_loops_are_written_and_read_again() {
    let program = temporary("unrolled.bpl", LEFT_AT_ONCE);
    let certificate = temporary("unrolled.cert", "");
    let (file, out) = (
        program.to_str().expect("text"),
        certificate.to_str().expect("text"),
    );
    let options = ["--engine", "elim", "--set", "proof=unrolled", "--model"];
    let ran = sectile(&[&["check", file, "--certificate", out], &options[..]].concat());
    assert_eq!(ran.code, 0, "{} {}", ran.out, ran.err);
    assert!(
        ran.out.contains("L5 is left at once, or never"),
        "{}",
        ran.out
    );
    let text = std::fs::read_to_string(&certificate).expect("it was written");
    assert!(text.contains("unrolled\nunroll 1\n  body 2 3 4"), "{text}");
    assert_eq!(sectile(&["certify", file, out]).code, 0);
    let forgeries = [
        ("after 1", "after 0", 10),
        ("unroll 1", "unroll 2", 10),
        ("unroll 1", "unroll first", 3),
        ("after 1", "after some", 3),
        ("after 1", "after 4000000000", 3),
        ("\nunrolled", "", 3),
    ];
    for (old, new, code) in forgeries {
        assert!(text.contains(old), "{text}");
        std::fs::write(&certificate, text.replacen(old, new, 1)).expect("it can be written");
        let ran = sectile(&["certify", file, out]);
        assert_eq!(ran.code, code, "{new}: {} {}", ran.out, ran.err);
    }
    std::fs::remove_file(program).expect("the file was there");
    std::fs::remove_file(certificate).expect("the file was there");
}
