//! `sectile solidity-query`: decides one set of clauses of the compiler. The result is JSON: the
//! answer for the compiler, and the transactions behind it.

use super::transactions::transactions;
use crate::args::QueryArgs;
use crate::exit::Exit;
use crate::guard::Guard;
use crate::output;
use sectile_base::Budget;
use sectile_driver::{CheckOptions, check, load_text};
use sectile_engine::Silent;
use sectile_frontend::input::{frontend_for, read_text};
use sectile_model::Certificate;
use sectile_questions::horn::{answer, clauses};
use sectile_report::Status;
use sectile_smtlib::export::to_model;
use serde_json::json;

/// Runs the command: reads clauses from standard input.
pub fn run(args: &QueryArgs) -> anyhow::Result<Exit> {
    let (_, text) = read_text("-")?;
    let frontend = frontend_for("query.smt2", None)?;
    let loaded = load_text("query.smt2", text, frontend, &[])?;
    let options = CheckOptions {
        timeout: Some(args.timeout),
        memory: Some(args.memory),
        // One engine at a time, for deterministic answers.
        jobs: 1,
        warn: false,
        budget: Budget::unlimited().with_time(args.timeout),
        ..CheckOptions::default()
    };
    let checked = check(&loaded, &options, &mut Silent)?;
    let verdict = match checked.report.properties.first().map(|p| p.status) {
        Some(Status::Holds) => "sat",
        Some(Status::Violated) => "unsat",
        _ => "unknown",
    };
    // If computing a model takes too long, the verdict must not be lost.
    let guard = Guard::new(options.budget.clone(), move |_| {
        let told = format!("{verdict}\n");
        let result = json!({ "answer": told, "verdict": verdict, "transactions": [] });
        output::result(&format!("{result}\n"));
        Exit::Success
    });
    let found = answer(&loaded, &checked, &options, verdict == "sat").unwrap_or_default();
    drop(guard);
    let verdict = if found.failure.is_some() {
        "unknown"
    } else {
        verdict
    };
    let mut told = format!("{verdict}\n");
    if let (Some(model), Some(clauses)) = (&found.model, clauses(&loaded))
        && let Ok(text) = to_model(
            &loaded.terms,
            &clauses,
            &loaded.reading.signatures,
            &loaded.reading.module.model.rigid,
            model,
        )
    {
        told.push_str(&text);
    }
    let calls = match checked.certificates.first() {
        Some(Some((_, Certificate::Trace(trace)))) => transactions(&loaded, trace),
        _ => Vec::new(),
    };
    let calls = calls
        .iter()
        .map(|t| json!({ "call": t.call, "state": t.state }));
    let mut result = json!({
        "answer": told,
        "verdict": verdict,
        "transactions": calls.collect::<Vec<_>>(),
    });
    let reason = checked.report.properties.first().map(|p| p.reason.clone());
    let reason = found
        .failure
        .or(reason.filter(|r| !r.is_empty() && verdict == "unknown"));
    if let Some(reason) = reason {
        result["reason"] = reason.into();
    }
    output::result(&format!("{result}\n"));
    Ok(Exit::Success)
}
