//! `sectile work`: executes one line of work.

use super::line::CheckLine;
use super::sheet::{Sheet, open, status};
use crate::args::WorkArgs;
use crate::commands::{bad, bench, refused};
use crate::exit::Exit;
use crate::guard::{Guard, limit_address_space};
use crate::output;
use anyhow::Context as _;
use sectile::{Check, Model};
use sectile_bench::elsewhere::RunLine;
use sectile_bench::work::{Directory, Found, PARENT, Results};
use sectile_certify::Claim;
use sectile_driver::certificates::{ReadCertificate, print_all};
use sectile_driver::{Checked, Loaded, Progress};
use sectile_engine::Silent;
use sectile_report::Status;
use serde::Deserialize;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// Interval between checks of whether the line is still needed.
const INTERVAL: Duration = Duration::from_millis(500);

/// Runs the command. The exit code is 0 if there is a result, whatever the verdict.
///
/// A signal ends it at once: then there is no result, and the line will be repeated.
pub fn run(args: &WorkArgs) -> anyhow::Result<Exit> {
    let directory = open(&args.directory)?;
    let number = args.line;
    let Some(text) = directory.line(number) else {
        let count = directory.count();
        return Err(bad(format!("there is no line {number}; there are {count}")));
    };
    if !args.again && matches!(directory.read(number), Found::Result(_)) {
        return Ok(said(args, "there is a result already"));
    }
    end_with_parent();
    if let Some(line) = run_line(text) {
        return measure(args, &directory, &line);
    }
    let Some(mut line) = CheckLine::read(text) else {
        return Err(refused(
            "split",
            format!("this is not a line of work: {text}"),
        ));
    };
    line.timeout = args.timeout.map(super::milliseconds).or(line.timeout);
    line.memory = args.memory.unwrap_or(line.memory);
    let sheet = Sheet::new(directory.clone())?;
    if !args.again {
        if !sheet.needed(&Results::new(&directory)).contains(&number) {
            return Ok(said(args, "not needed: others have decided it"));
        }
        end_when_needless(sheet, number);
    }
    let (result, exit) = decide(&directory, number, &line)?;
    write(&directory, number, &result)
        .with_context(|| format!("the result of line {number} cannot be written"))?;
    let verdict = result["verdict"].as_str().unwrap_or_default();
    said(args, &format!("{}: {verdict}", line.about()));
    Ok(exit)
}

/// Writes a result. A result without a verdict does not replace one with a verdict.
fn write(directory: &Directory, number: usize, result: &Value) -> std::io::Result<()> {
    let is_decided = |found: &Value| status(found) != Status::Unknown;
    match directory.read(number) {
        Found::Result(old) if is_decided(&old) && !is_decided(result) => Ok(()),
        _ => directory.write(number, result),
    }
}

fn said(args: &WorkArgs, text: &str) -> Exit {
    if !args.quiet {
        output::result(&format!("line {}: {text}\n", args.line));
    }
    Exit::Success
}

/// A line of `bench`, if it is one.
fn run_line(text: &str) -> Option<RunLine> {
    #[derive(Deserialize)]
    struct Line {
        run: RunLine,
    }
    let line: Line = serde_json::from_str(text).ok()?;
    Some(line.run)
}

/// Executes a run of `bench`.
fn measure(args: &WorkArgs, directory: &Directory, line: &RunLine) -> anyhow::Result<Exit> {
    std::env::set_current_dir(&line.at)
        .with_context(|| format!("cannot work in `{}`", line.at.display()))?;
    let runner = bench::own_runner(&line.folder, &line.commands, line.limits)?;
    // Two processes may execute the same line, possibly on different machines.
    let scratch = format!("scratch/{}-{}", args.line, std::process::id());
    let record = line.work(runner, &directory.path().join(scratch))?;
    directory.write(args.line, &json!(record))?;
    let outcome = record.outcome.word();
    Ok(said(
        args,
        &format!("{}, {}: {outcome}", record.task, record.contender),
    ))
}

