//! Runs other programs on tasks.

use super::{Finished, Reading, Runner, first_line};
use crate::Verdict;
use crate::answer::Answers;
use crate::command::{Placeholder, Template};
use crate::execute::{Ended, Measured};
use crate::plan::Task;
use crate::record::Outcome;
use std::io;
use std::path::{Path, PathBuf};

/// The language of an exported task, and the file extension; `None` for the model file itself.
fn language(placeholder: Placeholder) -> Option<(&'static str, &'static str)> {
    match placeholder {
        Placeholder::Chc => Some(("chc", "smt2")),
        Placeholder::Vmt => Some(("vmt", "vmt")),
        Placeholder::File => None,
    }
}

impl Runner {
    /// The command as it is recorded.
    pub(super) fn shown(&self, template: &Template, task: &Task) -> Vec<String> {
        let property = task.properties.first().map(String::as_str);
        template.fill(|p| match language(p) {
            Some((_, ending)) => format!("inputs/{}", file_name(task, property, ending)),
            None => task.file.clone(),
        })
    }

    /// Runs the program, once for every property if it handles one at a time.
    pub(super) fn command(
        &self,
        task: &Task,
        template: &Template,
        answers: &Answers,
    ) -> io::Result<(Measured, Reading)> {
        let single = template.uses(Placeholder::Chc) || template.uses(Placeholder::Vmt);
        let mut parts: Vec<Option<&str>> = vec![None];
        if single && !task.properties.is_empty() {
            parts = task.properties.iter().map(|p| Some(p.as_str())).collect();
        }
        // The times are added up; for memory, the maximum is taken.
        let mut total = Measured {
            ended: Ended::Exit(0),
            cpu: None,
            wall: 0.0,
            memory: None,
        };
        let mut last = Reading::default();
        for (number, property) in parts.into_iter().enumerate() {
            let inputs = match self.inputs(task, template, property)? {
                Ok(inputs) => inputs,
                Err(why) => return Ok((total, Reading::plain(Outcome::NoExport, why))),
            };
            let words = self.located(template.fill(|p| match inputs.iter().find(|i| i.0 == p) {
                Some((_, path)) => path.to_string_lossy().into_owned(),
                None => task.file.clone(),
            }));
            let finished = self.execute(words)?;
            let now = &finished.measured;
            total = Measured {
                ended: now.ended.clone(),
                cpu: match number {
                    0 => now.cpu,
                    _ => total.cpu.zip(now.cpu).map(|(a, b)| a + b),
                },
                wall: total.wall + now.wall,
                memory: total.memory.max(now.memory),
            };
            let cut_off = self.cut_off(&total, &finished.errors);
            last = cut_off.unwrap_or_else(|| read(&finished, answers));
            if last.outcome != Outcome::Decided(Verdict::Holds) {
                break;
            }
        }
        Ok((total, last))
    }

    /// Resolves a program name with a slash relative to the folder of the suite.
    pub(super) fn located(&self, mut words: Vec<String>) -> Vec<String> {
        let program = Path::new(&words[0]);
        if words[0].contains('/') && program.is_relative() {
            words[0] = self.commands.join(program).to_string_lossy().into_owned();
        }
        words
    }

    /// Exports the files that the program reads; the inner error says why that is not possible.
    #[allow(clippy::type_complexity)]
    fn inputs(
        &self,
        task: &Task,
        template: &Template,
        property: Option<&str>,
    ) -> io::Result<Result<Vec<(Placeholder, PathBuf)>, String>> {
        let mut files = Vec::new();
        for placeholder in Placeholder::ALL {
            let Some((language, ending)) = language(placeholder) else {
                continue;
            };
            if !template.uses(placeholder) {
                continue;
            }
            let folder = self.folder.join("inputs");
            std::fs::create_dir_all(&folder)?;
            let path = folder.join(file_name(task, property, ending));
            let finished = self.execute(self.export(task, property, language, &path))?;
            if finished.measured.ended != Ended::Exit(0) {
                let why = first_line(&finished.errors);
                return Ok(Err(if why.is_empty() {
                    "the export did not end".into()
                } else {
                    why
                }));
            }
            files.push((placeholder, path));
        }
        Ok(Ok(files))
    }

    fn export(
        &self,
        task: &Task,
        property: Option<&str>,
        language: &str,
        path: &Path,
    ) -> Vec<String> {
        let mut words = task.words(&self.program, "export");
        if let Some(property) = property {
            words.extend(["--property".to_string(), property.to_string()]);
        }
        words.extend(["--to".to_string(), language.to_string(), "-o".to_string()]);
        words.push(path.to_string_lossy().into_owned());
        words
    }
}

fn read(finished: &Finished, answers: &Answers) -> Reading {
    if let Some(outcome) = answers.read(&finished.output) {
        return Reading::plain(outcome, "");
    }
    let message = first_line(&format!("{}\n{}", finished.errors, finished.output));
    match finished.measured.ended {
        Ended::Exit(0) => Reading::plain(Outcome::Unknown, format!("no answer: {message}")),
        _ => Reading::plain(Outcome::Error, message),
    }
}

/// A file name for a task, of characters that every file system accepts.
fn file_name(task: &Task, property: Option<&str>, ending: &str) -> String {
    let several = task.properties.len() > 1;
    let mut name = task.name.clone();
    if let Some(property) = property.filter(|_| several) {
        name = format!("{name} {property}");
    }
    format!("{}.{ending}", crate::outputs::slug(&name))
}
