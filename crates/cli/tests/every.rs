//! `check --forall n` and its certificates, as a person uses them.

use crate::common;

use common::{sectile, sectile_with_input, temporary};

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
    assert_eq!(ran.out, "few: unknown (unsupported)\n");
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
