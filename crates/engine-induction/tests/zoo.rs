//! What of the zoo is k-inductive for k up to 5, and that every proof of it passes the checker.
//!
//! All variants of a model that its header knows are tried. The embedded solver proves, and the
//! same solver with every refutation replayed by the kernel checks; no other solver is asked.

#![allow(clippy::unwrap_used, clippy::print_stderr)]

use sectile_certify::Outcome;
use sectile_engine::{Engine, Run};
use sectile_engine_induction::KInduction;
use sectile_model::{Certificate, Task};
use sectile_solver::Backend;
use sectile_solver_native::NativeBackend;
use sectile_solver_process::{ProcessBackend, dialect};
use sectile_testkit::files::zoo_files;
use sectile_testkit::models::{read, zoo};
use sectile_testkit::verdicts::{claimed, outcome, run, settings};
use sectile_transform::{Pass, PcEncoding, Pipeline};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Model, parameters, property, and the smallest k.
const K_INDUCTIVE: &[&str] = &[
    "airport-bakery.sct p1: 1",
    "airport-bakery.sct anyTicket=1 p1: 1",
    "airport-bakery.sct bug=1 p1: 1",
    "airport-bakery.sct bug=1 anyTicket=1 p1: 1",
    "airport-bakery.sct n=3 p1: 1",
    "airport-bakery.sct n=4 p1: 1",
    "airport-bakery.sct restrictC3=1 p1: 1",
    "airport-bakery.sct restrictC3=1 c3count: 1",
    "airport-ticket.sct p1: 1",
    "airport-ticket.sct bug=1 p1: 1",
    "airport-ticket.sct n=3 p1: 1",
    "airport-ticket.sct n=4 p1: 1",
    "airport-ticket.sct restrictC3=1 p1: 1",
    "airport-ticket.sct restrictC3=1 c3count: 1",
    "chardriver.sct n=3 naturals=1 mode1: 1",
    "chardriver.sct n=3 naturals=1 mode2: 1",
    "chardriver.sct naturals=1 mode1: 1",
    "chardriver.sct naturals=1 mode2: 1",
    "deque-int.sct safe: 1",
    "deque-int.sct n=6 safe: 1",
    "deque-int.sct n=7 safe: 1",
    "deque-int.sct n=8 safe: 1",
    "deque-int.sct n=9 safe: 1",
    "deque.sct safe: 1",
    "deque.sct n=6 safe: 1",
    "deque.sct n=7 safe: 1",
    "deque.sct n=8 safe: 1",
    "deque.sct n=9 safe: 1",
    "overlap.sct small: 1",
    "readers.sct exclusive: 1",
    "readers.sct single: 1",
    "readers.sct n=1 exclusive: 1",
    "readers.sct n=1 single: 1",
    "readers.sct n=2 exclusive: 1",
    "readers.sct n=2 single: 1",
    "readers.sct n=2 bug=1 single: 1",
    "readers.sct n=3 bug=1 single: 1",
    "readers.sct n=4 exclusive: 1",
    "readers.sct n=4 single: 1",
    "rw.sct exclusive: 1",
    "rw.sct strong: 1",
    "semaphore.sct permissions: 1",
    "semaphore.sct n=1 mutex: 1",
    "semaphore.sct n=1 permissions: 1",
    "semaphore.sct n=2 bug=1 permissions: 1",
    "semaphore.sct n=3 bug=1 permissions: 1",
    "semaphore.sct n=4 permissions: 1",
    "tanks.sct below: 1",
    "tanks.sct k=8 below: 1",
];

/// The smallest k up to 5 for which induction proves the property, if there is one.
fn smallest_k(backend: &dyn Backend, task: &Task<'_>, name: &str, lemmas: bool) -> Option<u32> {
    let terms = task.terms;
    let mut passes = Pipeline::new();
    if KInduction.accepts(task).is_err() {
        passes = passes.then(PcEncoding);
    }
    let applied = passes.apply(task).ok()?;
    let inner = applied.task(terms);
    KInduction.accepts(&inner).ok()?;
    let settings = settings(&[("depth", "5"), ("lemmas", &lemmas.to_string())]);
    let mut run = Run {
        backend,
        ..run(&settings)
    };
    let verdict = KInduction.run(&inner, &mut run).unwrap();
    let (claim, found) = claimed(&verdict)?;
    let certificate = applied.back.certificate(terms, found).unwrap();
    let outcome = outcome(task, claim, &certificate);
    assert!(
        matches!(outcome, Outcome::Accepted { .. }),
        "{name}: {outcome:?}"
    );
    match found {
        Certificate::Invariants(list) => Some(list.depth),
        Certificate::Trace(_) => None,
        _ => Some(1),
    }
}

/// The table of the whole zoo. Two threads share the files.
fn table(backend: &(dyn Backend + Sync), lemmas: bool) -> Vec<String> {
    let files = zoo_files(&["sct", "imp"]);
    let next = AtomicUsize::new(0);
    let take = || files.get(next.fetch_add(1, Ordering::Relaxed));
    let work = || {
        let rows = std::iter::from_fn(take);
        let rows = rows.map(|path| (path.clone(), rows_of(path, backend, lemmas)));
        rows.collect::<BTreeMap<PathBuf, Vec<String>>>()
    };
    let mut found = std::thread::scope(|scope| {
        let other = scope.spawn(work);
        let mut found = work();
        found.append(&mut other.join().unwrap());
        found
    });
    let rows = files.iter().filter_map(|path| found.remove(path));
    rows.flatten().collect()
}

