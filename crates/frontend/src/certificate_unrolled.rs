//! Reads and writes unrolled loops in certificates: `unroll`, `cut`, and invariants at numbered
//! locations.
//!
//! Copies of locations have no names in the program, so locations are given by numbers: first those
//! of the program in order, then the copies.

use crate::certificate::{Block, Read, error, list, number, numbers, print_conjuncts};
use sectile_base::Span;
use sectile_model::{GraphChange, LocationId, UnrolledProof, Unrolling};
use sectile_terms::Terms;
use std::fmt::Write as _;

/// Maximum number of rounds: a large number must not exhaust the memory.
const MOST_ROUNDS: u32 = 1000;

fn locations(text: &str, span: Span) -> Read<Vec<LocationId>> {
    Ok(numbers(text, span)?.into_iter().map(LocationId).collect())
}

/// Reads `unroll HEAD`, with its body and its exits.
pub(crate) fn unroll(rest: &str, block: &Block<'_>) -> Read<GraphChange> {
    let mut unrolling = Unrolling {
        head: LocationId(number(rest, block.span)?),
        body: Vec::new(),
        exits: Vec::new(),
    };
    for &(line, span) in &block.body {
        match line.split_once(' ') {
            Some(("body", list)) => unrolling.body.extend(locations(list, span)?),
            Some(("exit", text)) => {
                let missing = || error(span, "expected `exit LOCATION after ROUNDS`");
                let (exit, rounds) = text.split_once(" after ").ok_or_else(missing)?;
                let exit = LocationId(number(exit, span)?);
                unrolling.exits.push((exit, number(rounds, span)?));
            }
            _ => return Err(error(span, "expected `body ...` or `exit ...`")),
        }
    }
    match unrolling.rounds() > MOST_ROUNDS {
        true => Err(error(block.span, "no loop is unrolled so often")),
        false => Ok(GraphChange::Unroll(unrolling)),
    }
}

/// Reads `cut`, with the kept, unreached and harmless locations.
pub(crate) fn cut(block: &Block<'_>) -> Read<GraphChange> {
    let (mut kept, mut unreached, mut harmless) = (Vec::new(), Vec::new(), Vec::new());
    for &(line, span) in &block.body {
        let (word, list) = line.split_once(' ').unwrap_or((line, ""));
        let found = match word {
            "kept" => &mut kept,
            "unreached" => &mut unreached,
            "harmless" => &mut harmless,
            _ => {
                let expected = "expected `kept ...`, `unreached ...` or `harmless ...`";
                return Err(error(span, expected));
            }
        };
        found.extend(locations(list, span)?);
    }
    Ok(GraphChange::Cut {
        kept,
        unreached,
        harmless,
    })
}

/// Writes the changes of the graph and the invariants.
pub(crate) fn print(terms: &Terms, proof: &UnrolledProof, out: &mut String) {
    let texts = |locations: &[LocationId]| list(locations.iter().map(|l| l.0));
    out.push_str("unrolled\n");
    for change in &proof.changes {
        // Writing to a String cannot fail.
        match change {
            GraphChange::Unroll(unrolling) => {
                let _ = writeln!(out, "unroll {}", unrolling.head.0);
                if !unrolling.body.is_empty() {
                    let _ = writeln!(out, "  body {}", texts(&unrolling.body));
                }
                for (exit, rounds) in &unrolling.exits {
                    let _ = writeln!(out, "  exit {} after {rounds}", exit.0);
                }
            }
            GraphChange::Cut {
                kept,
                unreached,
                harmless,
            } => {
                out.push_str("cut\n");
                let words = ["kept", "unreached", "harmless"];
                for (word, part) in words.into_iter().zip([kept, unreached, harmless]) {
                    if !part.is_empty() {
                        let _ = writeln!(out, "  {word} {}", texts(part));
                    }
                }
            }
        }
    }
    for (number, formula) in proof.invariants.iter().enumerate() {
        if let Some(formula) = formula {
            let _ = writeln!(out, "at {number}");
            print_conjuncts(terms, *formula, out);
        }
    }
}
