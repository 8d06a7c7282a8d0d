//! All Horn clauses of the collection: right answers, models that z3 and cvc5 accept on the file as
//! it is, and derivations for the rest. It takes a quarter of an hour and is run by hand:
//!
//! `cargo test --release -p sectile --test it chc_collection -- --ignored --nocapture`
//!
//! `SECTILE_CHC_LIMIT` is the time for each file in seconds, `SECTILE_CHC_CPU` its CPU time if that is
//! limited, too, `SECTILE_CHC_PATIENCE` the time of another solver for each model,
//! `SECTILE_CHC_ONLY` a part of the names, `SECTILE_CHC_SETS` the folders, such as `wide`, and
//! `SECTILE_CHC_TRACK` the track.
#![allow(clippy::print_stderr)]

use crate::common;

use common::clauses::{Said, ask};
use common::{Ran, installed, sectile};
use sectile_testkit::files::shared;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

/// A number of seconds from the environment.
fn seconds(name: &str) -> Option<u32> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().expect("a number of seconds"))
}

/// Checks a file. Where CPU time is limited, the system ends what takes more, and that is unknown.
fn checked(file: &str) -> Ran {
    let limit = format!("{}s", seconds("SECTILE_CHC_LIMIT").unwrap_or(20));
    let args = ["check", file, "--model", "--trace", "--timeout", &limit];
    let Some(cpu) = seconds("SECTILE_CHC_CPU") else {
        return sectile(&args);
    };
    let output = Command::new("sh")
        .args(["-c", "ulimit -t \"$0\"; exec \"$@\"", &cpu.to_string()])
        .arg(env!("CARGO_BIN_EXE_sectile"))
        .args(args)
        .output()
        .expect("there is a shell");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the output is text");
    match output.status.code() {
        Some(code) => Ran {
            out: text(output.stdout),
            err: text(output.stderr),
            code,
        },
        None => Ran {
            out: "unknown\n".to_string(),
            err: String::new(),
            code: 2,
        },
    }
}

/// The files with the answers that are expected of them.
fn collection() -> Vec<(PathBuf, String)> {
    let Some(folder) = shared("bench/chc") else {
        return Vec::new();
    };
    let given = |name: &str| std::env::var(name).ok();
    let only = given("SECTILE_CHC_ONLY").unwrap_or_default();
    let sets = given("SECTILE_CHC_SETS").unwrap_or_else(|| "tiny,dev".to_string());
    let track = given("SECTILE_CHC_TRACK");
    let mut found = Vec::new();
    for part in sets.split(',') {
        let table = folder.join(format!("{part}.tsv"));
        let table = std::fs::read_to_string(table).expect("the table can be read");
        for line in table.lines().skip(1) {
            let cells: Vec<&str> = line.split('\t').collect();
            let on_track = track.as_ref().is_none_or(|track| *track == cells[1]);
            if on_track && cells[0].contains(&only) {
                let path = folder.join(part).join(cells[0]);
                found.push((path, cells[2].to_string()));
            }
        }
    }
    found
}

#[derive(Default)]
struct Counts(BTreeMap<&'static str, usize>);

impl Counts {
    fn add(&mut self, what: &'static str) {
        *self.0.entry(what).or_default() += 1;
    }

    fn of(&self, what: &str) -> usize {
        self.0.get(what).copied().unwrap_or(0)
    }
}

#[test]
#[ignore = "it takes a quarter of an hour"]
fn every_answer_has_evidence_that_others_accept() {
    let patience = seconds("SECTILE_CHC_PATIENCE").unwrap_or(60);
    let solvers: Vec<&str> = ["z3", "cvc5"]
        .into_iter()
        .filter(|s| installed(s))
        .collect();
    let mut counts = Counts::default();
    let mut wrong: Vec<String> = Vec::new();
    for (path, expected) in collection() {
        let name = path.file_stem().map(|s| s.to_string_lossy().into_owned());
        let name = name.unwrap_or_default();
        let file = path.to_string_lossy();
        let begun = Instant::now();
        let ran = checked(&file);
        let mut said = vec![format!("{:.1} s", begun.elapsed().as_secs_f64())];
        let (answer, rest) = ran.out.split_once('\n').unwrap_or(("refused", ""));
        let contradicts = matches!(
            (answer, expected.as_str()),
            ("sat", "unsat") | ("unsat", "sat")
        );
        if contradicts {
            wrong.push(format!("{name}: {answer}, expected {expected}"));
        }
        match answer {
            "sat" if rest.is_empty() => {
                counts.add("sat without a model");
                wrong.push(format!("{name}: no model: {}", ran.err.trim()));
            }
            "sat" => {
                counts.add("sat");
                let script = std::fs::read_to_string(&path).expect("the file can be read");
                for solver in &solvers {
                    let begun = Instant::now();
                    let verdict = ask(solver, &script, rest, "collection-model.smt2", patience);
                    let taken = begun.elapsed().as_secs_f64();
                    match (&verdict, *solver) {
                        (Said::Accepted, "z3") => counts.add("accepted by z3"),
                        (Said::Accepted, _) => counts.add("accepted by cvc5"),
                        (Said::Open, "z3") => counts.add("open for z3"),
                        (Said::Open, _) => counts.add("open for cvc5"),
                        (Said::Refused(why), _) => wrong.push(format!("{name}: {solver}: {why}")),
                    }
                    said.push(format!("{solver}: {verdict:?} {taken:.1} s"));
                }
                said.push(format!("{} bytes", rest.len()));
            }
            "unsat" if !rest.contains("false by clause") => {
                wrong.push(format!("{name}: no derivation: {}", ran.err.trim()));
            }
            "unsat" => {
                counts.add("unsat");
                said.push(format!("{} steps", rest.lines().count()));
            }
            "unknown" => counts.add("unknown"),
            _ if ran.code == 3 => counts.add("refused"),
            _ => wrong.push(format!("{name}: code {}: {}", ran.code, ran.err.trim())),
        }
        eprintln!("{name}: {answer} {}", said.join(", "));
    }
    eprintln!("{:?}", counts.0);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(counts.of("sat without a model"), 0);
}
