//! One line of work: a part of a property, one engine or `auto`, and the limits.

use crate::args::{InputArgs, LimitArgs};
use crate::commands::{load_silently, refused, settings};
use sectile_bench::work::{Directory, hash};
use sectile_driver::{CheckOptions, Loaded};
use sectile_model::Part;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::time::Duration;

/// A task for one process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CheckLine {
    /// The copy of the model in the directory.
    pub file: String,
    /// The absolute path of the original model.
    pub source: PathBuf,
    /// The [`hash`] of the model.
    pub hash: String,
    /// The input language, if it was given.
    pub input: Option<String>,
    /// Parameters with their values, as typed.
    pub define: Vec<(String, String)>,
    /// Whether CTL formulas are restricted to infinite paths.
    pub infinite_paths: bool,
    /// Whether to check termination.
    pub termination: bool,
    /// The property.
    pub property: String,
    /// The part of the property; the whole if there is none.
    pub part: Option<PartLine>,
    /// The engine.
    pub engine: String,
    /// Options of engines.
    pub set: Vec<(String, String)>,
    /// The number of engines that work at the same time.
    pub jobs: usize,
    /// The seed for all random choices.
    pub seed: u64,
    /// The solver.
    pub solver: String,
    /// The time limit, in milliseconds.
    pub timeout: Option<u64>,
    /// The memory limit, in bytes.
    pub memory: u64,
}

/// A part of a property.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PartLine {
    /// The positions of its conjuncts, counted from 0.
    pub conjuncts: Vec<usize>,
    /// The number of conjuncts of the property.
    pub of: usize,
}

impl PartLine {
    /// The part in the form of the model.
    pub fn part(&self) -> Part {
        Part {
            conjuncts: self.conjuncts.clone(),
            of: self.of,
        }
    }
}

impl CheckLine {
    /// Reads a line; `None` if it is another kind of work.
    pub fn read(text: &str) -> Option<CheckLine> {
        #[derive(Deserialize)]
        struct Line {
            check: CheckLine,
        }
        let line: Line = serde_json::from_str(text).ok()?;
        Some(line.check)
    }

    /// Reads the copy of the model in the directory, provided that it is unchanged.
    pub fn load(&self, directory: &Directory) -> anyhow::Result<Loaded> {
        let file = directory.path().join(&self.file);
        let is_same = std::fs::read(&file).is_ok_and(|text| hash(text) == self.hash);
        if !is_same {
            let why = format!(
                "`{}` is not the model that was split any more; split it again",
                file.display()
            );
            return Err(refused("split", why));
        }
        load_silently(&self.input_at(file.to_string_lossy().into_owned()))
    }

    /// The arguments for reading a file with the options of the model.
    fn input_at(&self, file: String) -> InputArgs {
        InputArgs {
            file,
            text: None,
            define: self.define.clone(),
            input: self.input.clone(),
            infinite_paths: self.infinite_paths,
            termination: self.termination,
            limits: self.limits(),
        }
    }

    /// The limits of the line.
    pub fn limits(&self) -> LimitArgs {
        LimitArgs {
            timeout: self.timeout.map(Duration::from_millis),
            memory: self.memory,
        }
    }

    /// The options of the check.
    pub fn options(&self) -> CheckOptions {
        CheckOptions {
            engines: vec![self.engine.clone()],
            properties: vec![self.property.clone()],
            timeout: self.limits().timeout,
            memory: Some(self.memory),
            seed: self.seed,
            solver: self.solver.clone(),
            settings: settings(&self.set),
            jobs: self.jobs,
            // Expectations in the file are about the whole property, not its parts.
            warn: false,
            ..CheckOptions::default()
        }
    }

    /// The instance as `n = 3, m = 2`; empty if no parameters were given.
    pub fn instance(&self) -> String {
        let each = self.define.iter().map(|(n, v)| format!("{n} = {v}"));
        each.collect::<Vec<_>>().join(", ")
    }

    /// A description of the line for users.
    pub fn about(&self) -> String {
        let mut text = self.property.clone();
        if let Some(part) = &self.part {
            let list: Vec<String> = part.conjuncts.iter().map(ToString::to_string).collect();
            text += &format!(", conjunct {} of {}", list.join(" "), part.of);
        }
        if !self.define.is_empty() {
            text += &format!(", {}", self.instance());
        }
        format!("{text}, {}", self.engine)
    }
}
