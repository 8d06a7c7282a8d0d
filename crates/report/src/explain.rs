//! Explanations of unknown verdicts: partial results, divergence, missing lemmas, and suggestions.

use crate::family::{Family, diverging_family};
use crate::hint::{Request, next_commands};
use crate::{PropertyReport, text};
use sectile_base::Exhausted;
use sectile_engine::{Event, value_map};
use sectile_model::{ReasonCode, Unknown};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Maximum number of predicates kept per engine: the newest ones.
const MOST_PREDICATES: usize = 400;

/// Results about a property whose verdict is unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Explanation {
    /// The final message of each engine.
    pub engines: Vec<EngineWords>,
    /// No violation has this many steps or fewer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<u64>,
    /// Diverging predicates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub family: Option<Family>,
    /// A candidate that would prove the property if it were inductive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub candidate: Option<Candidate>,
    /// Further suggested commands.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<String>,
}

/// A formula that is not inductive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Candidate {
    /// The formula.
    pub formula: String,
    /// The number of states of the candidate before the step.
    pub depth: u64,
    /// The values before the step, by variable.
    #[serde(serialize_with = "value_map")]
    pub before: Vec<(String, String)>,
    /// The step.
    pub step: String,
    /// The values that the step changes.
    #[serde(serialize_with = "value_map")]
    pub after: Vec<(String, String)>,
}

/// The final message of an engine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EngineWords {
    /// The engine.
    pub engine: String,
    /// Its reason in short.
    pub reason: String,
    /// Its partial result.
    pub reached: String,
}

/// Maximum length of formulas in text.
const LONGEST: usize = 300;

impl Explanation {
    /// The explanation as indented lines.
    pub(crate) fn text(&self) -> String {
        let mut out = String::new();
        let short = |text: &str| text::cut(text, LONGEST);
        // Writing to a String cannot fail.
        if let Some(bound) = self.bound {
            let _ = writeln!(out, "  bound: no violation has {bound} steps or fewer");
        }
        if let Some(family) = &self.family {
            let _ = writeln!(out, "  diverging: {}", short(&family.text()));
        }
        if let Some(candidate) = &self.candidate {
            let _ = writeln!(out, "  candidate: {}", short(&candidate.formula));
            let _ = writeln!(
                out,
                "    a step leaves it: from {} by {} to {}",
                short(&text::pairs(&candidate.before)),
                candidate.step,
                short(&text::pairs(&candidate.after))
            );
        }
        // A single engine has already reported its result.
        if self.engines.len() > 1 {
            for (engines, words) in self.by_words() {
                let _ = write!(out, "  {} ({})", engines.join(", "), words.reason);
                if !words.reached.is_empty() {
                    let _ = write!(out, ": {}", short(&words.reached));
                }
                out.push('\n');
            }
        }
        out
    }

    /// The engines that say the same, in the order of the first of them, and what they say.
    fn by_words(&self) -> Vec<(Vec<&str>, &EngineWords)> {
        let mut groups: Vec<(Vec<&str>, &EngineWords)> = Vec::new();
        for words in &self.engines {
            let same = |other: &EngineWords| {
                (&other.reason, &other.reached) == (&words.reason, &words.reached)
            };
            match groups.iter_mut().find(|(_, first)| same(first)) {
                Some((engines, _)) if engines.contains(&words.engine.as_str()) => {}
                Some((engines, _)) => engines.push(&words.engine),
                None => groups.push((vec![&words.engine], words)),
            }
        }
        groups
    }
}

/// Findings from the events of all engines.
#[derive(Debug, Default)]
pub struct Findings {
    bound: Option<u64>,
    predicates: BTreeMap<&'static str, Vec<String>>,
    candidate: Option<Candidate>,
}

impl Findings {
    /// Receives an event of an engine.
    pub fn hear(&mut self, engine: &'static str, event: &Event) {
        match event {
            Event::BoundRefuted { depth } => self.bound = self.bound.max(Some(*depth)),
            Event::PredicateBorn { predicate, .. } => {
                let list = self.predicates.entry(engine).or_default();
                if !list.contains(predicate) {
                    list.push(predicate.clone());
                }
                if list.len() > MOST_PREDICATES {
                    list.remove(0);
                }
            }
            Event::NotInductive {
                candidate,
                depth,
                before,
                step,
                after,
            } => {
                self.candidate = Some(Candidate {
                    formula: candidate.clone(),
                    depth: *depth,
                    before: before.clone(),
                    step: step.clone(),
                    after: after.clone(),
                });
            }
            _ => {}
        }
    }

    fn explanation(&self, unknowns: &[(&'static str, Unknown)]) -> Explanation {
        let families = self.predicates.iter();
        let families = families.filter_map(|(engine, list)| diverging_family(engine, list));
        let engines = unknowns.iter().map(|(engine, unknown)| EngineWords {
            engine: (*engine).to_string(),
            reason: unknown.code.code().to_string(),
            reached: unknown.reached.clone(),
        });
        Explanation {
            bound: self.bound,
            family: families.max_by_key(|f| f.members.len()),
            candidate: self.candidate.clone(),
            engines: engines.collect(),
            others: Vec::new(),
        }
    }
}

/// Completes the report of a property without a verdict.
pub fn explain(
    report: &mut PropertyReport,
    findings: &Findings,
    unknowns: &[(&'static str, Unknown)],
    limit: Option<Exhausted>,
    request: &Request<'_>,
) {
    let explanation = findings.explanation(unknowns);
    let last = best(unknowns);
    let code = match (limit, last) {
        (Some(limit), _) => ReasonCode::Exhausted(limit),
        (None, Some((_, unknown))) => unknown.code.clone(),
        (None, None) => ReasonCode::Unsupported,
    };
    report.reason = code.code().to_string();
    match last {
        Some((engine, unknown)) => {
            report.engine = engine.to_string();
            report.reached.clone_from(&unknown.reached);
        }
        None if limit.is_none() => report.reached = "no engine takes this task".to_string(),
        None => {}
    }
    let hint = last.map(|(_, unknown)| unknown.hint.as_str());
    let hint = hint.filter(|h| !h.is_empty() && limit.is_none());
    let mut commands = next_commands(&code, hint, &explanation, request).into_iter();
    report.hint = commands.next().unwrap_or_default();
    report.explanation = Some(Explanation {
        others: commands.collect(),
        ..explanation
    });
}

/// The most informative of several reasons, the last one among equals: a refusal is less
/// informative than a failed attempt.
fn best<'u>(unknowns: &'u [(&'static str, Unknown)]) -> Option<&'u (&'static str, Unknown)> {
    let tells = |u: &&(&str, Unknown)| match u.1.code {
        ReasonCode::Unsupported => 0,
        _ if u.1.reached.is_empty() => 1,
        _ => 2,
    };
    unknowns.iter().max_by_key(tells)
}
