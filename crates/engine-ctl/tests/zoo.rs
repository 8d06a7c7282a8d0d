//! The models of Selecting Predicates: verdicts, evidence and numbers of nodes.
#![allow(clippy::unwrap_used)]

use sectile_driver::Checked;
use sectile_engine::Silent;
use sectile_report::{Certified, Status};
use sectile_testkit::driven::{checked, options, zoo};
use sectile_testkit::verdicts::settings;

fn run(model: &str, parameters: &[(&str, &str)], symmetry: &str) -> Checked {
    let options = options("ctl", 120, settings(&[("symmetry", symmetry)]));
    checked(&zoo(model, parameters), &options, &mut Silent)
}

/// All verdicts are as expected and certified; the nodes are counted where all are visited, and
/// processes are not exchanged then.
fn expect(
    model: &str,
    parameters: &[(&str, &str)],
    verdicts: &[(&str, Status)],
    nodes: Option<u64>,
) {
    let symmetry = if nodes.is_some() { "off" } else { "auto" };
    let checked = run(model, parameters, symmetry);
    for (name, status) in verdicts {
        let mut reports = checked.report.properties.iter();
        let report = reports.find(|p| p.name == *name).unwrap();
        let what = format!("{model} {parameters:?}: {name} ({})", report.reached);
        assert_eq!(report.status, *status, "{what}");
        assert_eq!(report.certified, Certified::Yes, "{what}");
        if let (Some(nodes), Status::Holds) = (nodes, status) {
            assert_eq!(report.statistics["nodes"], nodes, "{what}");
        }
    }
}

use Status::{Holds, Violated};

const TICKET: &[(&str, Status)] = &[("zbound", Holds), ("mutex", Holds), ("live", Holds)];

const AIRPORT: &[(&str, Status)] = &[
    ("mutex", Holds),
    ("p1", Holds),
    ("p2", Holds),
    ("p3", Holds),
    ("p4", Holds),
    ("c3live", Holds),
    ("noc3starve", Violated),
];

const DRIVER: &[(&str, Status)] = &[
    ("cdr", Holds),
    ("mode1", Holds),
    ("mode2", Holds),
    ("sem1", Holds),
    ("sem2", Holds),
    ("nodeadlock", Violated),
];

#[test]
fn tickets() {
    for (n, nodes) in [("2", 9), ("3", 31), ("4", 129), ("5", 651), ("6", 3913)] {
        expect("ticket", &[("n", n)], TICKET, Some(nodes));
    }
    let broken = [
        ("zbound", Violated),
        ("mutex", Violated),
        ("live", Violated),
    ];
    expect("ticket", &[("bug", "1")], &broken, None);
}

#[test]
fn airports_with_tickets() {
    for (n, nodes) in [("2", 73), ("3", 537)] {
        expect("airport-ticket", &[("n", n)], AIRPORT, Some(nodes));
    }
}

#[test]
fn airports_with_the_bakery() {
    expect("airport-bakery", &[("n", "3")], AIRPORT, Some(537));
    // For two planes tickets are the other one plus one: they grow for ever.
    expect("airport-bakery", &[("n", "2")], AIRPORT, None);
}

#[test]
fn airports_with_bugs() {
    for model in ["airport-ticket", "airport-bakery"] {
        let first = [("mutex", Violated), ("p2", Violated), ("p3", Violated)];
        expect(model, &[("bug", "1")], &first, None);
        let more = [
            ("p1", Holds),
            ("p4", Holds),
            ("c3live", Holds),
            ("noc3starve", Violated),
        ];
        expect(model, &[("bug", "1")], &more, None);
        let second = [
            ("mutex", Holds),
            ("p1", Violated),
            ("p2", Holds),
            ("p3", Holds),
            ("p4", Violated),
            ("c3live", Violated),
            ("noc3starve", Violated),
        ];
        expect(model, &[("bug", "2")], &second, None);
    }
}

#[test]
fn drivers() {
    for (n, nodes) in [("2", 133), ("3", 590)] {
        expect("chardriver", &[("n", n)], DRIVER, Some(nodes));
    }
    // The second semaphore grows for ever.
    let first = [
        ("cdr", Violated),
        ("sem2", Violated),
        ("mode1", Holds),
        ("mode2", Holds),
    ];
    expect("chardriver", &[("bug", "1")], &first, None);
    let more = [("sem1", Holds), ("nodeadlock", Violated)];
    expect("chardriver", &[("bug", "1")], &more, None);
    let second = [
        ("cdr", Holds),
        ("mode1", Violated),
        ("mode2", Violated),
        ("sem1", Holds),
    ];
    expect("chardriver", &[("bug", "2")], &second, None);
}

#[test]
fn four_processes() {
    expect("airport-ticket", &[("n", "4")], AIRPORT, Some(3609));
    expect("airport-bakery", &[("n", "4")], AIRPORT, Some(3609));
    expect("chardriver", &[("n", "4")], DRIVER, Some(2441));
}
