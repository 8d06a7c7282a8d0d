//! `sectile bench`: runs a suite of benchmarks and prints tables.

use crate::args::{BenchArgs, SuperviseArgs};
use crate::commands::bad;
use crate::exit::Exit;
use crate::output;
use crate::signals::stop_on_signals;
use crate::split::place::Progress;
use anyhow::Context as _;
use sectile_base::{Budget, Source};
use sectile_bench::answer::Answers;
use sectile_bench::command::{Template, words};
use sectile_bench::elsewhere::Elsewhere;
use sectile_bench::outputs::{self, About};
use sectile_bench::plan::{Description, Task, plan};
use sectile_bench::record::Record;
use sectile_bench::run::Runner;
use sectile_bench::session::{RUNS, Session};
use sectile_bench::suite::{self, BadSuite, Contender, Limits, Program, Suite};
use sectile_bench::summary::{Heading, Summary};
use sectile_bench::work::place::{Halt, Workplace};
use sectile_bench::{Verdict, execute, machine};
use sectile_driver::{InputError, Loaded, load};
use sectile_model::{Expectation, Expected, Property, PropertyKind};
use std::path::{Path, PathBuf};

/// Runs the command.
pub fn run(args: &BenchArgs) -> anyhow::Result<Exit> {
    let (name, text) = sectile_frontend::input::read_text(&args.suite)?;
    let suite = suite::read(Source::new(name, text)).map_err(unreadable)?;
    let contenders = contenders(&suite, args)?;
    let home = Path::new(&args.suite).parent().unwrap_or(Path::new(""));
    let plan = plan(&suite, home, &describe).map_err(unreadable)?;
    let limits = Limits {
        cpu: args.timeout.unwrap_or(suite.limits.cpu),
        memory: args.memory.unwrap_or(suite.limits.memory),
        wall: args.wall.or(suite.limits.wall),
    };
    let runner = runner(args, home, limits)?;
    let session = Session {
        contenders: &contenders,
        repeat: args.repeat.unwrap_or(suite.repeat),
        only: args.only.as_deref(),
        resume: args.resume,
        runner: &runner,
    };
    let tasks = session.tasks(&plan);
    if tasks.is_empty() {
        let why = match &args.only {
            Some(only) => format!("no task is called like `{only}`"),
            None => format!("there is nothing to run: {}", plan.skipped.join(", ")),
        };
        return Err(bad(why));
    }
    let machine = machine::line();
    let mut note = |text: &str| {
        if !args.quiet {
            output::diagnostic(text);
        }
    };
    for skipped in &plan.skipped {
        note(&format!("skipped: {skipped}"));
    }
    let folder = &runner.folder;
    let records = match args.place.place() {
        None => session.run(&tasks, &mut note),
        Some(place) => records(&session, &tasks, args, place),
    };
    let records = records
        .with_context(|| format!("the runs in `{}` cannot be continued", folder.display()))?;
    let headings = contenders.iter().map(|c| heading(c, &runner)).collect();
    let summary = Summary::new(headings, &tasks, &records, limits.cpu.as_secs_f64());
    let about = About {
        suite: &suite,
        limits,
        repeat: session.repeat,
        machine,
        command: typed(),
        skipped: plan.skipped.clone(),
    };
    outputs::write(folder, &about, &summary, &tasks, &records)
        .with_context(|| format!("cannot write to `{}`", folder.display()))?;
    output::result(&outputs::text(&about, &summary));
    let shown = folder.display();
    note(&format!("tables, plots and {RUNS} are in {shown}"));
    Ok(match summary.alarms().is_empty() {
        true => Exit::Success,
        false => Exit::Internal,
    })
}

/// Supervises one measured run; only `run` starts this.
pub fn supervise(args: &SuperviseArgs) -> anyhow::Result<Exit> {
    let measured = execute::supervised(&args.job)
        .map_err(|_| bad("this command is for `sectile bench` alone"))?;
    output::result(&format!("{measured}\n"));
    Ok(Exit::Success)
}

fn unreadable(error: BadSuite) -> InputError {
    InputError { message: error.0 }
}

/// The contenders of the suite and those of the command line.
fn contenders(suite: &Suite, args: &BenchArgs) -> anyhow::Result<Vec<Contender>> {
    let mut all = suite.contenders.clone();
    for text in &args.against {
        let bad = |why: &str| bad(format!("--against {text}: {why}"));
        let (name, command) = text
            .split_once('=')
            .ok_or_else(|| bad("expected NAME=COMMAND"))?;
        let template = words(command).and_then(Template::new);
        let template = template.map_err(|e| bad(&e))?;
        let name = name.trim().to_string();
        if name.is_empty() || all.iter().any(|c| c.name == name) {
            return Err(bad("every contender needs a name of its own"));
        }
        all.push(Contender {
            name,
            program: Program::Command {
                template,
                answers: Answers::horn(),
            },
            version: None,
        });
    }
    if all.is_empty() {
        let why = "there are no contenders; add [[contender]] to the suite, or --against";
        return Err(bad(why));
    }
    Ok(all)
}

