//! The run of the paper: the elevator of Table 1, verified as in Figures 2 and 3.

use crate::common;

use common::{Recorder, edge_table, run, verdict, zoo};
use sectile_engine::{Interest, SliceReason};
use sectile_report::Status;

const PAPER: (&str, &str) = ("slab-paper", "true");

fn replay(model: &str, predicates: &[&str]) -> (Recorder, Status) {
    let loaded = zoo(model, &[]);
    let mut recorder = Recorder::new(Interest::Pictures);
    let checked = run(&loaded, "safe", &[PAPER], predicates, &mut recorder);
    assert!(checked.failures.is_empty());
    let status = checked.report.properties[0].status;
    (recorder, status)
}

/// Paper: [BrDrFiWe07, Figs 2 and 3], with the predicates of the paper.
#[test]
fn the_figures_are_replayed_step_by_step() {
    let (recorder, status) = replay("elevator-dom.sct", &["pc = 1; pc = 2; req <= Max"]);
    assert_eq!(status, Status::Holds);
    assert_eq!(recorder.predicates(), ["pc = 1", "pc = 2", "req <= Max"]);
    let pictures = recorder.pictures();
    let all = "down, moveDn, moveUp, ready, request, up";
    let steps: Vec<String> = pictures.iter().map(|p| edge_table(p)).collect();
    let first = ["n1 -> n2", "n1 -> n3", "n2 -> n2", "n2 -> n3"].map(|e| format!("{e}: {all}"));
    assert_eq!(
        steps,
        [
            first.join("\n").as_str(),
            "n1 -> n2: request\nn2 -> n2: down, moveDn, moveUp, up\nn2 -> n3: moveUp#",
            "n1 -> n2: request\nn2 -> n5: down, up\nn5 -> n3: moveUp#\nn5 -> n5: moveDn, moveUp",
            "n1 -> n2: request\nn2 -> n5: up\nn5 -> n3: moveUp#\nn5 -> n5: moveUp",
            "n1 -> n5: request;up\nn5 -> n3: moveUp#\nn5 -> n5: moveUp",
            "",
        ]
    );
    let removed = |step: usize, id: usize| {
        let node = pictures[step].nodes.iter().find(|n| n.id == id);
        node.expect("the node is in the picture").removed
    };
    assert_eq!(removed(1, 4), Some(SliceReason::Inconsistent));
    assert_eq!(removed(3, 6), Some(SliceReason::BackwardUnreachable));
    assert_eq!(removed(4, 2), Some(SliceReason::ForwardUnreachable));
    assert!(pictures[5].nodes.iter().all(|n| n.removed.is_some()));
}

/// With Table 1 taken literally, an edge remains that the paper's figures do not have.
#[test]
fn the_literal_elevator_keeps_the_request_edge() {
    let (recorder, status) = replay("elevator.sct", &["pc = 1; pc = 2"]);
    assert_eq!(status, Status::Holds);
    let pictures = recorder.pictures();
    assert_eq!(
        edge_table(pictures[1]),
        "n1 -> n2: request\nn2 -> n2: down, moveDn, moveUp, request, up\nn2 -> n3: moveUp#"
    );
    assert_eq!(
        edge_table(pictures[2]),
        "n1 -> n2: request\nn2 -> n5: down, up\nn5 -> n2: request\nn5 -> n3: moveUp#\n\
         n5 -> n5: moveDn, moveUp"
    );
    assert_eq!(
        edge_table(pictures[3]),
        "n1 -> n2: request\nn2 -> n5: up\nn2 -> n6: down\nn5 -> n3: moveUp#\nn5 -> n5: moveUp\n\
         n6 -> n2: request\nn6 -> n6: moveDn"
    );
}

#[test]
fn the_elevator_needs_few_refinements_of_its_own() {
    let refinements = |settings: &[(&str, &str)]| {
        let report = verdict(&zoo("elevator-dom.sct", &[]), "safe", settings);
        assert_eq!(report.status, Status::Holds);
        report.statistics["iterations"]
    };
    assert!(refinements(&[]) <= 6);
    assert!(refinements(&[PAPER]) <= 6);
    let literal = verdict(&zoo("elevator.sct", &[]), "safe", &[]);
    assert_eq!(literal.status, Status::Holds);
}

