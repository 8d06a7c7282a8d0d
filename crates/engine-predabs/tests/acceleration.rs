//! Loops of counterexamples, taken any number of times at once: variants of Figure 10 of Abstraction as the Key.

use crate::common;

use common::{read, run};
use sectile_report::Status;

/// The refinements that prove a system by preconditions, with loops accelerated; without
/// acceleration ten are not enough.
fn proved_by_acceleration(text: &str) -> u64 {
    let loaded = read(text);
    let plain = [
        ("source", "preconditions"),
        ("acceleration", "false"),
        ("rounds", "10"),
    ];
    let report = run(&loaded, "safe", &plain);
    assert_eq!(report.status, Status::Unknown, "{text}");
    let report = run(&loaded, "safe", &[("source", "preconditions")]);
    assert_eq!(report.status, Status::Holds, "{text}{}", report.reached);
    let report_by_default = run(&loaded, "safe", &[]);
    assert_eq!(report_by_default.status, Status::Holds, "{text}");
    report.statistics["iterations"]
}

/// A system over two numbers, with places.
fn system(places: &str, commands: &str) -> String {
    format!(
        "var pc : {{l0, {places}, end}} = l0\nvar x, y : int\n\
         a: pc = l0 --> x := 1, y := 0, pc := l1\n{commands}\ninvariant safe: pc != end\n"
    )
}

#[test]
fn a_loop_of_two_commands() {
    let text = system(
        "l1, l2",
        "b: pc = l1 --> x := x + 1, pc := l2\nd: pc = l2 --> x := x + 1, pc := l1\n\
         c: pc = l1 and x = y --> pc := end",
    );
    assert!(proved_by_acceleration(&text) <= 2);
}

/// The path is a b d b c: the loop is b d, or d b.
#[test]
fn a_loop_that_is_left_in_its_middle() {
    let text = system(
        "l1, l2",
        "b: pc = l1 --> x := x + 1, pc := l2\nd: pc = l2 --> x := x + 2, pc := l1\n\
         c: pc = l2 and x = y --> pc := end",
    );
    assert!(proved_by_acceleration(&text) <= 3);
}

#[test]
fn two_loops_one_after_the_other() {
    let text = system(
        "l1, l2",
        "b: pc = l1 --> x := x + 1\ngo: pc = l1 --> pc := l2\nd: pc = l2 --> y := y - 1\n\
         c: pc = l2 and x = y --> pc := end",
    );
    assert!(proved_by_acceleration(&text) <= 3);
}

#[test]
fn two_loops_at_one_place() {
    let text = system(
        "l1",
        "b: pc = l1 --> x := x + 1\nd: pc = l1 --> y := y - 2\n\
         c: pc = l1 and x = y --> pc := end",
    );
    assert!(proved_by_acceleration(&text) <= 3);
}

#[test]
fn a_loop_in_a_loop() {
    let text = system(
        "l1, l2",
        "enter: pc = l1 --> pc := l2\nb: pc = l2 --> x := x + 1\n\
         leave: pc = l2 --> y := y - 1, pc := l1\nc: pc = l1 and x = y --> pc := end",
    );
    assert!(proved_by_acceleration(&text) <= 4);
}

/// The guard of the loop matters for many rounds, not for the one on the path.
#[test]
fn guards_that_a_single_round_does_not_need() {
    let text = system(
        "l1",
        "b: pc = l1 and x < 50 --> x := x + 1\nc: pc = l1 and x = 1000 --> pc := end",
    );
    let report = run(
        &read(&text),
        "safe",
        &[("source", "preconditions"), ("rounds", "20")],
    );
    assert_eq!(report.status, Status::Holds, "{}", report.reached);
}
