//! The engines that refine an abstraction of states agree with each other and with explicit search
//! on the models of the zoo at small sizes.

use sectile_base::{Budget, Int};
use sectile_driver::{CheckOptions, Loaded};
use sectile_engine::Settings;
use sectile_explicit::{Answer, Domain, Options, Stop, explore};
use sectile_model::{Expected, PropertyKind};
use sectile_report::Status;
use sectile_testkit::driven::{options, report, zoo};

type Parameters = &'static [(&'static str, &'static str)];
type Names = &'static [&'static str];

/// Files, parameters, and the properties that slicing does not decide quickly.
const SMALL: &[(&str, Parameters, Names)] = &[
    ("rw.sct", &[], &[]),
    ("bakery-001.sct", &[], &[]),
    ("fig10.sct", &[], &[]),
    ("lecture-a.imp", &[], &[]),
    ("lecture-b.imp", &[], &[]),
    ("lecture-c.imp", &[], &[]),
    ("lecture-b.bpl", &[], &[]),
    ("sum.imp", &[], &[]),
    ("sum.imp", &[("bug", "1")], &[]),
    ("elevator.sct", &[], &[]),
    ("elevator.sct", &[("bug", "1")], &[]),
    ("elevator-dom.sct", &[], &[]),
    ("elevator-dom.sct", &[("bug", "2")], &[]),
    ("deque.sct", &[], &[]),
    ("deque-int.sct", &[], &[]),
    ("deque-int.sct", &[("bug", "1")], &[]),
    ("bakery.sct", &[("n", "2")], &[]),
    ("bakery.sct", &[("n", "2"), ("bug", "1")], &[]),
    ("bakery-fine.sct", &[], &[]),
    ("fischer.sct", &[], &[]),
    ("fischer.sct", &[("bug", "1")], &[]),
    ("ticket.sct", &[], &[]),
    ("ticket.sct", &[("bug", "1")], &[]),
    ("airport-ticket.sct", &[], &["mutex", "p2", "p3"]),
    ("airport-bakery.sct", &[], &["mutex", "p3"]),
    (
        "airport-bakery.sct",
        &[("bug", "2")],
        &["mutex", "p2", "p3"],
    ),
    ("readers.sct", &[("n", "2")], &[]),
    ("readers.sct", &[("n", "2"), ("bug", "1")], &[]),
    ("semaphore.sct", &[("n", "2")], &[]),
    ("semaphore.sct", &[("n", "2"), ("bug", "1")], &[]),
    ("tanks.sct", &[], &[]),
    (
        "chardriver.sct",
        &[],
        &["cdr", "mode1", "mode2", "sem1", "sem2"],
    ),
];

/// What an engine says, with evidence that was checked.
fn verdict(loaded: &Loaded, engine: &str, property: &str) -> Status {
    let options = CheckOptions {
        properties: vec![property.to_string()],
        ..options(engine, 60, Settings::default())
    };
    report(loaded, &options).status
}

/// What explicit search says, within the numbers that the header of the model names.
fn searched(loaded: &Loaded) -> Vec<(String, Answer)> {
    let text = loaded.source.text();
    let range = text.split_once("// explore needs: --domain ");
    let domain = range.and_then(|(_, rest)| {
        let (low, rest) = rest.split_once("..")?;
        let number = |t: &str| t.trim().parse::<Int>().ok();
        let (low, high) = (number(low)?, number(rest.lines().next()?)?);
        Domain::new(low, high).ok()
    });
    let options = Options {
        domain,
        max_depth: None,
        max_states: Some(1_000),
        stop: Stop::Never,
        keep_steps: false,
    };
    let module = &loaded.reading.module;
    let found = explore(&loaded.terms, module, &options, &Budget::unlimited());
    let found = found.unwrap_or_else(|e| panic!("{e}"));
    let all = found.properties.into_iter();
    all.map(|p| (p.name, p.answer)).collect()
}

/// One model: what the engines decide must be the same, and the header's verdict if it has one.
/// Returns how many verdicts there were.
fn agree(file: &str, parameters: &[(&str, &str)], slow: &[&str]) -> usize {
    let loaded = zoo(file, parameters);
    let explicit = searched(&loaded);
    let mut seen = 0;
    for property in &loaded.reading.module.properties {
        if matches!(property.kind, PropertyKind::Ctl(_)) {
            continue;
        }
        let name = &property.name;
        let status = verdict(&loaded, "predabs", name);
        assert_ne!(status, Status::Unknown, "{file} {parameters:?} {name}");
        for engine in ["slab", "kojak"] {
            if !slow.contains(&name.as_str()) {
                let other = verdict(&loaded, engine, name);
                assert_eq!(other, status, "{file} {parameters:?} {name} by {engine}");
                seen += 1;
            }
        }
        let answer = explicit.iter().find(|a| a.0 == *name).map(|a| a.1);
        match answer {
            Some(Answer::Holds) => assert_eq!(status, Status::Holds, "{file} {name}"),
            Some(Answer::Violated) => assert_eq!(status, Status::Violated, "{file} {name}"),
            _ => {}
        }
        for expected in &loaded.reading.module.expectations {
            let here = expected
                .parameters
                .iter()
                .map(|(n, v)| (n.clone(), v.to_string()));
            let here: Vec<(String, String)> = here.collect();
            let given = parameters
                .iter()
                .map(|(n, v)| ((*n).to_string(), (*v).to_string()));
            if expected.property == *name && here == given.collect::<Vec<_>>() {
                let holds = matches!(expected.expected, Expected::Holds);
                assert_eq!(
                    status == Status::Holds,
                    holds,
                    "{file} {parameters:?} {name}"
                );
            }
        }
        seen += 1;
    }
    assert!(seen > 0, "{file} has a safety property");
    seen
}

#[test]
fn predicate_abstraction_slicing_and_explicit_search_agree() {
    let mut seen = 0;
    for (file, parameters, slow) in SMALL {
        seen += agree(file, parameters, slow);
    }
    assert!(seen >= 90, "{seen}");
}
