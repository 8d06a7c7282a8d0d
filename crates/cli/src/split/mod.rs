//! `sectile split`, `work` and `join`: divides a check into lines of work that many processes
//! share.
//!
//! A line is a part of a property, in one instance of the model, for one engine or `auto`. Evidence
//! about parts composes: invariants by conjunction, everything else as certificates of parts that
//! `certify` combines. The rest, such as recovering from killed processes, is the job of
//! [`sectile_bench::work`].
//!
//! | file | what |
//! |---|---|
//! | this | `split`: creating the lines |
//! | [`line`] | one line |
//! | [`sheet`] | all lines, and which of them answer the same question |
//! | [`work`] | `work`: executing a line |
//! | [`join`], [`verdict`] | `join`: verdicts and evidence for the whole |
//! | [`place`] | executing lines somewhere, with progress |

pub mod join;
pub mod line;
pub mod place;
pub mod sheet;
mod verdict;
pub mod work;

use crate::args::{InputArgs, JoinArgs, SplitArgs};
use crate::commands::{bad, load_model, load_silently, refused};
use crate::exit::Exit;
use crate::guard::Guard;
use crate::output;
use anyhow::Context as _;
use line::{CheckLine, PartLine};
use sectile_base::files;
use sectile_bench::work::{Directory, LINES, hash};
use sectile_driver::{Loaded, registry};
use serde_json::json;
use std::path::Path;
use std::time::Duration;

/// Runs `split`.
pub fn run(args: &SplitArgs) -> anyhow::Result<Exit> {
    for name in args.engine.iter().filter(|e| *e != "auto") {
        if registry::engine(name).is_none() {
            return Err(bad(format!("there is no engine `{name}`")));
        }
    }
    let bytes = match args.input.file.as_str() {
        "-" => return Err(bad("split keeps the model: it needs a file")),
        file => std::fs::read(file)
            .map_err(|e| refused("input", format!("cannot read `{file}`: {e}")))?,
    };
    let reading = Guard::of_command(&args.input.limits);
    let lines = lines(args, &hash(&bytes))?;
    drop(reading);
    let texts = lines.iter().map(|l| json!({ "check": l }).to_string());
    let texts: Vec<String> = texts.collect();
    refuse_other_work(args, &texts)?;
    let directory = made(args, &bytes, texts)
        .with_context(|| format!("cannot write to `{}`", args.directory.display()))?;
    if args.place.place().is_some() {
        return join::run(&JoinArgs {
            directory: args.directory.clone(),
            run: false,
            place: args.place.clone(),
            copy: false,
            solver: args.solver.clone(),
            quiet: args.quiet,
        });
    }
    output::result(&listing(&lines));
    if !args.quiet {
        output::diagnostic(&next_steps(&directory, &args.directory));
    }
    Ok(Exit::Success)
}

/// Refuses to overwrite other work in the directory by accident.
fn refuse_other_work(args: &SplitArgs, texts: &[String]) -> anyhow::Result<()> {
    let there = Directory::open(&args.directory);
    match there.is_ok_and(|d| d.lines() != texts) && !args.replace {
        true => Err(bad(format!(
            "`{}` has other work in it: take another directory, or --replace it",
            args.directory.display()
        ))),
        false => Ok(()),
    }
}

/// Creates the directory. The lines are written last, so that the model exists when they do.
fn made(args: &SplitArgs, bytes: &[u8], texts: Vec<String>) -> std::io::Result<Directory> {
    std::fs::create_dir_all(&args.directory)?;
    let copy = args.directory.join(file_name(&args.input.file));
    if std::fs::read(&copy).ok().as_deref() != Some(bytes) {
        files::write(&copy, bytes)?;
    }
    Directory::create(&args.directory, texts)
}

