//! `sectile check`: checks the properties of models.

use crate::args::{CheckArgs, CheckFormat, ExitCode, Methods};
use crate::commands::{
    bad, every, folder_for, horn, interpolations, load_counters, load_model, load_silently,
    load_small, select, settings,
};
use crate::exit::Exit;
use crate::guard::{Guard, limit_address_space};
use crate::observers::{Beside, EventStream, Live, Observers, Page, Pictures, StepLines};
use crate::output;
use crate::signals::stop_on_signals;
use anyhow::Context as _;
use sectile::{Check, Model};
use sectile_base::Budget;
use sectile_driver::{CheckOptions, Checked, Loaded, Progress, certificates, registry, small};
use sectile_frontend::input::frontend_for;
use sectile_questions::counters::Family;
use sectile_report::{
    CheckReport, Narrator, PropertyReport, Status, TextOptions, property_text, to_json, to_sarif,
    to_text,
};
use sectile_terms::Term;
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Instant;

/// Runs the command.
pub fn run(args: &CheckArgs) -> anyhow::Result<Exit> {
    let exit = run_on_all(args)?;
    Ok(requested_exit(args.exit_code, exit))
}

/// The exit code for a result, as `--exit-code` asks.
fn requested_exit(asked: ExitCode, exit: Exit) -> Exit {
    match (asked, exit) {
        (ExitCode::Zero, Exit::Violated | Exit::Unknown) => Exit::Success,
        _ => exit,
    }
}

fn run_on_all(args: &CheckArgs) -> anyhow::Result<Exit> {
    let mut budget = Budget::unlimited();
    if let Some(time) = args.hard_limit {
        budget = budget.with_time(time);
    }
    stop_on_signals(&budget);
    let files = [
        ("--report", &args.report),
        ("--certificate", &args.certificate),
    ];
    for (option, file) in files {
        file.as_deref().map_or(Ok(()), |f| folder_for(option, f))?;
    }
    if args.more.is_empty() {
        return run_on_file(args, &budget);
    }
    if args.certificate.is_some() || args.dot.is_some() || args.report.is_some() {
        let why = "--certificate, --dot and --report are about one file; there are several";
        return Err(bad(why));
    }
    let mut exit = Exit::Success;
    for file in std::iter::once(&args.input.file).chain(&args.more) {
        if budget.check().is_err() {
            return Ok(exit.worse(Exit::Unknown));
        }
        if args.format == CheckFormat::Text {
            output::result(&format!("{file}\n"));
        }
        let mut one = args.clone();
        one.input.file.clone_from(file);
        // A file that cannot be read does not prevent the others from being checked.
        exit = exit.worse(run_on_file(&one, &budget).unwrap_or_else(|error| {
            output::diagnostic(&format!("{error:#}"));
            Exit::of_error(&error)
        }));
    }
    Ok(exit)
}

/// Checks one file.
fn run_on_file(args: &CheckArgs, budget: &Budget) -> anyhow::Result<Exit> {
    let begun = Instant::now();
    let reading = guard(args, budget, "the file was still being read");
    let (loaded, family) = match (args.counters, args.quiet) {
        (true, _) => load_counters(&args.input).map(|(loaded, family)| (loaded, Some(family)))?,
        (false, true) => (load_silently(&args.input)?, None),
        (false, false) => (load_model(&args.input)?, None),
    };
    if args.explain && args.format != CheckFormat::Text {
        let why = "--explain is prose: --format events tells the same to programs";
        return Err(bad(why));
    }
    if certificate_is_result(args) && args.format != CheckFormat::Text {
        let why = "--certificate - writes to standard output, as --format json and events do";
        return Err(bad(why));
    }
    drop(reading);
    let model = Model::of(loaded)?;
    let loaded = model.loaded();
    let mut options = options(args, loaded)?;
    options.budget = budget.clone();
    options.spent = begun.elapsed();
    options.selected = select::for_check(args, loaded)?;
    if !args.small.is_empty() && args.select.is_none() {
        options.lemmas = lemmas_of_small_instance(args, loaded, &options)?;
    }
    if !options.predicates.is_empty() {
        warn_of_unused_predicates(args.engine.iter().map(String::as_str), args);
    }
    if args.interpolation == Some(Methods::All) {
        return interpolations::compare(loaded, &options);
    }
    if let Some(size) = &args.forall {
        return every::check(args, loaded, size, &options);
    }
    let checked = observed(args, &model, family.as_ref(), &options)?;
    if auto(args) && !options.predicates.is_empty() {
        let engines = checked.report.properties.iter().map(|p| p.engine.as_str());
        warn_of_unused_predicates(engines.collect::<BTreeSet<_>>(), args);
    }
    if let Some(file) = &args.certificate {
        write_certificates(loaded, &checked, file)?;
    }
    if !args.quiet {
        tell_warnings(loaded, &checked.report);
    }
    for failure in &checked.failures {
        output::diagnostic(&format!("internal error: {failure}"));
    }
    if !checked.failures.is_empty() {
        output::diagnostic(&save_bundle(&bundle(loaded, &checked), Path::new("")));
        return Ok(Exit::Internal);
    }
    if args.expect && contradicts_header(&checked.report) {
        output::diagnostic("error: a verdict is not the one that the file expects");
        return Ok(Exit::Internal);
    }
    Ok(exit_of(&checked.report))
}

