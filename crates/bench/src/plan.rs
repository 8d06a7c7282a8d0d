//! The tasks of a suite: one for every file, parameter value and property.

mod expectation;
mod naming;

use crate::Verdict;
use crate::pattern;
use crate::suite::{BadSuite, Entry, Properties, Suite};
use expectation::Expectations;
use naming::Naming;
use sectile_base::{Diagnostic, Diagnostics, Span};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The code of messages about tasks.
const CODE: &str = "bench-task";

/// Describes the contents of a model file for these parameters, or says why it cannot be read.
pub type Models<'m> = &'m dyn Fn(&str, &[(String, String)]) -> Result<Description, String>;

/// The contents of a model file.
#[derive(Clone, Debug, Default)]
pub struct Description {
    /// Its safety properties, in order.
    pub safety: Vec<String>,
    /// Its other properties.
    pub others: Vec<String>,
    /// The verdicts that its header expects under these parameters.
    pub expected: Vec<(String, Verdict)>,
}

/// One row of the table.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Task {
    /// Its name; no two tasks have the same name.
    pub name: String,
    /// Its family: tasks of one family form one curve.
    pub family: String,
    /// Its position on that curve.
    pub size: Option<f64>,
    /// The model file.
    pub file: String,
    /// Parameters with their values.
    pub parameters: Vec<(String, String)>,
    /// The properties that are checked together. Empty if the file could not be read.
    pub properties: Vec<String>,
    /// The expected verdict, if it is known.
    pub expected: Option<Verdict>,
    /// Reference values from other sources, in the order of the suite's columns.
    pub reference: Vec<String>,
    /// The contenders that run it; all if not given.
    pub contenders: Option<Vec<String>>,
}

impl Task {
    /// The command line of ours that applies a command to the model with its parameters.
    pub(crate) fn words(&self, program: &str, command: &str) -> Vec<String> {
        let mut words = [program, command, &self.file].map(String::from).to_vec();
        for (name, value) in &self.parameters {
            words.extend(["-D".to_string(), format!("{name}={value}")]);
        }
        words
    }
}

/// The tasks to run.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// The tasks, in the order of the suite.
    pub tasks: Vec<Task>,
    /// The missing parts of the suite, as text.
    pub skipped: Vec<String>,
}

/// The tasks of a suite whose files are relative to `folder`.
pub fn plan(suite: &Suite, folder: &Path, models: Models<'_>) -> Result<Plan, BadSuite> {
    let mut planner = Planner {
        suite,
        folder,
        models,
        diagnostics: Diagnostics::new(),
        plan: Plan::default(),
    };
    for entry in &suite.entries {
        planner.entry(entry);
    }
    BadSuite::check(&planner.diagnostics, &suite.source)?;
    Ok(planner.plan)
}

struct Planner<'s> {
    suite: &'s Suite,
    folder: &'s Path,
    models: Models<'s>,
    diagnostics: Diagnostics,
    plan: Plan,
}

