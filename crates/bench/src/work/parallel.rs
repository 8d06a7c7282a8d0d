//! Executes lines of work with GNU parallel.

use super::Results;
use super::place::{Campaign, Halt, Watcher};
use std::io::Write as _;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Interval between checks for results.
const INTERVAL: Duration = Duration::from_millis(100);

/// Passes the numbers of the lines to GNU parallel, and ends it when no line is needed any more.
pub(super) fn run(
    campaign: &Campaign<'_>,
    results: &mut Results<'_>,
    watcher: Watcher<'_>,
) -> Result<(), Halt> {
    let mut child = start(campaign, &(campaign.needed)(results))?;
    loop {
        let is_over = child.try_wait()?.is_some();
        results.look();
        let standing = campaign.standing(results, 0, "GNU parallel");
        let told = watcher(&standing, results);
        if is_over {
            return Ok(told?);
        }
        if (campaign.stopped)() || standing.done == standing.of || told.is_err() {
            end(&mut child);
            told?;
            if standing.done == standing.of {
                return Ok(());
            }
            let why = "stopped; what is done is kept, and the same command goes on";
            return Err(Halt::Stopped(why.to_string()));
        }
        std::thread::sleep(INTERVAL);
    }
}

fn start(campaign: &Campaign<'_>, lines: &[usize]) -> Result<Child, Halt> {
    let mut child = Command::new("parallel")
        .args(["--will-cite", "--quote", "--halt", "never", "--jobs"])
        .arg(campaign.workers().to_string())
        .arg(&campaign.program)
        .arg("work")
        .arg(campaign.directory.path())
        .args(["{}", "--quiet"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .map_err(|e| Halt::Failed(format!("GNU parallel cannot be started: {e}")))?;
    if let Some(mut input) = child.stdin.take() {
        let numbers: String = lines.iter().map(|n| format!("{n}\n")).collect();
        input.write_all(numbers.as_bytes())?;
    }
    Ok(child)
}

/// Ends GNU parallel: after the first signal it starts nothing more, after the second it ends what
/// it has started.
#[cfg(target_os = "linux")]
fn end(child: &mut Child) {
    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;
    let Ok(number) = i32::try_from(child.id()) else {
        return;
    };
    for _ in 0..2 {
        // The process may have ended by itself.
        let _ = kill(Pid::from_raw(number), Signal::SIGTERM);
        std::thread::sleep(INTERVAL);
    }
    let _ = child.wait();
}

#[cfg(not(target_os = "linux"))]
fn end(child: &mut Child) {
    let _ = child.kill();
    let _ = child.wait();
}
