//! Every model of the zoo has the verdicts that its header expects.
#![allow(clippy::print_stderr)]

use crate::common;

use sectile_base::{Budget, Int};
use sectile_driver::{CheckOptions, Loaded, check, load};
use sectile_engine::{Settings, Silent};
use sectile_explicit::{Domain, Exploration, Options, Stop, explore};
use sectile_model::{Certificate, Expectation, Expected};
use sectile_report::{Certified, Status};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

type Parameters = Vec<(String, String)>;

fn read(file: &Path, parameters: &Parameters) -> Loaded {
    let name = file.to_str().expect("file names are text");
    load(name, None, parameters).unwrap_or_else(|e| panic!("{}: {e}", file.display()))
}

fn typed(parameters: &[(String, Int)]) -> Parameters {
    let pairs = parameters.iter();
    pairs.map(|(n, v)| (n.clone(), v.to_string())).collect()
}

/// The expectations of a file, by the parameters under which they are expected.
fn instances(file: &Path) -> BTreeMap<Parameters, Vec<Expectation>> {
    let module = read(file, &Vec::new()).reading.module;
    let mut found: BTreeMap<Parameters, Vec<Expectation>> = BTreeMap::new();
    for expectation in module.expectations {
        let key = typed(&expectation.parameters);
        found.entry(key).or_default().push(expectation);
    }
    assert!(!found.is_empty(), "{} expects something", file.display());
    found
}

/// The domain in a header line `// explore needs: --domain LO..HI`.
fn domain(loaded: &Loaded) -> Option<Domain> {
    let text = loaded.source.text();
    let (_, rest) = text.split_once("// explore needs: --domain ")?;
    let (low, rest) = rest.split_once("..")?;
    let high = rest.lines().next()?.trim();
    let number = |t: &str| t.parse::<Int>().expect("domains are numbers");
    Some(Domain::new(number(low), number(high)).expect("the domain is not empty"))
}

fn search(loaded: &Loaded, states: usize) -> Exploration {
    let options = Options {
        domain: domain(loaded),
        max_depth: None,
        max_states: Some(states),
        stop: Stop::Never,
        keep_steps: false,
    };
    let module = &loaded.reading.module;
    explore(&loaded.terms, module, &options, &Budget::unlimited())
        .unwrap_or_else(|e| panic!("{}: {e}", loaded.source.name()))
}

fn label(file: &Path, parameters: &Parameters) -> String {
    let name = file.file_name().and_then(|n| n.to_str()).unwrap_or("?");
    let list: Vec<String> = parameters.iter().map(|(n, v)| format!("{n}={v}")).collect();
    format!("{name} {}", list.join(" "))
}

#[test]
fn explicit_search_agrees_with_every_header() {
    let mut decided = 0;
    for file in common::zoo() {
        for (parameters, expectations) in instances(&file) {
            let loaded = read(&file, &parameters);
            let found = search(&loaded, 40_000);
            for expectation in expectations {
                let what = format!("{}: {}", label(&file, &parameters), expectation.property);
                decided += usize::from(common::search_agrees(&found, &expectation, &what));
            }
        }
    }
    assert!(decided >= 60, "the search decides many of them: {decided}");
}

#[test]
fn state_spaces_have_the_expected_sizes() {
    let mut seen = 0;
    for file in common::zoo() {
        for space in read(&file, &Vec::new()).reading.module.state_spaces {
            let parameters = typed(&space.parameters);
            let found = search(&read(&file, &parameters), 1_000_000);
            let what = label(&file, &parameters);
            assert!(found.extent.is_exact(), "{what}: exact");
            assert_eq!(found.states, space.states, "{what}: states");
            if let Some(deadlocks) = space.deadlocks {
                assert_eq!(found.deadlocks.count, deadlocks, "{what}: deadlocks");
            }
            seen += 1;
        }
    }
    assert!(seen >= 14);
}

fn options(engine: &str, timeout: Duration) -> CheckOptions {
    CheckOptions {
        engines: vec![engine.to_string()],
        properties: Vec::new(),
        timeout: Some(timeout),
        memory: None,
        seed: 0,
        solver: "native".to_string(),
        interpolation: None,
        predicates: Vec::new(),
        lemmas: Vec::new(),
        minimise: false,
        certify: true,
        settings: Settings::default(),
        ..CheckOptions::default()
    }
}

/// Runs an engine on every instance and hands every expectation with its result to `f`.
fn run_engine(
    engine: &str,
    timeout: Duration,
    wanted: impl Fn(&Expectation) -> bool,
    mut f: impl FnMut(&str, &Expectation, Status, Option<&Certificate>),
) {
    for file in common::zoo() {
        for (parameters, expectations) in instances(&file) {
            let chosen: Vec<&Expectation> = expectations.iter().filter(|e| wanted(e)).collect();
            if chosen.is_empty() {
                continue;
            }
            let loaded = read(&file, &parameters);
            let mut options = options(engine, timeout);
            options.properties = chosen.iter().map(|e| e.property.clone()).collect();
            let checked = check(&loaded, &options, &mut Silent).expect("the request is right");
            let what = label(&file, &parameters);
            assert_eq!(checked.failures, Vec::<String>::new(), "{what}");
            let results = checked.report.properties.iter().zip(&checked.certificates);
            for (expectation, (report, certificate)) in chosen.into_iter().zip(results) {
                if report.status != Status::Unknown {
                    assert_eq!(report.certified, Certified::Yes, "{what}");
                }
                let what = format!("{engine} on {what}: {}", expectation.property);
                let certificate = certificate.as_ref().map(|(_, c)| c);
                f(&what, expectation, report.status, certificate);
            }
        }
    }
}

#[test]
fn bmc_finds_every_violation_with_its_shortest_length() {
    let violated = |e: &Expectation| matches!(e.expected, Expected::Violated(Some(_)));
    let mut found = 0;
    run_engine(
        "bmc",
        Duration::from_secs(60),
        violated,
        |what, e, status, c| {
            // Only safety is for bmc; what it does not take stays unknown.
            let Some(Certificate::Trace(trace)) = c else {
                assert_eq!(status, Status::Unknown, "{what}");
                let is_ctl = e.property == "nodeadlock";
                assert!(is_ctl, "{what} was not found");
                return;
            };
            assert_eq!(
                e.expected,
                Expected::Violated(Some(trace.steps.len())),
                "{what}"
            );
            found += 1;
        },
    );
    assert!(found >= 25, "there are many violations in the zoo: {found}");
}

/// The engine contradicts no header, and decides so many at least.
fn contradicts_no_header(engine: &str, milliseconds: u64, least: usize) {
    let mut decided = 0;
    run_engine(
        engine,
        Duration::from_millis(milliseconds),
        |_| true,
        |what, e, status, _| match (e.expected, status) {
            (Expected::Holds, Status::Violated) => panic!("{what} says violated"),
            (Expected::Violated(_), Status::Holds) => panic!("{what} says holds"),
            (_, Status::Unknown) => {}
            _ => decided += 1,
        },
    );
    assert!(decided >= least, "{engine} decides some: {decided}");
}

#[test]
fn explicit_contradicts_no_header() {
    contradicts_no_header("explicit", 500, 20);
}

#[test]
fn kinduction_contradicts_no_header() {
    contradicts_no_header("kinduction", 500, 20);
}

#[test]
fn slab_contradicts_no_header() {
    contradicts_no_header("slab", 2000, 100);
}

#[test]
fn kojak_contradicts_no_header() {
    contradicts_no_header("kojak", 300, 20);
}

#[test]
fn impact_contradicts_no_header() {
    contradicts_no_header("impact", 300, 20);
}
