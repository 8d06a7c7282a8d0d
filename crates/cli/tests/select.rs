//! `select`, and `check --select`: predicates chosen on a small instance prove a larger one.

use crate::common;

use common::schema::Schema;
use common::sectile;
use serde_json::Value;

const AIRPORT: &str = "models/airport-ticket.sct";

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
    let ran = sectile(&[
        "check",
        AIRPORT,
        "-D",
        "n=3",
        "--property",
        "p2",
        "--engine",
        "partial",
        "--select",
        "imprecision",
        "--small",
        "n=2",
        "--timeout",
        "120s",
    ]);
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
