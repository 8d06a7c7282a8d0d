//! Executes all runs of a suite, in an order that spreads the noise of the machine evenly, and
//! records them as they end.

use crate::pattern;
use crate::plan::{Plan, Task};
use crate::record::{Outcome, Record};
use crate::run::Runner;
use crate::suite::Contender;
use crate::table::{megabytes, seconds};
use crate::work::place::Halt;
use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

/// The file with the records of all runs.
pub const RUNS: &str = "runs.jsonl";

/// The file to which the records of an earlier session are moved when a new one begins.
const EARLIER: &str = "runs.earlier.jsonl";

/// The settings of a session.
pub struct Session<'s> {
    /// The contenders.
    pub contenders: &'s [Contender],
    /// The number of repetitions.
    pub repeat: u32,
    /// A pattern that selects tasks, if given.
    pub only: Option<&'s str>,
    /// Whether recorded runs are kept.
    pub resume: bool,
    /// The runner.
    pub runner: &'s Runner,
}

/// Receives a line about every run, and other messages.
pub type Watcher<'w> = &'w mut dyn FnMut(&str);

/// One run: task, contender and repetition.
pub type PlannedRun<'s> = (&'s Task, &'s Contender, u32);

/// Receives the record of a run that ended, with the position of the run.
pub type Tell<'t> = &'t mut dyn FnMut(usize, Record) -> io::Result<()>;

/// Executes the runs at some positions.
pub type Perform<'p> = &'p mut dyn FnMut(&[PlannedRun<'_>], &[usize], Tell<'_>) -> Result<(), Halt>;

impl Session<'_> {
    /// The selected tasks.
    pub fn tasks<'p>(&self, plan: &'p Plan) -> Vec<&'p Task> {
        let wanted = |t: &&Task| self.only.is_none_or(|o| pattern::selects(o, &t.name));
        plan.tasks.iter().filter(wanted).collect()
    }

    /// Executes all runs without a record, on this machine one after the other, and returns all
    /// records.
    pub fn run(&self, tasks: &[&Task], watcher: Watcher<'_>) -> Result<Vec<Record>, Halt> {
        self.run_by(tasks, watcher, &mut |runs, open, tell| {
            for &position in open {
                let (task, contender, repeat) = runs[position];
                tell(position, self.runner.run(task, contender, repeat)?)?;
            }
            Ok(())
        })
    }

    /// The same with another way of executing the runs.
    pub fn run_by(
        &self,
        tasks: &[&Task],
        watcher: Watcher<'_>,
        perform: Perform<'_>,
    ) -> Result<Vec<Record>, Halt> {
        let folder = &self.runner.folder;
        std::fs::create_dir_all(folder)?;
        let known = self.known(folder, watcher)?;
        let mut file = appending(&folder.join(RUNS))?;
        let order = order(tasks, self.contenders, self.repeat);
        let old = |&(task, contender, repeat): &PlannedRun<'_>| {
            let blank = self.runner.blank(task, contender, repeat);
            // The last record of a run counts.
            known.iter().rev().find(|r| r.same_run(&blank)).cloned()
        };
        let mut records: Vec<Option<Record>> = order.iter().map(old).collect();
        let open: Vec<usize> = { 0..order.len() }
            .filter(|&k| records[k].is_none())
            .collect();
        let mut tell = |position: usize, record: Record| {
            writeln!(file, "{}", serde_json::to_string(&record)?)?;
            file.flush()?;
            watcher(&ended(position + 1, order.len(), &record));
            records[position] = Some(record);
            Ok(())
        };
        perform(&order, &open, &mut tell)?;
        let records: Vec<Record> = records.into_iter().flatten().collect();
        if records.len() < order.len() {
            let missing = order.len() - records.len();
            watcher(&format!("warning: {missing} runs have no result"));
        }
        self.tell(order.len() - open.len(), &records, watcher);
        Ok(records)
    }

    /// The records that are kept. If the session is not resumed, the old file is renamed, not
    /// deleted.
    fn known(&self, folder: &Path, watcher: Watcher<'_>) -> io::Result<Vec<Record>> {
        let path = folder.join(RUNS);
        if !path.exists() {
            return Ok(Vec::new());
        }
        if !self.resume {
            std::fs::rename(&path, folder.join(EARLIER))?;
            watcher(&format!("earlier runs are now in {EARLIER}"));
            return Ok(Vec::new());
        }
        let text = std::fs::read_to_string(&path)?;
        let records = text.lines().filter_map(Record::of_line);
        // A missing program may have been installed since.
        Ok(records.filter(|r| r.outcome != Outcome::NotFound).collect())
    }

    fn tell(&self, kept: usize, records: &[Record], watcher: Watcher<'_>) {
        if kept > 0 {
            watcher(&format!("{kept} runs were there already"));
        }
        let others = records.iter().filter(|r| r.build != self.runner.build);
        let others = others.count();
        if others > 0 {
            watcher(&format!(
                "warning: {others} runs were made by another build of sectile; run without --resume to repeat them"
            ));
        }
    }
}

/// A line about a run that ended: its number, the number of runs, and the result.
fn ended(number: usize, of: usize, record: &Record) -> String {
    let memory = record.memory.map(|m| format!(", {} MB", megabytes(m)));
    format!(
        "[{number}/{of}] {}, {}: {}, {} s{}",
        record.task,
        record.contender,
        record.outcome.word(),
        seconds(record.seconds()),
        memory.unwrap_or_default()
    )
}

/// Opens the file of records for appending. If a crash left an incomplete line, it is terminated
/// first.
fn appending(path: &Path) -> io::Result<File> {
    let cut = std::fs::read(path).is_ok_and(|bytes| bytes.last().is_some_and(|&b| b != b'\n'));
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    if cut {
        file.write_all(b"\n")?;
    }
    Ok(file)
}

/// The order of the runs: by repetition, then by task; within a task, a different contender begins
/// each time.
fn order<'s>(tasks: &[&'s Task], contenders: &'s [Contender], repeat: u32) -> Vec<PlannedRun<'s>> {
    let mut runs = Vec::new();
    for round in 0..repeat {
        for (number, &task) in tasks.iter().enumerate() {
            let list = task.contenders.as_ref();
            let takes = |c: &&Contender| list.is_none_or(|l| l.contains(&c.name));
            let mut takers: Vec<&Contender> = contenders.iter().filter(takes).collect();
            if !takers.is_empty() {
                let first = (number + round as usize) % takers.len();
                takers.rotate_left(first);
            }
            runs.extend(takers.into_iter().map(|c| (task, c, round)));
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::Program;
    use crate::summary::tests::task;

    #[test]
    fn contenders_take_turns() {
        let contender = |name: &str| Contender {
            name: name.to_string(),
            program: Program::Engine {
                engine: name.to_string(),
                options: Vec::new(),
            },
            version: None,
        };
        let contenders = [contender("x"), contender("y")];
        let [a, b, mut c] = ["a", "b", "c"].map(|name| task(name, None));
        c.contenders = Some(vec!["y".to_string()]);
        let runs = order(&[&a, &b, &c], &contenders, 2);
        let words: Vec<String> = runs
            .iter()
            .map(|(t, c, r)| format!("{}{}{r}", t.name, c.name))
            .collect();
        assert_eq!(words.join(" "), "ax0 ay0 by0 bx0 cy0 ay1 ax1 bx1 by1 cy1");
    }
}
