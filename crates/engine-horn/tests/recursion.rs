//! Recursive programs: their clauses have the verdicts that the headers expect, with evidence.

#![allow(clippy::unwrap_used)]

use sectile_base::Source;
use sectile_certify::{Claim, Outcome};
use sectile_engine::{Engine, Run, Settings};
use sectile_engine_horn::{Horn, Spacer};
use sectile_frontend::{Frontend as _, ReadOptions, Reading, boogie::Boogie};
use sectile_model::{Certificate, Expected, Role, Step, Task, Trace, Verdict};
use sectile_terms::Terms;
use sectile_testkit::files::{files_in, root, shared};
use sectile_testkit::verdicts::{self, outcome, run, seconds};
use std::path::Path;

fn read(terms: &Terms, name: &str, text: String) -> (Source, Reading) {
    let source = Source::new(name, text);
    let reading = Boogie.read(terms, &source, &ReadOptions::default());
    let reading = reading.unwrap_or_else(|d| panic!("{name}: {}", d.render(&source)));
    (source, reading)
}

/// The verdict about one property, with evidence that the checker accepts.
fn decide(terms: &Terms, reading: &Reading, property: usize, what: &str) -> (bool, Certificate) {
    decide_by(&Horn, terms, reading, property, what)
}

fn decide_by(
    engine: &dyn Engine,
    terms: &Terms,
    reading: &Reading,
    property: usize,
    what: &str,
) -> (bool, Certificate) {
    let module = &reading.module;
    assert!(
        !module.model.is_linear(),
        "{what}: recursion gives premises"
    );
    let task = Task {
        terms,
        model: &module.model,
        property: &module.properties[property],
    };
    let settings = Settings::default();
    let budget = seconds(300);
    let run = Run {
        budget,
        ..run(&settings)
    };
    match verdicts::decide(engine, &task, run) {
        Verdict::Holds(c) => (true, c),
        Verdict::Violated(c) => (false, c),
        Verdict::Unknown(why) => panic!("{what}: {why:?}"),
    }
}

/// Every expectation of a file, and that there are some.
fn as_expected(path: &Path) {
    let text = String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned();
    let name = path.file_name().unwrap().to_str().unwrap();
    let terms = Terms::new();
    let (_, reading) = read(&terms, name, text);
    let module = &reading.module;
    assert!(!module.expectations.is_empty(), "{name} expects something");
    for expectation in &module.expectations {
        let properties = module.properties.iter();
        let mut named = properties.enumerate();
        let found = named.find(|(_, p)| p.name == expectation.property);
        let what = format!("{name}: {}", expectation.property);
        let (property, _) = found.unwrap_or_else(|| panic!("{what}: no such property"));
        let engines: [&dyn Engine; 2] = [&Horn, &Spacer];
        for engine in engines {
            let (holds, _) = decide_by(engine, &terms, &reading, property, &what);
            assert_eq!(holds, expectation.expected == Expected::Holds, "{what}");
        }
    }
}

#[test]
fn recursive_models_have_the_verdicts_of_their_headers() {
    let files = files_in(&root().join("models/recursive"), &["bpl"]);
    assert!(files.len() >= 4);
    files.iter().for_each(|f| as_expected(f));
}

#[test]
fn recursive_programs_of_the_collection_are_decided() {
    let Some(folder) = shared("bench/boogie") else {
        return;
    };
    for name in [
        "tiny/programs__recursive__regression__bpl__McCarthy91_Main.bpl",
        "dev/programs__recursive__regression__bpl__Ackermann_Main.bpl",
        "dev/programs__recursive__regression__bpl__UpAndDownLocalReals-correct.bpl",
        "dev/programs__abstractInterpretation__unclassified__fibonacciLikeCfg.bpl",
    ] {
        as_expected(&folder.join(name));
    }
    let name = "dev/programs__recursive__regression__bpl__addition-incorrect.bpl";
    let text = std::fs::read_to_string(folder.join(name)).unwrap();
    let terms = Terms::new();
    let (_, reading) = read(&terms, name, text);
    let properties = reading.module.properties.iter().enumerate();
    let violated = properties
        .filter(|(i, _)| !decide(&terms, &reading, *i, name).0)
        .map(|(_, p)| p.name.as_str());
    assert_eq!(violated.collect::<Vec<_>>(), ["assert_21"]);
}

/// A derivation is a graph of facts, also where the tree of calls has hundreds of millions of nodes: what
/// the engine finds, what it says and what the checker replays.
#[test]
fn calls_with_the_same_arguments_share_their_derivation() {
    let text = "procedure fib(n : int) returns (r : int)\n{ var a, b : int;\n\
                if (n < 2) { r := n; } else { call a := fib(n - 1); call b := fib(n - 2); r := a + b; } }\n\
                procedure ULTIMATE.start() { var r : int; call r := fib(40); assert r != 102334155; }\n";
    let terms = Terms::new();
    let (_, reading) = read(&terms, "fib.bpl", text.to_string());
    let (holds, evidence) = decide_by(&Spacer, &terms, &reading, 0, "fib");
    assert!(!holds);
    let Certificate::Trace(trace) = evidence else {
        panic!("a violation has a derivation");
    };
    assert!(trace.steps.len() < 500, "{} steps", trace.steps.len());
}

