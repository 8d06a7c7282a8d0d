//! Executes the needed lines of a directory, somewhere.

use super::{Directory, Results, local, parallel, slurm};
use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// The place where work is executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Workplace {
    /// On this machine, in processes of our own.
    Local,
    /// With GNU parallel, on the machines of its choice.
    Parallel,
    /// On a cluster, as a job array.
    Slurm,
}

/// The resources for one line.
#[derive(Clone, Copy, Debug)]
pub struct Resources {
    /// Wall-clock time, if it is limited.
    pub time: Option<Duration>,
    /// Memory in bytes.
    pub memory: u64,
    /// Number of processors.
    pub processors: usize,
}

/// Returns the lines that are needed and have no result, in order.
pub type Needed<'n> = &'n dyn Fn(&Results<'_>) -> Vec<usize>;

/// Work to be executed, with its settings.
pub struct Campaign<'c> {
    /// The directory of the work.
    pub directory: &'c Directory,
    /// Our own program; its command `work DIR I` executes a line.
    pub program: PathBuf,
    /// The resources for every line.
    pub resources: Resources,
    /// The number of lines at the same time, if it is limited by the user.
    pub workers: Option<usize>,
    /// Further options of `sbatch`.
    pub options: Vec<String>,
    /// Decides which lines are needed.
    pub needed: Needed<'c>,
    /// Whether to stop.
    pub stopped: &'c dyn Fn() -> bool,
}

/// The progress of the work.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// Number of lines that are finished, or not needed any more.
    pub done: usize,
    /// Number of all lines.
    pub of: usize,
    /// Number of lines that are being executed.
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
    /// We were asked to stop; the text says which jobs continue.
    #[error("{0}")]
    Stopped(String),
    /// Something failed; the text says what.
    #[error("{0}")]
    Failed(String),
    /// A file or process operation failed.
    #[error(transparent)]
    System(#[from] io::Error),
}

impl Campaign<'_> {
    /// Executes the needed lines. Afterwards there may be lines without a result: those whose process
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
