//! Unrollings of three models.

use crate::race::{Who, competitor, run as race, z3_version};
use crate::zoo::Subject;
use std::time::Duration;

const DEPTH: u32 = 20;

const SUBJECTS: &[(&str, Subject)] = &[
    (
        "Bakery 3",
        Subject {
            file: "bakery",
            parameters: &[("n", "3")],
            property: "mutex",
        },
    ),
    (
        "Fischer 3",
        Subject {
            file: "fischer",
            parameters: &[("n", "3")],
            property: "mutex",
        },
    ),
    (
        "airport 2T",
        Subject {
            file: "airport-ticket",
            parameters: &[("n", "2")],
            property: "mutex",
        },
    ),
];

/// Prints the table. `limit` holds for each solver on each model.
pub fn run(limit: Duration) -> anyhow::Result<()> {
    let z3 = z3_version();
    println!("{}\n", competitor(z3.as_deref()));
    println!("| no violation up to {DEPTH} steps | ours | ours with proofs | z3 | same answers |");
    println!("|---|---|---|---|---|");
    let checks = DEPTH as usize + 1;
    for (name, subject) in SUBJECTS {
        let text = subject.load()?.unrolling(subject.property, DEPTH)?;
        let ours = race(Who::Ours, &text, limit)?;
        let theirs = z3
            .as_ref()
            .map(|_| race(Who::Z3, &text, limit))
            .transpose()?;
        let proofs = race(Who::OursWithProofs, &text, limit)?;
        let same = theirs.as_ref().is_none_or(|t| ours.agrees(t)) && ours.agrees(&proofs);
        println!(
            "| {name} | {} | {} | {} | {} |",
            ours.shown(checks),
            proofs.shown(checks),
            theirs.map_or("-".to_string(), |t| t.shown(checks)),
            if same { "yes" } else { "NO" },
        );
    }
    Ok(())
}