/// What a contract promises is not believed: it is checked in the body.
#[test]
fn contracts_are_checked_and_free_ones_are_assumed() {
    let program = |word: &str| {
        format!(
            "procedure f(n : int) returns (r : int)\n  {word} ensures r == 5;\n\
             {{ if (n > 0) {{ call r := f(n - 1); }} else {{ r := 1; }} }}\n\
             procedure ULTIMATE.start() {{ var r : int; call r := f(3);\n  assert r == 5;\n}}\n"
        )
    };
    let verdicts = |text: String| {
        let terms = Terms::new();
        let (_, reading) = read(&terms, "contract.bpl", text);
        let properties = reading.module.properties.iter().enumerate();
        let all = properties.map(|(i, p)| (p.name.clone(), decide(&terms, &reading, i, "").0));
        all.collect::<Vec<_>>()
    };
    let checked = verdicts(program(""));
    let named = |name: &str, holds: bool| (name.to_string(), holds);
    assert_eq!(
        checked,
        [named("ensures_2", false), named("assert_5", true)]
    );
    let free = verdicts(program("free"));
    assert_eq!(free, [named("assert_5", true)]);
}

/// What requires something is checked at calls from anywhere, also from itself.
#[test]
fn requirements_are_checked_where_the_call_is_reached() {
    let program = |from: i64| {
        format!(
            "procedure f(n : int)\n  requires n >= 0;\n{{ if (n != 1) {{ call f(n - 2); }} }}\n\
             procedure ULTIMATE.start() {{ call f({from}); }}\n"
        )
    };
    for (from, expected) in [(5, true), (4, false)] {
        let terms = Terms::new();
        let (_, reading) = read(&terms, "requires.bpl", program(from));
        assert_eq!(reading.module.properties[0].name, "requires_2");
        assert_eq!(
            decide(&terms, &reading, 0, "requires").0,
            expected,
            "{from}"
        );
    }
}

/// Where a parameter is changed, the summary would not be about what was passed: no premises.
#[test]
fn changed_parameters_are_left_to_contracts() {
    let text = "procedure f(n : int) returns (r : int)\n\
                { r := 0; if (n > 0) { n := n - 1; call r := f(n); } }\n\
                procedure ULTIMATE.start() { var r : int; call r := f(2); assert r == 0; }\n";
    let terms = Terms::new();
    let (_, reading) = read(&terms, "changed.bpl", text.to_string());
    let model = &reading.module.model;
    assert!(model.is_linear() && reading.module.model.contracts.is_none());
    assert!(model.edges.iter().any(|e| e.loose));
}

/// A derivation that is tampered with is refused, and so is one about another question.
#[test]
fn other_evidence_is_refused() {
    let text = "procedure f(n : int) returns (r : int)\n\
                { if (n > 0) { call r := f(n - 1); r := r + 1; } else { r := 0; } }\n\
                procedure ULTIMATE.start() { var r : int; call r := f(2);\n\
                assert r == 3;\nassert r == 4;\n}\n";
    let terms = Terms::new();
    let (_, reading) = read(&terms, "other.bpl", text.to_string());
    let (holds, evidence) = decide(&terms, &reading, 0, "other");
    assert!(!holds);
    let Certificate::Trace(trace) = evidence else {
        panic!("a violation has a derivation");
    };
    let module = &reading.module;
    let refused = |trace: Trace, property: usize| {
        let task = Task {
            terms: &terms,
            model: &module.model,
            property: &module.properties[property],
        };
        let outcome = outcome(&task, Claim::Violated, &Certificate::Trace(trace));
        matches!(outcome, Outcome::Refused(_))
    };
    assert!(!refused(trace.clone(), 0));
    assert!(refused(trace.clone(), 1));
    let summary =
        |p: &sectile_model::Premise| module.model.locations[p.location.0].role == Role::Summary;
    let returns = |s: &Step| module.model.edges[s.command].premises.iter().any(summary);
    let calls = trace.steps.iter().filter(|s| returns(s)).count();
    assert!(calls >= 3, "f(2) calls f(1), and that f(0): {calls}");
    // Every claim about a return needs the very values of that return.
    for (k, step) in trace.steps.iter().enumerate() {
        if returns(step) {
            let mut other = trace.clone();
            other.steps[k].rests_on.swap(0, 1);
            assert!(refused(other, 0), "step {k}");
        }
    }
    let mut shorter = trace;
    shorter.steps.pop();
    shorter.states.pop();
    assert!(refused(shorter, 0));
}
