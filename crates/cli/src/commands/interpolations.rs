//! `sectile check --interpolation all`: compares the interpolation methods on a check.

use crate::exit::Exit;
use crate::output;
use crate::smt::Method;
use sectile_driver::{CheckOptions, Loaded, check};
use sectile_engine::Silent;
use sectile_report::{PropertyReport, Status};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Checks the properties with each method in turn, and writes a table for each property with the
/// verdict, the counters of the engine and the time.
pub fn compare(loaded: &Loaded, options: &CheckOptions) -> anyhow::Result<Exit> {
    let mut rows: Vec<(Method, Vec<PropertyReport>)> = Vec::new();
    for method in Method::ALL {
        let own = CheckOptions {
            interpolation: Some(method),
            ..options.clone()
        };
        let checked = check(loaded, &own, &mut Silent)?;
        if let Some(failure) = checked.failures.first() {
            output::diagnostic(&format!("internal error with {method}: {failure}"));
            return Ok(Exit::Internal);
        }
        rows.push((method, checked.report.properties));
    }
    let count = rows.first().map_or(0, |(_, properties)| properties.len());
    for k in 0..count {
        let rows = rows.iter().map(|(method, list)| (*method, &list[k]));
        output::result(&table(&rows.collect::<Vec<_>>()));
    }
    let all = rows.iter().flat_map(|(_, properties)| properties);
    let exits = all.map(|p| match p.status {
        Status::Holds => Exit::Success,
        Status::Violated => Exit::Violated,
        Status::Unknown => Exit::Unknown,
    });
    Ok(exits.fold(Exit::Success, Exit::worse))
}

fn table(rows: &[(Method, &PropertyReport)]) -> String {
    let counters = rows.iter().flat_map(|(_, p)| p.statistics.keys());
    let counters: BTreeSet<&String> = counters.filter(|k| *k != "work").collect();
    let mut text = String::new();
    // Writing to a String cannot fail, here and below.
    if let Some((_, first)) = rows.first() {
        let _ = writeln!(text, "{}", first.name);
    }
    let _ = write!(text, "  {:<16} {:<9}", "interpolation", "verdict");
    for counter in &counters {
        let _ = write!(text, "  {counter}");
    }
    text.push_str("  seconds\n");
    for (method, property) in rows {
        let (name, verdict) = (method.to_string(), property.status.word());
        let _ = write!(text, "  {name:<16} {verdict:<9}");
        for counter in &counters {
            let value = property.statistics.get(*counter);
            let value = value.map_or_else(String::new, u64::to_string);
            let _ = write!(text, "  {value:>0$}", counter.len());
        }
        let _ = writeln!(text, "  {:>7.2}", property.seconds);
    }
    text
}
