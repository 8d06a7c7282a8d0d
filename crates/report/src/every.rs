//! Verdicts about every number of processes, in words.

use crate::Status;
use serde::Serialize;

/// The sizes of a family that a verdict is about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Sizes {
    /// The parameter that is the number of processes.
    pub parameter: String,
    /// For `holds`: the smallest size; the property holds for all from there on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<i64>,
    /// For `violated`: the size of the instance with the violation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub violated_at: Option<i64>,
    /// For `violated`: whether the property holds for all smaller sizes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub smallest: Option<bool>,
}

impl Sizes {
    /// What follows the word of the verdict, such as ` for every n >= 1`.
    pub(crate) fn words(&self, status: Status) -> String {
        let name = &self.parameter;
        match (status, self.from, self.violated_at) {
            (Status::Holds, Some(from), _) => format!(" for every {name} >= {from}"),
            (Status::Violated, _, Some(at)) => {
                let which = match self.smallest {
                    Some(true) => "the smallest",
                    _ => "smaller ones are open",
                };
                format!(" with {name} = {at} ({which})")
            }
            _ => String::new(),
        }
    }
}

/// A proof for every size, ready to be shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EveryWords {
    /// The parameter that is the number of processes.
    pub parameter: String,
    /// The smallest size.
    pub from: i64,
    /// The counters that clauses use.
    pub counters: Vec<CounterWords>,
    /// The names that stand for any number in clauses.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub numbers: Vec<String>,
    /// The clauses of the invariant, with their indices.
    pub clauses: Vec<String>,
    /// Why those who wait are served, where that is the property.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waiting: Option<WaitingWords>,
    /// The sizes that have a proof of their own.
    pub own_proofs: Vec<i64>,
    /// The size of the instance that stands for all larger ones.
    pub stands_for_larger: i64,
    /// How many obligations were checked.
    pub obligations: usize,
}

/// Why those who wait are served; `i` is one of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WaitingWords {
    /// That it waits.
    pub region: String,
    /// What falls: with every step the first one that changes gets smaller, and none is negative.
    pub falls: Vec<String>,
}

/// A counter of processes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CounterWords {
    /// Its name.
    pub name: String,
    /// What it counts.
    pub counts: String,
}

impl EveryWords {
    /// The lines below the verdict.
    pub(crate) fn text(&self) -> String {
        let size = &self.parameter;
        let mut text = String::from("  invariant:\n");
        for CounterWords { name, counts } in &self.counters {
            text += &format!("    {name} = {counts}\n");
        }
        let any = match self.numbers.is_empty() {
            true => String::new(),
            false => format!(" (for any {})", self.numbers.join(", ")),
        };
        for clause in &self.clauses {
            let mut words = clause.split(|c: char| !c.is_alphanumeric() && c != '_');
            let is_any = words.any(|w| self.numbers.iter().any(|n| n == w));
            text += &format!("    {clause}{}\n", if is_any { &any } else { "" });
        }
        if let Some(WaitingWords { region, falls }) = &self.waiting {
            text += &format!("  while i waits: {region}\n");
            text += &format!("  until it is served, falls: {}\n", falls.join(", then "));
        }
        for own in &self.own_proofs {
            text += &format!("  {size} = {own} has a proof of its own\n");
        }
        let (count, last) = (self.obligations, self.stands_for_larger);
        let what = format!("{size} = {last} stands for all larger ones");
        text + &format!("  checked: {count} obligations; {what}\n")
    }
}
