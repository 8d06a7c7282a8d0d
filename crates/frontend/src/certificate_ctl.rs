//! The text of cells with claims about CTL formulas: see `docs/format/certificate.md`.

use sectile_model::{CtlProof, Initial, Model};
use sectile_terms::{NativePrinter, Terms};
use std::fmt::Write as _;

/// A list of numbers with blanks between them.
fn numbers(list: &[usize]) -> String {
    let texts: Vec<String> = list.iter().map(ToString::to_string).collect();
    texts.join(" ")
}

/// Prints cells, steps and claims; the initial state of a violation is printed by the caller.
pub fn print(terms: &Terms, model: &Model, proof: &CtlProof, out: &mut String) {
    let Model::System(system) = model else { return };
    let printer = NativePrinter::new(terms);
    for (k, cell) in proof.cells.iter().enumerate() {
        // Writing to a String cannot fail.
        let _ = writeln!(out, "cell {k}");
        let parts = terms.conjuncts(cell.formula);
        if parts.is_empty() {
            out.push_str("  true\n");
        }
        for (i, &part) in parts.iter().enumerate() {
            let end = if i + 1 < parts.len() { ";" } else { "" };
            let _ = writeln!(out, "  {}{end}", printer.print(part));
        }
        for next in &cell.successors {
            let _ = writeln!(out, "leads {} to {}", next.command, numbers(&next.cells));
        }
        for choice in &cell.choices {
            let _ = writeln!(out, "choice {} to {}", choice.command, choice.target);
            let command = &system.commands[choice.command];
            for (symbol, value) in &choice.values {
                let mark = if command.inputs.contains(symbol) {
                    ""
                } else {
                    "'"
                };
                let _ = writeln!(
                    out,
                    "  {}{mark} = {}",
                    terms.name(*symbol),
                    printer.print(*value)
                );
            }
        }
    }
    for (part, list) in proof.claims.iter().enumerate() {
        let _ = writeln!(out, "claims {part}");
        for claim in list {
            let choices = numbers(&claim.choices);
            let line = format!("  {} rank {} choices {choices}", claim.cell, claim.rank);
            let _ = writeln!(out, "{}", line.trim_end());
        }
    }
    match &proof.initial {
        Initial::All(list) => {
            let _ = writeln!(out, "initial {}", numbers(list));
        }
        Initial::One(_, _, cell) => {
            let _ = writeln!(out, "initial {cell}");
        }
    }
}
