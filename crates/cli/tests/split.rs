//! `sectile split`, `work` and `join`: parts give the verdicts of the whole, with evidence that is
//! accepted, whatever happens to the processes on the way.
#![cfg(target_os = "linux")]
#![allow(clippy::print_stderr)]

use crate::common;

use common::{Ran, installed, root, sectile, temporary};
use sectile_base::Rng;
use sectile_bench::work::{Directory, Found};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A directory of work for one test, removed in the end.
pub struct Work(pub PathBuf);

impl Work {
    pub fn new(name: &str) -> Work {
        let unique = format!("sectile-split-{}-{name}", std::process::id());
        Work(std::env::temp_dir().join(unique))
    }

    pub fn path(&self) -> &str {
        self.0.to_str().expect("paths are text")
    }

    pub fn file(&self, name: &str) -> String {
        let path = self.0.join(name);
        path.to_str().expect("paths are text").to_string()
    }

    pub fn split(&self, file: &str, more: &[&str]) -> Ran {
        let ran = sectile(&[&["split", file, self.path()], more].concat());
        assert_eq!(ran.code, 0, "{}", ran.err);
        ran
    }

    pub fn work(&self, line: usize) -> Ran {
        sectile(&["work", self.path(), &line.to_string()])
    }

    pub fn join(&self, more: &[&str]) -> Ran {
        sectile(&[&["join", self.path()], more].concat())
    }