/// The exit code for the verdicts of a report.
pub fn exit_of(report: &CheckReport) -> Exit {
    let exits = report.properties.iter().map(|p| match p.status {
        Status::Holds => Exit::Success,
        Status::Violated => Exit::Violated,
        Status::Unknown => Exit::Unknown,
    });
    exits.fold(Exit::Success, Exit::worse)
}

/// Writes the warnings that were not yet written when the file was read.
pub fn tell_warnings(loaded: &Loaded, report: &CheckReport) {
    let known = loaded.reading.warnings.iter().count();
    let model = report.warnings.iter().skip(known);
    let properties = report.properties.iter().flat_map(|p| &p.warnings);
    for warning in model.chain(properties) {
        output::diagnostic(&warning.text);
    }
}

/// Whether a verdict contradicts a header of the file.
fn contradicts_header(report: &CheckReport) -> bool {
    let mut all = report.properties.iter().flat_map(|p| &p.warnings);
    all.any(|w| w.code == "expectation")
}

/// Ends the program if the work before the engines start exceeds the limits.
pub fn guard(args: &CheckArgs, budget: &Budget, why: &'static str) -> Guard {
    let limits = &args.input.limits;
    limit_address_space(limits.memory);
    let budget = limits.on(budget.clone());
    let (file, format) = (args.input.file.clone(), args.format);
    let language = frontend_for(&file, args.input.input.as_deref());
    let is_clauses = language.is_ok_and(|l| l.info().satisfiability);
    let exit = requested_exit(args.exit_code, Exit::Unknown);
    Guard::new(budget, move |limit| {
        let code = limit.code();
        match format {
            CheckFormat::Text if is_clauses => output::result("unknown\n"),
            CheckFormat::Text => output::result(&format!("{file}: unknown ({code})\n")),
            CheckFormat::Json | CheckFormat::Events | CheckFormat::Sarif => {}
        }
        output::diagnostic(&format!("unknown ({code}): {why}"));
        exit
    })
}

/// The options of a check, for a file that has been read.
pub fn options(args: &CheckArgs, loaded: &Loaded) -> anyhow::Result<CheckOptions> {
    let mut settings = settings(&args.settings);
    if args.slab_paper {
        settings.set("slab-paper", "true");
    }
    let prescribed = args.predicates.as_deref().unwrap_or("");
    let mut predicates = Vec::new();
    if let Some(text) = &args.split {
        let (nodes, formulas) = splits(text)?;
        predicates = loaded.formulas("<--split>", &formulas)?;
        settings.set("guide", nodes);
    }
    predicates.extend(loaded.formulas("<--predicates>", prescribed)?);
    Ok(CheckOptions {
        engines: args.engine.clone(),
        properties: args.property.clone(),
        timeout: args.input.limits.timeout,
        memory: Some(args.input.limits.memory),
        seed: args.seed,
        solver: args.solver.clone(),
        interpolation: args.interpolation.and_then(Methods::one),
        predicates,
        lemmas: Vec::new(),
        minimise: args.explain || args.certificate.is_some() || args.report.is_some(),
        // The explanation is that of the engine that decided. Models of clauses come later.
        readable: args.model
            && !args.explain
            && args.report.is_none()
            && !loaded.frontend.info().satisfiability,
        certify: !args.no_certify,
        settings,
        jobs: jobs(args),
        first_violation: args.first_violation,
        typed: Some((args.input.file.clone(), args.given())),
        ..CheckOptions::default()
    })
}

