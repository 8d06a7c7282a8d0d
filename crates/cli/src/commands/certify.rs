//! `sectile certify`.

use crate::args::{CertifyArgs, InputArgs};
use crate::commands::{every, load_model};
use crate::exit::Exit;
use crate::output;
use sectile_base::{Int, Source};
use sectile_certify::{Claim, Outcome};
use sectile_driver::certificates::{self, CertificateResult};
use sectile_driver::registry;
use sectile_frontend::input::read_text;
use sectile_model::Module;

/// Runs the command.
pub fn run(args: &CertifyArgs) -> anyhow::Result<Exit> {
    let (name, text) = read_text(&args.certificate)?;
    let source = Source::new(name, text);
    if every::is_certificate(source.text()) {
        return every::certify(args, &source);
    }
    let claimed = certificates::parameters(&source)?;
    let mut loaded = load_model(&args.input)?;
    let others = differing(&claimed, &loaded.reading.module);
    match (others.is_empty(), args.any_instance) {
        (true, _) => {}
        (false, false) => {
            output::result(&refused_instance(&others));
            return Ok(Exit::Violated);
        }
        (false, true) => {
            loaded = load_model(&InputArgs {
                define: claimed,
                ..args.input.clone()
            })?;
        }
    }
    let budget = args.input.limits.budget();
    let backend = registry::backend(&args.solver, Some(args.input.limits.memory))?;
    let results = certificates::certify(&loaded, &source, backend.as_ref(), &budget)?;
    let mut text = instance(&loaded.reading.module);
    let mut exit = Exit::Success;
    for result in &results {
        let (line, this) = describe(result);
        text += &format!("{line}\n");
        exit = exit.worse(this);
    }
    output::result(&text);
    Ok(exit)
}

/// A parameter with the value of the certificate and that of the model, if the model has it.
type Differing = (String, String, Option<Int>);

/// The parameters that the certificate and the model as it was asked for do not agree on.
fn differing(claimed: &[(String, String)], module: &Module) -> Vec<Differing> {
    let known = |name: &str| {
        let found = module.parameters.iter().find(|(n, _)| n == name);
        found.map(|(_, value)| value.clone())
    };
    let all = claimed.iter();
    let all = all.map(|(name, value)| (name.clone(), value.clone(), known(name)));
    all.filter(|(_, value, known)| value.parse::<Int>().ok() != *known || known.is_none())
        .collect()
}

/// The certificate is about another instance of the model.
fn refused_instance(others: &[Differing]) -> String {
    let each = others.iter().map(|(name, value, known)| match known {
        Some(known) => format!("{name} = {value}, the model {name} = {known}"),
        None => format!("{name} = {value}, and the model has no such parameter"),
    });
    let each: Vec<String> = each.collect();
    let given = others.iter().filter(|o| o.2.is_some());
    let given: Vec<String> = given.map(|(n, v, _)| format!(" -D {n}={v}")).collect();
    format!(
        "refused: the certificate has {}\n  --any-instance takes the values of the certificate{}\n",
        each.join("; "),
        match given.is_empty() {
            true => String::new(),
            false => format!(", and so does{}", given.concat()),
        }
    )
}

/// `instance: n = 3, bug = 0`; nothing for models without parameters.
fn instance(module: &Module) -> String {
    let each = module.parameters.iter();
    let each: Vec<String> = each.map(|(n, v)| format!("{n} = {v}")).collect();
    match each.is_empty() {
        true => String::new(),
        false => format!("instance: {}\n", each.join(", ")),
    }
}

fn describe(result: &CertificateResult) -> (String, Exit) {
    let claim = match result.claim {
        Claim::Holds => "holds",
        Claim::Violated => "violated",
    };
    let name = &result.property;
    match &result.outcome {
        Ok(outcome) => judged(name, claim, outcome),
        Err(error) => (format!("{name}: unknown ({error})"), Exit::Internal),
    }
}

/// What the checker says of a claim about a property.
pub fn judged(name: &str, claim: &str, outcome: &Outcome) -> (String, Exit) {
    match outcome {
        Outcome::Accepted { obligations } => (
            format!("{name}: accepted ({claim}, {obligations} obligations)"),
            Exit::Success,
        ),
        Outcome::Refused(refusal) => (
            format!(
                "{name}: refused ({claim})\n  failed: {}\n  {}",
                refusal.obligation, refusal.because
            ),
            Exit::Violated,
        ),
        Outcome::Undecided(obligation, why) => (
            format!("{name}: unknown ({obligation} could not be decided: {why:?})"),
            Exit::Unknown,
        ),
    }
}
