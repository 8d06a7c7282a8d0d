//! `sectile certify`.

use crate::args::CertifyArgs;
use crate::commands::load_model;
use crate::exit::Exit;
use crate::output;
use sectile_base::{Budget, Source};
use sectile_certify::{Claim, Outcome};
use sectile_driver::certificates::{self, CertificateResult};
use sectile_driver::registry;
use sectile_frontend::input::read_text;

/// Runs the command.
pub fn run(args: &CertifyArgs) -> anyhow::Result<Exit> {
    let (name, text) = read_text(&args.certificate)?;
    let source = Source::new(name, text);
    let mut input = crate::args::InputArgs {
        file: args.input.file.clone(),
        define: certificates::parameters(&source)?,
        input: args.input.input.clone(),
        infinite_paths: args.input.infinite_paths,
    };
    // What is typed wins over what the certificate says.
    for (name, value) in &args.input.define {
        input.define.retain(|(n, _)| n != name);
        input.define.push((name.clone(), value.clone()));
    }
    let loaded = load_model(&input)?;
    let mut budget = Budget::unlimited().with_memory(args.limits.memory);
    if let Some(limit) = args.limits.timeout {
        budget = budget.with_time(limit);
    }
    let backend = registry::backend(&args.solver, Some(args.limits.memory))?;
    let results = certificates::certify(&loaded, &source, backend.as_ref(), &budget)?;
    let mut text = String::new();
    let mut exit = Exit::Success;
    for result in &results {
        let (line, this) = describe(result);
        text.push_str(&line);
        text.push('\n');
        exit = worse(exit, this);
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

/// Internal errors are worse than refusals, refusals worse than unknowns.
fn worse(a: Exit, b: Exit) -> Exit {
    let rank = |e: Exit| match e {
        Exit::Success => 0,
        Exit::Unknown => 1,
        Exit::Violated => 2,
        Exit::Usage | Exit::Input | Exit::Internal => 3,
    };
    if rank(b) > rank(a) { b } else { a }
}
