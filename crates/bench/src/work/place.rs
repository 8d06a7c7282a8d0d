//! Performing the needed lines of a directory at some place.

use super::{Directory, Results, local, parallel, slurm};
use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// The place of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Workplace {
    /// This machine, in processes of our own.
    Local,
    /// GNU parallel, on this machine or on others.
    Parallel,
    /// A cluster, as an array of jobs.
    Slurm,
}

/// The limits of one line.
#[derive(Clone, Copy, Debug)]
pub struct Resources {
    /// Wall-clock time, if limited.
    pub time: Option<Duration>,
    /// Memory in bytes.
    pub memory: u64,
    /// Processors.
    pub processors: usize,
}

/// The needed lines without a result, in order.
pub type Needed<'n> = &'n dyn Fn(&Results<'_>) -> Vec<usize>;

/// The work to perform.
pub struct Campaign<'c> {
    /// The work.
    pub directory: &'c Directory,
    /// Our own program, whose command `work DIR I` performs a line.
    pub program: PathBuf,
    /// The limits of every line.
    pub resources: Resources,
    /// Maximum number of lines in parallel; passed to Slurm only if given.
    pub workers: Option<usize>,
    /// Further options of `sbatch`.
    pub options: Vec<String>,
    /// Determines the needed lines.
    pub needed: Needed<'c>,
    /// Whether a stop was requested.
    pub stopped: &'c dyn Fn() -> bool,
}

/// The progress of the work.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// Lines that are done or no longer needed.
    pub done: usize,
    /// All lines.
    pub of: usize,
    /// Lines in progress.
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
    /// A stop was requested; the text says what continues.
    #[error("{0}")]
    Stopped(String),
    /// Something failed, with the reason.
    #[error("{0}")]
    Failed(String),
    /// A file or a process failed.
    #[error(transparent)]
    System(#[from] io::Error),
}

impl Campaign<'_> {
    /// Performs the needed lines. Some may still have no result at the end: those whose process
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
