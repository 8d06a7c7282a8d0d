//! Running the engine in tests: every verdict is certified, every step can be looked at.
#![allow(dead_code)]

use sectile_driver::{CheckOptions, Checked, Loaded, check};
use sectile_engine::{Event, Interest, Observer, Picture};
use sectile_report::PropertyReport;
pub use sectile_testkit::driven::zoo;
use sectile_testkit::driven::{self, checked, first};
use sectile_testkit::verdicts;
use std::collections::BTreeMap;

/// Keeps all events.
pub struct Recorder {
    pub events: Vec<Event>,
    pub interest: Interest,
}

impl Recorder {
    pub fn new(interest: Interest) -> Recorder {
        Recorder {
            events: Vec::new(),
            interest,
        }
    }

    pub fn pictures(&self) -> Vec<&Picture> {
        let pictures = self.events.iter().filter_map(|e| match e {
            Event::Picture(picture) => Some(picture.as_ref()),
            _ => None,
        });
        pictures.collect()
    }

    pub fn predicates(&self) -> Vec<&str> {
        let splits = self.events.iter().filter_map(|e| match e {
            Event::Split { predicate, .. } => Some(predicate.as_str()),
            _ => None,
        });
        splits.collect()
    }
}

impl Observer for Recorder {
    fn event(&mut self, event: &Event) {
        self.events.push(event.clone());
    }

    fn interest(&self) -> Interest {
        self.interest
    }
}

fn options(
    loaded: &Loaded,
    property: &str,
    settings: &[(&str, &str)],
    predicates: &[&str],
) -> CheckOptions {
    let predicates = predicates.iter().map(|text| {
        let read = loaded.formulas("predicates", text);
        read.unwrap_or_else(|e| panic!("{text}: {e}"))
    });
    CheckOptions {
        properties: vec![property.to_string()],
        predicates: predicates.flatten().collect(),
        ..driven::options("slab", 120, verdicts::settings(settings))
    }
}

/// Checks the mutual exclusion of a model with what proves a smaller instance of it.
pub fn with_small(model: &str, large: &[(&str, &str)], small: &[(&str, &str)]) -> PropertyReport {
    let (large, small) = (zoo(model, large), zoo(model, small));
    let mut asked = options(&large, "mutex", &[], &[]);
    let lemmas = sectile_driver::small::lemmas(&large, &small, &asked).expect("it can be asked");
    asked.lemmas = lemmas.expect("it is decided");
    assert!(!asked.lemmas.is_empty());
    let mut recorder = Recorder::new(Interest::Counters);
    first(checked(&large, &asked, &mut recorder))
}

/// Checks one property with the given options of the engine.
pub fn run(
    loaded: &Loaded,
    property: &str,
    settings: &[(&str, &str)],
    predicates: &[&str],
    recorder: &mut Recorder,
) -> Checked {
    let options = options(loaded, property, settings, predicates);
    check(loaded, &options, recorder).unwrap_or_else(|e| panic!("{e}"))
}

/// Checks one property and returns its report, which must be certified.
pub fn verdict(loaded: &Loaded, property: &str, settings: &[(&str, &str)]) -> PropertyReport {
    let mut recorder = Recorder::new(Interest::Counters);
    let options = options(loaded, property, settings, &[]);
    first(checked(loaded, &options, &mut recorder))
}

/// The live edges of a picture, with the names of their relations, idling left out.
pub fn edge_table(picture: &Picture) -> String {
    let mut edges: BTreeMap<(usize, usize), Vec<&str>> = BTreeMap::new();
    for edge in picture.edges.iter().filter(|e| e.removed.is_none()) {
        if edge.relation != "idle" {
            let list = edges.entry((edge.from, edge.to)).or_default();
            list.push(&edge.relation);
        }
    }
    let lines = edges.into_iter().map(|((from, to), mut list)| {
        list.sort_unstable();
        format!("n{from} -> n{to}: {}", list.join(", "))
    });
    lines.collect::<Vec<_>>().join("\n")
}