    /// The certificate of the whole, which the checker must accept for the file itself.
    pub fn accepted(&self, file: &str, more: &[&str], properties: usize) -> String {
        let certificate = self.file("certificate.txt");
        let ran = sectile(&[&["certify", file, &certificate], more].concat());
        assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
        assert_eq!(
            ran.out.matches(": accepted").count(),
            properties,
            "{}",
            ran.out
        );
        std::fs::read_to_string(&certificate).expect("it is there")
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const FISCHER: &str = "models/fischer.sct";

#[test]
fn disjuncts_of_an_error_are_proved_apart_and_joined_to_one_invariant() {
    let work = Work::new("fischer");
    let split = work.split(FISCHER, &["-D", "n=3"]);
    assert_eq!(
        split.out,
        "1  mutex, conjunct 0 of 3, n = 3, auto\n2  mutex, conjunct 1 of 3, n = 3, auto\n3  mutex, conjunct 2 of 3, n = 3, auto\n"
    );
    let early = work.join(&[]);
    assert_eq!(
        (early.code, early.out.as_str()),
        (20, "mutex: unknown (not done)\n")
    );
    assert!(
        early.err.contains("lines 1-3 have no result"),
        "{}",
        early.err
    );
    for line in 1..=3 {
        let ran = work.work(line);
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert!(ran.out.ends_with(": holds\n"), "{}", ran.out);
    }
    assert!(work.work(2).out.contains("there is a result already"));
    assert_eq!(work.work(4).code, 2);
    let joined = work.join(&[]);
    assert_eq!(
        (joined.code, joined.out.as_str()),
        (0, "mutex: holds\n"),
        "{}",
        joined.err
    );
    let text = work.accepted(FISCHER, &["-D", "n=3"], 1);
    assert!(!text.contains("part "), "{text}");
    // The same lines again keep the results; others are not written over them by accident.
    work.split(FISCHER, &["-D", "n=3"]);
    assert_eq!(work.join(&[]).code, 0);
    let other = sectile(&["split", FISCHER, work.path(), "-D", "n=4"]);
    assert_eq!(other.code, 2);
    assert!(other.err.contains("has other work in it"), "{}", other.err);
    work.split(FISCHER, &["-D", "n=4", "--parts", "2", "--replace"]);
    // The results of the old lines are none of the new ones.
    let stale = work.join(&[]);
    assert_eq!(stale.code, 20, "{}", stale.out);
    assert!(stale.err.contains("lines 1-2 are broken"), "{}", stale.err);
}

/// A counter, for formulas of which some parts hold.
const COUNTER: &str = "var x : 0..3 = 0\nvar y : 0..3 = 0\n\
    up: x < 3 --> x := x + 1\nup2: y < 2 --> y := y + 1\nback: x = 3 --> x := 0\n\
    ctl both: AG (EF x = 0) and AG (y <= 2 and EF x = 3) and EF y = 2\n\
    ctl one: AG (EF x = 0) and AG (EF y = 0)\n\
    invariant low: x <= 3 and y <= 1\n";

#[test]
fn parts_of_ctl_formulas_have_certificates_of_their_own() {
    let model = temporary("counter.sct", COUNTER);
    let model = model.to_str().expect("paths are text");
    let work = Work::new("ctl");
    let split = work.split(model, &[]);
    assert_eq!(split.out.lines().count(), 4 + 2 + 2, "{}", split.out);
    let joined = work.join(&["--run"]);
    let expected = "both: holds\none: violated\nlow: violated\n";
    assert_eq!(
        (joined.code, joined.out.as_str()),
        (10, expected),
        "{}",
        joined.err
    );
    let text = work.accepted(model, &[], 3);
    assert!(
        text.contains("property both\npart 0 of 4\nholds\n"),
        "{text}"
    );
    assert!(
        text.contains("property one\npart 1 of 2\nviolated\n"),
        "{text}"
    );
    // A violation of a part is one of the whole, and needs no part.
    assert!(text.contains("property low\nviolated\n"), "{text}");
    // Nothing is proved while a part is missing.
    let (before, rest) = text
        .split_once("property both\npart 2 of 4")
        .expect("it has it");
    let rest = rest.split_once("property ").expect("another one follows").1;
    let damaged = temporary("damaged.cert", &format!("{before}property {rest}"));
    let damaged = damaged.to_str().expect("paths are text");
    let refused = sectile(&["certify", model, damaged]);
    assert_eq!(refused.code, 10, "{}", refused.out);
    let told = refused
        .out
        .contains("of 4 conjuncts of the property, 2 have no proof");
    assert!(told, "{}", refused.out);
    // Nor by what holds of another part.
    let swapped = text.replace("part 1 of 2\nviolated", "part 0 of 2\nviolated");
    let swapped = temporary("swapped.cert", &swapped);
    let refused = sectile(&["certify", model, swapped.to_str().expect("text")]);
    assert!(refused.out.contains("one: refused"), "{}", refused.out);
    let absent = temporary("absent.cert", &text.replace("part 1 of 2", "part 2 of 2"));
    let refused = sectile(&["certify", model, absent.to_str().expect("text")]);
    assert_eq!(refused.code, 3);
    assert!(
        refused.err.contains("there is no such part"),
        "{}",
        refused.err
    );
}

#[test]
fn the_first_verdict_makes_alternatives_needless() {
    let work = Work::new("engines");
    let split = work.split("models/deque.sct", &["--engine", "explicit,kinduction,pdr"]);
    let lines = split.out.lines().count();
    assert_eq!(lines % 3, 0, "{}", split.out);
    let third = lines / 3;
    for line in third + 1..=2 * third {
        assert_eq!(work.work(line).code, 0);
    }
    let needless = work.work(1);
    assert_eq!(needless.code, 0);
    assert!(needless.out.contains("not needed"), "{}", needless.out);
    let joined = work.join(&[]);
    assert_eq!(joined.code, 0, "{}{}", joined.out, joined.err);
    assert!(joined.out.ends_with(": holds\n"), "{}", joined.out);
}

#[test]
fn an_alternative_that_never_ends_is_ended_by_the_first_verdict() {
    let text = "var x : int = 0\nvar y : int = 0\nup: x >= 0 --> x := x + 1, y := y + x\ninvariant p: y >= 0\n";
    let model = temporary("endless.sct", text);
    let work = Work::new("endless");
    let engines = ["--engine", "explicit,kinduction"];
    work.split(model.to_str().expect("text"), &engines);
    let joined = work.join(&["--run", "--workers", "2"]);
    assert_eq!(joined.out, "p: holds\n", "{}", joined.err);
}

#[test]
fn values_of_parameters_are_instances() {
    let work = Work::new("each");
    let split = work.split(
        FISCHER,
        &["--each", "bug=0..1", "--each", "n=2,3", "--parts", "1"],
    );
    assert_eq!(split.out.lines().count(), 4);
    let joined = work.join(&["--run"]);
    let expected = "bug = 0, n = 2\nmutex: holds\nbug = 0, n = 3\nmutex: holds\n\
        bug = 1, n = 2\nmutex: violated\nbug = 1, n = 3\nmutex: violated\n";
    assert_eq!(
        (joined.code, joined.out.as_str()),
        (10, expected),
        "{}",
        joined.err
    );
    let certificate = work.file("certificate-bug=1,n=3.txt");
    let ran = sectile(&["certify", FISCHER, &certificate, "-D", "n=3", "-D", "bug=1"]);
    assert_eq!(ran.code, 0, "{}", ran.out);
    let text = std::fs::read_to_string(work.file("verdicts.json")).expect("it is there");
    let document: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    assert_eq!(document[3]["properties"][0]["verdict"], "violated");
    for wrong in [["--each", "n=5..2"], ["--each", "n"], ["--engine", "none"]] {
        let other = Work::new("wrong");
        let ran = sectile(&["split", FISCHER, other.path(), wrong[0], wrong[1]]);
        assert_eq!(ran.code, 2, "{wrong:?}: {}", ran.err);
    }
}

#[test]
fn a_file_that_changed_is_refused() {
    let text = "var x : int = 0\nup: x < 5 --> x := x + 1\ninvariant p: x <= 5\n";
    let model = temporary("changes.sct", text);
    let work = Work::new("changes");
    work.split(model.to_str().expect("text"), &[]);
    assert_eq!(work.join(&["--run"]).out, "p: holds\n");
    std::fs::write(&model, text.replace("x < 5", "x < 6")).expect("it can be written");
    let refused = work.join(&[]);
    assert_eq!(refused.code, 3);
    assert!(
        refused.err.contains("has changed since it was split"),
        "{}",
        refused.err
    );
    assert_eq!(work.join(&["--copy"]).out, "p: holds\n");
    // The copy is what the evidence is about.
    let name = model.file_name().expect("it has one").to_string_lossy();
    std::fs::write(work.file(&name), "var x : int = 7\n").expect("it can be written");
    for ran in [
        work.join(&["--copy"]),
        sectile(&["work", work.path(), "1", "--again"]),
    ] {
        assert_eq!(ran.code, 3);
        assert!(
            ran.err.contains("is not the model that was split"),
            "{}",
            ran.err
        );
    }
    let nothing = sectile(&["join", &root().join("models").to_string_lossy()]);
    assert_eq!(nothing.code, 3);
    assert!(nothing.err.contains("has no work.jsonl"), "{}", nothing.err);
}

#[test]
fn broken_results_and_wrong_evidence_do_not_count() {
    let work = Work::new("broken");
    work.split(FISCHER, &["-D", "n=3"]);
    assert_eq!(work.join(&["--run"]).code, 0);
    let result = |line: usize| work.file(&format!("results/{line}.json"));
    let read = |line: usize| std::fs::read_to_string(result(line)).expect("it is there");
    let write =
        |line: usize, text: &str| std::fs::write(result(line), text).expect("it can be written");
    // Half of a file.
    let whole = read(1);
    write(1, &whole[..whole.len() / 2]);
    let ran = work.join(&[]);
    assert_eq!(ran.code, 20);
    assert!(ran.err.contains("lines 1 are broken"), "{}", ran.err);
    // Evidence that is wrong, a violation that is none, evidence about another part.
    let (one, two) = (whole.clone(), read(2));
    let property = "property mutex\\npart 1 of 3\\nholds\\n";
    let (head, _) = two.split_once(property).expect("it has it");
    let wrong = format!("{head}{property}invariant\\n  lock = 7\\n\"}}}}\n");
    let claim = two.replace("\"verdict\":\"holds\"", "\"verdict\":\"violated\"");
    let other = two.replace("part 1 of 3", "part 0 of 3");
    for wrong in [wrong, claim, other] {
        write(1, &one);
        write(2, &wrong);
        let ran = work.join(&[]);
        assert_eq!(ran.code, 20, "{wrong}\n{}{}", ran.out, ran.err);
        assert!(
            ran.err.contains("line 2: its evidence is refused"),
            "{}",
            ran.err
        );
        let again = work.join(&["--run"]);
        assert_eq!(
            (again.code, again.out.as_str()),
            (0, "mutex: holds\n"),
            "{}",
            again.err
        );
        work.accepted(FISCHER, &["-D", "n=3"], 1);
    }
}

#[test]
fn parts_give_the_verdicts_of_the_whole() {
    for (file, options) in [
        ("models/airport-bakery.sct", &["-D", "bug=1"][..]),
        ("models/bakery.sct", &["-D", "n=3"]),
        ("models/rw.sct", &[]),
        ("models/lecture-c.imp", &[]),
        ("models/elevator-bug.bpl", &[]),
        ("models/countdown.smt2", &[]),
        ("models/twice.smt2", &[]),
        ("models/counter.vmt", &[]),
        ("models/liveness/lamp-fair.sct", &[]),
        ("models/liveness/down.imp", &["--termination"]),
    ] {
        let check = sectile(&[&["check", file, "--timeout", "60s", "--quiet"], options].concat());
        let verdicts = |text: &str| -> Vec<String> {
            let plain = text.lines().filter(|l| !l.starts_with(' '));
            plain.map(ToString::to_string).collect()
        };
        let name = file.replace(['/', '.'], "-");
        let work = Work::new(&name);
        work.split(file, &[&["--timeout", "60s"], options].concat());
        let joined = work.join(&["--run"]);
        assert_eq!(
            verdicts(&joined.out),
            verdicts(&check.out),
            "{file}: {}",
            joined.err
        );
        assert_eq!(joined.code, check.code, "{file}");
        work.accepted(file, options, check.out.lines().count());
    }
}

#[test]
fn gnu_parallel_does_the_same() {
    if !installed("parallel") {
        return;
    }
    let work = Work::new("parallel");
    work.split(FISCHER, &["-D", "n=3"]);
    let joined = work.join(&["--on", "parallel"]);
    assert_eq!(
        (joined.code, joined.out.as_str()),
        (0, "mutex: holds\n"),
        "{}",
        joined.err
    );
    // By hand, as the documents say.
    let work = Work::new("by-hand");
    work.split(FISCHER, &["-D", "n=3"]);
    let script = format!(
        "seq 3 | parallel {} work {} {{}}",
        env!("CARGO_BIN_EXE_sectile"),
        work.path()
    );
    let ran = Command::new("sh")
        .args(["-c", &script])
        .output()
        .expect("it runs");
    assert!(
        ran.status.success(),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
    assert_eq!(work.join(&[]).out, "mutex: holds\n");
}

#[test]
fn a_line_without_a_verdict_is_done_again_with_more_time() {
    let work = Work::new("again");
    // A proof takes a good deal longer than this.
    work.split(FISCHER, &["-D", "n=3", "--parts", "1", "--timeout", "20ms"]);
    let joined = work.join(&["--run"]);
    assert_eq!(
        (joined.code, joined.out.as_str()),
        (20, "mutex: unknown (timeout)\n"),
        "{}",
        joined.err
    );
    assert!(
        joined.err.contains("1 --again --timeout 10m"),
        "{}",
        joined.err
    );
    // It is done: it is not done again by itself.
    assert_eq!(work.join(&["--run"]).code, 20);
    let again = |time: &str| sectile(&["work", work.path(), "1", "--again", "--timeout", time]);
    assert!(again("300s").out.ends_with(": holds\n"));
    assert_eq!(work.join(&[]).out, "mutex: holds\n");
    // A verdict is not lost because somebody has less time.
    assert!(again("20ms").out.ends_with(": unknown\n"));
    assert_eq!(work.join(&[]).out, "mutex: holds\n");
}

fn start(arguments: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_sectile"))
        .args(arguments)
        .current_dir(root())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts")
}

/// `work`, `join` and `split` are killed at any moment, 100 times. No file is ever half there, and in
/// the end `join` completes what is left.
#[test]
fn a_hundred_kills_lose_nothing() {
    let work = Work::new("kills");
    work.split("models/ticket.sct", &["-D", "n=3", "--engine", "auto,pdr"]);
    let directory = Directory::open(&work.0).expect("it is there");
    let count = directory.count();
    assert!(count >= 6, "{count}");
    let mut rng = Rng::new(7);
    let mut draw = |n: usize| usize::try_from(rng.below(n as u64)).expect("it is small");
    for round in 0..100 {
        if round % 3 == 0 {
            // So that there is something to do.
            let _ = std::fs::remove_file(work.file(&format!("results/{}.json", 1 + draw(count))));
        }
        let line = (1 + draw(count)).to_string();
        let mut child = match draw(5) {
            0 | 1 => start(&["work", work.path(), &line, "--again"]),
            2 => start(&["join", work.path()]),
            3 => start(&[
                "split",
                "models/ticket.sct",
                work.path(),
                "-D",
                "n=3",
                "--engine",
                "auto,pdr",
            ]),
            _ => start(&["join", work.path(), "--run", "--workers", "2"]),
        };
        std::thread::sleep(Duration::from_millis(draw(160) as u64));
        child.kill().expect("it can be killed, or has ended");
        child.wait().expect("it ends");
        for line in 1..=count {
            let found = directory.read(line);
            assert_ne!(found, Found::Broken, "line {line} in round {round}");
        }
        let again = Directory::open(&work.0).expect("the lines are whole");
        assert_eq!(again.lines(), directory.lines());
    }
    let joined = work.join(&["--run"]);
    assert_eq!(
        (joined.code, joined.out.as_str()),
        (0, "zbound: holds\nmutex: holds\nlive: holds\n"),
        "{}",
        joined.err
    );
    work.accepted("models/ticket.sct", &["-D", "n=3"], 3);
    // Nothing is left of those that were killed.
    let left = std::fs::read_dir(work.file("results")).expect("it is there");
    let left = left
        .flatten()
        .filter(|e| e.file_name().to_string_lossy().starts_with('.'));
    assert_eq!(left.count(), 0);
}

#[test]
fn a_stopped_join_ends_its_workers_and_goes_on_later() {
    let text =
        "var x : int = 0\nup: x >= 0 --> x := x + 1\nctl p: AG (EF x = -1)\ninvariant q: x >= 0\n";
    let model = temporary("stopped.sct", text);
    let work = Work::new("stopped");
    work.split(model.to_str().expect("text"), &["--engine", "explicit"]);
    let mut child = start(&["join", work.path(), "--run", "--workers", "2"]);
    std::thread::sleep(Duration::from_millis(600));
    let signal = nix::sys::signal::Signal::SIGTERM;
    let number = i32::try_from(child.id()).expect("it is a number");
    nix::sys::signal::kill(nix::unistd::Pid::from_raw(number), signal).expect("it runs");
    assert_ne!(child.wait().expect("it ends").code(), Some(0));
    let workers = Command::new("pgrep").args(["-f", work.path()]).output();
    let workers = workers.map(|o| String::from_utf8_lossy(&o.stdout).into_owned());
    assert_eq!(workers.unwrap_or_default(), "");
}
