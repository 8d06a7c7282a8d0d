//! Inputs that grow without end where they are read: every command ends within its limits.
#![cfg(target_os = "linux")]

mod common;

use common::{root, temporary};
use nix::sys::resource::{UsageWho, getrusage};
use std::process::{Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What all processes used together is measured: the tests must not run at the same time.
static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Definitions of which each uses the one before twice.
fn doubling(first: &str, define: impl Fn(usize) -> String, count: usize, last: &str) -> String {
    let middle: String = (1..count).map(|k| define(k) + "\n").collect();
    format!("{first}\n{middle}{last}\n")
}

const STEP: &str = "var x : int = 0\nstep: x < 5 --> x := x + 1\n";

fn functions(body: &str) -> String {
    doubling(
        &format!("function f0(x : int) returns (int) {{ {body} }}"),
        |k| {
            format!(
                "function f{k}(x : int) returns (int) {{ f{0}(f{0}(x)) }}",
                k - 1
            )
        },
        30,
        "procedure main(x : int) { assert f29(x) > x; }",
    )
}

/// Names and texts of files that a reader may choke on.
fn hostile() -> Vec<(&'static str, String)> {
    let deep = |open: &str, inner: &str, close: &str| {
        open.repeat(100_000) + inner + &close.repeat(100_000)
    };
    let clauses = |body: &str| {
        format!(
            "(set-logic HORN)\n(declare-fun p (Int) Bool)\n\
             (assert (forall ((x Int)) (=> {body} (p x))))\n(check-sat)\n"
        )
    };
    let lets: String = (1..60)
        .map(|k| format!("(let ((a{k} (+ a{0} a{0}))) ", k - 1))
        .collect();
    vec![
        ("functions.bpl", functions("x + 1")),
        ("conditions.bpl", functions("if x > 0 then x + 1 else x - 1")),
        (
            "define.sct",
            doubling(
                "var x : int = 0\ndefine d0 = x > 0",
                |k| format!("define d{k} = (d{0} and x > {k}) or (not d{0} and x < {k})", k - 1),
                60,
                "invariant a: d59 or not d59",
            ),
        ),
        (
            "power.sct",
            doubling(
                "define a0 = 2",
                |k| format!("define a{k} = a{0} * a{0}", k - 1),
                40,
                &format!("{STEP}invariant a: x < a39"),
            ),
        ),
        ("pairs.sct", format!("{STEP}invariant a: forall i in 1..990, j in 1..990: x != i + j * 7")),
        (
            "triples.sct",
            format!("{STEP}invariant a: forall i in 1..990, j in 1..990, k in 1..990: x != i + j + k"),
        ),
        ("digits.sct", format!("{STEP}invariant a: x < {}\n", "9".repeat(100_000))),
        ("brackets.sct", format!("{STEP}invariant a: {}\n", deep("(", "x < 9", ")"))),
        ("not.sct", format!("{STEP}invariant a: {}\n", deep("not ", "x < 9", ""))),
        (
            "family.sct",
            "param n = 1000000\nprocess P[i : 1..n] {\n  var s : 0..3 = 0\n  go: s < 3 --> s := s + 1\n}\n\
             invariant a: forall i in 1..n: P[i].s <= 3\n"
                .to_string(),
        ),
        ("steps.sct", format!("{STEP}{}", "s: x < 5 --> x := x + 1\n".repeat(300_000))),
        ("zeros.sct", "\0".repeat(1_000_000)),
        ("sums.smt2", clauses(&format!("(= x {})", deep("(+ 1 ", "x", ")")))),
        (
            "lets.smt2",
            clauses(&format!("(let ((a0 (+ x 1))) {lets}(> a59 0){})", ")".repeat(59))),
        ),
        (
            "names.smt2",
            "(set-logic HORN)\n".to_string()
                + &(0..20_000).map(|k| format!("(declare-fun p{k} (Int Int) Bool)\n")).collect::<String>()
                + "(check-sat)\n",
        ),
        ("lines.bpl", format!("procedure main() {{ var x : int;\n{}}}", "x := x + 1;\n".repeat(1_000_000))),
        ("nested.bpl", format!("procedure main() {{ {} }}", deep("if (*) {", "", "}"))),
        ("loops.imp", format!("x := 0; {}", deep("while (x < 9) {", "x := x + 1;", "}"))),
        (
            "conditionals.vmt",
            format!(
                "(declare-fun x () Int)\n(declare-fun y () Int)\n(define-fun t () Bool (! (= y {}) :trans true))\n",
                deep("(ite (> x 0) ", "1", " 2)")
            ),
        ),
        ("open.smt2", "(".repeat(5_000_000)),
        // A hundred megabytes.
        (
            "comments.sct",
            format!("{STEP}{}invariant a: x <= 5\n", "// nothing\n".repeat(9_000_000)),
        ),
    ]
}

/// Seconds of all runs so far, and the most kilobytes that one of them had.
fn used() -> (f64, i64) {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).expect("the system tells");
    let seconds = |t: nix::sys::time::TimeVal| t.tv_sec() as f64 + t.tv_usec() as f64 / 1e6;
    (
        seconds(usage.user_time()) + seconds(usage.system_time()),
        usage.max_rss(),
    )
}

