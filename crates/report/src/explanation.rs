//! Why there is no verdict: what was reached, what diverges, what is missing, and what to try.

use crate::family::Family;
use crate::json::object;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// What is known about a property whose verdict is not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Explanation {
    /// No violation has this many steps or fewer.
    pub bound: Option<u64>,
    /// Predicates that grow without end.
    pub family: Option<Family>,
    /// What would prove the property, if a step did not leave it.
    pub candidate: Option<Candidate>,
    /// What each engine said in the end.
    pub engines: Vec<EngineWords>,
}

/// A formula that is not inductive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The formula.
    pub formula: String,
    /// So many states of the formula come before the step.
    pub depth: u64,
    /// The values before the step, by variable.
    pub before: Vec<(String, String)>,
    /// The step.
    pub step: String,
    /// The values that the step changes.
    pub after: Vec<(String, String)>,
}

/// The last words of an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineWords {
    /// The engine.
    pub engine: String,
    /// Its reason in a few words.
    pub reason: String,
    /// What it reached.
    pub reached: String,
}

/// Formulas longer than this are cut in text.
const LONGEST: usize = 300;

fn cut(text: &str) -> String {
    if text.chars().count() <= LONGEST {
        return text.to_string();
    }
    let head: String = text.chars().take(LONGEST - 3).collect();
    head + "..."
}

fn values(list: &[(String, String)]) -> String {
    let list: Vec<String> = list.iter().map(|(n, v)| format!("{n} = {v}")).collect();
    list.join(", ")
}

impl Explanation {
    /// The explanation as indented lines.
    pub(crate) fn text(&self) -> String {
        let mut out = String::new();
        // Writing to a String cannot fail.
        if let Some(bound) = self.bound {
            let _ = writeln!(out, "  bound: no violation has {bound} steps or fewer");
        }
        if let Some(family) = &self.family {
            let _ = writeln!(out, "  diverging: {}", cut(&family.text()));
        }
        if let Some(candidate) = &self.candidate {
            let _ = writeln!(out, "  candidate: {}", cut(&candidate.formula));
            let _ = writeln!(
                out,
                "    a step leaves it: from {} by {} to {}",
                cut(&values(&candidate.before)),
                candidate.step,
                cut(&values(&candidate.after))
            );
        }
        // The only one has said already what it reached.
        let several = self.engines.len() > 1;
        for words in self.engines.iter().filter(|_| several) {
            let reached = if words.reached.is_empty() {
                String::new()
            } else {
                format!(": {}", cut(&words.reached))
            };
            let _ = writeln!(out, "  {} ({}){reached}", words.engine, words.reason);
        }
        out
    }

    /// The explanation as `schemas/check.schema.json` describes it.
    pub(crate) fn json(&self) -> Value {
        let engines = self
            .engines
            .iter()
            .map(|w| json!({ "engine": w.engine, "reason": w.reason, "reached": w.reached }));
        let candidate = self.candidate.as_ref().map(|c| {
            json!({
                "formula": c.formula,
                "depth": c.depth,
                "before": object(&c.before),
                "step": c.step,
                "after": object(&c.after),
            })
        });
        let family = self
            .family
            .as_ref()
            .map(|f| json!({ "engine": f.engine, "pattern": f.pattern, "members": f.members }));
        let mut entry = json!({ "engines": engines.collect::<Vec<_>>() });
        let bound = self.bound.map(|b| json!(b));
        let parts = [
            ("bound", bound),
            ("family", family),
            ("candidate", candidate),
        ];
        for (name, part) in parts {
            if let (Some(map), Some(part)) = (entry.as_object_mut(), part) {
                map.insert(name.to_string(), part);
            }
        }
        entry
    }
}
