//! Programs with maps: verdicts, certificates, exports, and what refuses them.
#![allow(clippy::print_stderr)]

use crate::common;

use common::{decided_and_certified, installed, root, sectile, temporary};
use std::path::PathBuf;
use std::process::Command;

/// The programs with maps, each with its lines `// expect: PROPERTY VERDICT`.
fn programs() -> Vec<(PathBuf, Vec<String>)> {
    let entries = std::fs::read_dir(root().join("models/maps")).expect("the folder is there");
    let mut files: Vec<PathBuf> = entries
        .map(|e| e.expect("it can be listed").path())
        .collect();
    files.sort();
    assert!(files.len() >= 3);
    let expected = |path: &PathBuf| {
        let text = std::fs::read_to_string(path).expect("it can be read");
        let lines = text.lines().filter_map(|l| l.strip_prefix("// expect: "));
        lines.map(|l| l.replacen(' ', ": ", 1)).collect()
    };
    files
        .into_iter()
        .map(|path| {
            let lines = expected(&path);
            (path, lines)
        })
        .collect()
}

/// Verdicts are those of the headers, and their evidence is read back.
#[test]
fn programs_with_maps_are_decided_and_certified() {
    for (path, expected) in programs() {
        let name = path.to_string_lossy().into_owned();
        decided_and_certified(&name, &[], &expected);
    }
}

/// A certificate that says something else about an element is refused.
#[test]
fn forged_elements_are_found_out() {
    let name = "models/maps/swap.bpl";
    let certificate = temporary("forged.cert", "");
    let out = certificate.to_string_lossy().into_owned();
    let ran = sectile(&[
        "check",
        name,
        "--property",
        "assert_25",
        "--certificate",
        &out,
    ]);
    assert_eq!(ran.code, 10, "{}{}", ran.out, ran.err);
    let text = std::fs::read_to_string(&certificate).expect("the certificate was written");
    let (before, after) = text.split_once(":= 2]").expect("an element is 2");
    std::fs::write(&certificate, format!("{before}:= 3]{after}")).expect("it can be written");
    let forged = sectile(&["certify", name, &out]);
    assert_ne!(forged.code, 0, "{}", forged.out);
    std::fs::remove_file(certificate).expect("the file was there");
}

/// z3 reads what is exported, and says the same.
#[test]
fn clauses_with_arrays_are_exported() {
    let z3 = installed("z3");
    for (path, expected) in programs() {
        for line in &expected {
            let (property, verdict) = line.split_once(": ").expect("a line has a verdict");
            let name = path.to_string_lossy();
            let ran = sectile(&["export", &name, "--to", "chc", "--property", property]);
            assert_eq!(ran.code, 0, "{}", ran.err);
            assert!(ran.out.contains("(Array Int "), "{}", ran.out);
            if !z3 {
                continue;
            }
            let file = temporary("maps.smt2", &ran.out);
            let output = Command::new("z3").arg("-T:60").arg(&file).output();
            std::fs::remove_file(&file).expect("the file was there");
            let text = String::from_utf8_lossy(&output.expect("z3 runs").stdout).into_owned();
            let answer = match verdict {
                "holds" => "sat\n",
                _ => "unsat\n",
            };
            assert_eq!(text, answer, "{name} {property}");
        }
    }
}

/// Flat files of both languages are read again, and have the same verdicts.
#[test]
fn flat_files_are_read_again() {
    for (path, expected) in programs() {
        let name = path.to_string_lossy();
        for language in ["sct", "vmt"] {
            let flat = sectile(&["export", &name, "--to", language]);
            assert_eq!(flat.code, 0, "{}", flat.err);
            let file = temporary(&format!("maps.{language}"), &flat.out);
            let flat = file.to_string_lossy().into_owned();
            let shown = sectile(&["show", &flat]);
            assert_eq!(shown.code, 0, "{}", shown.err);
            // Programs without their locations are hard: the verdicts of one are enough.
            if path.ends_with("fill.bpl") {
                let again = sectile(&["check", &flat, "--timeout", "60s"]);
                let verdicts: Vec<&str> = again.out.lines().collect();
                assert_eq!(verdicts, expected, "{name}\n{}", again.err);
            }
            std::fs::remove_file(&file).expect("the file was there");
        }
    }
}

/// A search of all states does not begin with infinitely many maps; a run begins with one of them.
#[test]
fn single_states_with_maps() {
    let name = "models/maps/nested.bpl";
    let ran = sectile(&["explore", name]);
    assert_eq!(ran.code, 3, "{}{}", ran.out, ran.err);
    let message = "error[explore]: `u` can be one of infinitely many arrays in the initial states";
    assert!(ran.err.starts_with(message), "{}", ran.err);
    assert!(!ran.err.contains("--domain"), "{}", ran.err);
    let ran = sectile(&["simulate", name, "--steps", "4"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let step = "u = [int -> [bool -> 0]]";
    assert!(ran.out.contains(step), "{}", ran.out);
}

/// Channels without a bound are arrays with two counters; `auto` decides what the header expects.
#[test]
fn unbounded_channels() {
    let name = "models/channels/mailbox.sct";
    let ran = sectile(&["check", name, "--expect", "--timeout", "60s"]);
    assert_eq!(ran.err, "");
    let all = "conserve: holds\nanswered: holds\nfromClients: holds\nroom: holds\n";
    assert_eq!((ran.out.as_str(), ran.code), (all, 0));
    let args = ["check", name, "-D", "bug=1", "--expect", "--timeout", "60s"];
    let ran = sectile(&args);
    assert_eq!(
        ran.out,
        all.replace("answered: holds", "answered: violated")
    );
    let ran = sectile(&["simulate", name, "--steps", "12"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("mailbox.tail = 1"), "{}", ran.out);
}

/// No engine says anything wrong about maps, whether it knows them or not.
#[test]
fn no_engine_is_wrong() {
    let engines = [
        "explicit", "walk", "ctl", "poly", "partial", "predabs", "slab", "kojak", "impact", "horn",
        "elim", "bmc", "layers",
    ];
    for (path, expected) in programs() {
        let name = path.to_string_lossy();
        for engine in engines {
            let ran = sectile(&["check", &name, "--engine", engine, "--timeout", "2s"]);
            assert!([0, 10, 20].contains(&ran.code), "{engine}\n{}", ran.err);
            let verdicts = ran.out.lines().filter(|l| !l.starts_with(' '));
            for (line, expected) in verdicts.zip(&expected) {
                let known = line == expected || line.contains(": unknown (");
                assert!(known, "{engine} on {name}: {line}");
            }
        }
    }
}