impl Planner<'_> {
    fn refuse(&mut self, span: Span, message: impl Into<String>, help: impl Into<String>) {
        let error = Diagnostic::error(CODE, span, message);
        self.diagnostics.push(error.help(help));
    }

    fn entry(&mut self, entry: &Entry) {
        let Some(files) = self.files(entry) else {
            return;
        };
        let expectations = match Expectations::new(&entry.expect, self.folder) {
            Ok(expectations) => expectations,
            Err(diagnostic) => return self.diagnostics.push(diagnostic),
        };
        if let Err(diagnostic) = expectations.has_columns(&entry.rows) {
            return self.diagnostics.push(diagnostic);
        }
        let first = self.plan.tasks.len();
        for file in files.iter().filter(|f| expectations.wants(f, &entry.rows)) {
            for parameters in combinations(&entry.parameters) {
                self.instance(entry, file, &parameters, &expectations);
            }
        }
        // After an error the number of tasks is meaningless.
        if !self.diagnostics.has_errors() {
            self.references(entry, first);
        }
    }

    /// The files of an entry; `None` if there are none.
    fn files(&mut self, entry: &Entry) -> Option<Vec<String>> {
        let name = &entry.file.text;
        if pattern::is_pattern(name) {
            let found = pattern::files(self.folder, name);
            if found.is_empty() {
                self.plan.skipped.push(format!("no file matches {name}"));
                return None;
            }
            return Some(found.iter().map(|p| shown(p)).collect());
        }
        let path = self.folder.join(name);
        if !path.is_file() {
            let help = "files are relative to the folder of the suite";
            self.refuse(entry.file.span, format!("there is no file {name}"), help);
            return None;
        }
        Some(vec![shown(&path)])
    }

    /// The tasks for one file with one choice of parameters.
    fn instance(
        &mut self,
        entry: &Entry,
        file: &str,
        parameters: &[(String, String)],
        expectations: &Expectations,
    ) {
        let description = match (self.models)(file, parameters) {
            Ok(description) => description,
            // Some of the files that match a pattern may be unreadable for us; a file given by name
            // must be readable.
            Err(_) if pattern::is_pattern(&entry.file.text) => Description::default(),
            Err(message) => {
                let first = message.lines().next().unwrap_or("");
                return self.refuse(entry.file.span, "this model cannot be read", first);
            }
        };
        let Some(groups) = self.groups(entry, &description) else {
            return;
        };
        let naming = Naming {
            entry,
            stem: &Path::new(file)
                .file_stem()
                .unwrap_or_default()
                .to_string_lossy(),
            parameters,
            cells: expectations.cells(file),
            several: groups.len() > 1,
        };
        for properties in groups {
            let expected = match expectations.of(file, &properties, &description) {
                Ok(expected) => expected,
                Err(diagnostic) => return self.diagnostics.push(diagnostic),
            };
            let name = naming.name(&properties);
            if self.plan.tasks.iter().any(|t| t.name == name) {
                return self.refuse(
                    entry.span,
                    format!("there are two tasks called `{name}`"),
                    "put {stem}, {property} or the name of a parameter in braces into `name`",
                );
            }
            self.plan.tasks.push(Task {
                name,
                family: naming.family(&properties),
                size: naming.size(),
                file: file.to_string(),
                parameters: parameters.to_vec(),
                properties,
                expected,
                reference: vec![String::new(); self.suite.reference.len()],
                contenders: entry
                    .contenders
                    .as_ref()
                    .map(|list| list.iter().map(|c| c.text.clone()).collect()),
            });
        }
    }

    /// The groups of properties that are checked together.
    fn groups(&mut self, entry: &Entry, description: &Description) -> Option<Vec<Vec<String>>> {
        let safety = &description.safety;
        match &entry.properties {
            Properties::Whole => Some(vec![safety.clone()]),
            Properties::Each if safety.is_empty() => Some(vec![Vec::new()]),
            Properties::Each => Some(safety.iter().map(|p| vec![p.clone()]).collect()),
            Properties::Named(list) => {
                for name in list {
                    if !safety.contains(&name.text) && !description.others.contains(&name.text) {
                        let message = format!("the model has no property `{}`", name.text);
                        let known = [&safety[..], &description.others[..]].concat();
                        self.refuse(name.span, message, format!("it has {}", known.join(", ")));
                        return None;
                    }
                }
                Some(list.iter().map(|name| vec![name.text.clone()]).collect())
            }
        }
    }

    /// Adds the reference values to the tasks from `first` on.
    fn references(&mut self, entry: &Entry, first: usize) {
        let count = self.plan.tasks.len() - first;
        for (column, values) in &entry.reference {
            if values.len() != count {
                self.refuse(
                    column.span,
                    format!(
                        "`{}` has {} values, and the entry stands for {count} tasks",
                        column.text,
                        values.len(),
                    ),
                    "there must be one for each; \"\" leaves a cell empty",
                );
                continue;
            }
            let place = self.suite.reference.iter().position(|c| *c == column.text);
            for (task, value) in self.plan.tasks[first..].iter_mut().zip(values) {
                if let Some(cell) = place.and_then(|i| task.reference.get_mut(i)) {
                    cell.clone_from(value);
                }
            }
        }
    }
}

fn shown(path: &Path) -> String {
    pattern::tidy(path).to_string_lossy().into_owned()
}

/// All combinations of values; the last parameter varies fastest.
fn combinations(parameters: &[(String, Vec<String>)]) -> Vec<Vec<(String, String)>> {
    parameters
        .iter()
        .fold(vec![Vec::new()], |all, (name, values)| {
            let longer = |chosen: &Vec<_>, value: &String| {
                let new = (name.clone(), value.clone());
                chosen.iter().cloned().chain([new]).collect()
            };
            let each = all
                .iter()
                .flat_map(|c| values.iter().map(move |v| longer(c, v)));
            each.collect()
        })
}
