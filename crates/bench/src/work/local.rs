//! Executes lines of work on this machine, each in a process of its own.

use super::Results;
use super::place::{Campaign, Halt, Watcher};
use std::collections::BTreeSet;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// The environment variable with the number of the parent process: a process that executes a line
/// ends when this is no longer its parent.
pub const PARENT: &str = "SECTILE_WORK_PARENT";

/// Interval between checks of the processes.
const INTERVAL: Duration = Duration::from_millis(20);

/// Executes every needed line once, several at the same time. A line that is no longer needed is
/// stopped.
pub(super) fn run(
    campaign: &Campaign<'_>,
    results: &mut Results<'_>,
    watcher: Watcher<'_>,
) -> Result<(), Halt> {
    let mut begun: BTreeSet<usize> = BTreeSet::new();
    let mut team = Team(Vec::new());
    loop {
        results.look();
        let needed = (campaign.needed)(results);
        team.settle(&needed)?;
        if (campaign.stopped)() {
            let why = "stopped; what is done is kept, and the same command goes on";
            return Err(Halt::Stopped(why.to_string()));
        }
        while team.0.len() < campaign.workers()
            && let Some(&line) = needed.iter().find(|n| !begun.contains(n))
        {
            begun.insert(line);
            team.0.push((line, start(campaign, line)?));
        }
        watcher(&campaign.standing(results, team.0.len(), ""), results)?;
        if team.0.is_empty() {
            return Ok(());
        }
        std::thread::sleep(INTERVAL);
    }
}

fn start(campaign: &Campaign<'_>, line: usize) -> std::io::Result<Child> {
    Command::new(&campaign.program)
        .arg("work")
        .arg(campaign.directory.path())
        .arg(line.to_string())
        .arg("--quiet")
        .env(PARENT, std::process::id().to_string())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
}

/// Running processes with their lines; dropping it ends them all.
struct Team(Vec<(usize, Child)>);

impl Team {
    /// Removes processes that have ended, and ends those that are no longer needed.
    fn settle(&mut self, needed: &[usize]) -> std::io::Result<()> {
        let mut left = Vec::new();
        for (line, mut child) in std::mem::take(&mut self.0) {
            let is_over = child.try_wait()?.is_some();
            if !is_over && !needed.contains(&line) {
                end(&mut child);
            } else if !is_over {
                left.push((line, child));
            }
        }
        self.0 = left;
        Ok(())
    }
}

impl Drop for Team {
    fn drop(&mut self) {
        for (_, child) in &mut self.0 {
            end(child);
        }
    }
}

/// Ends a process. It is not an error if it has already ended.
fn end(child: &mut Child) {
    let _ = child.kill();
    let _ = child.wait();
}
