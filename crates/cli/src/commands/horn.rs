//! The output of `sectile check` for Horn clauses: one line with the answer, and the evidence.

use crate::args::{CheckArgs, CheckFormat};
use crate::exit::Exit;
use crate::guard::Guard;
use crate::output;
use sectile_driver::{CheckOptions, Checked, Loaded};
use sectile_model::Certificate;
use sectile_questions::horn::{HornAnswer, answer, clauses};
use sectile_report::{PropertyReport, Status, derivation_text};
use sectile_smtlib::export::{to_model, to_proof};

/// The text about the clauses of a file; `None` for files without clauses.
///
/// The evidence is checked against the clauses here; evidence that is refused becomes a failure of
/// the check.
pub fn concluded(
    args: &CheckArgs,
    loaded: &Loaded,
    options: &CheckOptions,
    checked: &mut Checked,
) -> Option<String> {
    let told = told_at_once(args, loaded, options, checked);
    let answer = answer(loaded, checked, options, args.model)?;
    let is_told = told.is_some();
    drop(told);
    if let Some(failure) = &answer.failure {
        checked.failures.push(failure.clone());
        for property in &mut checked.report.properties {
            property.status = Status::Unknown;
            property.reason = "self-check failed".to_string();
            property.evidence = None;
        }
    }
    if !args.quiet {
        tell_why(&answer, checked.report.properties.first());
    }
    let text = text(args, loaded, &answer, checked);
    let rest = text.split_once('\n').map(|(_, rest)| rest.to_string());
    Some(match is_told {
        true => rest.unwrap_or_default(),
        false => text,
    })
}

/// Prints the verdict before a model is computed. If the total time is limited, computing the model
/// ends with it.
fn told_at_once(
    args: &CheckArgs,
    loaded: &Loaded,
    options: &CheckOptions,
    checked: &Checked,
) -> Option<Guard> {
    let report = checked.report.properties.first()?;
    // An explanation is printed before the verdict, and a certificate may occupy standard output.
    let asked = args.model && !args.explain && args.format == CheckFormat::Text;
    let asked = asked && args.certificate.as_deref() != Some("-");
    if !asked || !loaded.frontend.info().satisfiability || !checked.failures.is_empty() {
        return None;
    }
    output::result(match report.status {
        Status::Holds => "sat\n",
        Status::Violated => "unsat\n",
        Status::Unknown => "unknown\n",
    });
    Some(Guard::new(options.budget.clone(), |_| Exit::Success))
}

/// Writes the reason for `unknown` to standard error.
fn tell_why(answer: &HornAnswer, report: Option<&PropertyReport>) {
    if let (None, Some(report)) = (answer.satisfiable, report) {
        let more = [&report.reason, &report.reached, &report.hint].into_iter();
        let more = more.map(String::as_str).filter(|s| !s.is_empty());
        let more: Vec<&str> = more.collect();
        output::diagnostic(&format!("unknown because: {}", more.join("; ")));
    }
    if let Some(why) = &answer.no_model {
        output::diagnostic(&format!("there is no model to print: {why}"));
    }
}

fn text(args: &CheckArgs, loaded: &Loaded, answer: &HornAnswer, checked: &Checked) -> String {
    let mut text = match answer.satisfiable {
        Some(true) => "sat\n",
        Some(false) => "unsat\n",
        None => "unknown\n",
    }
    .to_string();
    let terms = &loaded.terms;
    if let (true, Some(model)) = (args.model, &answer.model)
        && let Some(clauses) = clauses(loaded)
    {
        let functions = &loaded.reading.module.model.rigid;
        let signatures = &loaded.reading.signatures;
        match to_model(terms, &clauses, signatures, functions, model) {
            Ok(model) => text.push_str(&model),
            Err(why) => output::diagnostic(&format!("the model cannot be printed: {why}")),
        }
    }
    if let (true, Some(false)) = (args.trace, answer.satisfiable)
        && let Some(Some((_, Certificate::Trace(trace)))) = checked.certificates.first()
    {
        let (source, model) = (&loaded.source, &loaded.reading.module.model);
        text.push_str(&derivation_text(terms, source, model, trace));
    }
    if let (true, Some(false)) = (args.proof, answer.satisfiable)
        && let Some(Some((_, Certificate::Trace(trace)))) = checked.certificates.first()
    {
        let (source, model) = (&loaded.source, &loaded.reading.module.model);
        match to_proof(terms, source, model, &loaded.reading.signatures, trace) {
            Ok(proof) => text.push_str(&proof),
            Err(why) => output::diagnostic(&format!("the proof cannot be printed: {why}")),
        }
    }
    text
}
