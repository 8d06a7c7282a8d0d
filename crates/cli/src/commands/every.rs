//! `sectile check --forall n`, and `sectile certify` for what it writes.

use crate::args::{CertifyArgs, CheckArgs, CheckFormat};
use crate::commands::certify::judged;
use crate::commands::{bad, refused};
use crate::exit::Exit;
use crate::output;
use sectile_base::{Budget, Source};
use sectile_driver::{CheckOptions, InputError, Loaded, load, registry};
use sectile_questions::every::{self, EveryProof, Family, Found};
use sectile_report::{TextOptions, property_text};

/// Checks the properties for every value of a parameter.
pub fn check(
    args: &CheckArgs,
    loaded: &Loaded,
    size: &str,
    options: &CheckOptions,
    words: TextOptions,
) -> anyhow::Result<Exit> {
    if args.format != CheckFormat::Text {
        return Err(bad("--forall writes text"));
    }
    let family = Family::of(loaded, size)?;
    let module = &loaded.reading.module;
    let asked = |name: &str| args.property.is_empty() || args.property.iter().any(|p| p == name);
    for name in &args.property {
        if module.property(name).is_none() {
            return Err(bad(format!("there is no property `{name}`")));
        }
    }
    let is_result = args.certificate.as_deref() == Some("-");
    let write = if is_result {
        output::diagnostic
    } else {
        output::result
    };
    let mut exit = Exit::Success;
    let mut proofs = Vec::new();
    for property in module.properties.iter().filter(|p| asked(&p.name)) {
        let budget = args.input.limits.on(options.budget.clone().restarted());
        let found = every::find(&family, &property.name, options, &budget);
        let found = found.map_err(|e| refused("every-n", e))?;
        let (text, this) = told(&property.name, size, &found, words);
        write(&text);
        if let Found::Refused(why) = &found {
            output::diagnostic(why);
        }
        if let Found::Proved { proof, .. } = found {
            proofs.push(proof);
        }
        exit = exit.worse(this);
    }
    if let Some(file) = &args.certificate {
        let text = every::print(&family, &proofs);
        match file.as_str() {
            "-" => output::result(&text),
            _ => output::file(file.as_ref(), &text)?,
        }
    }
    Ok(exit)
}

/// What was found out about a property, in words.
fn told(property: &str, size: &str, found: &Found, words: TextOptions) -> (String, Exit) {
    match found {
        Found::Proved {
            proof,
            obligations,
            size: last,
        } => {
            let mut text = format!("{property}: holds for every {size} >= {}\n", proof.first);
            if words.model {
                text += &invariant(proof, size, *last, *obligations);
            }
            (text, Exit::Success)
        }
        Found::Violated {
            size: at,
            smallest,
            checked,
            ..
        } => {
            let which = if *smallest {
                "the smallest"
            } else {
                "smaller ones are open"
            };
            let lines = checked.report.properties.iter();
            let lines: String = lines.map(|p| property_text(p, words)).collect();
            let rest = lines.split_once('\n').map_or("", |(_, rest)| rest);
            let text = format!("{property}: violated with {size} = {at} ({which})\n{rest}");
            (text, Exit::Violated)
        }
        Found::Refused(_) => {
            let text = format!("{property}: unknown (unsupported)\n");
            (text, Exit::Unknown)
        }
        Found::Unknown(why) => {
            let text = format!("{property}: unknown (incomplete)\n  reached: {why}\n");
            (text, Exit::Unknown)
        }
    }
}

/// The clauses of a proof, and how they were checked.
fn invariant(proof: &EveryProof, size: &str, last: i64, obligations: usize) -> String {
    let mut text = String::from("  invariant:\n");
    for counter in &proof.counters {
        text += &format!("    {} = {}\n", counter.name, counter.text);
    }
    for clause in &proof.clauses {
        text += &format!("    {clause}\n");
    }
    for (own, _) in &proof.own {
        text += &format!("  {size} = {own} has a proof of its own\n");
    }
    let what = format!("{size} = {last} stands for all larger ones");
    text + &format!("  checked: {obligations} obligations; {what}\n")
}

/// Whether a text is a certificate for every size.
pub fn is_certificate(text: &str) -> bool {
    every::is_every(text)
}

/// Checks the certificates of a text.
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
