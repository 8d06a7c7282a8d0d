//! Doing the lines of a directory that are needed, somewhere.

use super::{Directory, Results, local, parallel, slurm};
use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// Where work is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Workplace {
    /// Here, in processes of our own.
    Local,
    /// By GNU parallel, here or wherever it is told to go.
    Parallel,
    /// On a cluster, as an array of jobs.
    Slurm,
}

/// What one line may use.
#[derive(Clone, Copy, Debug)]
pub struct Resources {
    /// Wall-clock time, where it is limited.
    pub time: Option<Duration>,
    /// Memory in bytes.
    pub memory: u64,
    /// Processors.
    pub processors: usize,
}

/// Says which lines are needed and have no result, in order.
pub type Needed<'n> = &'n dyn Fn(&Results<'_>) -> Vec<usize>;

/// What is to be done.
pub struct Campaign<'c> {
    /// The work.
    pub directory: &'c Directory,
    /// Our own program, whose command `work DIR I` does a line.
    pub program: PathBuf,
    /// What every line may use.
    pub resources: Resources,
    /// How many lines are done at the same time; Slurm is told so only if it is given.
    pub workers: Option<usize>,
    /// Further options of `sbatch`.
    pub options: Vec<String>,
    /// What is needed.
    pub needed: Needed<'c>,
    /// Whether somebody wants us to stop.
    pub stopped: &'c dyn Fn() -> bool,
}

/// The progress of the work.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// Lines that are done, or not needed any more.
    pub done: usize,
    /// All lines.
    pub of: usize,
    /// Lines that somebody works on now.
    pub running: usize,
    /// Further information, such as the number of the job.
    pub note: String,
}

impl std::fmt::Display for Standing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} of {} lines done", self.done, self.of)?;
        if self.running > 0 {
            write!(f, ", {} running", self.running)?;
        }
        match self.note.is_empty() {
            true => Ok(()),
            false => write!(f, " ({})", self.note),
        }
    }
}

/// Receives the progress, with the results so far.
pub type Watcher<'w> = &'w mut dyn FnMut(&Standing, &Results<'_>) -> io::Result<()>;

/// Why work ended early.
#[derive(Debug, thiserror::Error)]
pub enum Halt {
    /// We were asked to stop; the text says what goes on.
    #[error("{0}")]
    Stopped(String),
    /// Something does not work; the text says what.
    #[error("{0}")]
    Failed(String),
    /// A file or a process does not work.
    #[error(transparent)]
    System(#[from] io::Error),
}

impl Campaign<'_> {
    /// Does what is needed. In the end there may still be lines without a result: those whose process
    /// failed every time.
    pub fn run(&self, place: Workplace, watcher: Watcher<'_>) -> Result<(), Halt> {
        let mut results = Results::new(self.directory);
        if (self.needed)(&results).is_empty() {
            return Ok(watcher(&self.standing(&results, 0, ""), &results)?);
        }
        match place {
            Workplace::Local => local::run(self, &mut results, watcher),
            Workplace::Parallel => parallel::run(self, &mut results, watcher),
            Workplace::Slurm => slurm::run(self, &mut results, watcher),
        }
    }

    pub(super) fn standing(&self, results: &Results<'_>, running: usize, note: &str) -> Standing {
        let of = self.directory.count();
        Standing {
            done: of - (self.needed)(results).len(),
            of,
            running,
            note: note.to_string(),
        }
    }

    pub(super) fn workers(&self) -> usize {
        let cores = std::thread::available_parallelism();
        self.workers.unwrap_or(cores.map_or(1, usize::from)).max(1)
    }
}
