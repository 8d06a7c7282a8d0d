//! Observers made from hand-made sequences of events.

use sectile_engine::{Event, Interest, Observer, Statistics};
use sectile_report::{Growth, LiveStatus, event_text};

fn started(engine: &'static str, property: &str) -> Event {
    Event::Started {
        engine,
        property: property.to_string(),
    }
}

fn size(step: u64, nodes: usize, predicates: usize) -> Event {
    Event::Abstraction {
        step,
        nodes,
        edges: 2 * nodes,
        predicates,
    }
}

fn part(index: usize, of: usize, name: &str) -> Event {
    Event::Part {
        index,
        of,
        name: name.to_string(),
    }
}

fn tell(observer: &mut dyn Observer, events: &[Event]) {
    events.iter().for_each(|e| observer.event(e));
}

#[test]
fn growth_is_a_table_with_a_row_for_every_step() {
    let mut growth = Growth::default();
    tell(
        &mut growth,
        &[
            started("slab", "mutex"),
            size(0, 4, 0),
            size(1, 5, 1),
            part(2, 3, "P[0], P[2]"),
            size(0, 4, 0),
            started("slab", "a, \"b\""),
            size(0, 2, 0),
        ],
    );
    assert_eq!(
        growth.csv(),
        "step,predicates,nodes,edges,part,property,engine\n\
         0,0,4,8,1,mutex,slab\n\
         1,1,5,10,1,mutex,slab\n\
         0,0,4,8,2,mutex,slab\n\
         0,0,2,4,1,\"a, \"\"b\"\"\",slab\n"
    );
}

#[test]
fn the_status_tells_who_works_on_what_and_how_far() {
    let mut status = LiveStatus::default();
    assert!(status.lines(0.0).is_empty());
    tell(
        &mut status,
        &[
            started("slab", "mutex"),
            part(2, 6, "P[0].pc = 3 and\n P[1].pc = 3"),
            size(12, 42, 17),
            Event::PredicateBorn {
                predicate: "req <= Max".to_string(),
                source: "interpolant",
            },
        ],
    );
    assert_eq!(
        status.lines(3.12),
        [
            "slab: mutex, part 2 of 6 (P[0].pc = 3 and P[1].pc = 3), 3.1 s",
            "  iteration 12, 42 nodes, 84 edges, 17 predicates",
            "  last predicate req <= Max",
        ]
    );
    tell(
        &mut status,
        &[started("bmc", "b"), Event::BoundRefuted { depth: 4 }],
    );
    assert_eq!(status.line(4.0), "bmc: b, 4.0 s; no violation in 4 steps");
    assert_eq!(status.interest(), Interest::Counters);
}

#[test]
fn long_formulas_do_not_fill_the_terminal() {
    let mut status = LiveStatus::default();
    let predicate = "x + ".repeat(1000) + "y <= 0";
    tell(
        &mut status,
        &[
            started("slab", "p"),
            Event::Split {
                node: 1,
                halves: [2, 3],
                predicate: predicate.clone(),
            },
        ],
    );
    let lines = status.lines(0.0);
    assert!(lines.iter().all(|l| l.chars().count() <= 120), "{lines:?}");
    let text = event_text(&Event::Lemma {
        formula: predicate,
        source: "seed",
    });
    assert!(text.is_some_and(|t| t.chars().count() <= 120));
}

#[test]
fn the_largest_abstraction_is_kept() {
    let mut statistics = Statistics::default();
    tell(
        &mut statistics,
        &[
            size(0, 4, 0),
            size(1, 9, 3),
            size(2, 0, 3),
            Event::Counter {
                name: "splits",
                value: 2,
            },
        ],
    );
    assert_eq!(statistics.counters().get("nodes_max"), Some(&9));
    assert_eq!(statistics.counters().get("splits"), Some(&2));
}
