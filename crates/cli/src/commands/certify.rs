//! `sectile certify`.

use crate::args::{CertifyArgs, InputArgs};
use crate::commands::load_model;
use crate::exit::Exit;
use crate::output;
use sectile_base::Source;
use sectile_certify::{Claim, Outcome};
use sectile_driver::certificates::{self, CertificateResult};
use sectile_driver::registry;
use sectile_frontend::input::read_text;

/// Runs the command.
pub fn run(args: &CertifyArgs) -> anyhow::Result<Exit> {
    let (name, text) = read_text(&args.certificate)?;
    let source = Source::new(name, text);
    let mut input = InputArgs {
        define: certificates::parameters(&source)?,
        ..args.input.clone()
    };
    // What is typed wins over what the certificate says.
    for (name, value) in &args.input.define {
        input.define.retain(|(n, _)| n != name);
        input.define.push((name.clone(), value.clone()));
    }
    let loaded = load_model(&input)?;
    let budget = args.input.limits.budget();
    let backend = registry::backend(&args.solver, Some(args.input.limits.memory))?;
    let results = certificates::certify(&loaded, &source, backend.as_ref(), &budget)?;
    let mut text = String::new();
    let mut exit = Exit::Success;
    for result in &results {
        let (line, this) = describe(result);
        text += &format!("{line}\n");
        exit = exit.worse(this);
    }
    output::result(&text);
    Ok(exit)
}

fn describe(result: &CertificateResult) -> (String, Exit) {
    let claim = match result.claim {
        Claim::Holds => "holds",
        Claim::Violated => "violated",
    };
    let name = &result.property;
    match &result.outcome {
        Ok(Outcome::Accepted { obligations }) => (
            format!("{name}: accepted ({claim}, {obligations} obligations)"),
            Exit::Success,
        ),
        Ok(Outcome::Refused(refusal)) => (
            format!(
                "{name}: refused ({claim})\n  failed: {}\n  {}",
                refusal.obligation, refusal.because
            ),
            Exit::Violated,
        ),
        Ok(Outcome::Undecided(obligation, why)) => (
            format!("{name}: unknown ({obligation} could not be decided: {why:?})"),
            Exit::Unknown,
        ),
        Err(error) => (format!("{name}: unknown ({error})"), Exit::Internal),
    }
}
