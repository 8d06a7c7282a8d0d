//! `sectile join`: the verdicts about the whole model, from the results of the lines.

use super::line::CheckLine;
use super::place::{Progress, perform};
use super::sheet::{Sheet, open};
use super::verdict::{Conclusion, Joiner};
use crate::args::JoinArgs;
use crate::commands::refused;
use crate::exit::Exit;
use crate::output;
use crate::signals::stop_on_signals;
use sectile_base::Budget;
use sectile_bench::work::place::{Resources, Workplace};
use sectile_bench::work::{Found, Results, hash, ranges};
use sectile_driver::certificates::print_all;
use sectile_driver::{Loaded, registry};
use sectile_report::Status;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Duration;

/// Maximum number of rounds in which lines with refused evidence are repeated.
const MOST_ROUNDS: usize = 2;

/// Runs the command.
pub fn run(args: &JoinArgs) -> anyhow::Result<Exit> {
    let sheet = Sheet::new(open(&args.directory)?)?;
    if !args.copy {
        refuse_changed(&sheet)?;
    }
    let place = args.place.place().or(args.run.then_some(Workplace::Local));
    let budget = Budget::unlimited();
    if place.is_some() {
        stop_on_signals(&budget);
    }
    let mut round = 0;
    let (joined, missing) = loop {
        if let Some(place) = place {
            let needed = |results: &Results<'_>| sheet.needed(results);
            let resources = resources(&sheet.lines);
            let directory = &sheet.directory;
            let progress = Progress::new(args.quiet);
            perform(
                directory,
                place,
                &args.place,
                resources,
                &needed,
                &budget,
                &progress,
            )?;
        }
        let results = Results::new(&sheet.directory);
        tell_broken(&sheet, args);
        let joined = instances(&sheet, &results, args)?;
        let refused: Vec<_> = { joined.iter() }
            .flat_map(|i| &i.conclusions)
            .flat_map(|c| c.refused.clone())
            .collect();
        round += 1;
        if refused.is_empty() || round > MOST_ROUNDS {
            break (joined, sheet.needed(&results));
        }
        for (number, why) in refused {
            output::diagnostic(&format!(
                "line {number}: its evidence is refused and does not count ({why})"
            ));
            sheet.directory.put_aside(number)?;
        }
    };
    let exit = tell(&sheet, &joined, args)?;
    match missing.is_empty() {
        true => sheet.directory.clean(),
        false => output::diagnostic(&advice(&missing, args)),
    }
    Ok(exit)
}

/// Refuses a file that has changed: the verdicts must be about its current contents.
fn refuse_changed(sheet: &Sheet) -> anyhow::Result<()> {
    let Some(line) = sheet.lines.first() else {
        return Ok(());
    };
    // If the file is gone, or on another machine, only the copy remains.
    match std::fs::read(&line.source) {
        Ok(text) if hash(&text) != line.hash => {
            let why = format!(
                "`{}` has changed since it was split; split it again, or join what was split with --copy",
                line.source.display()
            );
            Err(refused("split", why))
        }
        _ => Ok(()),
    }
}

/// The limits of the line with the largest ones.
fn resources(lines: &[CheckLine]) -> Resources {
    let times = lines.iter().map(|l| l.timeout.map(Duration::from_millis));
    let times: Option<Vec<Duration>> = times.collect();
    Resources {
        time: times.and_then(|t| t.into_iter().max()),
        memory: lines.iter().map(|l| l.memory).max().unwrap_or(0),
        processors: lines.iter().map(|l| l.jobs).max().unwrap_or(1),
    }
}

fn tell_broken(sheet: &Sheet, args: &JoinArgs) {
    let all = 1..=sheet.lines.len();
    let broken: Vec<usize> = all
        .filter(|&n| sheet.directory.read(n) == Found::Broken)
        .collect();
    if !broken.is_empty() && !args.quiet {
        output::diagnostic(&format!(
            "the results of lines {} are broken, or of other work, and do not count",
            ranges(&broken)
        ));
    }
}

/// The results for the properties of one instance.
struct Instance {
    define: Vec<(String, String)>,
    shown: String,
    loaded: Loaded,
    conclusions: Vec<Conclusion>,
}