/// Every command that reads a file, which is `@`; another one is an accepted model, or a certificate.
fn commands() -> Vec<&'static [&'static str]> {
    vec![
        &["check", "@"],
        &["check", "@", "--counters"],
        &["check", "@", "--forall", "n"],
        &["check", "@", "--termination"],
        &["show", "@"],
        &["explore", "@"],
        &["simulate", "@"],
        &["export", "@", "--to", "chc"],
        &["export", "@", "--to", "c"],
        &["abstract", "@", "--predicates", "x > 0"],
        &["prove", "@", "--invariant", "x >= 0"],
        &["select", "@", "--heuristic", "compatibility"],
        &["certify", "@", "CERTIFICATE"],
        &["certify", "models/semaphore.sct", "@"],
        &["split", "@", "FOLDER"],
        &["watch", "@", "--rounds", "1"],
        &["fmt", "--check", "@"],
        &["smt", "@"],
        &["--as", "eld", "@"],
    ]
}

/// Runs a command on a file: how it ended, and its seconds.
fn ended(command: &[&str], file: &str, limits: &[&str]) -> (Option<i32>, f64) {
    let certificate = temporary(
        "hostile-certificate.txt",
        "sectile certificate 1\nproperty a\nholds\ninvariant\n  x <= 5\n",
    );
    let folder = certificate.with_file_name("hostile-split");
    let words = command.iter().map(|&word| match word {
        "@" => file,
        "CERTIFICATE" => certificate.to_str().expect("a path of text"),
        "FOLDER" => folder.to_str().expect("a path of text"),
        other => other,
    });
    let before = used().0;
    let ran = Command::new(env!("CARGO_BIN_EXE_sectile"))
        .args(words)
        .args(limits)
        .current_dir(root())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .expect("the program starts");
    // It is there where something was split.
    let _ = std::fs::remove_dir_all(&folder);
    let _ = std::fs::remove_file(&certificate);
    (ran.code(), used().0 - before)
}

