//! `sectile certify`: checks a certificate against a model.

use crate::args::{CertifyArgs, InputArgs};
use crate::commands::{every, load_model};
use crate::exit::Exit;
use crate::output;
use sectile::{Certificate, Certification, Certify, Differing, Judged, Model};
use sectile_base::Source;
use sectile_driver::certificates;
use sectile_frontend::input::read_text;

/// Runs the command.
pub fn run(args: &CertifyArgs) -> anyhow::Result<Exit> {
    let (name, text) = read_text(&args.certificate)?;
    let source = Source::new(name, text);
    if every::is_certificate(source.text()) {
        return every::certify(args, &source);
    }
    let certificate = Certificate::from(source.text().to_string());
    let mut model = Model::of(load_model(&args.input)?)?;
    let mut found = certified(args, source.name(), &model, &certificate)?;
    if !found.differing().is_empty() {
        if !args.any_instance {
            output::result(&refused_instance(found.differing()));
            return Ok(Exit::Violated);
        }
        let define = certificates::parameters(&source)?;
        let input = InputArgs {
            define,
            ..args.input.clone()
        };
        model = Model::of(load_model(&input)?)?;
        found = certified(args, source.name(), &model, &certificate)?;
    }
    let mut text = instance(&model);
    let mut exit = Exit::Success;
    for judgement in found.judgements() {
        let claim = judgement.claim.word();
        let (line, this) = judged(&judgement.property, claim, &judgement.judged);
        text += &format!("{line}\n");
        exit = exit.worse(this);
    }
    output::result(&text);
    Ok(exit)
}

/// Checks the certificate within the given limits.
fn certified(
    args: &CertifyArgs,
    name: &str,
    model: &Model,
    certificate: &Certificate,
) -> Result<Certification, sectile::Error> {
    let limits = &args.input.limits;
    let mut request = Certify::new(model, certificate)
        .name(name)
        .solver(args.solver.as_str())
        .memory(limits.memory);
    if let Some(time) = limits.timeout {
        request = request.timeout(time);
    }
    request.run()
}

/// The message for a certificate about another instance of the model.
fn refused_instance(others: &[Differing]) -> String {
    let each = others.iter().map(|other| {
        let (name, value) = (&other.name, &other.certificate);
        match &other.model {
            Some(known) => format!("{name} = {value}, the model {name} = {known}"),
            None => format!("{name} = {value}, and the model has no such parameter"),
        }
    });
    let each: Vec<String> = each.collect();
    let given = others.iter().filter(|o| o.model.is_some());
    let given: Vec<String> = given
        .map(|o| format!(" -D {}={}", o.name, o.certificate))
        .collect();
    format!(
        "refused: the certificate has {}\n  --any-instance takes the values of the certificate{}\n",
        each.join("; "),
        match given.is_empty() {
            true => String::new(),
            false => format!(", and so does{}", given.concat()),
        }
    )
}

/// The line `instance: n = 3, bug = 0`; empty for models without parameters.
fn instance(model: &Model) -> String {
    let each = model.parameters().into_iter();
    let each: Vec<String> = each.map(|(n, v)| format!("{n} = {v}")).collect();
    match each.is_empty() {
        true => String::new(),
        false => format!("instance: {}\n", each.join(", ")),
    }
}

/// The result of the checker for a claim about a property, with its exit code.
pub fn judged(name: &str, claim: &str, judged: &Judged) -> (String, Exit) {
    match judged {
        Judged::Accepted { obligations } => (
            format!("{name}: accepted ({claim}, {obligations} obligations)"),
            Exit::Success,
        ),
        Judged::Refused {
            obligation,
            because,
        } => (
            format!("{name}: refused ({claim})\n  failed: {obligation}\n  {because}"),
            Exit::Violated,
        ),
        Judged::Undecided {
            obligation,
            because,
        } => (
            format!("{name}: unknown ({obligation} could not be decided: {because})"),
            Exit::Unknown,
        ),
        Judged::Failed { because } => (format!("{name}: unknown ({because})"), Exit::Internal),
        _ => (format!("{name}: unknown"), Exit::Internal),
    }
}
