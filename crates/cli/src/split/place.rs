//! Executes lines of work somewhere, and shows the progress.

use crate::args::PlaceArgs;
use crate::observers::bar::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use crate::output;
use anyhow::Context as _;
use sectile_base::Budget;
use sectile_bench::work::place::{Campaign, Needed, Resources, Standing, Workplace};
use sectile_bench::work::{Directory, Results};
use std::cell::RefCell;

/// Executes the needed lines of a directory, until the budget is stopped.
pub fn perform(
    directory: &Directory,
    place: Workplace,
    args: &PlaceArgs,
    resources: Resources,
    needed: Needed<'_>,
    budget: &Budget,
    progress: &Progress,
) -> anyhow::Result<()> {
    let stopped = || budget.check().is_err();
    let campaign = Campaign {
        directory,
        program: std::env::current_exe().context("cannot find the path of this program")?,
        resources,
        workers: args.workers.map(std::num::NonZeroUsize::get),
        options: args.sbatch.clone(),
        needed,
        stopped: &stopped,
    };
    let mut watcher = |standing: &Standing, _: &Results<'_>| {
        progress.show(standing);
        Ok(())
    };
    Ok(campaign.run(place, &mut watcher)?)
}

/// Shows the progress of the work on standard error: a line updated in place on a terminal,
/// elsewhere a new line whenever more is done.
pub struct Progress {
    bar: Option<ProgressBar>,
    told: RefCell<Standing>,
    quiet: bool,
}

impl Progress {
    /// Shows nothing if `quiet` is set.
    pub fn new(quiet: bool) -> Progress {
        let wanted = !quiet && output::is_screen();
        let bar = wanted.then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            if let Ok(style) = ProgressStyle::with_template("{wide_msg}") {
                bar.set_style(style);
            }
            bar
        });
        Progress {
            bar,
            told: RefCell::new(Standing::default()),
            quiet,
        }
    }

    /// Shows the current state.
    pub fn show(&self, standing: &Standing) {
        let told = self.told.replace(standing.clone());
        match &self.bar {
            _ if told == *standing => {}
            Some(bar) => bar.set_message(format!("{} {standing}", drawn(standing))),
            None if self.quiet || (told.done, told.of) == (standing.done, standing.of) => {}
            None => output::diagnostic(&standing.to_string()),
        }
    }

    /// Writes a line of other output.
    pub fn beside(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| output::diagnostic(text)),
            None if self.quiet => {}
            None => output::diagnostic(text),
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// `[#####     ]`.
fn drawn(standing: &Standing) -> String {
    const WIDTH: usize = 30;
    let full = standing.done * WIDTH / standing.of.max(1);
    format!("[{}{}]", "#".repeat(full), " ".repeat(WIDTH - full))
}