/// The personalities of other solvers have the limits of those.
fn limits<'s>(command: &[&str], ours: &'s [&'s str]) -> &'s [&'s str] {
    match command[0] {
        "--as" => &["-t:1"],
        _ => ours,
    }
}

/// `SECTILE_LIMIT=2s cargo test -p sectile --test hostile` gives all commands more time.
#[test]
fn every_command_ends_within_its_limits_whatever_it_reads() {
    let _alone = alone();
    if let Ok(part) = std::env::var(PART) {
        return every_command_ends(part.parse().expect("a number"));
    }
    let this = std::env::current_exe().expect("it has a name");
    let name = "every_command_ends_within_its_limits_whatever_it_reads";
    let parts = (0..PARTS).map(|part| {
        let mut command = Command::new(&this);
        command.args([name, "--exact", "--nocapture"]);
        command.env(PART, part.to_string()).spawn()
    });
    let parts: Vec<_> = parts.collect();
    for part in parts {
        let ended = part.and_then(|mut p| p.wait()).expect("it runs");
        assert!(ended.success(), "{ended}");
    }
}

/// The number of processes that share the files: each measures its own children.
const PARTS: usize = 2;

/// The part of the files that a process reads.
const PART: &str = "SECTILE_HOSTILE_PART";

fn every_command_ends(part: usize) {
    let given = std::env::var("SECTILE_LIMIT");
    let time = given.as_deref().unwrap_or("300ms");
    let ours = ["--timeout", time, "--memory", "500MB"];
    for (name, text) in hostile().into_iter().skip(part).step_by(PARTS) {
        let file = temporary(&format!("hostile-{name}"), &text);
        let file = file.to_str().expect("a path of text");
        for command in commands() {
            if command[0] == "--as" && !name.ends_with(".smt2") {
                continue;
            }
            let (code, seconds) = ended(command, file, limits(command, &ours));
            let most = used().1;
            let what = format!("{command:?} {name}: {code:?}");
            let codes = [0, 2, 3, 10, 20];
            assert!(code.is_some_and(|c| codes.contains(&c)), "{what}");
            assert!(seconds < 3.0, "{what}: {seconds} s");
            assert!(most < 700_000, "{what}: {most} kB");
        }
        std::fs::remove_file(file).expect("it is there");
    }
}

/// The commands of the test above are understood: what they refuse, they refuse because of the file.
#[test]
fn the_commands_for_hostile_files_are_right_for_others() {
    let _alone = alone();
    let ours = ["--timeout", "60s", "--memory", "500MB"];
    let system = "param n = 2\n\nvar x : int = 0\n\nprocess P[i : 1..n] {\n  var s : 0..1 = 0\n  \
                  step: s < 1 and x < 5 --> s := s + 1, x := x + 1\n}\n\ninvariant a: x <= 5\n";
    let clauses = "(set-logic HORN)\n(declare-fun p (Int) Bool)\n\
                   (assert (forall ((x Int)) (=> (= x 0) (p x))))\n(check-sat)\n";
    for command in commands() {
        let (name, text) = match command {
            ["smt" | "--as", ..] => ("harmless.smt2", clauses),
            ["certify", _, "@"] => ("harmless.txt", "sectile certificate 1\nproperty mutex\n"),
            [.., "--termination"] => ("harmless.imp", "x := 0; while (x < 9) { x := x + 1; }"),
            _ => ("harmless.sct", system),
        };
        let file = temporary(name, text);
        let file = file.to_str().expect("a path of text");
        let (code, _) = ended(command, file, limits(command, &ours));
        let expected = match command {
            // A certificate without evidence, and a logic that scripts do not have.
            ["certify", _, "@"] | ["smt", ..] => 3,
            _ => 0,
        };
        assert_eq!(code, Some(expected), "{command:?}");
        std::fs::remove_file(file).expect("it is there");
    }
}

#[test]
fn scripts_end_within_their_limits_whatever_they_say() {
    let _alone = alone();
    let head = "(declare-const x Int)\n(declare-const y Int)\n";
    let scripts = [
        // Numbers of a billion digits.
        doubling(
            "(declare-const x Int)\n(define-fun a0 () Int 2)",
            |k| format!("(define-fun a{k} () Int (* a{0} a{0}))", k - 1),
            40,
            "(assert (> x a39))\n(check-sat)",
        ),
        // As many different terms as there are ways through the definitions.
        doubling(
            &format!("{head}(define-fun f0 ((z Int)) Int (ite (> z y) (+ z 1) (- z 2)))"),
            |k| format!("(define-fun f{k} ((z Int)) Int (f{0} (f{0} z)))", k - 1),
            40,
            "(assert (> (f39 x) 3))\n(check-sat)",
        ),
        format!("{head}(push 1000000000)\n(check-sat)\n"),
        format!(
            "{head}{}",
            "(assert (> (+ x y) 12345678901234567890))\n".repeat(400_000)
        ),
    ];
    for (k, script) in scripts.iter().enumerate() {
        let file = temporary(&format!("hostile-script-{k}.smt2"), script);
        let before = used().0;
        let ran = Command::new(env!("CARGO_BIN_EXE_sectile"))
            .args(["smt", file.to_str().expect("a path of text")])
            .args(["--timeout", "500ms", "--memory", "500MB"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .expect("the program starts");
        let (after, most) = used();
        let what = format!("script {k}: {ran}");
        assert!(
            ran.code().is_some_and(|c| [0, 3, 20].contains(&c)),
            "{what}"
        );
        assert!(after - before < 3.0, "{what}: {} s", after - before);
        assert!(most < 700_000, "{what}: {most} kB");
        std::fs::remove_file(file).expect("it is there");
    }
}

#[test]
fn a_result_that_cannot_be_written_is_an_error() {
    let _alone = alone();
    for args in [
        &["check", "models/bakery.sct"][..],
        &["check", "models/bakery.sct", "--format", "json"],
        &["engines"],
        &["show", "models/sum.bpl"],
        &["explore", "models/semaphore.sct"],
        &["smt", "models/functions/swap.smt2"],
        &["--help"],
        &["check", "--help"],
        &["--version"],
    ] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full");
        let ran = Command::new(env!("CARGO_BIN_EXE_sectile"))
            .args(args)
            .current_dir(root())
            .stdout(full.expect("the device is there"))
            .output()
            .expect("the program starts");
        let err = String::from_utf8_lossy(&ran.stderr);
        assert_eq!(ran.status.code(), Some(4), "{args:?}: {err}");
        assert_eq!(err.matches("cannot be written").count(), 1, "{err}");
    }
}