/// Decides a part of a property.
fn decide(directory: &Directory, number: usize, line: &CheckLine) -> anyhow::Result<(Value, Exit)> {
    let begun = Instant::now();
    limit_address_space(line.memory);
    let (guarded, limits) = (directory.clone(), line.limits());
    let mut guard = Some(Guard::new(limits.budget(), move |limit| {
        let why = json!({ "verdict": "unknown", "reason": limit.code() });
        // If writing fails, the line will be repeated.
        let _ = write(&guarded, number, &why);
        Exit::Success
    }));
    let mut loaded = line.load(directory)?;
    if let Some(part) = &line.part
        && !loaded.narrow(&line.property, &part.part())
    {
        let why = format!("`{}` has no such part", line.property);
        return Err(refused("split", why));
    }
    let model = Model::of(loaded)?;
    let mut options = line.options();
    options.spent = begun.elapsed();
    let mut tell = |progress: Progress<'_>| {
        if matches!(progress, Progress::Prepared) {
            drop(guard.take());
        }
    };
    let checked = Check::with(&model, options).told(&mut Silent, &mut tell)?;
    let exit = match checked.failures.is_empty() {
        true => Exit::Success,
        false => Exit::Internal,
    };
    for failure in &checked.failures {
        output::diagnostic(&format!("internal error: {failure}"));
    }
    Ok((result(line, model.loaded(), &checked), exit))
}

fn result(line: &CheckLine, loaded: &Loaded, checked: &Checked) -> Value {
    let Some(report) = checked.report.properties.first() else {
        return json!({ "verdict": "unknown", "reason": "nothing was checked" });
    };
    let evidence = checked.certificates.first().and_then(Option::as_ref);
    let entry = evidence.map(|(claim, certificate)| ReadCertificate {
        property: report.name.clone(),
        part: line.part.as_ref().map(super::line::PartLine::part),
        holds: *claim == Claim::Holds,
        certificate: certificate.clone(),
    });
    // Evidence of a verdict that was refused must not be passed on.
    let decided = checked.failures.is_empty();
    let entry = entry.filter(|_| decided);
    let verdict = match decided {
        true => report.status.word(),
        false => "unknown",
    };
    json!({
        "verdict": verdict,
        "reason": report.reason,
        "reached": report.reached,
        "engine": report.engine,
        "seconds": report.seconds,
        "failures": checked.failures,
        "certificate": entry.map(|e| print_all(loaded, &[e])),
    })
}

/// Ends the program when its parent has ended, if the parent asked for that.
fn end_with_parent() {
    let parent = std::env::var(PARENT).ok().and_then(|p| p.parse().ok());
    let Some(parent): Option<u32> = parent else {
        return;
    };
    watch(move || {
        while !is_orphan(parent) {
            std::thread::sleep(INTERVAL);
        }
    });
}

#[cfg(unix)]
fn is_orphan(parent: u32) -> bool {
    std::os::unix::process::parent_id() != parent
}

#[cfg(not(unix))]
fn is_orphan(_: u32) -> bool {
    false
}

/// Ends the program when other lines have decided the question.
fn end_when_needless(sheet: Sheet, number: usize) {
    watch(move || {
        let mut results = Results::new(&sheet.directory);
        // If the line has its own result, it ends by itself.
        while results.get(number).is_some() || sheet.needed(&results).contains(&number) {
            std::thread::sleep(INTERVAL);
            results.look();
        }
    });
}

/// Ends the program when the function returns.
fn watch(wait: impl FnOnce() + Send + 'static) {
    let watching = move || {
        wait();
        std::process::exit(Exit::Success as i32);
    };
    // Without the thread the line is executed to its end, which is harmless.
    let thread = std::thread::Builder::new().name("needed".to_string());
    let _ = thread.spawn(watching);
}
