//! Executes lines of work with Slurm, as a job array.
//!
//! The only state is the name of the job, which is computed from the directory: a later run of the
//! program finds remaining jobs by their name and waits for them. Needed lines that are in no job are
//! submitted.
//! in no job are submitted.

use super::place::{Campaign, Halt, Watcher};
use super::{Results, ranges};
use std::collections::BTreeMap;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

/// Interval between checks for results.
const INTERVAL: Duration = Duration::from_millis(300);

/// Interval between queries to Slurm, which also serves others.
const ASKING: Duration = Duration::from_secs(2);

/// How many times a line is submitted if its jobs end without a result.
const MOST_TRIES: usize = 3;

/// How many consecutive queries to Slurm may fail.
const MOST_SILENCE: usize = 60;

/// The default maximum size of a job array in Slurm.
const LARGEST_ARRAY: usize = 1000;

/// One of our jobs in the queue.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Queued {
    /// Its name for `scancel`: `17_3`.
    job: String,
    line: usize,
    is_running: bool,
}

/// Submits the needed lines and waits for them.
pub(super) fn run(
    campaign: &Campaign<'_>,
    results: &mut Results<'_>,
    watcher: Watcher<'_>,
) -> Result<(), Halt> {
    let name = campaign.directory.name();
    let mut tries: BTreeMap<usize, usize> = BTreeMap::new();
    let mut silence = 0;
    loop {
        let queue = match queued(&name) {
            Ok(queue) => queue,
            Err(why) => {
                silence += 1;
                if tries.is_empty() || silence > MOST_SILENCE {
                    return Err(Halt::Failed(why));
                }
                wait(campaign, results, watcher, "Slurm does not answer", 0)?;
                continue;
            }
        };
        silence = 0;
        results.look();
        let needed = (campaign.needed)(results);
        cancel(queue.iter().filter(|q| !needed.contains(&q.line)))?;
        if needed.is_empty() {
            return Ok(watcher(&campaign.standing(results, 0, ""), results)?);
        }
        let open = |n: &&usize| !queue.iter().any(|q| q.line == **n);
        let open: Vec<usize> = needed.iter().filter(open).copied().collect();
        let hopeful = |n: &usize| tries.get(n).copied().unwrap_or(0) < MOST_TRIES;
        let open: Vec<usize> = open.into_iter().filter(hopeful).collect();
        if open.is_empty() && queue.is_empty() {
            return Ok(());
        }
        for &line in &open {
            *tries.entry(line).or_default() += 1;
        }
        submit(campaign, &name, &open)?;
        let running = queue.iter().filter(|q| q.is_running).count();
        wait(
            campaign,
            results,
            watcher,
            &format!("Slurm job {name}"),
            running,
        )?;
    }
}

/// Checks for results for a while; returns at once when no line is needed any more.
fn wait(
    campaign: &Campaign<'_>,
    results: &mut Results<'_>,
    watcher: Watcher<'_>,
    note: &str,
    running: usize,
) -> Result<(), Halt> {
    let begun = Instant::now();
    while begun.elapsed() < ASKING {
        if (campaign.stopped)() {
            let name = campaign.directory.name();
            return Err(Halt::Stopped(format!(
                "stopped; the jobs go on, and the same command waits for them again; `scancel --name={name}` ends them"
            )));
        }
        results.look();
        let standing = campaign.standing(results, running, note);
        watcher(&standing, results)?;
        if standing.done == standing.of {
            return Ok(());
        }
        std::thread::sleep(INTERVAL);
    }
    Ok(())
}

/// Submits lines as one array, or as several if their numbers exceed the limit of Slurm.
fn submit(campaign: &Campaign<'_>, name: &str, lines: &[usize]) -> Result<(), Halt> {
    let mut blocks: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for &line in lines {
        let block = (line - 1) / LARGEST_ARRAY * LARGEST_ARRAY;
        blocks.entry(block).or_default().push(line - block);
    }
    for (first, numbers) in blocks {
        let mut command = Command::new("sbatch");
        command.args(words(campaign, name, first, &numbers));
        said(&mut command).map_err(Halt::Failed)?;
    }
    Ok(())
}

/// The arguments of `sbatch` for lines counted from `first` on.
fn words(campaign: &Campaign<'_>, name: &str, first: usize, numbers: &[usize]) -> Vec<String> {
    let directory = campaign.directory.path().display().to_string();
    let program = campaign.program.display().to_string();
    let at_once = campaign.workers.map_or(String::new(), |n| format!("%{n}"));
    let resources = &campaign.resources;
    let mut words = vec![
        "--parsable".to_string(),
        "--requeue".to_string(),
        // The output of a requeued job must not overwrite earlier output.
        "--open-mode=append".to_string(),
        format!("--job-name={name}"),
        // The offset of the array's lines, which is read back from the queue.
        format!("--comment={first}"),
        format!("--array={}{at_once}", ranges(numbers)),
        format!("--cpus-per-task={}", resources.processors.max(1)),
        format!("--mem={}M", megabytes(resources.memory)),
        format!("--output={directory}/slurm-%A_%a.txt"),
    ];
    words.extend(resources.time.map(|t| format!("--time={}", minutes(t))));
    words.extend(campaign.options.iter().cloned());
    words.push(format!(
        "--wrap=exec {} work {} $(({first} + SLURM_ARRAY_TASK_ID)) --quiet",
        quoted(&program),
        quoted(&directory)
    ));
    words
}