/// Splits `n2: pc = 1; n5: pc = 2` into nodes and predicates.
fn splits(text: &str) -> anyhow::Result<(String, String)> {
    let (mut nodes, mut predicates) = (Vec::new(), Vec::new());
    for piece in text.split(';').filter(|p| !p.trim().is_empty()) {
        let Some((node, predicate)) = piece.split_once(':') else {
            return Err(bad("--split is `NODE: PREDICATE; NODE: PREDICATE; ...`"));
        };
        nodes.push(node.trim());
        predicates.push(predicate.trim());
    }
    Ok((nodes.join(","), predicates.join("; ")))
}

/// The number of jobs that was asked for; by default the number of cores, but at most two, because
/// few engines gain from more.
fn jobs(args: &CheckArgs) -> usize {
    let cores = std::thread::available_parallelism();
    let usual = cores.map_or(1, |n| n.get().min(2));
    args.jobs.map_or(usual, std::num::NonZeroUsize::get)
}

/// The lemmas of a proof of the instance that `--small` describes.
fn lemmas_of_small_instance(
    args: &CheckArgs,
    loaded: &Loaded,
    options: &CheckOptions,
) -> anyhow::Result<Vec<Term>> {
    let small = load_small(&args.input, &args.small)?;
    let lemmas = small::lemmas(loaded, &small, options)?.unwrap_or_default();
    if lemmas.is_empty() && !args.quiet {
        output::diagnostic("warning: the small instance gives no lemmas");
    }
    Ok(lemmas)
}

/// Runs the check with the requested observers, and writes the result.
fn observed(
    args: &CheckArgs,
    model: &Model,
    family: Option<&Family>,
    options: &CheckOptions,
) -> anyhow::Result<Checked> {
    let loaded = model.loaded();
    let events = args.format == CheckFormat::Events;
    let mut stream = events.then(|| EventStream::new(loaded));
    let mut pictures = args.dot.as_deref().map(Pictures::new).transpose()?;
    let mut page = args.report.is_some().then(Page::new);
    let wants_steps = !args.quiet && args.verbose > 1;
    let mut step_lines = wants_steps.then_some(StepLines);
    let mut live = if wants_steps { None } else { live(args) };
    let beside = Beside::new(live.as_ref());
    let write = match certificate_is_result(args) {
        true => output::diagnostic,
        false => output::result,
    };
    let mut narrator = args.explain.then(Narrator::default);
    let mut observers = Observers::default();
    observers.add(narrator.as_mut());
    observers.add(stream.as_mut());
    observers.add(pictures.as_mut());
    observers.add(page.as_mut());
    observers.add(step_lines.as_mut());
    observers.add(live.as_mut());
    // Verdicts are printed as soon as they are known, unless the output needs all of them.
    let at_once = args.format == CheckFormat::Text
        && family.is_none()
        && !args.explain
        && !loaded.frontend.info().satisfiability;
    let hinted = |property: &PropertyReport| {
        let more = every::hint(args, loaded, property);
        more.unwrap_or_else(|| property.hint.clone())
    };
    let why = "engines were still being chosen";
    let mut choosing = Some(guard(args, &options.budget.clone().restarted(), why));
    let mut tell = |progress: Progress<'_>| match progress {
        Progress::Prepared => drop(choosing.take()),
        Progress::Decided(property) if at_once => {
            let told = PropertyReport {
                hint: hinted(property),
                ..property.clone()
            };
            beside.write(|| write(&property_text(&told, text_options(args))));
        }
        Progress::Decided(_) => {}
    };
    let checked = Check::with(model, options.clone()).told(&mut observers, &mut tell);
    // Remove the status line before anything else is written.
    drop(live);
    let mut checked = checked?;
    for property in &mut checked.report.properties {
        property.hint = hinted(property);
    }
    if let Some(family) = family {
        checked.report.warnings.extend(family.warnings());
        family.certify(loaded, options, &mut checked);
    }
    let horn = horn::concluded(args, loaded, options, &mut checked);
    if let Some(narrator) = narrator {
        write(&narrator.text(&checked.report.properties));
    }
    match (stream, horn) {
        (Some(stream), _) => stream.finish(&checked.report),
        (None, Some(text)) if args.format == CheckFormat::Text => write(&text),
        (None, _) if at_once => {}
        (None, _) => write(&rendered(&checked.report, args, loaded)),
    }
    if let (Some(pictures), Some(folder)) = (pictures, &args.dot) {
        finish_pictures(pictures, folder, args)?;
    }
    if let (Some(page), Some(file)) = (page, &args.report) {
        page.finish(args, loaded, &checked, file)?;
    }
    Ok(checked)
}

