//! Runs our own engines, through `sectile check`.

use super::{Finished, Reading, Runner, first_line};
use crate::Verdict;
use crate::execute::{Ended, Measured};
use crate::plan::Task;
use crate::record::Outcome;
use indexmap::IndexMap;
use serde_json::Value;
use std::io;

/// The command line, without limits.
pub(super) fn words(program: &str, task: &Task, engine: &str, options: &[String]) -> Vec<String> {
    let mut words = task.words(program, "check");
    for property in &task.properties {
        words.extend(["--property".to_string(), property.clone()]);
    }
    words.extend(["--engine".to_string(), engine.to_string()]);
    words.extend(options.iter().cloned());
    words
}

impl Runner {
    pub(super) fn engine(
        &self,
        task: &Task,
        engine: &str,
        options: &[String],
    ) -> io::Result<(Measured, Reading)> {
        let mut words = words(&self.program, task, engine, options);
        // The program gets the limits as options, so that it can report partial results. Its time
        // limit is the wall clock: on a busy machine it must get as much CPU time as the others.
        let (time, memory) = (self.limits.wall().as_millis(), self.limits.memory);
        let further = format!("--format json --stats --quiet --timeout {time}ms --memory {memory}");
        words.extend(further.split(' ').map(String::from));
        if task.properties.len() > 1 {
            words.push("--first-violation".to_string());
        }
        let finished = self.execute(words)?;
        let reading = self
            .cut_off(&finished.measured, &finished.errors)
            .unwrap_or_else(|| read(&finished));
        Ok((finished.measured, reading))
    }
}

fn read(finished: &Finished) -> Reading {
    let message = first_line(&finished.errors);
    let code = match finished.measured.ended {
        Ended::Exit(code) => code,
        _ => -1,
    };
    match code {
        0 | 10 | 20 => match serde_json::from_str(&finished.output) {
            Ok(report) => from_report(&report),
            Err(e) => Reading::plain(Outcome::Failed, format!("the report is no JSON: {e}")),
        },
        2 => Reading::plain(Outcome::Error, message),
        3 => Reading::plain(Outcome::Refused, message),
        _ => Reading::plain(Outcome::Failed, message),
    }
}

/// The verdict about all properties: violated if one is; holds if all hold.
fn from_report(report: &Value) -> Reading {
    let none = Vec::new();
    let properties = report["properties"].as_array().unwrap_or(&none);
    let word = |p: &Value| p["verdict"].as_str().unwrap_or("").to_string();
    let violated = properties.iter().find(|p| word(p) == "violated");
    let undecided = properties.iter().find(|p| word(p) != "holds");
    let certified = |p: &Value| p["certified"].as_bool().unwrap_or(false);
    let (outcome, detail, sure) = match (violated, undecided) {
        (Some(p), _) => (
            Outcome::Decided(Verdict::Violated),
            String::new(),
            Some(certified(p)),
        ),
        (None, Some(p)) => {
            let reason = p["reason"].as_str().unwrap_or("").to_string();
            (of_reason(&reason), reason, None)
        }
        (None, None) if properties.is_empty() => {
            (Outcome::Error, "there is no property".to_string(), None)
        }
        (None, None) => {
            let all = properties.iter().all(certified);
            (Outcome::Decided(Verdict::Holds), String::new(), Some(all))
        }
    };
    Reading {
        outcome,
        detail,
        certified: sure,
        statistics: statistics(report, properties),
    }
}

/// The outcome for a reason for `unknown` in our reports.
fn of_reason(reason: &str) -> Outcome {
    match reason {
        "timeout" => Outcome::Timeout,
        "memory limit" => Outcome::Memory,
        _ => Outcome::Unknown,
    }
}

/// The sums of the counters over all properties (for maxima, the maximum), and the size of the
/// input.
fn statistics(report: &Value, properties: &[Value]) -> IndexMap<String, f64> {
    let mut found = IndexMap::new();
    let counters = properties
        .iter()
        .filter_map(|p| p["statistics"].as_object());
    for (name, value) in counters.flatten() {
        let Some(value) = value.as_f64() else {
            continue;
        };
        let sum = found.entry(name.clone()).or_insert(0.0);
        match name.ends_with("_max") {
            true => *sum = value.max(*sum),
            false => *sum += value,
        }
    }
    for key in ["variables", "steps", "locations"] {
        let value = report["input"][key].as_f64();
        found.extend(value.map(|v| (format!("input.{key}"), v)));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn property(verdict: &str, certified: bool, nodes: u32) -> Value {
        json!({
            "verdict": verdict, "reason": "timeout", "certified": certified,
            "statistics": { "iterations": 2, "nodes_max": nodes },
        })
    }

    fn reading(properties: &[Value]) -> Reading {
        from_report(
            &json!({ "input": { "variables": 3, "locations": null }, "properties": properties }),
        )
    }

    #[test]
    fn properties_are_united() {
        let all = reading(&[property("holds", true, 5), property("holds", true, 3)]);
        assert_eq!(all.outcome, Outcome::Decided(Verdict::Holds));
        assert_eq!(all.certified, Some(true));
        let statistics: Vec<(&str, f64)> = all
            .statistics
            .iter()
            .map(|(n, v)| (n.as_str(), *v))
            .collect();
        assert_eq!(
            statistics,
            [
                ("iterations", 4.0),
                ("nodes_max", 5.0),
                ("input.variables", 3.0)
            ]
        );
        let one = reading(&[property("unknown", false, 1), property("violated", true, 1)]);
        assert_eq!(one.outcome, Outcome::Decided(Verdict::Violated));
        assert_eq!(one.certified, Some(true));
    }

    #[test]
    fn what_is_not_certified_or_not_known_says_so() {
        let doubtful = reading(&[property("holds", true, 1), property("holds", false, 1)]);
        assert_eq!(doubtful.certified, Some(false));
        let unknown = reading(&[property("holds", true, 1), property("unknown", false, 1)]);
        assert_eq!(unknown.outcome, Outcome::Timeout);
        assert_eq!(reading(&[]).outcome, Outcome::Error);
    }
}
