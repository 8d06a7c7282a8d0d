//! All lines of a split, which of them answer the same question, and which are still needed.

use super::line::CheckLine;
use crate::commands::refused;
use anyhow::Context as _;
use sectile_bench::work::{Directory, LINES, Results};
use sectile_report::Status;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// The lines of a directory.
pub struct Sheet {
    pub directory: Directory,
    pub lines: Vec<CheckLine>,
    /// For each line, the first line about the same part of the same property of the same instance:
    /// the others are alternatives.
    unit: Vec<usize>,
    /// For each line, the first line about the same property of the same instance.
    question: Vec<usize>,
}

/// Opens a directory of work.
pub fn open(path: &Path) -> anyhow::Result<Directory> {
    match Directory::open(path) {
        Ok(directory) => Ok(directory),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let why = format!(
                "`{}` has no {LINES}; `sectile split FILE DIR` makes one",
                path.display()
            );
            Err(refused("split", why))
        }
        Err(error) => Err(error).with_context(|| format!("cannot read `{}`", path.display())),
    }
}

impl Sheet {
    /// The lines of a directory that `split` made.
    pub fn new(directory: Directory) -> anyhow::Result<Sheet> {
        let read = |text: &String| {
            let line = CheckLine::read(text);
            line.ok_or_else(|| refused("split", format!("this is not a line of `split`: {text}")))
        };
        let lines: anyhow::Result<Vec<CheckLine>> = directory.lines().iter().map(read).collect();
        let lines = lines?;
        let (mut units, mut questions) = (BTreeMap::new(), BTreeMap::new());
        let (mut unit, mut question) = (Vec::new(), Vec::new());
        for (k, line) in lines.iter().enumerate() {
            let asked = (&line.define, &line.property);
            question.push(*questions.entry(asked).or_insert(k));
            unit.push(*units.entry((asked, &line.part)).or_insert(k));
        }
        Ok(Sheet {
            directory,
            lines,
            unit,
            question,
        })
    }

    /// The lines without a result that could still decide something, by number.
    pub fn needed(&self, results: &Results<'_>) -> Vec<usize> {
        let count = self.lines.len();
        let (mut decided, mut refuted) = (vec![false; count], vec![false; count]);
        for k in 0..count {
            let status = results.get(k + 1).map(status);
            decided[self.unit[k]] |= status.is_some_and(|s| s != Status::Unknown);
            refuted[self.question[k]] |= status == Some(Status::Violated);
        }
        let open = |n: &usize| {
            let k = n - 1;
            results.get(*n).is_none() && !decided[self.unit[k]] && !refuted[self.question[k]]
        };
        (1..=count).filter(open).collect()
    }

    /// The positions of the first lines of the questions, in order.
    pub fn questions(&self) -> Vec<usize> {
        let all = 0..self.lines.len();
        all.filter(|&k| self.question[k] == k).collect()
    }

    /// The parts of a question, each with the positions of its alternative lines.
    pub fn units(&self, question: usize) -> Vec<Vec<usize>> {
        let mut found: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for k in 0..self.lines.len() {
            if self.question[k] == question {
                found.entry(self.unit[k]).or_default().push(k);
            }
        }
        found.into_values().collect()
    }
}

/// The verdict of a result.
pub fn status(result: &Value) -> Status {
    match result["verdict"].as_str() {
        Some("holds") => Status::Holds,
        Some("violated") => Status::Violated,
        _ => Status::Unknown,
    }
}