fn runner(args: &BenchArgs, home: &Path, limits: Limits) -> anyhow::Result<Runner> {
    let stem = Path::new(&args.suite).file_stem().unwrap_or_default();
    let usual = || PathBuf::from("sectile-bench").join(stem);
    let folder = args.output.clone().unwrap_or_else(usual);
    own_runner(&folder, home, limits)
}

/// A runner in which this program is both the supervisor and the program that is measured.
pub fn own_runner(folder: &Path, commands: &Path, limits: Limits) -> anyhow::Result<Runner> {
    let program = std::env::current_exe().context("cannot find the path of this program")?;
    let name = program.to_string_lossy().into_owned();
    Ok(Runner {
        build: build(&program),
        supervisor: vec![name.clone(), "bench-supervise".to_string()],
        program: name,
        folder: folder.to_path_buf(),
        scratch: folder.to_path_buf(),
        commands: commands.to_path_buf(),
        limits,
    })
}

/// Executes the runs of a session at some workplace, possibly this machine.
fn records(
    session: &Session<'_>,
    tasks: &[&Task],
    args: &BenchArgs,
    place: Workplace,
) -> Result<Vec<Record>, Halt> {
    let budget = Budget::unlimited();
    stop_on_signals(&budget);
    let progress = Progress::new(args.quiet);
    let workers = args.place.workers.map(std::num::NonZeroUsize::get);
    let elsewhere = Elsewhere {
        place,
        // Parallel runs on one machine disturb each other, so they must be requested.
        workers: workers.or((place == Workplace::Local).then_some(1)),
        options: args.place.sbatch.clone(),
        stopped: &|| budget.check().is_err(),
        show: &|standing| progress.show(standing),
    };
    session.run_by(
        tasks,
        &mut |text| progress.beside(text),
        &mut |runs, open, tell| elsewhere.perform(session, runs, open, tell),
    )
}

/// Identifies a build of this program.
fn build(program: &Path) -> String {
    let data = std::fs::metadata(program).ok();
    let size = data.as_ref().map_or(0, std::fs::Metadata::len);
    let time = data.and_then(|d| d.modified().ok());
    let age = time.and_then(|t| t.duration_since(std::time::UNIX_EPOCH).ok());
    let version = env!("CARGO_PKG_VERSION");
    format!("{version}-{size}-{}", age.map_or(0, |a| a.as_secs()))
}

fn heading(contender: &Contender, runner: &Runner) -> Heading {
    let version = match (&contender.version, &contender.program) {
        (Some(template), _) => runner.version(template),
        (None, Program::Engine { .. }) => format!("sectile {}", env!("CARGO_PKG_VERSION")),
        (None, Program::Command { .. }) => String::new(),
    };
    let name = contender.name.clone();
    Heading { name, version }
}

/// The command line as typed, without the path of the program.
fn typed() -> Vec<String> {
    let arguments = std::env::args_os().skip(1);
    let arguments = arguments.map(|a| a.to_string_lossy().into_owned());
    ["sectile".to_string()]
        .into_iter()
        .chain(arguments)
        .collect()
}

/// The contents of a model file, as our front-ends read it.
fn describe(file: &str, parameters: &[(String, String)]) -> Result<Description, String> {
    let read =
        |parameters: &[(String, String)]| load(file, None, parameters).map_err(|e| e.to_string());
    let (loaded, plain) = (read(parameters)?, read(&[])?);
    let is_ctl = |p: &&Property| matches!(p.kind, PropertyKind::Ctl(_));
    let name = |p: &Property| p.name.clone();
    let list = loaded.reading.module.properties.iter();
    Ok(Description {
        safety: list.clone().filter(|p| !is_ctl(p)).map(name).collect(),
        others: list.filter(is_ctl).map(name).collect(),
        expected: expected(&loaded, &plain),
    })
}

/// The expectations that are stated for the parameter values in use, with defaults for parameters
/// that they do not mention.
fn expected(loaded: &Loaded, plain: &Loaded) -> Vec<(String, Verdict)> {
    let used = &loaded.reading.module.parameters;
    let defaults = &plain.reading.module.parameters;
    let fits = |e: &&Expectation| {
        defaults.iter().all(|(name, default)| {
            let given = e.parameters.iter().find(|(n, _)| n == name);
            let wanted = given.map_or(default, |(_, value)| value);
            used.iter().any(|(n, value)| n == name && value == wanted)
        })
    };
    let verdict = |e: &Expectation| match e.expected {
        Expected::Holds => Verdict::Holds,
        Expected::Violated(_) => Verdict::Violated,
    };
    let list = loaded.reading.module.expectations.iter().filter(fits);
    list.map(|e| (e.property.clone(), verdict(e))).collect()
}
