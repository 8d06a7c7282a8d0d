//! Several engines in turns: whoever can decide does, the limits hold, and one job is deterministic.
#![allow(clippy::unwrap_used)]

use sectile_base::Budget;
use sectile_driver::{CheckOptions, Loaded, check, load, registry};
use sectile_engine::Silent;
use sectile_report::{Certified, PropertyReport, Status};
use sectile_testkit::driven::{read, report, zoo};
use sectile_testkit::files::zoo_files;
use std::time::{Duration, Instant};

fn engines(list: &[&str]) -> Vec<String> {
    list.iter().map(ToString::to_string).collect()
}

fn one(loaded: &Loaded, options: &CheckOptions) -> PropertyReport {
    report(loaded, options)
}

/// Both count for ever; only induction sees that the difference never changes.
const FOREVER: &str = "
var x : int = 0
var y : int = 0
both: true --> x := x + 1, y := y + 1
invariant same: x = y
";

#[test]
fn an_engine_that_never_ends_does_not_keep_the_others_from_their_turns() {
    let loaded = read("sct", FOREVER);
    for jobs in [1, 2] {
        let options = CheckOptions {
            engines: engines(&["bmc", "kinduction"]),
            timeout: Some(Duration::from_secs(60)),
            jobs,
            ..CheckOptions::default()
        };
        let report = one(&loaded, &options);
        assert_eq!(report.status, Status::Holds, "{}", report.reached);
        assert_eq!(report.engine, "kinduction");
        assert_eq!(report.certified, Certified::Yes);
    }
}

#[test]
fn without_threads_engines_work_one_after_the_other() {
    let alone = |timeout: u64| CheckOptions {
        engines: engines(&["bmc", "kinduction"]),
        timeout: Some(Duration::from_millis(timeout)),
        threads: false,
        ..CheckOptions::default()
    };
    // The first one never ends, and the second one needs several turns in other models.
    let report = one(&read("sct", FOREVER), &alone(60_000));
    assert_eq!(report.status, Status::Holds, "{}", report.reached);
    let auto = CheckOptions {
        engines: Vec::new(),
        ..alone(60_000)
    };
    for (name, given, status) in [
        ("bakery.sct", ("bug", "0"), Status::Holds),
        ("bakery.sct", ("bug", "1"), Status::Violated),
        ("fischer.sct", ("n", "3"), Status::Holds),
    ] {
        let report = one(&zoo(name, &[given]), &auto);
        assert_eq!(report.status, status, "{name} {given:?}");
    }
    // The limit ends an engine in the middle of its turn. Neither of these two can prove what counts for ever.
    let loaded = read("sct", FOREVER);
    let start = Instant::now();
    let report = one(
        &loaded,
        &CheckOptions {
            engines: engines(&["explicit", "bmc"]),
            ..alone(1500)
        },
    );
    assert_eq!(report.status, Status::Unknown);
    assert!(
        start.elapsed() < Duration::from_secs(20),
        "{:?}",
        start.elapsed()
    );
}

#[test]
fn one_job_gives_the_same_evidence_for_the_same_work() {
    let names = [
        "bakery-001.sct",
        "sum.bpl",
        "lecture-c.imp",
        "rw.sct",
        "maps/fill.bpl",
    ];
    for name in names {
        let loaded = zoo(name, &[]);
        let run = || {
            let checked = check(&loaded, &CheckOptions::default(), &mut Silent).unwrap();
            let reports = checked.report.properties.into_iter();
            let told = reports.map(|mut r| {
                r.statistics.remove("solver_seconds");
                format!(
                    "{} {:?} {:?} {:?}",
                    r.engine, r.status, r.evidence, r.statistics
                )
            });
            told.collect::<Vec<String>>()
        };
        assert_eq!(run(), run(), "{name}");
    }
}