/// The rows of a file.
fn rows_of(path: &Path, backend: &dyn Backend, lemmas: bool) -> Vec<String> {
    let mut found = Vec::new();
    let file = path.file_name().unwrap().to_str().unwrap();
    let variants: BTreeSet<Vec<(String, String)>> = zoo(file, &[])
        .module()
        .expectations
        .iter()
        .map(|e| {
            let list = e.parameters.iter();
            list.map(|(k, v)| (k.clone(), v.to_string())).collect()
        })
        .collect();
    for parameters in variants {
        let list = parameters.iter().map(|(k, v)| (k.as_str(), v.as_str()));
        let read = zoo(file, &list.collect::<Vec<_>>());
        let values = parameters.iter().map(|(k, v)| format!(" {k}={v}"));
        let model = format!("{file}{}", values.collect::<String>());
        for property in &read.module().properties {
            let name = format!("{model} {}", property.name);
            if let Some(k) = smallest_k(backend, &read.task_about(property), &name, lemmas) {
                found.push(format!("{name}: {k}"));
            }
        }
    }
    found
}

#[test]
fn what_is_k_inductive_is_proved_and_certified() {
    let found = table(&NativeBackend, false);
    assert_eq!(found, K_INDUCTIVE, "{found:#?}");
}

/// Lemmas prove more, over fewer steps, and what they prove passes the checker as well.
#[test]
fn lemmas_lose_nothing() {
    let found = table(&NativeBackend, true);
    let steps = |line: &str| {
        let (name, k) = line.rsplit_once(": ").unwrap();
        (name.to_string(), k.parse::<u32>().unwrap())
    };
    let found: BTreeMap<String, u32> = found.iter().map(|l| steps(l)).collect();
    for (name, k) in K_INDUCTIVE.iter().map(|l| steps(l)) {
        assert!(found.get(&name).is_some_and(|&now| now <= k), "{name}");
    }
    assert!(found.len() > K_INDUCTIVE.len(), "{found:#?}");
}

/// Another solver finds the same things k-inductive, so that the table misses nothing.
#[test]
#[ignore = "takes a minute; needs z3"]
fn another_solver_finds_the_same() {
    let backend = ProcessBackend::new(dialect("z3").unwrap());
    if backend.find_program().is_err() {
        return eprintln!("skipped: z3 is not installed");
    }
    assert_eq!(table(&backend, false), K_INDUCTIVE);
}

/// `x` counts from 0 to 6 and starts again. Beyond 6 nothing is reachable, but the states 7, 8, ...
/// lead to each other: that 6 + k is never reached takes induction over k steps.
fn counter(bad: u32, more: &str) -> String {
    format!(
        "var x : int = 0\nup: x != 6 --> x := x + 1\nagain: x = 6 --> x := 0\n{more}\n\
         invariant safe: x != {bad}\n"
    )
}

fn k_of(text: String, lemmas: bool) -> Option<u32> {
    let read = read("counter.sct", &text, &[]);
    smallest_k(&NativeBackend, &read.task("safe"), "counter", lemmas)
}

#[test]
fn each_k_is_found() {
    for k in 1..=5 {
        assert_eq!(k_of(counter(6 + k, ""), false), Some(k));
    }
    assert_eq!(k_of(counter(12, ""), false), None);
}

/// With a loop at 8, a run may stay there as long as it likes; simple paths do not.
#[test]
fn repeated_states_are_excluded() {
    let text = counter(9, "rest: x = 8 --> x := 8");
    assert_eq!(k_of(text, false), Some(3));
}

/// Two phases: what the first one chooses the second one doubles, and it stays.
fn phases(last: &str) -> String {
    format!(
        "var phase : int = 0\nvar x : int = 0\nvar y : int = 0\n\
         choose: phase = 0 --> phase := 1, x := any v where v >= 3\n\
         double: phase = 1 --> phase := 2, y := 2 * x\n\
         {last}\ninvariant safe: phase != 2 or y >= 6\n"
    )
}

/// What a phase establishes is needed in the next one: `x >= 3` is a lemma, and nothing else says so.
#[test]
fn what_a_phase_leaves_behind_is_a_lemma() {
    let text = phases("rest: phase = 2 --> y := y");
    assert_eq!(k_of(text.clone(), true), Some(1));
    assert_ne!(k_of(text, false), Some(1));
}

/// A guess that some step falsifies is no lemma: here the choice is taken back in the first phase.
#[test]
fn guesses_that_do_not_last_are_dropped() {
    assert_eq!(k_of(phases("back: phase = 1 --> x := 0"), true), None);
    // What takes its place may do as well, and what falls later is not missed.
    assert_eq!(k_of(phases("back: phase = 1 --> x := 4"), true), Some(1));
    let text = phases("back: phase = 2 --> x := 0");
    assert_eq!(k_of(text, true), Some(1));
}
