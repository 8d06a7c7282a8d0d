//! `select`, and `check --select`: predicates chosen on a small instance prove a larger one.

use crate::common;

use common::schema::Schema;
use common::{Ran, root, sectile, temporary};
use serde_json::Value;

const AIRPORT: &str = "models/airport-ticket.sct";

/// Checks a property of three airplanes with the predicates that imprecision chooses for two.
fn chosen_for_two(property: &str) -> Ran {
    let mut list = vec!["check", AIRPORT, "-D", "n=3", "--property", property];
    list.extend(["--engine", "partial", "--select", "imprecision"]);
    list.extend(["--small", "n=2", "--timeout", "120s"]);
    sectile(&list)
}

#[test]
fn the_table_is_written_for_programs_too() {
    let schema = Schema::read("select.schema.json");
    for (heuristic, chosen) in [
        ("imprecision", ["t = AirplaneA[0].a", "s >= AirplaneA[1].a"]),
        ("compatibility", ["numRW16R = 0", "numC3 = 0"]),
    ] {
        let ran = sectile(&[
            "select",
            AIRPORT,
            "-D",
            "n=4",
            "--small",
            "n=2",
            "--heuristic",
            heuristic,
            "--property",
            "p2",
            "--format",
            "json",
        ]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        let document: Value = serde_json::from_str(&ran.out).expect("it is JSON");
        schema.check(&document);
        let selection = &document["selections"][0];
        assert_eq!(selection["chosen"], serde_json::json!(chosen));
        assert_eq!(selection["candidates"].as_array().map(Vec::len), Some(14));
        let imprecision = &selection["imprecision"];
        assert_eq!(imprecision["imprecise"], 4);
        assert_eq!(imprecision["imprecise_pairs"], 44);
        let compatibility = &selection["compatibility"];
        match heuristic {
            "imprecision" => assert!(compatibility.is_null()),
            _ => assert_eq!(
                (&compatibility["compatible"], &compatibility["incompatible"]),
                (&Value::from(36), &Value::from(55))
            ),
        }
    }
}

#[test]
fn a_small_instance_chooses_for_a_larger_one() {
    let ran = sectile(&[
        "check",
        AIRPORT,
        "-D",
        "n=3",
        "--property",
        "p2",
        "--property",
        "p3",
        "--engine",
        "partial",
        "--select",
        "compatibility",
        "--small",
        "n=2",
        "--timeout",
        "120s",
    ]);
    assert_eq!(ran.out, "p2: holds\np3: holds\n", "{}", ran.err);
    assert!(
        ran.err.contains("p2: selected numRW16R = 0; numC3 = 0"),
        "{}",
        ran.err
    );
    assert!(
        ran.err.contains("p3: selected numRW16R = 0; numC4 = 0"),
        "{}",
        ran.err
    );
    // The other heuristic does not look at the property, and its choice does not prove this one.
    let ran = chosen_for_two("p2");
    assert_eq!(ran.code, 20, "{}", ran.out);
    assert!(ran.out.contains("without a concrete run"), "{}", ran.out);
}

/// The counts with the definitions of the paper: abstract proofs about infinite paths.
#[test]
fn published_definitions_can_be_asked_for() {
    let select = |arguments: &[&str], heuristic: &str| {
        let mut list = vec!["select"];
        list.extend(arguments);
        list.extend(["--heuristic", heuristic, "--format", "json"]);
        let ran = sectile(&list);
        assert_eq!(ran.code, 0, "{}", ran.err);
        let document: Value = serde_json::from_str(&ran.out).expect("it is JSON");
        document["selections"][0].clone()
    };
    let aims: [(&[&str], u32); 3] = [
        (&["--aim", "abstractly", "--infinite-paths"], 105),
        (&["--aim", "abstractly"], 49),
        (&[], 28),
    ];
    for (aim, compatible) in aims {
        let arguments = [&[AIRPORT, "--property", "p4"], aim].concat();
        let found = select(&arguments, "compatibility");
        assert_eq!(found["compatibility"]["compatible"], compatible, "{aim:?}");
    }
    for (any, pairs) in [("anyTicket=0", 78), ("anyTicket=1", 80)] {
        let model = "models/airport-bakery.sct";
        let found = select(&[model, "-D", any, "--property", "p2"], "imprecision");
        assert_eq!(found["imprecision"]["imprecise"], 8);
        assert_eq!(found["imprecision"]["imprecise_pairs"], pairs);
    }
}

#[test]
fn there_may_be_nothing_to_choose() {
    let ran = sectile(&[
        "select",
        "models/chardriver.sct",
        "--heuristic",
        "imprecision",
        "--property",
        "cdr",
    ]);
    assert!(ran.out.ends_with("chosen: none\n"), "{}", ran.out);
    let ran = sectile(&[
        "select",
        AIRPORT,
        "--heuristic",
        "imprecision",
        "--property",
        "nope",
    ]);
    assert_eq!(ran.code, 2);
    let ran = sectile(&["select", "models/sum.imp", "--heuristic", "imprecision"]);
    assert_eq!(ran.code, 2, "{}", ran.err);
    let ran = sectile(&[
        "check",
        AIRPORT,
        "--select",
        "imprecision",
        "--predicates",
        "s = t",
    ]);
    assert_eq!(ran.code, 2);
}

/// Without the number of variables one predicate is chosen, and it proves what two did not.
#[test]
fn ties_may_be_broken_by_predicates_alone() {
    let ties = [
        "--ties",
        "predicates",
        "--small",
        "n=2",
        "--timeout",
        "120s",
    ];
    for property in ["p2", "p4"] {
        let mut list = vec!["check", AIRPORT, "-D", "n=3", "--property", property];
        list.extend(["--engine", "partial", "--select", "imprecision"]);
        list.extend(ties);
        let ran = sectile(&list);
        assert_eq!(ran.out, format!("{property}: holds\n"), "{}", ran.err);
        let said = format!("{property}: selected numC3 = 0\n");
        assert!(ran.err.contains(&said), "{}", ran.err);
    }
}

/// The paper's p3 cannot be about mutual exclusion: its predicates for the tickets lose that. They
/// prove that the counter is not negative.
#[test]
fn the_printed_choice_proves_what_needs_no_tickets() {
    let ran = chosen_for_two("c3count");
    assert_eq!(ran.out, "c3count: holds\n", "{}", ran.err);
    let said = "c3count: selected t = AirplaneA[0].a; s >= AirplaneA[1].a\n";
    assert!(ran.err.contains(said), "{}", ran.err);
}

#[test]
fn a_set_is_reused_for_the_next_property() {
    let mut list = vec!["select", AIRPORT, "--heuristic", "compatibility", "--reuse"];
    list.extend(["--property", "p3", "--property", "p2"]);
    let ran = sectile(&list);
    let reused = "p2: reused: numRW16R = 0; numC4 = 0\n";
    assert!(ran.out.ends_with(reused), "{}", ran.out);
    list.extend(["--format", "json"]);
    let ran = sectile(&list);
    let document: Value = serde_json::from_str(&ran.out).expect("it is JSON");
    Schema::read("select.schema.json").check(&document);
    let selections = &document["selections"];
    assert!(selections[0]["reused"].is_null());
    assert_eq!(selections[1]["reused"], true);
    assert_eq!(selections[0]["chosen"][0], selections[1]["chosen"][0]);
    // The same for `check`: what proves one property is tried for the next.
    let mut list = vec!["check", AIRPORT, "--engine", "partial", "--timeout", "120s"];
    list.extend(["--property", "p3", "--property", "p2"]);
    list.extend(["--select", "compatibility", "--reuse"]);
    let ran = sectile(&list);
    assert_eq!(ran.out, "p3: holds\np2: holds\n", "{}", ran.err);
    assert!(
        ran.err.contains(": reused numRW16R = 0; numC"),
        "{}",
        ran.err
    );
}

/// Predicates chosen for one version of a model prove the next one, which has more behaviour.
#[test]
fn an_earlier_version_chooses_for_a_later_one() {
    let old = root().join(AIRPORT);
    let text = std::fs::read_to_string(&old).expect("it can be read");
    let more = "  takeOff: pc = parked";
    let text = text.replace(
        more,
        &format!("  around: pc = arFlow --> pc := fly\n{more}"),
    );
    let new = temporary("airport-around.sct", &text);
    let new = new.to_str().expect("it is text");
    let mut list = vec!["check", new, "-D", "n=3", "--property", "p2"];
    list.extend(["--engine", "partial", "--select", "compatibility"]);
    list.extend(["--small", AIRPORT, "--small", "n=2", "--timeout", "120s"]);
    let ran = sectile(&list);
    assert_eq!(ran.out, "p2: holds\n", "{}", ran.err);
    let said = "p2: selected numRW16R = 0; numC3 = 0\n";
    assert!(ran.err.contains(said), "{}", ran.err);
    list.extend(["--small", "models/ticket.sct"]);
    let ran = sectile(&list);
    assert_eq!(ran.code, 2, "{}", ran.out);
    assert!(ran.err.contains("--small takes one file"), "{}", ran.err);
}

/// With an eye on the property other pairs are imprecise.
#[test]
fn the_property_may_count() {
    let count = |heuristic: &str| {
        let mut list = vec!["select", AIRPORT, "--property", "p4"];
        list.extend(["--heuristic", heuristic, "--format", "json"]);
        let ran = sectile(&list);
        let document: Value = serde_json::from_str(&ran.out).expect("it is JSON");
        Schema::read("select.schema.json").check(&document);
        let scores = &document["selections"][0]["imprecision"];
        (
            scores["imprecise"].clone(),
            scores["imprecise_pairs"].clone(),
        )
    };
    assert_eq!(count("imprecision"), (Value::from(5), Value::from(57)));
    assert_eq!(count("property"), (Value::from(3), Value::from(38)));
}

/// Table 1: the sizes of the parts of a system are statistics.
#[test]
fn sizes_are_statistics() {
    let mut list = vec!["check", AIRPORT, "--property", "p1", "--engine", "poly"];
    list.extend(["--set", "sets=bdd", "--stats", "--format", "json"]);
    let ran = sectile(&list);
    let document: Value = serde_json::from_str(&ran.out).expect("it is JSON");
    let statistics = &document["properties"][0]["statistics"];
    for (name, value) in [
        ("space_polyhedra", 1),
        ("space_constraints", 4),
        ("space_disjuncts", 1),
        ("initial_polyhedra", 1),
        ("initial_disjuncts", 1),
        ("steps_polyhedra", 20),
        ("steps_disjuncts", 20),
        ("steps_constraints", 270),
    ] {
        assert_eq!(statistics[name], value, "{name}");
    }
    for name in ["space_bdd", "initial_bdd", "steps_bdd"] {
        assert!(statistics[name].as_u64() > Some(1), "{name}");
    }
}
