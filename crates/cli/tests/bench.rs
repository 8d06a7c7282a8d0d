//! `sectile bench`: limits are kept, verdicts judged, nothing is lost.
//!
//! Other programs are played by shell scripts, so these tests need a Unix system.
#![cfg(target_os = "linux")]

use crate::common;

use common::{Ran, root, sectile};
use sectile_bench::record::Record;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A folder for one test, removed in the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let unique = format!("sectile-bench-{}-{name}", std::process::id());
        let folder = std::env::temp_dir().join(unique);
        std::fs::create_dir_all(&folder).expect("the temporary folder can be written");
        Folder(folder)
    }

    fn path(&self, name: &str) -> String {
        self.0
            .join(name)
            .to_str()
            .expect("paths are text")
            .to_string()
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    /// Writes a suite over `deque` with these contenders and gives its path.
    fn suite(&self, sizes: &str, limits: &str, contenders: &str) -> String {
        let model = root().join("models/deque.sct");
        let model = model.canonicalize().expect("the model is there");
        let text = format!(
            "title = \"Test\"\nlimits = {{ {limits} }}\n\n[[task]]\nfile = \"{}\"\nname = \"Deque {{n}}\"\n\
             parameters = {{ n = {sizes} }}\n\n{contenders}",
            model.display()
        );
        let path = self.path("suite.toml");
        std::fs::write(&path, text).expect("the suite can be written");
        path
    }

    fn bench(&self, suite: &str, more: &[&str]) -> Ran {
        let out = self.path("out");
        let mut arguments = vec!["bench", suite, "-o", &out];
        arguments.extend(more);
        sectile(&arguments)
    }

    fn records(&self) -> Vec<Record> {
        let text = self.read("out/runs.jsonl");
        text.lines().filter_map(Record::of_line).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A contender played by a shell script.
fn script(name: &str, text: &str) -> String {
    format!("[[contender]]\nname = \"{name}\"\ncommand = ['sh', '-c', '''{text}''', '{{chc}}']\n\n")
}

fn engine(name: &str) -> String {
    format!("[[contender]]\nengine = \"{name}\"\n\n")
}

const LIMITS: &str = "cpu = \"20s\", memory = \"1GB\"";

/// The runs as lines of work: some at a time, by processes of ours and by GNU parallel, killed and
/// resumed in the middle.
#[test]
fn runs_are_made_elsewhere() {
    let folder = Folder::new("elsewhere");
    let slow = script("slow", "sleep 0.3; echo sat");
    let suite = folder.suite("\"5..7\"", LIMITS, &(engine("explicit") + &slow));
    let outcomes = || {
        let records = folder.records().into_iter();
        let mut all: Vec<String> = records
            .map(|r| format!("{} {} {}", r.task, r.contender, r.outcome.word()))
            .collect();
        all.sort();
        all
    };
    let ran = folder.bench(&suite, &[]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let expected = outcomes();
    let mut places = vec![vec!["--on", "local", "--workers", "3"]];
    if common::installed("parallel") {
        places.push(vec!["--on", "parallel"]);
    }
    for place in places {
        let ran = folder.bench(&suite, &place);
        assert_eq!(ran.code, 0, "{place:?}: {}", ran.err);
        assert!(
            ran.err.contains("6 of 6 lines done"),
            "{place:?}: {}",
            ran.err
        );
        assert_eq!(outcomes(), expected, "{place:?}");
        let out = folder.path("out");
        let mut child = Command::new(env!("CARGO_BIN_EXE_sectile"))
            .args(["bench", &suite, "-o", &out, "--quiet"])
            .args(&place)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        std::thread::sleep(Duration::from_millis(700));
        child.kill().expect("it can be killed, or has ended");
        child.wait().expect("it ends");
        let resumed = folder.bench(&suite, &[&place[..], &["--resume"]].concat());
        assert_eq!(resumed.code, 0, "{place:?}: {}", resumed.err);
        assert_eq!(outcomes(), expected, "{place:?}");
    }
    let nobody = folder.bench(&suite, &["--on", "somewhere"]);
    assert_eq!(nobody.code, 2);
}

#[test]
fn tables_and_plots_are_written() {
    let folder = Folder::new("tables");
    // The script gets the exported clauses as `$0` and must find them.
    let reader = script("reader", "grep -q HORN \"$0\" && echo sat");
    let contenders = engine("explicit") + &engine("kinduction") + &reader;
    let suite = folder.suite("\"5..6\"", LIMITS, &contenders);
    let ran = folder.bench(&suite, &[]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.err.contains("[6/6]"), "{}", ran.err);
    for wanted in ["Deque 5", "Deque 6", "explicit", "2 of 2"] {
        assert!(ran.out.contains(wanted), "{wanted}: {}", ran.out);
    }
    let table = folder.read("out/table.md");
    assert!(table.starts_with("# Test\n"), "{table}");
    assert!(table.contains("- Machine: "), "{table}");
    assert!(table.contains("- To repeat: `sectile bench "), "{table}");
    let row = table.lines().find(|l| l.starts_with("| Deque 6 |"));
    assert_eq!(
        row.map(|r| r.matches(" holds ").count()),
        Some(4),
        "{table}"
    );
    assert_eq!(folder.read("out/runs.csv").lines().count(), 1 + 6);
    for plot in [
        "cactus",
        "scatter-explicit-kinduction",
        "scatter-kinduction-reader",
        "growth",
    ] {
        let svg = folder.read(&format!("out/{plot}.svg"));
        roxmltree::Document::parse(&svg).unwrap_or_else(|e| panic!("{plot}: {e}"));
    }
    for record in folder.records() {
        let ours = record.contender != "reader";
        assert_eq!(record.certified, ours.then_some(true), "{record:?}");
        assert!(record.memory.is_some_and(|m| m > 100_000), "{record:?}");
        assert!(record.cpu.is_some_and(|c| c < 20.0), "{record:?}");
    }
}

/// The outcome of every contender on the one task.
fn outcomes(folder: &Folder) -> Vec<(String, String)> {
    let records = folder.records();
    let pairs = records
        .iter()
        .map(|r| (r.contender.clone(), r.outcome.word().to_string()));
    let mut pairs: Vec<_> = pairs.collect();
    pairs.sort();
    pairs
}

#[test]
fn limits_are_kept() {
    let folder = Folder::new("limits");
    let contenders = [
        script("busy", "while :; do :; done"),
        // It leaves its group and its parent: it is found all the same.
        script(
            "fugitive",
            "(setsid sh -c \"while :; do :; done\" &); sleep 60",
        ),
        script("hungry", "x=aaaaaaaa; while :; do x=$x$x; done"),
        script("idle", "sleep 60"),
        script("late", "echo sat; while :; do :; done"),
        script("modest", "echo sat"),
    ];
    let limits = "cpu = \"1s\", wall = \"4s\", memory = \"100MB\"";
    let suite = folder.suite("5", limits, &contenders.concat());
    let started = Instant::now();
    let ran = folder.bench(&suite, &[]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(
        started.elapsed() < Duration::from_secs(50),
        "they were stopped"
    );
    let wanted = [
        ("busy", "timeout"),
        ("fugitive", "timeout"),
        ("hungry", "memory"),
        ("idle", "timeout"),
        ("late", "timeout"),
        ("modest", "holds"),
    ];
    let wanted = wanted.map(|(a, b)| (a.to_string(), b.to_string()));
    assert_eq!(outcomes(&folder), wanted, "{}", ran.err);
    for record in folder.records() {
        let cpu = record.cpu.expect("it is measured");
        assert!(cpu < 2.0, "{record:?}");
        if record.contender == "idle" {
            assert!(cpu < 0.5 && record.wall > 3.0, "{record:?}");
        }
    }
}

#[test]
fn wrong_verdicts_are_loud() {
    let folder = Folder::new("wrong");
    let contenders = engine("kinduction") + &script("liar", "echo unsat");
    let suite = folder.suite("5", LIMITS, &contenders);
    let ran = folder.bench(&suite, &[]);
    assert_eq!(ran.code, 4, "{}", ran.out);
    let alarm = "Deque 5, liar: WRONG: violated, expected holds";
    assert!(ran.out.contains(alarm), "{}", ran.out);
    let table = folder.read("out/table.md");
    assert!(table.contains("**WRONG** violated"), "{table}");
    assert!(table.contains(&format!("- {alarm}")), "{table}");
}

#[test]
fn what_is_not_certified_is_loud() {
    let folder = Folder::new("uncertified");
    let contender = "[[contender]]\nengine = \"kinduction\"\noptions = [\"--no-certify\"]\n";
    let suite = folder.suite("5", LIMITS, contender);
    let ran = folder.bench(&suite, &[]);
    assert_eq!(ran.code, 4, "{}", ran.out);
    assert!(ran.out.contains("UNCERTIFIED holds"), "{}", ran.out);
}

#[test]
fn failures_of_contenders_are_told_apart() {
    let folder = Folder::new("failures");
    let contenders = [
        script("crasher", "kill -SEGV $$"),
        script("mumbler", "echo perhaps"),
        script("complainer", "echo no licence >&2; exit 3"),
        script("doubter", "echo unknown"),
        "[[contender]]\nname = \"absent\"\ncommand = \"no-such-program-here {chc}\"\nversion = \"no-such-program-here -v\"\n\n"
            .to_string(),
        engine("no-such-engine"),
    ];
    let suite = folder.suite("5", LIMITS, &contenders.concat());
    let ran = folder.bench(&suite, &[]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let wanted = [
        ("absent", "not found"),
        ("complainer", "error"),
        ("crasher", "crash"),
        ("doubter", "unknown"),
        ("mumbler", "unknown"),
        ("no-such-engine", "error"),
    ];
    let wanted = wanted.map(|(a, b)| (a.to_string(), b.to_string()));
    assert_eq!(outcomes(&folder), wanted);
    let table = folder.read("out/table.md");
    for remark in [
        "complainer: error: no licence",
        "crasher: crash: signal 11",
        "mumbler: unknown: no answer: perhaps",
    ] {
        assert!(table.contains(remark), "{remark}: {table}");
    }
}

#[test]
fn a_resumed_session_runs_only_what_is_missing() {
    let folder = Folder::new("resume");
    let log = folder.path("log");
    let contender = script("counter", &format!("echo run >> {log}; echo sat"));
    let suite = folder.suite("\"5..7\"", LIMITS, &contender);
    let runs = || folder.read("log").lines().count();
    assert_eq!(folder.bench(&suite, &[]).code, 0);
    assert_eq!(runs(), 3);
    let again = folder.bench(&suite, &["--resume"]);
    assert_eq!((again.code, runs()), (0, 3), "{}", again.err);
    assert!(
        again.err.contains("3 runs were there already"),
        "{}",
        again.err
    );
    assert!(again.out.contains("3 of 3"), "{}", again.out);
    // A crash in the middle of a line: that run is made again, the others are kept.
    let text = folder.read("out/runs.jsonl");
    std::fs::write(folder.path("out/runs.jsonl"), &text[..text.len() - 30]).unwrap();
    let after = folder.bench(&suite, &["--resume"]);
    assert_eq!((after.code, runs()), (0, 4), "{}", after.err);
    assert_eq!(folder.records().len(), 3);
    // Other limits are other runs, and more repetitions are more.
    folder.bench(
        &suite,
        &["--resume", "--timeout", "10s", "--only", "Deque 5"],
    );
    assert_eq!(runs(), 5);
    folder.bench(&suite, &["--resume", "--repeat", "2", "--only", "Deque ?"]);
    assert_eq!(runs(), 8);
    // Without --resume everything is new, and nothing old is lost.
    folder.bench(&suite, &[]);
    assert_eq!(runs(), 11);
    let earlier = folder.read("out/runs.earlier.jsonl");
    assert_eq!(earlier.lines().filter_map(Record::of_line).count(), 7);
}

#[test]
fn other_programs_can_be_added_on_the_command_line() {
    let folder = Folder::new("against");
    let suite = folder.suite("5", LIMITS, &engine("explicit"));
    let against = "fake=sh -c 'test -s \"$0\" && echo sat' {vmt}";
    let ran = folder.bench(&suite, &["--against", against, "--quiet"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{}", ran.out);
    let fake = folder.records().into_iter().find(|r| r.contender == "fake");
    let fake = fake.expect("it ran");
    assert_eq!(fake.outcome.word(), "holds", "{fake:?}");
    for (bad, wanted) in [
        ("fake", "expected NAME=COMMAND"),
        ("fake=", "the command is empty"),
        ("explicit=z3 {chc}", "a name of its own"),
        ("fake=z3 {smt}", "no placeholder"),
    ] {
        let ran = folder.bench(&suite, &["--against", bad]);
        assert_eq!(ran.code, 2, "{bad}");
        assert!(ran.err.contains(wanted), "{bad}: {}", ran.err);
    }
}

#[test]
fn bad_suites_are_shown_with_a_caret() {
    let folder = Folder::new("bad");
    let suite = folder.suite("5", "cpu = \"often\"", &engine("explicit"));
    let ran = folder.bench(&suite, &[]);
    assert_eq!(ran.code, 3);
    assert!(ran.err.contains("suite.toml:2:18"), "{}", ran.err);
    assert!(
        ran.err.contains("^^^^^^^") && ran.err.contains("= help: "),
        "{}",
        ran.err
    );
    let suite = folder.suite("\"many\"", LIMITS, &engine("explicit"));
    assert_eq!(folder.bench(&suite, &[]).code, 3);
    assert_eq!(folder.bench("no-such-suite.toml", &[]).code, 3);
    let suite = folder.suite("5", LIMITS, &engine("explicit"));
    let ran = folder.bench(&suite, &["--only", "Bakery"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.err.contains("no task is called like `Bakery`"),
        "{}",
        ran.err
    );
    let suite = folder.suite("5", LIMITS, "");
    assert_eq!(folder.bench(&suite, &[]).code, 2);
}

/// Waits until a condition holds.
fn eventually(what: &str, condition: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(30);
    while !condition() {
        assert!(Instant::now() < deadline, "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn nothing_runs_on_when_the_session_is_killed() {
    let folder = Folder::new("killed");
    let file = folder.path("pid");
    let contenders = engine("explicit")
        + &script(
            "sleeper",
            &format!("echo $$ > {file}.new; mv {file}.new {file}; sleep 300"),
        );
    let limits = "cpu = \"300s\", memory = \"1GB\"";
    let suite = folder.suite("5", limits, &contenders);
    let mut session = Command::new(env!("CARGO_BIN_EXE_sectile"))
        .args(["bench", &suite, "-o", &folder.path("out")])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    eventually("the second contender starts", || Path::new(&file).exists());
    session.kill().expect("it can be killed");
    session.wait().expect("it ends");
    let pid = folder.read("pid").trim().to_string();
    let gone = || !Path::new(&format!("/proc/{pid}")).exists();
    eventually("its process ends too", gone);
    assert_eq!(folder.records().len(), 1, "the first run is written down");
}

#[test]
fn several_properties_of_a_file_are_one_task_if_asked_for() {
    let folder = Folder::new("whole");
    let model = root().join("models/lecture-c.imp").canonicalize().unwrap();
    let log = folder.path("log");
    let counter = script("counter", &format!("echo run >> {log}; echo sat"));
    let text = format!(
        "title = \"T\"\n[limits]\ncpu = \"20s\"\nwall = \"60s\"\n[[task]]\nfile = \"{}\"\nproperties = \"all\"\n\n{}{counter}",
        model.display(),
        "[[contender]]\nengine = \"bmc\"\noptions = \"--set depth=20\"\n\n"
    );
    let suite = folder.path("suite.toml");
    std::fs::write(&suite, text).unwrap();
    let ran = folder.bench(&suite, &[]);
    // `take` holds and `release` is violated: so is the file, and who says otherwise is wrong.
    assert_eq!(ran.code, 4, "{}{}", ran.out, ran.err);
    assert!(
        ran.out
            .contains("lecture-c, counter: WRONG: holds, expected violated"),
        "{}",
        ran.out
    );
    assert_eq!(folder.read("log").lines().count(), 2);
    let wanted = [("bmc", "violated"), ("counter", "holds")];
    let wanted = wanted.map(|(a, b)| (a.to_string(), b.to_string()));
    assert_eq!(outcomes(&folder), wanted);
}
