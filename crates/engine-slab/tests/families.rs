//! The families of the paper's table: all proved or refuted, with certified evidence.

use crate::common;

use common::{verdict, with_small, zoo};
use sectile_report::Status;

const PAPER: (&str, &str) = ("slab-paper", "true");

fn iterations(model: &str, n: u32, property: &str, settings: &[(&str, &str)]) -> u64 {
    let loaded = zoo(model, &[("n", &n.to_string())]);
    let report = verdict(&loaded, property, settings);
    assert_eq!(report.status, Status::Holds, "{model} {n}");
    report.statistics["iterations"]
}

fn is_refuted(model: &str, parameters: &[(&str, &str)], property: &str) {
    let report = verdict(&zoo(model, parameters), property, &[]);
    assert_eq!(report.status, Status::Violated, "{model} {parameters:?}");
}

#[test]
fn deques_need_no_refinement() {
    for n in [5, 9, 30] {
        assert_eq!(iterations("deque.sct", n, "safe", &[]), 0);
    }
    assert_eq!(iterations("deque.sct", 9, "safe", &[PAPER]), 0);
}

#[test]
fn the_cost_of_bakery_does_not_depend_on_the_number_of_processes() {
    let three = iterations("bakery.sct", 3, "mutex", &[]);
    assert_eq!(three, iterations("bakery.sct", 6, "mutex", &[]));
    assert!(three <= 30);
    // Without symmetry, every pair costs the same.
    let all = iterations("bakery.sct", 4, "mutex", &[("symmetry", "false")]);
    assert_eq!(all, 6 * three);
}

#[test]
fn the_cost_of_fischer_does_not_depend_on_the_number_of_processes() {
    let three = iterations("fischer.sct", 3, "mutex", &[]);
    assert_eq!(three, iterations("fischer.sct", 5, "mutex", &[]));
    assert!(three <= 70);
}

#[test]
fn tickets_are_proved_by_lemmas() {
    assert!(iterations("ticket.sct", 2, "mutex", &[]) <= 30);
    let report = verdict(&zoo("ticket.sct", &[("n", "4")]), "mutex", &[]);
    assert_eq!(report.status, Status::Holds);
    assert!(report.statistics["lemmas"] > 0);
}

#[test]
fn the_paper_proves_the_small_ones() {
    iterations("bakery.sct", 2, "mutex", &[PAPER]);
    iterations("fischer.sct", 2, "mutex", &[PAPER]);
    iterations("ticket.sct", 2, "mutex", &[PAPER]);
}

#[test]
fn bugs_are_found() {
    is_refuted("deque.sct", &[("n", "6"), ("bug", "1")], "safe");
    is_refuted("bakery.sct", &[("n", "4"), ("bug", "1")], "mutex");
    is_refuted("fischer.sct", &[("n", "3"), ("bug", "1")], "mutex");
    is_refuted("fischer.sct", &[("n", "3"), ("bug", "2")], "mutex");
    is_refuted("ticket.sct", &[("bug", "1")], "mutex");
    is_refuted("bakery-fine.sct", &[("n", "2"), ("bug", "1")], "mutex");
}

/// Every addition can be switched off without changing a verdict.
#[test]
fn switches_change_no_verdict() {
    for option in [
        "decompose",
        "symmetry",
        "seeds",
        "reuse",
        "atomic",
        "minimise",
        "witnesses",
        "syntactic",
    ] {
        let settings = [(option, "false")];
        iterations("bakery.sct", 2, "mutex", &settings);
        iterations("ticket.sct", 2, "mutex", &settings);
        let loaded = zoo("ticket.sct", &[("bug", "1")]);
        let report = verdict(&loaded, "mutex", &settings);
        assert_eq!(report.status, Status::Violated, "{option}");
    }
    iterations("bakery.sct", 2, "mutex", &[("unreachable", "false")]);
    // Interpolants about the lock as a number cannot be exchanged with the processes.
    iterations("fischer.sct", 2, "mutex", &[("atomic", "false")]);
    iterations("fischer.sct", 2, "mutex", &[("bypass", "profitable")]);
    iterations("ticket.sct", 3, "mutex", &[("bypass", "profitable")]);
    iterations("bakery.sct", 3, "mutex", &[("up-front", "0")]);
    iterations("bakery.sct", 3, "mutex", &[("order", "model")]);
}

/// What proves a small instance proves a larger one, without a single refinement.
#[test]
fn lemmas_of_small_instances_carry_over() {
    for (model, parameters) in [
        ("bakery.sct", "6"),
        ("fischer.sct", "5"),
        ("ticket.sct", "5"),
    ] {
        let small = if model == "ticket.sct" { "4" } else { "3" };
        let report = with_small(model, &[("n", parameters)], &[("n", small)]);
        assert_eq!(report.status, Status::Holds, "{model}");
        assert_eq!(report.statistics["iterations"], 0, "{model}");
    }
    // A wrong lemma does no harm: the larger instance has the bug as well.
    let bug = [("n", "3"), ("bug", "1")];
    let report = with_small("bakery.sct", &bug, &[("n", "2"), ("bug", "0")]);
    assert_eq!(report.status, Status::Violated);
}