/// Each part of the paper's procedure can be switched off, and each addition on.
#[test]
fn every_combination_of_operations_is_sound() {
    for bypass in ["off", "chains", "profitable"] {
        for simplify in ["true", "false"] {
            for extra in [
                ("atomic", "true"),
                ("minimise", "true"),
                ("sub-path", "earliest"),
                ("path-slice", "true"),
            ] {
                let settings = [PAPER, ("bypass", bypass), ("simplify", simplify), extra];
                let loaded = zoo("elevator.sct", &[]);
                let safe = verdict(&loaded, "safe", &settings);
                assert_eq!(safe.status, Status::Holds, "{settings:?}");
                for bug in ["1", "2"] {
                    let loaded = zoo("elevator.sct", &[("bug", bug)]);
                    let unsafe_one = verdict(&loaded, "safe", &settings);
                    assert_eq!(unsafe_one.status, Status::Violated, "{settings:?}");
                }
            }
        }
    }
}

/// F2: the user chooses nodes and predicates, as in deductive model checking: the figures again.
#[test]
fn the_user_may_choose_nodes_and_predicates() {
    let loaded = zoo("elevator-dom.sct", &[]);
    let told = |guide: &str, predicates: &str| {
        let mut recorder = Recorder::new(Interest::Pictures);
        let settings = [PAPER, ("guide", guide)];
        let checked = run(&loaded, "safe", &settings, &[predicates], &mut recorder);
        assert!(checked.failures.is_empty());
        let report = checked.report.properties[0].clone();
        (recorder, report)
    };
    let all = "pc = 1; pc = 2; req <= Max";
    let (recorder, report) = told("n2,n5,n5", all);
    assert_eq!(report.status, Status::Holds);
    assert_eq!(report.statistics["iterations"], 0);
    assert_eq!(report.statistics["splits"], 3);
    assert_eq!(recorder.predicates(), ["pc = 1", "pc = 2", "req <= Max"]);
    let (prescribed, _) = replay("elevator-dom.sct", &[all]);
    let steps = |r: &Recorder| {
        let pictures = r.pictures();
        pictures.iter().map(|p| edge_table(p)).collect::<Vec<_>>()
    };
    assert_eq!(steps(&recorder), steps(&prescribed));
    // What is left after the splits is refined as ever.
    let (_, report) = told("n2", "pc = 1");
    assert_eq!(report.status, Status::Holds);
    assert!(report.statistics["iterations"] > 0);
    // A node that is not there, and too many nodes.
    let (_, report) = told("n7", "pc = 1");
    assert_eq!(report.status, Status::Unknown);
    let (_, report) = told("n2,n5", "pc = 1");
    assert_eq!(report.status, Status::Unknown);
}

/// F2: path slicing leaves out what cannot matter, and changes no verdict.
#[test]
fn paths_are_sliced_before_interpolation() {
    // The counter `noise` is written on every step and never matters.
    let text = "var pc : {a, b, c} = a\nvar x : int = 0\nvar noise : int\n\
                go: pc = a and noise >= 0 --> pc := b, x := 1, noise := noise + 1\n\
                on: pc = b --> pc := c, noise := noise + x\nback: pc = c --> pc := a, x := 0\n\
                error e: pc = c and x = 0\n";
    let loaded = sectile_testkit::driven::read("sct", text);
    let sliced = verdict(&loaded, "e", &[PAPER, ("path-slice", "true")]);
    assert_eq!(sliced.status, Status::Holds);
    assert!(sliced.statistics["left_out"] > 0);
    let whole = verdict(&loaded, "e", &[PAPER]);
    assert_eq!(whole.status, Status::Holds);
    assert_eq!(whole.statistics["left_out"], 0);
    assert!(sliced.statistics["iterations"] <= whole.statistics["iterations"]);
}
