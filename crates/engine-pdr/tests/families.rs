//! Families of processes, programs and arithmetic: proved or refuted, with certified evidence.

use sectile_driver::Loaded;
use sectile_engine::Silent;
use sectile_report::{PropertyReport, Status};
use sectile_testkit::driven::{checked, first, options, read, zoo};
use sectile_testkit::verdicts::settings;

fn verdict(loaded: &Loaded, property: &str, set: &[(&str, &str)]) -> PropertyReport {
    let mut options = options("pdr", 60, settings(set));
    options.properties = vec![property.to_string()];
    first(checked(loaded, &options, &mut Silent))
}

#[test]
fn families_are_proved() {
    for (model, n) in [
        ("bakery.sct", "4"),
        ("fischer.sct", "4"),
        ("ticket.sct", "3"),
        ("protocols/mesi.sct", "4"),
    ] {
        let property = match model {
            "protocols/mesi.sct" => "current",
            _ => "mutex",
        };
        let report = verdict(&zoo(model, &[("n", n)]), property, &[]);
        assert_eq!(report.status, Status::Holds, "{model}");
    }
}

#[test]
fn bugs_are_found() {
    for (model, property) in [
        ("protocols/german.sct", "coherent"),
        ("protocols/szymanski.sct", "mutex"),
        ("protocols/paxos.sct", "agreement"),
    ] {
        let loaded = zoo(model, &[("n", "3"), ("bug", "1")]);
        let report = verdict(&loaded, property, &[]);
        assert_eq!(report.status, Status::Violated, "{model}");
    }
}

/// Processes that can be exchanged are looked at together.
#[test]
fn symmetry_saves_queries() {
    let queries = |symmetry: &str| {
        let loaded = zoo("fischer.sct", &[("n", "3")]);
        let report = verdict(&loaded, "mutex", &[("symmetry", symmetry)]);
        assert_eq!(report.status, Status::Holds);
        report.statistics["queries"]
    };
    assert!(queries("true") * 2 < queries("false"));
}

/// In a ring no two processes can be exchanged, but all of them can be turned.
#[test]
fn rings_are_turned() {
    let loaded = zoo("protocols/leader-ring.sct", &[("n", "3")]);
    let report = verdict(&loaded, "unique", &[]);
    assert_eq!(report.status, Status::Holds);
    // Without turns there are far more: cubes are blocked one by one, and predicates are found one by one.
    assert!(report.statistics["queries"] < 10_000);
}

/// Predicates that neither the start nor the property has.
#[test]
fn chains_without_a_run_bring_predicates() {
    let text = "var x, y : int\ninit x = 0 and y = 0\nup: x < 10 --> x := x + 1, y := y + 2\n\
                down: x >= 10 and y >= 0 --> y := y - 1\ninvariant safe: y <= 20\n";
    let report = verdict(&read("sct", text), "safe", &[]);
    assert_eq!(report.status, Status::Holds);
    assert!(report.statistics["predicates"] > 3);
}

#[test]
fn a_violation_in_the_first_state_is_a_run_without_steps() {
    let text = "var x : int\ninit x >= 0\ngo: true --> x := x + 1\ninvariant safe: x != 3\n";
    let report = verdict(&read("sct", text), "safe", &[]);
    assert_eq!(report.status, Status::Violated);
}
