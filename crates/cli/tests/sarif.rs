//! Results for code scanning.

use crate::common::{sectile, temporary};
use serde_json::Value;

#[test]
fn verdicts_and_runs_are_results_with_places() {
    let text = "// expect: small violated\nvar x : int = 0\nup: x < 5 --> x := x + 1\n\
                invariant small: x <= 5\ninvariant tiny: x <= 3\n";
    let file = temporary("sarif.sct", text);
    let name = file.to_string_lossy().into_owned();
    let ran = sectile(&["check", &name, "--format", "sarif"]);
    assert_eq!(ran.code, 10, "{}{}", ran.out, ran.err);
    let document: Value = serde_json::from_str(&ran.out).expect("it is JSON");
    assert_eq!(document["version"], "2.1.0");
    let run = &document["runs"][0];
    assert_eq!(run["tool"]["driver"]["name"], "Sectile");
    assert_eq!(run["tool"]["driver"]["rules"][1]["id"], "tiny");
    let results = run["results"].as_array().expect("there are results");
    let of = |rule: &str| { results.iter() }.find(|r| r["ruleId"] == rule);
    let holds = of("small").expect("it is a result");
    assert_eq!(
        (&holds["kind"], &holds["level"]),
        (&"pass".into(), &"none".into())
    );
    let violated = of("tiny").expect("it is a result");
    assert_eq!(violated["level"], "error");
    let place = &violated["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], name);
    assert_eq!(place["region"]["startLine"], 5);
    let steps = &violated["codeFlows"][0]["threadFlows"][0]["locations"];
    assert_eq!(steps.as_array().map(Vec::len), Some(5));
    let last = &steps[4]["location"];
    assert_eq!(last["message"]["text"], "up: x = 4");
    assert_eq!(last["physicalLocation"]["region"]["startLine"], 3);
    let warnings = { results.iter() }.filter(|r| r["level"] == "warning");
    assert_eq!(warnings.count(), 1, "it is not what the file expects");
}