fn file_name(file: &str) -> String {
    let name = Path::new(file).file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// All lines. Alternatives come after the first line of every part.
fn lines(args: &SplitArgs, hash: &str) -> anyhow::Result<Vec<CheckLine>> {
    let mut lines = Vec::new();
    let mut parts = Vec::new();
    for (k, define) in instances(args)?.into_iter().enumerate() {
        let input = InputArgs {
            define,
            ..args.input.clone()
        };
        let loaded = match k {
            0 => load_model(&input)?,
            _ => load_silently(&input)?,
        };
        for (property, part) in parts_of(args, &loaded)? {
            parts.push((input.define.clone(), property, part));
        }
    }
    let source = std::path::absolute(&args.input.file)
        .with_context(|| format!("where is `{}`?", args.input.file))?;
    for engine in &args.engine {
        for (define, property, part) in &parts {
            lines.push(CheckLine {
                file: file_name(&args.input.file),
                source: source.clone(),
                hash: hash.to_string(),
                input: args.input.input.clone(),
                define: define.clone(),
                infinite_paths: args.input.infinite_paths,
                termination: args.input.termination,
                property: property.clone(),
                part: part.clone(),
                engine: engine.clone(),
                set: args.settings.clone(),
                jobs: args.jobs.get(),
                seed: args.seed,
                solver: args.solver.clone(),
                timeout: args.input.limits.timeout.map(milliseconds),
                memory: args.input.limits.memory,
            });
        }
    }
    Ok(lines)
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// The parameter values of every instance.
fn instances(args: &SplitArgs) -> anyhow::Result<Vec<Vec<(String, String)>>> {
    let mut all = vec![args.input.define.clone()];
    for (name, text) in &args.each {
        if args.input.define.iter().any(|(n, _)| n == name) {
            return Err(bad(format!(
                "{name} has one value by -D and others by --each"
            )));
        }
        let values = values(text).ok_or_else(|| {
            bad(format!(
                "--each {name}={text}: expected values such as 2..5 or 2,4,8"
            ))
        })?;
        let with = |instance: &Vec<(String, String)>| {
            let instance = instance.clone();
            let each = values.iter().map(move |value| {
                let mut instance = instance.clone();
                instance.push((name.clone(), value.clone()));
                instance
            });
            each.collect::<Vec<_>>()
        };
        all = all.iter().flat_map(with).collect();
    }
    Ok(all)
}

/// The maximum number of instances: more are probably a mistake.
const MOST_VALUES: i64 = 10_000;

/// `2..5` or `2,4,8`.
fn values(text: &str) -> Option<Vec<String>> {
    if let Some((first, last)) = text.split_once("..") {
        let first: i64 = first.trim().parse().ok()?;
        let last: i64 = last.trim().parse().ok()?;
        let fits = first <= last && last.checked_sub(first)? < MOST_VALUES;
        return fits.then(|| (first..=last).map(|k| k.to_string()).collect());
    }
    let list: Vec<String> = text.split(',').map(|v| v.trim().to_string()).collect();
    list.iter()
        .all(|v| v.parse::<i64>().is_ok())
        .then_some(list)
}

/// The parts of the requested properties.
fn parts_of(args: &SplitArgs, loaded: &Loaded) -> anyhow::Result<Vec<(String, Option<PartLine>)>> {
    let module = &loaded.reading.module;
    for name in &args.property {
        if module.property(name).is_none() {
            return Err(bad(format!("there is no property `{name}`")));
        }
    }
    let asked = |name: &String| args.property.is_empty() || args.property.contains(name);
    let mut found = Vec::new();
    for property in module.properties.iter().filter(|p| asked(&p.name)) {
        let of = match module.model.contracts {
            Some(_) => 1,
            None => property.conjuncts(&loaded.terms).len(),
        };
        let count = of.min(args.parts.get());
        if count < 2 {
            found.push((property.name.clone(), None));
            continue;
        }
        for first in 0..count {
            let conjuncts = (first..of).step_by(count).collect();
            found.push((property.name.clone(), Some(PartLine { conjuncts, of })));
        }
    }
    match found.is_empty() {
        true => Err(bad("the file states no property")),
        false => Ok(found),
    }
}

/// `1  mutex, conjunct 0 of 3, auto`.
fn listing(lines: &[CheckLine]) -> String {
    let width = lines.len().to_string().len();
    let each = lines.iter().enumerate();
    each.map(|(k, line)| format!("{:>width$}  {}\n", k + 1, line.about()))
        .collect()
}

fn next_steps(directory: &Directory, shown: &Path) -> String {
    let (count, shown) = (directory.count(), shown.display());
    format!(
        "{count} lines are in {shown}/{LINES}\nhere: sectile join {shown} --run\nSlurm: sectile join {shown} --on slurm\nGNU parallel: seq {count} | parallel sectile work {shown} {{}}; sectile join {shown}"
    )
}

#[cfg(test)]
mod tests {
    use super::values;

    #[test]
    fn values_are_ranges_or_lists() {
        let read = |text: &str| values(text).map(|v| v.join(" "));
        assert_eq!(read("2..4").as_deref(), Some("2 3 4"));
        assert_eq!(read("2, 8").as_deref(), Some("2 8"));
        assert_eq!(read("4..2"), None);
        assert_eq!(read("0..99999999999999"), None);
        assert_eq!(read("two"), None);
    }
}