/// The process is ended by its own limit; the limit for Slurm is a little larger.
fn megabytes(bytes: u64) -> u64 {
    (bytes + bytes / 8).div_ceil(1 << 20) + 64
}

/// Includes time for reading and checking.
fn minutes(time: Duration) -> u64 {
    let with_margin = time + time / 2 + Duration::from_secs(60);
    with_margin.as_secs().div_ceil(60)
}

/// Quotes a word for a shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// The unfinished jobs of this name.
fn queued(name: &str) -> Result<Vec<Queued>, String> {
    let mut command = Command::new("squeue");
    command.args(["--noheader", "--array", "--format=%F %K %t %k"]);
    command.arg(format!("--name={name}"));
    let text = said(&mut command)?;
    Ok(text.lines().filter_map(queued_line).collect())
}

/// Parses `17 3 R 1000`: the array, the number in it, the state, the comment.
fn queued_line(line: &str) -> Option<Queued> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [array, number, state, first] = words[..] else {
        return None;
    };
    let number: usize = number.parse().ok()?;
    // A completing job has finished its work.
    (state != "CG").then(|| Queued {
        job: format!("{array}_{number}"),
        line: first.parse().unwrap_or(0) + number,
        is_running: state == "R",
    })
}

/// Cancels jobs. It is not an error if one has already ended.
fn cancel<'q>(jobs: impl Iterator<Item = &'q Queued>) -> Result<(), Halt> {
    let jobs: Vec<&str> = jobs.map(|q| q.job.as_str()).collect();
    // The length of a command line is limited.
    for some in jobs.chunks(500) {
        Command::new("scancel").args(some).output()?;
    }
    Ok(())
}

/// The output of a command, or the reason for its failure.
fn said(command: &mut Command) -> Result<String, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let Output {
        status,
        stdout,
        stderr,
    } = command
        .output()
        .map_err(|e| format!("{name} cannot be started: {e}"))?;
    match status.success() {
        true => Ok(String::from_utf8_lossy(&stdout).into_owned()),
        false => {
            let why = String::from_utf8_lossy(&stderr);
            Err(format!("{name} failed: {}", why.trim()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Directory;
    use super::super::place::Resources;
    use super::*;

    #[test]
    fn the_queue_is_read() {
        let read = queued_line("17 3 R 1000");
        assert_eq!(
            read,
            Some(Queued {
                job: "17_3".to_string(),
                line: 1003,
                is_running: true
            })
        );
        assert_eq!(queued_line("17 3 CG 0"), None);
        assert_eq!(queued_line("17 N/A PD 0"), None);
    }

    #[test]
    fn lines_are_submitted_as_an_array() {
        let folder = std::env::temp_dir().join(format!("sectile-slurm-{}", std::process::id()));
        let directory = Directory::create(&folder, vec!["{}".to_string(); 1002]);
        let directory = directory.expect("it can be made");
        let campaign = Campaign {
            directory: &directory,
            program: "/bin/sectile".into(),
            resources: Resources {
                time: Some(Duration::from_secs(600)),
                memory: 1 << 30,
                processors: 2,
            },
            workers: Some(4),
            options: vec!["--partition=long".to_string()],
            needed: &|results| results.missing(),
            stopped: &|| false,
        };
        let words = words(&campaign, "name", 1000, &[1, 2]);
        std::fs::remove_dir_all(&folder).expect("it can be removed");
        for word in [
            "--array=1-2%4",
            "--requeue",
            "--comment=1000",
            "--cpus-per-task=2",
            "--mem=1216M",
            "--time=16",
            "--partition=long",
        ] {
            assert!(words.iter().any(|w| w == word), "{word}: {words:?}");
        }
        let last = words.last().expect("there are words");
        assert!(
            last.starts_with("--wrap=exec '/bin/sectile' work '/"),
            "{last}"
        );
        assert!(
            last.ends_with("$((1000 + SLURM_ARRAY_TASK_ID)) --quiet"),
            "{last}"
        );
    }

    #[test]
    fn limits_are_a_little_larger_than_ours() {
        assert_eq!(megabytes(1 << 30), 1152 + 64);
        assert_eq!(minutes(Duration::from_secs(10)), 2);
        assert_eq!(minutes(Duration::from_secs(600)), 16);
        assert_eq!(quoted("a b'c"), r"'a b'\''c'");
    }
}
