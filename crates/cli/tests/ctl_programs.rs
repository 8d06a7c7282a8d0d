//! CTL about programs: verdicts with evidence about the program's own locations.

use crate::common;

use common::{Ran, sectile, temporary};
use std::path::Path;

const PROGRAM: &str = "\
var n : 0..3, y : int;
init y = 0;

head: while (n > 0) {
down:   n := n - 1;
up:     y := y + 1
}
if (*) { more: y := y + 1 }
done:

ctl ends: AF done
ctl response: AG(down => AF (done and y > 0))
ctl choice: AG(done => y >= 0) and EF more
ctl step: AG((head and n = 0) => AX not down)
ctl possible: AG(EF done)
ctl longer: AF (y >= 2)
ctl stays: EG not done
";

fn json(ran: &Ran) -> serde_json::Value {
    serde_json::from_str(&ran.out).expect("it is JSON")
}

fn text(path: &Path) -> &str {
    path.to_str().expect("it is text")
}

/// All verdicts, each of them with evidence that passed its check.
fn verdicts(model: &Path, options: &[&str]) -> Vec<(String, String)> {
    let mut arguments = vec!["check", text(model), "--format", "json", "--timeout", "60s"];
    arguments.extend(options);
    let ran = sectile(&arguments);
    let report = json(&ran);
    let properties = report["properties"].as_array().expect("a list");
    let verdict = |p: &serde_json::Value| {
        assert_eq!(p["certified"], true, "{p}");
        let word = |key: &str| p[key].as_str().expect("text").to_string();
        (word("name"), word("verdict"))
    };
    properties.iter().map(verdict).collect()
}

#[test]
fn properties_of_programs_have_evidence() {
    let model = temporary("ctl-program.imp", PROGRAM);
    for options in [&[][..], &["--engine", "ctl"]] {
        for (name, status) in verdicts(&model, options) {
            let wrong = ["longer", "stays"].contains(&name.as_str());
            let expected = if wrong { "violated" } else { "holds" };
            assert_eq!(status, expected, "{name}");
        }
    }
    std::fs::remove_file(model).expect("it can be removed");
}

/// The certificate that `check` writes for a property.
fn certificate(model: &Path, property: &str) -> String {
    let file = temporary(&format!("ctl-program-{property}.cert"), "");
    let ran = sectile(&[
        "check",
        text(model),
        "--engine",
        "ctl",
        "--property",
        property,
        "--timeout",
        "60s",
        "--certificate",
        text(&file),
    ]);
    let written = std::fs::read_to_string(&file).expect("it was written");
    assert!(!written.is_empty(), "{} {}", ran.out, ran.err);
    std::fs::remove_file(file).expect("it can be removed");
    written
}

fn certify(model: &Path, name: &str, certificate: &str) -> Ran {
    let file = temporary(name, certificate);
    let ran = sectile(&["certify", text(model), text(&file)]);
    std::fs::remove_file(file).expect("it can be removed");
    ran
}

#[test]
fn written_certificates_are_read_again_and_changed_ones_refused() {
    let model = temporary("ctl-program-2.imp", PROGRAM);
    for property in ["ends", "response", "choice", "step", "possible", "stays"] {
        let written = certificate(&model, property);
        let name = format!("ctl-again-{property}.cert");
        let ran = certify(&model, &name, &written);
        assert_eq!(ran.code, 0, "{property}: {} {}", ran.out, ran.err);
        // A cell somewhere else has none of the states that it needs to have.
        let moved = written.replace(" at head\n", " at more\n");
        assert_ne!(moved, written);
        let ran = certify(&model, &name, &moved);
        assert_ne!(ran.code, 0, "{property}: {}", ran.out);
        assert!(!ran.out.contains("accepted"), "{property}: {}", ran.out);
    }
    std::fs::remove_file(model).expect("it can be removed");
}

#[test]
fn cells_of_programs_need_locations() {
    let model = temporary("ctl-program-3.imp", PROGRAM);
    let written = certificate(&model, "ends");
    let nowhere: Vec<&str> = written
        .lines()
        .map(|l| match l.strip_prefix("cell ") {
            Some(_) => l.split(" at ").next().expect("there is a first part"),
            None => l,
        })
        .collect();
    let ran = certify(&model, "ctl-nowhere.cert", &(nowhere.join("\n") + "\n"));
    assert_ne!(ran.code, 0, "{}", ran.out);
    assert!(!ran.out.contains("accepted"), "{}", ran.out);
    std::fs::remove_file(model).expect("it can be removed");
}

/// Over infinite paths nothing has to happen where all paths end, and engines are told so.
#[test]
fn infinite_paths_reach_the_engines() {
    let program = "var x : 0..3;\nhead: while (x > 0) { x := x - 1 }\ndone:\n\nctl low: AF (done and x > 5)\nctl some: EG true\n";
    let system =
        "var x : int = 0\nup: x < 3 --> x := x + 1\nctl low: AF (x > 5)\nctl some: EG true\n";
    for (name, text_of_model) in [("infinite.imp", program), ("infinite.sct", system)] {
        let model = temporary(name, text_of_model);
        for engine in ["auto", "ctl"] {
            for (options, low, some) in [
                (&["--engine", engine][..], "violated", "holds"),
                (
                    &["--engine", engine, "--infinite-paths"],
                    "holds",
                    "violated",
                ),
            ] {
                let found = verdicts(&model, options);
                let status: Vec<&str> = found.iter().map(|(_, s)| s.as_str()).collect();
                assert_eq!(status, [low, some], "{name} {options:?}");
            }
        }
        std::fs::remove_file(model).expect("it can be removed");
    }
}

/// Safety in linear time is decided by all engines for safety: the lecture's examples.
#[test]
fn what_always_holds_in_linear_time_is_an_invariant() {
    let loops = |start: &str| {
        format!(
            "l0: i := {start};\nl1: while (0 <= x < N) {{\nl2: i := i - 1;\nl3: x := x + 1;\n}}\nl4:\n\n\
             ltl end: G (l4 => 0 <= i)\nltl start: (not l4) W l1\n"
        )
    };
    for (start, verdict) in [("N", "violated"), ("abs(N) + 1", "holds")] {
        let model = temporary("ltl-program.imp", &loops(start));
        for engine in ["kojak", "predabs"] {
            let found = verdicts(&model, &["--engine", engine, "--property", "end"]);
            assert_eq!(found, [("end".to_string(), verdict.to_string())]);
        }
        let found = verdicts(&model, &["--property", "start"]);
        assert_eq!(found, [("start".to_string(), "holds".to_string())]);
    }
}
