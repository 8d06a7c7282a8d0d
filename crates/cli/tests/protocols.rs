//! The protocols of `models/protocols` have the verdicts that their headers expect, for two and three processes.
#![allow(clippy::print_stderr)]

use crate::common;

use common::search_agrees;
use sectile_base::{Budget, Int};
use sectile_driver::{CheckOptions, Loaded, check, load};
use sectile_engine::Silent;
use sectile_explicit::{Options, Stop, explore};
use sectile_model::{Expectation, Expected};
use sectile_report::{Certified, Status};
use sectile_testkit::files::{files_in, root};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

/// A model with some values of its parameters, and what is expected of it.
struct Instance {
    model: String,
    size: i64,
    bug: i64,
    loaded: Loaded,
    expectations: Vec<Expectation>,
}

impl Instance {
    fn label(&self, expectation: &Expectation) -> String {
        let (model, size, bug) = (&self.model, self.size, self.bug);
        format!("{model} n={size} bug={bug}: {}", expectation.property)
    }
}

fn protocols() -> Vec<PathBuf> {
    let files = files_in(&root().join("models/protocols"), &["sct"]);
    assert!(files.len() >= 20, "there are many protocols");
    files
}

/// The value of a parameter in an expectation, or its default.
fn value(parameters: &[(String, Int)], defaults: &str, name: &str) -> i64 {
    let given = parameters.iter().find(|(n, _)| n == name);
    let text = given.map_or_else(
        || {
            let line = format!("param {name} = ");
            let mut found = defaults.lines().filter_map(|l| l.strip_prefix(&line));
            found.next().expect("every protocol has it").to_string()
        },
        |(_, v)| v.to_string(),
    );
    text.trim().parse().expect("parameters are small numbers")
}

/// The instances of all protocols of a size, each with its expectations.
fn instances(size: i64) -> Vec<Instance> {
    let mut found = Vec::new();
    for file in protocols() {
        let name = file.to_str().expect("file names are text");
        let model = file.file_stem().and_then(|s| s.to_str()).unwrap_or(name);
        let loaded = load(name, None, &[]).unwrap_or_else(|e| panic!("{e}"));
        let mut of_bug: BTreeMap<i64, Vec<Expectation>> = BTreeMap::new();
        for expectation in loaded.reading.module.expectations {
            let parameters = &expectation.parameters;
            if value(parameters, loaded.source.text(), "n") == size {
                let bug = value(parameters, loaded.source.text(), "bug");
                of_bug.entry(bug).or_default().push(expectation);
            }
        }
        assert!(
            of_bug.len() >= 2,
            "{model} has verdicts with and without its bug, n={size}"
        );
        for (bug, expectations) in of_bug {
            let parameters =
                [("n", size), ("bug", bug)].map(|(n, v)| (n.to_string(), v.to_string()));
            let loaded = load(name, None, &parameters).unwrap_or_else(|e| panic!("{e}"));
            let model = model.to_string();
            found.push(Instance {
                model,
                size,
                bug,
                loaded,
                expectations,
            });
        }
    }
    found
}

/// `auto` decides everything, as expected and with evidence that is accepted.
fn auto_decides(size: i64, timeout: Duration) {
    for instance in instances(size) {
        for expectation in &instance.expectations {
            let what = instance.label(expectation);
            let options = CheckOptions {
                timeout: Some(timeout),
                jobs: 2,
                properties: vec![expectation.property.clone()],
                ..CheckOptions::default()
            };
            let checked = check(&instance.loaded, &options, &mut Silent);
            let checked = checked.expect("the request is right");
            assert_eq!(checked.failures, Vec::<String>::new(), "{what}");
            let report = &checked.report.properties[0];
            let expected = match expectation.expected {
                Expected::Holds => Status::Holds,
                Expected::Violated(_) => Status::Violated,
            };
            assert_eq!(report.status, expected, "{what}");
            assert_eq!(report.certified, Certified::Yes, "{what}");
        }
    }
}

#[test]
fn auto_decides_protocols_of_two_processes() {
    auto_decides(2, Duration::from_secs(60));
}

#[test]
fn auto_decides_protocols_of_three_processes() {
    auto_decides(3, Duration::from_secs(120));
}

/// `SECTILE_PROTOCOLS=4 cargo test -p sectile --test it protocols -- --ignored`
#[test]
#[ignore = "takes minutes: larger sizes are measured by bench/protocols.toml"]
fn auto_decides_protocols_of_the_size_that_is_given() {
    let size = std::env::var("SECTILE_PROTOCOLS").expect("a size is given");
    auto_decides(size.parse().expect("a number"), Duration::from_secs(60));
}

/// The search of all states says the same, with the lengths of shortest violations.
#[test]
fn explicit_search_agrees_with_the_headers_of_protocols() {
    let mut decided = 0;
    for instance in instances(2).into_iter().chain(instances(3)) {
        let options = Options {
            domain: None,
            max_depth: None,
            max_states: Some(20_000),
            stop: Stop::Never,
            keep_steps: false,
        };
        let Loaded { terms, reading, .. } = &instance.loaded;
        // Some start with any number: the search refuses them.
        let Ok(found) = explore(terms, &reading.module, &options, &Budget::unlimited()) else {
            continue;
        };
        for expectation in &instance.expectations {
            let what = instance.label(expectation);
            decided += usize::from(search_agrees(&found, expectation, &what));
        }
    }
    eprintln!("explicit search decided {decided}");
    assert!(decided >= 100, "the search decides many of them: {decided}");
}
