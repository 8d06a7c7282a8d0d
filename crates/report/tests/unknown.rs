//! What is said about a property whose verdict is not known.

use sectile_report::{
    Candidate, Certified, CheckReport, EngineWords, Explanation, PropertyReport, Status,
    TextOptions, diverging_family, to_json, to_text,
};

fn pair(name: &str, value: &str) -> (String, String) {
    (name.to_string(), value.to_string())
}

fn report() -> CheckReport {
    let predicates = ["x = y", "x + 1 = y", "x + 2 = y", "x + 3 = y", "x + 4 = y"];
    let predicates: Vec<String> = predicates.iter().map(ToString::to_string).collect();
    let words = |engine: &str, reason: &str, reached: &str| EngineWords {
        engine: engine.to_string(),
        reason: reason.to_string(),
        reached: reached.to_string(),
    };
    let property = PropertyReport {
        name: "safe".to_string(),
        kind: "invariant",
        status: Status::Unknown,
        sizes: None,
        reason: "timeout".to_string(),
        reached: "five refinements".to_string(),
        hint: "sectile check fig10.sct --timeout 5s".to_string(),
        explanation: Some(Explanation {
            bound: Some(7),
            family: diverging_family("predabs", &predicates),
            candidate: Some(Candidate {
                formula: "pc != l2".to_string(),
                depth: 1,
                before: vec![pair("pc", "l1"), pair("x", "6"), pair("y", "6")],
                step: "c".to_string(),
                after: vec![pair("pc", "l2")],
            }),
            engines: vec![
                words("kinduction", "timeout", ""),
                words("predabs", "timeout", "five refinements"),
                words("bmc", "timeout", ""),
                words("kinduction", "timeout", ""),
            ],
            others: Vec::new(),
        }),
        engine: "predabs".to_string(),
        warnings: Vec::new(),
        seconds: 1.0,
        certified: Certified::NotApplicable,
        evidence: None,
        statistics: Default::default(),
        solver_seconds: 0.5,
    };
    CheckReport {
        file: "fig10.sct".to_string(),
        language: "sct",
        parameters: Vec::new(),
        variables: 3,
        steps: 3,
        locations: None,
        loops: None,
        warnings: Vec::new(),
        properties: vec![property],
    }
}

#[test]
fn the_text_says_what_was_reached_what_diverges_and_what_is_missing() {
    let text = to_text(&report(), TextOptions::default());
    let expected = "\
safe: unknown (timeout)
  reached: five refinements
  bound: no violation has 7 steps or fewer
  diverging: x + k = y (5 predicates of predabs: x = y; x + 1 = y; x + 2 = y; x + 3 = y; ...)
  candidate: pc != l2
    a step leaves it: from pc = l1, x = 6, y = 6 by c to pc = l2
  kinduction, bmc (timeout)
  predabs (timeout): five refinements
  try: sectile check fig10.sct --timeout 5s
";
    assert_eq!(text, expected);
}

#[test]
fn the_document_says_the_same() {
    let document: serde_json::Value =
        serde_json::from_str(&to_json(&report())).expect("it is JSON");
    let explanation = &document["properties"][0]["explanation"];
    assert_eq!(explanation["bound"], 7);
    assert_eq!(explanation["family"]["pattern"], "x + k = y");
    assert_eq!(explanation["family"]["members"][1], "x + 1 = y");
    assert_eq!(explanation["candidate"]["before"]["x"], "6");
    assert_eq!(explanation["engines"][0]["engine"], "kinduction");
}