/// The status on standard error, if it is wanted.
fn live(args: &CheckArgs) -> Option<Live> {
    let disturbed = args.format == CheckFormat::Events && output::result_is_seen();
    let on_terminal = output::is_screen() && !disturbed;
    let wanted = !args.quiet && (on_terminal || args.verbose > 0);
    wanted.then(|| match on_terminal {
        true => Live::on_terminal(),
        false => Live::as_lines(),
    })
}

fn finish_pictures(pictures: Pictures, folder: &str, args: &CheckArgs) -> anyhow::Result<()> {
    let drawn = pictures
        .finish()
        .with_context(|| format!("cannot write to `{folder}`"))?;
    if drawn == 0 && !args.quiet {
        output::diagnostic("warning: no engine drew a picture for --dot");
    }
    Ok(())
}

pub fn auto(args: &CheckArgs) -> bool {
    args.engine.iter().any(|e| e == "auto")
}

/// For engines chosen by name the warning comes before the check, for those that `auto` chose after
/// it.
fn warn_of_unused_predicates<'e>(engines: impl IntoIterator<Item = &'e str>, args: &CheckArgs) {
    for name in engines {
        let engine = registry::engine(name);
        if !args.quiet && engine.is_some_and(|e| !e.info().uses_predicates) {
            output::diagnostic(&format!("warning: engine {name} does not use --predicates"));
        }
    }
}

pub fn rendered(report: &CheckReport, args: &CheckArgs, loaded: &Loaded) -> String {
    let line = |property: &str| {
        let property = loaded.reading.module.property(property)?;
        Some(loaded.source.position(property.span.start).line)
    };
    match args.format {
        CheckFormat::Json => to_json(report) + "\n",
        CheckFormat::Sarif => to_sarif(report, &line) + "\n",
        CheckFormat::Text | CheckFormat::Events => to_text(report, text_options(args)),
    }
}

/// The parts of the evidence that are shown.
pub fn text_options(args: &CheckArgs) -> TextOptions {
    TextOptions {
        trace: args.trace || args.explain,
        model: args.model || args.explain,
        stats: args.stats,
    }
}

fn certificate_text(loaded: &Loaded, checked: &Checked) -> String {
    let pairs = checked.report.properties.iter().zip(&checked.certificates);
    let known = pairs.filter_map(|(p, c)| {
        let (claim, certificate) = c.as_ref()?;
        Some((p.name.as_str(), *claim, certificate))
    });
    certificates::print(loaded, known)
}

/// Whether the certificate goes to standard output, so that the report goes to standard error.
fn certificate_is_result(args: &CheckArgs) -> bool {
    args.certificate.as_deref() == Some("-")
}

fn write_certificates(loaded: &Loaded, checked: &Checked, file: &str) -> anyhow::Result<()> {
    let text = certificate_text(loaded, checked);
    if file == "-" {
        output::result(&text);
        return Ok(());
    }
    output::file(file.as_ref(), &text)
}

/// The text to attach to a bug report about a verdict that failed its own check.
fn bundle(loaded: &Loaded, checked: &Checked) -> String {
    format!(
        "sectile {}\n{}\n\n--- input {} ---\n{}\n--- evidence ---\n{}",
        env!("CARGO_PKG_VERSION"),
        checked.failures.join("\n"),
        loaded.source.name(),
        loaded.source.text(),
        certificate_text(loaded, checked)
    )
}

/// Saves that text in a folder; returns a message with its location.
fn save_bundle(text: &str, folder: &Path) -> String {
    let name = folder.join("sectile-failure.txt");
    let file = std::path::absolute(&name).unwrap_or(name);
    match output::file(&file, text) {
        Ok(()) => format!(
            "the input and the evidence are in {}; please report them",
            file.display()
        ),
        Err(e) => format!("the evidence could not be saved: {e:#}"),
    }
}

#[cfg(test)]
mod tests {
    use super::save_bundle;
    use std::path::Path;

    #[test]
    fn a_bundle_is_found_by_its_absolute_path() {
        let folder = std::env::temp_dir().join(format!("sectile-bundle-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("the temporary folder can be written");
        let said = save_bundle("evidence", &folder);
        let file = folder.join("sectile-failure.txt");
        assert!(said.contains(&file.display().to_string()), "{said}");
        let text = std::fs::read_to_string(&file).expect("it was written");
        assert_eq!(text, "evidence");
        std::fs::remove_dir_all(&folder).expect("it can be removed");
        let said = save_bundle("evidence", Path::new("no such folder"));
        assert!(
            said.starts_with("the evidence could not be saved: "),
            "{said}"
        );
        let here = std::env::current_dir().expect("there is one");
        assert!(said.contains(&here.display().to_string()), "{said}");
    }
}
