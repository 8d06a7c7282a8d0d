//! Executes the runs of a session as lines of work: on a cluster, or several at a time.

use crate::plan::Task;
use crate::record::Record;
use crate::run::Runner;
use crate::session::{PlannedRun, Session, Tell};
use crate::suite::{Contender, Limits};
use crate::work::place::{Campaign, Halt, Resources, Standing, Workplace};
use crate::work::{Directory, Results};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

/// The folder of the lines, inside that of the session.
const FOLDER: &str = "work";

/// One run as a line of work, with everything needed to execute it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RunLine {
    /// The task.
    pub task: Task,
    /// The contender.
    pub contender: Contender,
    /// The repetition, from 0.
    pub repeat: u32,
    /// The folder to which file names are relative.
    pub at: PathBuf,
    /// See [`Runner::folder`].
    pub folder: PathBuf,
    /// See [`Runner::commands`].
    pub commands: PathBuf,
    /// See [`Runner::limits`].
    pub limits: Limits,
}

impl RunLine {
    /// Executes the run. The files and limits of `runner` are replaced by those of the line.
    pub fn work(&self, runner: Runner, scratch: &Path) -> io::Result<Record> {
        std::fs::create_dir_all(scratch)?;
        let runner = Runner {
            folder: self.folder.clone(),
            scratch: scratch.to_path_buf(),
            commands: self.commands.clone(),
            limits: self.limits,
            ..runner
        };
        let record = runner.run(&self.task, &self.contender, self.repeat);
        // Remaining output files do no harm.
        let _ = std::fs::remove_dir_all(scratch);
        record
    }
}

/// Where and how the runs are executed.
pub struct Elsewhere<'e> {
    /// The workplace.
    pub place: Workplace,
    /// The number of runs at the same time.
    pub workers: Option<usize>,
    /// Further options of `sbatch`.
    pub options: Vec<String>,
    /// Whether to stop.
    pub stopped: &'e dyn Fn() -> bool,
    /// Receives the progress of the work.
    pub show: &'e dyn Fn(&Standing),
}

impl Elsewhere<'_> {
    /// Executes the runs of a session that have no record yet.
    pub fn perform(
        &self,
        session: &Session<'_>,
        runs: &[PlannedRun<'_>],
        open: &[usize],
        tell: Tell<'_>,
    ) -> Result<(), Halt> {
        let runner = session.runner;
        let path = runner.folder.join(FOLDER);
        if !session.resume && path.exists() {
            std::fs::remove_dir_all(&path)?;
        }
        // There are lines for all runs, so that they do not change when a session is resumed.
        let lines = runs.iter().map(|run| line(run, runner));
        let lines: io::Result<Vec<String>> = lines.collect();
        let directory = Directory::create(&path, lines?)?;
        let wanted: BTreeSet<usize> = open.iter().map(|&k| k + 1).collect();
        let needed = |results: &Results<'_>| {
            let missing = results.missing().into_iter();
            missing.filter(|n| wanted.contains(n)).collect()
        };
        let campaign = Campaign {
            directory: &directory,
            program: PathBuf::from(&runner.program),
            resources: Resources {
                time: Some(runner.limits.wall()),
                memory: runner.limits.memory,
                processors: 1,
            },
            workers: self.workers,
            options: self.options.clone(),
            needed: &needed,
            stopped: self.stopped,
        };
        let mut told = BTreeSet::new();
        campaign.run(self.place, &mut |standing, results| {
            (self.show)(standing);
            for &number in &wanted {
                if !told.contains(&number)
                    && let Some(record) = results.get(number).and_then(record)
                {
                    told.insert(number);
                    tell(number - 1, record)?;
                }
            }
            Ok(())
        })
    }
}

/// The record in the result of a line.
fn record(result: &Value) -> Option<Record> {
    // Outcomes are deserialised from borrowed strings, so the value is turned back into text first.
    Record::of_line(&result.to_string())
}

fn line(run: &PlannedRun<'_>, runner: &Runner) -> io::Result<String> {
    let &(task, contender, repeat) = run;
    let line = RunLine {
        task: task.clone(),
        contender: contender.clone(),
        repeat,
        at: std::env::current_dir()?,
        folder: runner.folder.clone(),
        commands: runner.commands.clone(),
        limits: runner.limits,
    };
    Ok(json!({ "run": line }).to_string())
}