fn instances(
    sheet: &Sheet,
    results: &Results<'_>,
    args: &JoinArgs,
) -> anyhow::Result<Vec<Instance>> {
    let mut found: Vec<Instance> = Vec::new();
    for question in sheet.questions() {
        let line = &sheet.lines[question];
        let known = found.iter().position(|i| i.define == line.define);
        let position = match known {
            Some(position) => position,
            None => {
                found.push(Instance {
                    define: line.define.clone(),
                    shown: line.instance(),
                    loaded: line.load(&sheet.directory)?,
                    conclusions: Vec::new(),
                });
                found.len() - 1
            }
        };
        let instance = &mut found[position];
        let backend = registry::backend(&args.solver, Some(line.memory))?;
        let joiner = Joiner {
            sheet,
            results,
            loaded: &instance.loaded,
            backend: backend.as_ref(),
        };
        let conclusion = joiner.conclude(question);
        instance.conclusions.push(conclusion);
    }
    Ok(found)
}

/// Writes the verdicts and the certificates.
fn tell(sheet: &Sheet, joined: &[Instance], args: &JoinArgs) -> anyhow::Result<Exit> {
    let mut exit = Exit::Success;
    let (mut text, mut documents) = (String::new(), Vec::new());
    for instance in joined {
        if joined.len() > 1 {
            text += &format!("{}\n", instance.shown);
        }
        for conclusion in &instance.conclusions {
            text += &shown(conclusion, &instance.loaded);
            exit = exit.worse(exit_of(conclusion));
            if let (Some(line), false) = (conclusion.open.first(), args.quiet) {
                let directory = args.directory.display();
                output::diagnostic(&format!(
                    "{}: line {line} has no verdict; try: sectile work {directory} {line} --again --timeout 10m",
                    conclusion.property
                ));
            }
            if let Some(failure) = &conclusion.failure {
                output::diagnostic(&format!("internal error: {failure}"));
            }
        }
        let file = certificate_file(sheet, instance, joined.len());
        documents.push(document(instance, &file));
        let entries: Vec<_> = { instance.conclusions.iter() }
            .flat_map(|c| c.entries.clone())
            .collect();
        if !entries.is_empty() {
            output::file(&file, &print_all(&instance.loaded, &entries))?;
            let shown: usize = instance.conclusions.iter().map(|c| c.obligations).sum();
            if !args.quiet {
                output::diagnostic(&format!(
                    "the evidence of the whole is in {} (accepted, {shown} obligations)",
                    file.display()
                ));
            }
        }
    }
    let whole = format!("{:#}\n", Value::Array(documents));
    output::file(&sheet.directory.path().join("verdicts.json"), &whole)?;
    output::result(&text);
    Ok(exit)
}

fn shown(conclusion: &Conclusion, loaded: &Loaded) -> String {
    let status = conclusion.status;
    if loaded.frontend.info().satisfiability {
        return match status {
            Status::Holds => "sat\n".to_string(),
            Status::Violated => "unsat\n".to_string(),
            Status::Unknown => "unknown\n".to_string(),
        };
    }
    let name = &conclusion.property;
    match status {
        Status::Unknown => format!("{name}: unknown ({})\n", conclusion.reason),
        _ => format!("{name}: {}\n", status.word()),
    }
}

fn exit_of(conclusion: &Conclusion) -> Exit {
    match (conclusion.status, &conclusion.failure) {
        (_, Some(_)) => Exit::Internal,
        (Status::Holds, None) => Exit::Success,
        (Status::Violated, None) => Exit::Violated,
        (Status::Unknown, None) if !conclusion.refused.is_empty() => Exit::Internal,
        (Status::Unknown, None) => Exit::Unknown,
    }
}

fn certificate_file(sheet: &Sheet, instance: &Instance, count: usize) -> PathBuf {
    let name = match count {
        1 => "certificate.txt".to_string(),
        _ => format!("certificate-{}.txt", instance.shown.replace(' ', "")),
    };
    sheet.directory.path().join(name)
}

fn document(instance: &Instance, file: &std::path::Path) -> Value {
    let properties = instance.conclusions.iter().map(|c| {
        json!({
            "name": c.property,
            "verdict": c.status.word(),
            "reason": c.reason,
            "lines": c.lines,
            "obligations": c.obligations,
        })
    });
    json!({
        "parameters": instance.define.iter().cloned().collect::<std::collections::BTreeMap<_, _>>(),
        "certificate": file,
        "properties": properties.collect::<Vec<_>>(),
    })
}

fn advice(missing: &[usize], args: &JoinArgs) -> String {
    let directory = args.directory.display();
    format!(
        "lines {} have no result: `sectile work {directory} {}` does one of them, `sectile join {directory} --run` all",
        ranges(missing),
        missing.first().copied().unwrap_or(1)
    )
}
