//! `sectile check --forall n`, and `sectile certify` for the certificates that it writes.

use crate::args::{CertifyArgs, CheckArgs, CheckFormat};
use crate::commands::certify::judged;
use crate::commands::check::{auto, exit_of, rendered, tell_warnings, text_options};
use crate::commands::{bad, refused};
use crate::exit::Exit;
use crate::observers::EventStream;
use crate::output;
use sectile_base::{Budget, Source};
use sectile_driver::check::summary;
use sectile_driver::{CheckOptions, InputError, Loaded, load, registry};
use sectile_model::Task;
use sectile_questions::every::{self, EveryProof, Family, Found};
use sectile_report::{
    Certified, CounterWords, EveryWords, Evidence, PropertyReport, Sizes, Status, WaitingWords,
    every_size_command, property_text,
};

/// The name of the engine in reports of proofs for every size.
const ENGINE: &str = "every-n";

/// Checks the properties for every value of a parameter.
pub fn check(
    args: &CheckArgs,
    loaded: &Loaded,
    size: &str,
    options: &CheckOptions,
) -> anyhow::Result<Exit> {
    let family = Family::of(loaded, size)?;
    let module = &loaded.reading.module;
    for name in &args.property {
        if module.property(name).is_none() {
            return Err(bad(format!("there is no property `{name}`")));
        }
    }
    let asked = |name: &str| args.property.is_empty() || args.property.iter().any(|p| p == name);
    let write = match args.certificate.as_deref() == Some("-") {
        true => output::diagnostic,
        false => output::result,
    };
    let mut report = summary(loaded);
    report.parameters.retain(|(name, _)| name != size);
    let mut proofs = Vec::new();
    for property in module.properties.iter().filter(|p| asked(&p.name)) {
        let budget = args.input.limits.on(options.budget.clone().restarted());
        let found = every::find(&family, &property.name, options, &budget);
        let found = found.map_err(|e| refused("every-n", e))?;
        let task = Task::new(&loaded.terms, &module.model, property);
        let told = PropertyReport {
            seconds: budget.elapsed().as_secs_f64(),
            ..property_report(&task, size, &found)
        };
        if args.format == CheckFormat::Text {
            write(&property_text(&told, text_options(args)));
        }
        let is_last = args.first_violation && told.status == Status::Violated;
        report.properties.push(told);
        if let Found::Proved { proof, .. } = found {
            proofs.push(proof);
        }
        if is_last {
            break;
        }
    }
    match args.format {
        CheckFormat::Text => {}
        CheckFormat::Events => EventStream::new(loaded).finish(&report),
        CheckFormat::Json | CheckFormat::Sarif => write(&rendered(&report, args, loaded)),
    }
    if !args.quiet {
        tell_warnings(loaded, &report);
    }
    if let Some(file) = &args.certificate {
        let text = every::print(&family, &proofs);
        match file.as_str() {
            "-" => output::result(&text),
            _ => output::file(file.as_ref(), &text)?,
        }
    }
    Ok(exit_of(&report))
}

/// The report about a property.
fn property_report(task: &Task<'_>, size: &str, found: &Found) -> PropertyReport {
    let blank = |status| PropertyReport::new(task.property, ENGINE, status);
    let sizes = Sizes {
        parameter: size.to_string(),
        ..Sizes::default()
    };
    match found {
        Found::Proved {
            proof,
            obligations,
            size: last,
        } => PropertyReport {
            sizes: Some(Sizes {
                from: Some(proof.first),
                ..sizes
            }),
            certified: Certified::Yes,
            evidence: Some(Evidence::EverySize(words(proof, size, *last, *obligations))),
            ..blank(Status::Holds)
        },
        Found::Violated {
            size: at,
            smallest,
            checked,
            ..
        } => PropertyReport {
            sizes: Some(Sizes {
                violated_at: Some(*at),
                smallest: Some(*smallest),
                ..sizes
            }),
            ..{ checked.report.properties.first().cloned() }
                .unwrap_or_else(|| blank(Status::Violated))
        },
        Found::Refused(why) => PropertyReport {
            sizes: Some(sizes),
            reason: "unsupported".to_string(),
            reached: why.message.clone(),
            warnings: vec![why.clone()],
            ..blank(Status::Unknown)
        },
        Found::Unknown(why) => PropertyReport {
            sizes: Some(sizes),
            reason: "incomplete".to_string(),
            reached: why.clone(),
            ..blank(Status::Unknown)
        },
    }
}

/// The description of a proof, and of how it was checked.
fn words(proof: &EveryProof, size: &str, last: i64, obligations: usize) -> EveryWords {
    let counters = proof.counters.iter().map(|c| CounterWords {
        name: c.name.clone(),
        counts: c.text.clone(),
    });
    EveryWords {
        parameter: size.to_string(),
        from: proof.first,
        counters: counters.collect(),
        numbers: proof.numbers.clone(),
        clauses: proof.clauses.clone(),
        waiting: proof.waiting.as_ref().map(|w| WaitingWords {
            region: w.region.clone(),
            falls: w.ranks.clone(),
        }),
        own_proofs: proof.own.iter().map(|(own, _)| *own).collect(),
        stands_for_larger: last,
        obligations,
    }
}

/// The command that checks a property for every size, if it holds for one and the model allows
/// that.
pub fn hint(args: &CheckArgs, loaded: &Loaded, property: &PropertyReport) -> Option<String> {
    let asked = auto(args) && !args.counters && !args.quiet;
    if !asked || property.status != Status::Holds {
        return None;
    }
    let size = every::offered(loaded, &property.name)?;
    let (file, name) = (&args.input.file, &property.name);
    Some(every_size_command(file, name, &args.given(), &size))
}

/// Whether a text is a certificate for every size.
pub fn is_certificate(text: &str) -> bool {
    every::is_every(text)
}

/// Checks the certificates in a text.
pub fn certify(args: &CertifyArgs, source: &Source) -> anyhow::Result<Exit> {
    let wrong = |e: String| InputError {
        message: format!("error[certificate]: {e}\n"),
    };
    let read = every::read(source).map_err(wrong)?;
    let mut parameters = args.input.define.clone();
    for (name, value) in &read.parameters {
        let given = args.input.define.iter().find(|(n, _)| n == name);
        match given {
            Some((_, own)) if own != value && !args.any_instance => {
                let why = format!(
                    "refused: the certificate has {name} = {value}, the model {name} = {own}\n"
                );
                output::result(&why);
                return Ok(Exit::Violated);
            }
            Some(_) => {}
            None => parameters.push((name.clone(), value.clone())),
        }
    }
    let loaded = load(&args.input.file, args.input.input.as_deref(), &parameters)?;
    let family = Family::of(&loaded, &read.size)?;
    let backend = registry::backend(&args.solver, Some(args.input.limits.memory))?;
    let budget = args.input.limits.on(Budget::unlimited());
    let mut exit = Exit::Success;
    for proof in &read.proofs {
        let name = &proof.property;
        let claim = format!("holds for every {} >= {}", family.size, proof.first);
        let (line, this) = match every::certify(&family, proof, backend.as_ref(), &budget) {
            Ok(outcome) => judged(name, &claim, &outcome.into()),
            Err(why) => (
                format!("{name}: refused ({claim})\n  {why}"),
                Exit::Violated,
            ),
        };
        output::result(&format!("{line}\n"));
        exit = exit.worse(this);
    }
    Ok(exit)
}
