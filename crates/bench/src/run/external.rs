//! Other programs.

use super::{Finished, Reading, Runner, first_line};
use crate::Verdict;
use crate::answer::{Answers, Said};
use crate::command::{Placeholder, Template};
use crate::execute::{Ended, Measured};
use crate::plan::Task;
use crate::record::Outcome;
use std::io;
use std::path::{Path, PathBuf};

/// What an exported task is given to a program as: the language and the ending of the file.
fn language(placeholder: Placeholder) -> Option<(&'static str, &'static str)> {
    match placeholder {
        Placeholder::Chc => Some(("chc", "smt2")),
        Placeholder::Vmt => Some(("vmt", "vmt")),
        Placeholder::File => None,
    }
}

impl Runner {
    /// The command as it is written down.
    pub(super) fn shown(&self, template: &Template, task: &Task) -> Vec<String> {
        let property = task.properties.first().map(String::as_str);
        template.fill(|p| match language(p) {
            Some((_, ending)) => {
                let folder = Path::new("inputs");
                let file = folder.join(file_name(task, property, ending));
                file.to_string_lossy().into_owned()
            }
            None => task.file.clone(),
        })
    }

    /// Runs the program, once for every property where it gets one at a time.
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
        let mut total: Option<Measured> = None;
        let mut last = Reading::plain(Outcome::Unknown, "");
        for property in parts {
            let inputs = match self.inputs(task, template, property)? {
                Ok(inputs) => inputs,
                Err(why) => {
                    let reading = Reading::plain(Outcome::NoExport, why);
                    return Ok((total.unwrap_or_else(nothing), reading));
                }
            };
            let words = self.located(template.fill(|p| match inputs.iter().find(|i| i.0 == p) {
                Some((_, path)) => path.to_string_lossy().into_owned(),
                None => task.file.clone(),
            }));
            let finished = self.execute(words)?;
            let sum = added(total, &finished.measured);
            last = self
                .cut_off(&sum, &finished.errors)
                .unwrap_or_else(|| read(&finished, answers));
            total = Some(sum);
            if last.outcome != Outcome::Decided(Verdict::Holds) {
                break;
            }
        }
        Ok((total.unwrap_or_else(nothing), last))
    }

    /// A program whose name has a slash is looked for from the folder of the suite.
    pub(super) fn located(&self, mut words: Vec<String>) -> Vec<String> {
        let program = Path::new(&words[0]);
        if words[0].contains('/') && program.is_relative() {
            words[0] = self.commands.join(program).to_string_lossy().into_owned();
        }
        words
    }

    /// The files that the program reads, exported; or why that is not possible.
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
        let mut words = vec![
            self.program.clone(),
            "export".to_string(),
            task.file.clone(),
        ];
        for (name, value) in &task.parameters {
            words.extend(["-D".to_string(), format!("{name}={value}")]);
        }
        if let Some(property) = property {
            words.extend(["--property".to_string(), property.to_string()]);
        }
        words.extend(["--to".to_string(), language.to_string(), "-o".to_string()]);
        words.push(path.to_string_lossy().into_owned());
        words
    }
}

fn read(finished: &Finished, answers: &Answers) -> Reading {
    match answers.read(&finished.output) {
        Said::Decided(verdict) => Reading::plain(Outcome::Decided(verdict), ""),
        Said::Unknown => Reading::plain(Outcome::Unknown, ""),
        Said::Nothing => {
            let message = first_line(&finished.errors);
            let message = if message.is_empty() {
                first_line(&finished.output)
            } else {
                message
            };
            match finished.measured.ended {
                Ended::Exit(0) => Reading::plain(Outcome::Unknown, format!("no answer: {message}")),
                _ => Reading::plain(Outcome::Error, message),
            }
        }
    }
}

fn nothing() -> Measured {
    Measured {
        ended: Ended::Exit(0),
        cpu: None,
        wall: 0.0,
        memory: None,
    }
}

/// Times add up, and of memory the larger one counts.
fn added(before: Option<Measured>, now: &Measured) -> Measured {
    let Some(before) = before else {
        return now.clone();
    };
    Measured {
        ended: now.ended.clone(),
        cpu: before.cpu.zip(now.cpu).map(|(a, b)| a + b),
        wall: before.wall + now.wall,
        memory: before.memory.max(now.memory),
    }
}

/// A file name for a task: letters, digits, and nothing that a file system could mind.
fn file_name(task: &Task, property: Option<&str>, ending: &str) -> String {
    let several = task.properties.len() > 1;
    let mut name = task.name.clone();
    if let Some(property) = property.filter(|_| several) {
        name = format!("{name} {property}");
    }
    format!("{}.{ending}", crate::outputs::slug(&name))
}
