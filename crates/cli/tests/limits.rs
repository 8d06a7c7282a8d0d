//! Signals and limits end real processes soon, with an explained `unknown` and exit code 20.
#![cfg(target_os = "linux")]

use crate::common;

use common::{started, temporary};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

/// What optimised code does in half a second, and this one in more, on a busy machine.
const SOON: Duration = Duration::from_millis(2500);

/// Ten numbers that take all values: more states than any memory holds.
fn wide() -> String {
    let names = || (0..10).map(|i| format!("x{i}"));
    let variables: String = names().map(|n| format!("var {n} : 0..999 = 0\n")).collect();
    let steps: String = names()
        .map(|n| format!("up_{n}: {n} < 999 --> {n} := {n} + 1\n"))
        .collect();
    format!("{variables}{steps}invariant all: x0 + x9 < 1998\n")
}

fn spawn(args: &[&str]) -> std::process::Child {
    started(Command::new(env!("CARGO_BIN_EXE_sectile")), args)
}

fn unknown_because(reason: &str, output: &Output) {
    let out = String::from_utf8_lossy(&output.stdout);
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(20), "{out}{err}");
    let expected = format!("all: unknown ({reason})\n");
    assert!(out.starts_with(&expected), "{out}{err}");
    assert!(out.contains("\n  try: sectile check "), "{out}");
}

#[test]
fn signals_end_a_check_with_an_explanation() {
    let file = temporary("limits-signals.sct", &wide());
    let file = file.to_str().expect("a path of text");
    for (signal, jobs) in [("TERM", "1"), ("INT", "2")] {
        let child = spawn(&["check", file, "--jobs", jobs, "-q"]);
        std::thread::sleep(Duration::from_millis(700));
        let sent = Instant::now();
        let id = child.id().to_string();
        let kill = Command::new("kill").args(["-s", signal, &id]).status();
        assert!(kill.expect("kill is there").success());
        let output = child.wait_with_output().expect("it ends");
        assert!(sent.elapsed() < SOON, "{signal}: {:?}", sent.elapsed());
        unknown_because("cancelled", &output);
    }
}

#[test]
fn memory_is_limited() {
    let file = temporary("limits-memory.sct", &wide());
    let file = file.to_str().expect("a path of text");
    let args = ["check", file, "--engine", "explicit", "--memory", "100MiB"];
    let args = [&args[..], &["--timeout", "100s", "-q"]].concat();
    let output = spawn(&args).wait_with_output().expect("it ends");
    unknown_because("memory limit", &output);
    let out = String::from_utf8_lossy(&output.stdout);
    assert!(out.contains(" --memory 400MiB"), "{out}");
}

/// A system without memory for threads is a limit, not a bug.
#[test]
fn little_address_space_is_a_limit() {
    let program = env!("CARGO_BIN_EXE_sectile");
    for kilobytes in [100_000, 300_000] {
        let line = format!("ulimit -v {kilobytes}; exec {program} check models/rw.sct");
        let shell = Command::new("sh");
        let output = started(shell, &["-c", &line]);
        let output = output.wait_with_output().expect("it ends");
        let out = String::from_utf8_lossy(&output.stdout);
        let err = String::from_utf8_lossy(&output.stderr);
        match output.status.code() {
            Some(0) => assert!(out.contains("strong: holds\n"), "{out}{err}"),
            Some(20) => assert!(out.contains("strong: unknown (memory limit)"), "{out}{err}"),
            other => panic!("{other:?}: {out}{err}"),
        }
    }
}

#[test]
fn the_time_is_limited_for_all_engines_together() {
    let file = temporary("limits-time.sct", &wide());
    let file = file.to_str().expect("a path of text");
    let started = Instant::now();
    let args = ["check", file, "--timeout", "1s", "-q"];
    let output = spawn(&args).wait_with_output().expect("it ends");
    assert!(started.elapsed() < Duration::from_secs(1) + SOON);
    unknown_because("timeout", &output);
}

#[test]
fn several_files_are_checked_one_after_the_other() {
    let args = [
        "check",
        "models/rw.sct",
        "models/lecture-a.imp",
        "nowhere.sct",
    ];
    let output = spawn(&args).wait_with_output().expect("it ends");
    let out = String::from_utf8_lossy(&output.stdout);
    let expected = "models/rw.sct\nexclusive: holds\nstrong: holds\nmodels/lecture-a.imp\nend: violated\nnowhere.sct\n";
    assert_eq!(out, expected);
    assert_eq!(
        output.status.code(),
        Some(3),
        "a file that is not there is the worst"
    );
    let output = spawn(&args[..3]).wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(10));
}
