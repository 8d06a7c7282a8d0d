//! `sectile check`.

use crate::args::{CheckArgs, Format};
use crate::commands::load_model;
use crate::exit::Exit;
use crate::output;
use anyhow::Context as _;
use sectile_driver::{CheckOptions, Checked, Loaded, certificates, check};
use sectile_engine::{Event, Observer, Settings, Silent};
use sectile_report::{CheckReport, Status, TextOptions, to_json, to_text};

/// Tells events on standard error.
struct Progress;

impl Observer for Progress {
    fn event(&mut self, event: &Event) {
        let text = match event {
            Event::Started { engine, property } => format!("{engine}: checking {property}"),
            Event::Phase { name } => format!("  {name}"),
            Event::BoundRefuted { depth } => format!("  no violation in {depth} steps"),
            Event::States { count, depth } => format!("  {count} states up to depth {depth}"),
            Event::Counter { name, value } => format!("  {name} {value}"),
        };
        output::diagnostic(&text);
    }
}

/// Runs the command.
pub fn run(args: &CheckArgs) -> anyhow::Result<Exit> {
    let loaded = load_model(&args.input)?;
    let mut settings = Settings::default();
    for (name, value) in &args.settings {
        settings.set(name, value);
    }
    let options = CheckOptions {
        engines: args.engine.clone(),
        properties: args.property.clone(),
        timeout: args.limits.timeout,
        memory: Some(args.limits.memory),
        seed: args.seed,
        solver: args.solver.clone(),
        certify: !args.no_certify,
        settings,
    };
    let checked = if args.verbose > 0 && !args.quiet {
        check(&loaded, &options, &mut Progress)?
    } else {
        check(&loaded, &options, &mut Silent)?
    };
    output::result(&rendered(&checked.report, args));
    if let Some(file) = &args.certificate {
        write_certificates(&loaded, &checked, file)?;
    }
    for failure in &checked.failures {
        output::diagnostic(&format!("internal error: {failure}"));
    }
    Ok(if checked.failures.is_empty() {
        exit_of(&checked.report)
    } else {
        save_bundle(&loaded, &checked);
        Exit::Internal
    })
}

fn rendered(report: &CheckReport, args: &CheckArgs) -> String {
    match args.format {
        Format::Json => to_json(report) + "\n",
        Format::Text => to_text(
            report,
            TextOptions {
                trace: args.trace,
                model: args.model,
                stats: args.stats,
            },
        ),
    }
}

fn exit_of(report: &CheckReport) -> Exit {
    let any = |status: Status| report.properties.iter().any(|p| p.status == status);
    if any(Status::Violated) {
        Exit::Violated
    } else if any(Status::Unknown) {
        Exit::Unknown
    } else {
        Exit::Success
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

fn write_certificates(loaded: &Loaded, checked: &Checked, file: &str) -> anyhow::Result<()> {
    let text = certificate_text(loaded, checked);
    std::fs::write(file, text).with_context(|| format!("cannot write `{file}`"))
}

/// Saves what is needed to report a verdict that failed its own check.
fn save_bundle(loaded: &Loaded, checked: &Checked) {
    let file = "sectile-failure.txt";
    let text = format!(
        "sectile {}\n{}\n\n--- input {} ---\n{}\n--- evidence ---\n{}",
        env!("CARGO_PKG_VERSION"),
        checked.failures.join("\n"),
        loaded.source.name(),
        loaded.source.text(),
        certificate_text(loaded, checked)
    );
    match std::fs::write(file, text) {
        Ok(()) => output::diagnostic(&format!(
            "the input and the evidence are in {file}; please report them"
        )),
        Err(e) => output::diagnostic(&format!("the evidence could not be saved: {e}")),
    }
}
