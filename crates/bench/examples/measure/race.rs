//! Running solvers as processes, with a limit on their time.

use anyhow::Context as _;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// Who answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// The embedded solver, through `sectile smt`.
    Ours,
    /// The same, keeping proofs.
    OursWithProofs,
    /// z3.
    Z3,
}

/// What came of a script.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// The answers to its checks that came in time.
    pub answers: Vec<String>,
    /// How long it took, at most the limit.
    pub time: Duration,
    /// The time it had a processor, where the system tells: on a busy machine the fairer number.
    pub cpu: Option<Duration>,
    /// Whether the limit was met.
    pub stopped: bool,
}

impl Outcome {
    /// The time in seconds, marked where it is only the limit.
    pub fn shown(&self, checks: usize) -> String {
        let seconds = self.time.as_secs_f64();
        let cpu = self.cpu.map(|t| format!(" ({:.1} CPU)", t.as_secs_f64()));
        let cpu = cpu.unwrap_or_default();
        if self.stopped {
            let answered = self.answers.len();
            format!("> {seconds:.0} s{cpu}, {answered} of {checks} answers")
        } else {
            format!("{seconds:.1} s{cpu}")
        }
    }

    /// Whether no check has two different answers.
    pub fn agrees(&self, other: &Outcome) -> bool {
        let decided = |a: &str| a == "sat" || a == "unsat";
        let mut pairs = self.answers.iter().zip(&other.answers);
        pairs.all(|(a, b)| a == b || !decided(a) || !decided(b))
    }
}

fn command(who: Who) -> anyhow::Result<Command> {
    if who == Who::Z3 {
        let mut command = Command::new("z3");
        command.arg("-in");
        return Ok(command);
    }
    let mut command = Command::new(sectile()?);
    command.args(["smt", "-"]);
    Ok(command)
}

/// The program `sectile` that was built in the same profile.
fn sectile() -> anyhow::Result<PathBuf> {
    let own = std::env::current_exe().context("the path of this program")?;
    let folder = own.parent().and_then(Path::parent);
    let program = folder.context("examples have a folder of their own")?;
    let program = program.join(format!("sectile{}", std::env::consts::EXE_SUFFIX));
    anyhow::ensure!(
        program.is_file(),
        "`{}` is missing: build it with `cargo build --release`",
        program.display()
    );
    Ok(program)
}

/// Whether z3 can be run, with its version for the table.
pub fn z3_version() -> Option<String> {
    let output = Command::new("z3").arg("--version").output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    output
        .status
        .success()
        .then(|| text.trim().split(" - ").next().unwrap_or("z3").to_string())
}

/// The line that says whom the table compares.
pub fn competitor(version: Option<&str>) -> String {
    match version {
        Some(version) => format!("Ours beside {version}, alternating, on the same text."),
        None => "skipped: z3 cannot be run here; ours alone.".to_string(),
    }
}

/// Starts a process that reads SMT-LIB.
pub fn start(who: Who) -> anyhow::Result<Child> {
    command(who)?
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .with_context(|| format!("starting {who:?}"))
}

/// The processor time of all children that have ended so far.
///
/// Linux counts it in hundredths of a second, as the 16th and 17th field of this file; the second
/// field, the name of the program, may contain blanks but is the only one in parentheses.
fn cpu_of_children() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    let (_, fields) = text.rsplit_once(')')?;
    let fields: Vec<&str> = fields.split_whitespace().collect();
    let ticks = |i: usize| fields.get(i - 3)?.parse::<u64>().ok();
    Some(Duration::from_millis(10 * (ticks(16)? + ticks(17)?)))
}

/// Gives a script to a solver and waits for its end, or for the limit.
pub fn run(who: Who, script: &str, limit: Duration) -> anyhow::Result<Outcome> {
    let cpu_before = cpu_of_children();
    let begun = Instant::now();
    let mut child = start(who)?;
    let mut input = child.stdin.take().context("the input was piped")?;
    let output = child.stdout.take().context("the output was piped")?;
    let with_proofs = match who {
        Who::OursWithProofs => "(set-option :produce-proofs true)\n",
        _ => "",
    };
    let text = format!("{with_proofs}{script}");
    // A solver that is stopped early reads no further: a failed write is no news.
    let writer = std::thread::spawn(move || drop(input.write_all(text.as_bytes())));
    let (sender, lines) = mpsc::channel();
    let reader = std::thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    let mut outcome = Outcome::default();
    loop {
        let left = limit.saturating_sub(begun.elapsed());
        match lines.recv_timeout(left) {
            Ok(line) => outcome.answers.push(line.trim().to_string()),
            Err(mpsc::RecvTimeoutError::Disconnected) => break,
            Err(mpsc::RecvTimeoutError::Timeout) => {
                outcome.stopped = true;
                break;
            }
        }
    }
    outcome.time = begun.elapsed();
    // It has ended by itself unless it was stopped; both are fine.
    let _ = child.kill();
    child.wait()?;
    let cpu = cpu_of_children().zip(cpu_before);
    outcome.cpu = cpu.map(|(after, before)| after.saturating_sub(before));
    for thread in [writer, reader] {
        let _ = thread.join();
    }
    if let Some(error) = outcome.answers.iter().find(|a| a.starts_with("(error")) {
        anyhow::bail!("{who:?}: {error}");
    }
    Ok(outcome)
}