#[test]
fn jobs_do_not_change_verdicts() {
    for name in ["chardriver.sct", "sum-bug.bpl", "elevator.sct"] {
        let loaded = zoo(name, &[]);
        let verdicts = |jobs| {
            let options = CheckOptions {
                jobs,
                ..CheckOptions::default()
            };
            let checked = check(&loaded, &options, &mut Silent).unwrap();
            assert_eq!(checked.failures, Vec::<String>::new());
            let reports = checked.report.properties.iter();
            reports.map(|r| r.status).collect::<Vec<_>>()
        };
        assert_eq!(verdicts(1), verdicts(3), "{name}");
    }
}

/// How much longer than its limit a check may take: what optimised code does in half a second.
fn grace() -> Duration {
    match cfg!(debug_assertions) {
        true => Duration::from_millis(1500),
        false => Duration::from_millis(500),
    }
}

#[test]
fn every_engine_ends_soon_after_its_limit_on_every_model() {
    let limit = Duration::from_millis(60);
    for file in zoo_files(&["sct", "imp", "bpl"]) {
        let loaded = load(file.to_str().unwrap(), None, &[]).unwrap();
        let name = loaded.reading.module.properties[0].name.clone();
        for engine in registry::engines() {
            let engine = engine.info().name;
            let options = CheckOptions {
                engines: engines(&[engine]),
                properties: vec![name.clone()],
                timeout: Some(limit),
                ..CheckOptions::default()
            };
            let started = Instant::now();
            let report = one(&loaded, &options);
            let elapsed = started.elapsed();
            let what = format!("{engine} on {}: {elapsed:?}", file.display());
            assert!(elapsed < limit + grace(), "{what}");
            if report.status == Status::Unknown {
                assert!(
                    !report.reason.is_empty() && !report.hint.is_empty(),
                    "{what}"
                );
            }
        }
    }
}

#[test]
fn an_interrupt_ends_everything_at_once() {
    let loaded = read("sct", FOREVER);
    let budget = Budget::unlimited();
    let stopper = budget.stopper();
    let options = CheckOptions {
        engines: engines(&["bmc", "walk"]),
        budget,
        ..CheckOptions::default()
    };
    let raise = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(200));
        stopper.stop();
        Instant::now()
    });
    let report = one(&loaded, &options);
    let ended = Instant::now();
    assert!(ended.duration_since(raise.join().unwrap()) < grace());
    assert_eq!(
        (report.status, report.reason.as_str()),
        (Status::Unknown, "cancelled")
    );
    let explanation = report.explanation.unwrap();
    assert!(explanation.bound.is_some_and(|b| b > 2), "{explanation:?}");
}

#[test]
fn bounded_model_checking_proves_programs_without_loops() {
    let text = "
var pc : {first, second, last} = first
var x : int = 0
one: pc = first --> x := x + 1, pc := second
two: pc = second --> x := x + 2, pc := last
invariant small: pc = last => x <= 3 or x > 3
invariant bound: pc = first or x != 7 or true
";
    let options = CheckOptions {
        engines: engines(&["bmc"]),
        timeout: Some(Duration::from_secs(30)),
        ..CheckOptions::default()
    };
    let report = one(&read("sct", text), &options);
    assert_eq!(
        (report.status, report.certified),
        (Status::Holds, Certified::Yes)
    );
}

#[test]
fn what_is_not_inductive_is_explained() {
    let text = "
var x : int = 0
var y : int = 3
step: y > 0 --> x := x + y, y := y + x
invariant small: x != 12345
";
    let options = CheckOptions {
        engines: engines(&["kinduction"]),
        timeout: Some(Duration::from_millis(700)),
        ..CheckOptions::default()
    };
    let report = one(&read("sct", text), &options);
    if report.status == Status::Unknown {
        let explanation = report.explanation.unwrap();
        let candidate = explanation.candidate.unwrap();
        assert_eq!(candidate.formula, "x != 12345");
        assert_eq!(candidate.step, "step");
        let names: Vec<&str> = candidate.before.iter().map(|(n, _)| n.as_str()).collect();
        assert_eq!(names, ["x", "y"]);
        assert!(
            candidate
                .after
                .iter()
                .any(|(n, v)| n == "x" && v == "12345")
        );
    }
}
