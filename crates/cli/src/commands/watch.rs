//! `sectile watch`: checks a file again whenever it changes, and shows which verdicts have changed.

use crate::args::{CheckArgs, CheckFormat, WatchArgs};
use crate::commands::{bad, check, load_model};
use crate::exit::Exit;
use crate::output;
use crate::signals::stop_on_signals;
use sectile::{Check, Model};
use sectile_base::{Budget, Stopper};
use sectile_driver::Progress;
use sectile_engine::Silent;
use sectile_report::{Status, property_text};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

/// Interval between checks for changes of the file. Polling its time and length works for files
/// that editors replace and for files on other machines; notifications of the system do not.
const INTERVAL: Duration = Duration::from_millis(200);

/// Runs the command.
pub fn run(args: &WatchArgs) -> anyhow::Result<Exit> {
    let check = &args.check;
    refuse(check)?;
    let whole = Budget::unlimited();
    stop_on_signals(&whole);
    let mut known = BTreeMap::new();
    let mut exit = Exit::Success;
    for round in 1.. {
        let seen = settled(&check.input.file);
        output::result(&format!("--- {}, check {round}\n", check.input.file));
        let ended = one_round(check, &whole, seen, &mut known);
        exit = ended.unwrap_or_else(|error| {
            output::diagnostic(&format!("{error:#}"));
            Exit::of_error(&error)
        });
        if args.rounds.is_some_and(|most| round >= most) {
            break;
        }
        while look(&check.input.file) == seen {
            if whole.check().is_err() {
                return Ok(exit);
            }
            std::thread::sleep(INTERVAL);
        }
    }
    Ok(exit)
}

/// Refuses options that make sense for a single check only.
fn refuse(args: &CheckArgs) -> anyhow::Result<()> {
    if args.input.file == "-" || !args.more.is_empty() {
        return Err(bad("watch takes one file"));
    }
    let once = args.certificate.is_some() || args.dot.is_some() || args.report.is_some();
    if once || args.format != CheckFormat::Text || args.explain || args.counters {
        let why =
            "--certificate, --dot, --report, --format, --explain and --counters are for `check`";
        return Err(bad(why));
    }
    Ok(())
}

/// The modification time and length of a file; `None` if it does not exist.
type Seen = Option<(SystemTime, u64)>;

fn look(file: &str) -> Seen {
    let about = std::fs::metadata(file).ok()?;
    Some((about.modified().ok()?, about.len()))
}

/// Waits until the file is no longer being written: some editors truncate it first.
fn settled(file: &str) -> Seen {
    const PAUSE: Duration = Duration::from_millis(50);
    let mut seen = look(file);
    loop {
        std::thread::sleep(PAUSE);
        let now = look(file);
        if now == seen {
            return seen;
        }
        seen = now;
    }
}

/// Checks the file once; a change of the file or a signal ends the check.
fn one_round(
    args: &CheckArgs,
    whole: &Budget,
    seen: Seen,
    known: &mut BTreeMap<String, Status>,
) -> anyhow::Result<Exit> {
    let reading = check::guard(args, whole, "the file was still being read");
    let model = Model::of(load_model(&args.input)?)?;
    drop(reading);
    let mut options = check::options(args, model.loaded())?;
    options.budget = Budget::unlimited();
    let watch = Watch::start(
        args.input.file.clone(),
        seen,
        whole,
        options.budget.stopper(),
    );
    let mut exit = Exit::Success;
    let mut decided = BTreeMap::new();
    let mut tell = |progress: Progress<'_>| {
        let Progress::Decided(report) = progress else {
            return;
        };
        if watch.is_over() {
            return;
        }
        let text = property_text(report, check::text_options(args));
        output::result(&with_change(&text, known.get(&report.name), report.status));
        decided.insert(report.name.clone(), report.status);
        exit = exit.worse(match report.status {
            Status::Holds => Exit::Success,
            Status::Violated => Exit::Violated,
            Status::Unknown => Exit::Unknown,
        });
    };
    let checked = Check::with(&model, options).told(&mut Silent, &mut tell)?;
    if watch.is_over() {
        output::result("the file has changed, or the command was interrupted\n");
        return Ok(Exit::Unknown);
    }
    for gone in known.keys().filter(|name| !decided.contains_key(*name)) {
        output::result(&format!("{gone}: no longer there\n"));
    }
    *known = decided;
    for failure in &checked.failures {
        output::diagnostic(&format!("internal error: {failure}"));
        exit = Exit::Internal;
    }
    Ok(exit)
}

/// The text about a property, with its previous verdict at the end of the first line if it has
/// changed.
fn with_change(text: &str, before: Option<&Status>, now: Status) -> String {
    let Some(before) = before.filter(|b| **b != now) else {
        return text.to_string();
    };
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    format!("{first} (was: {})\n{rest}", before.word())
}

/// Watches a file while it is checked.
struct Watch {
    /// Whether the check has ended.
    done: Arc<AtomicBool>,
    /// Whether the file has changed, or the command was interrupted.
    over: Arc<AtomicBool>,
}

impl Watch {
    fn start(file: String, seen: Seen, whole: &Budget, stopper: Stopper) -> Watch {
        let watch = Watch {
            done: Arc::default(),
            over: Arc::default(),
        };
        let (done, over) = (Arc::clone(&watch.done), Arc::clone(&watch.over));
        let whole = whole.clone();
        let looking = move || {
            while !done.load(Ordering::Relaxed) {
                if whole.check().is_err() || look(&file) != seen {
                    over.store(true, Ordering::Relaxed);
                    stopper.stop();
                    return;
                }
                std::thread::sleep(INTERVAL);
            }
        };
        // Without the thread, a change is noticed after the check.
        let _ = std::thread::Builder::new().spawn(looking);
        watch
    }

    fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.done.store(true, Ordering::Relaxed);
    }
}
