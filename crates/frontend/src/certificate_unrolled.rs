//! Unrolled loops in certificates: `unroll`, `cut`, and invariants at numbered locations.
//!
//! Copies of locations have no names in the program, so locations are numbers here: those of the
//! program in their order, copies behind them.

use crate::certificate::{Block, error};
use sectile_base::{Diagnostics, Span};
use sectile_model::{GraphChange, LocationId, Model, PropertyKind, UnrolledProof, Unrolling};
use sectile_terms::Term;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// A proof of which not all directives were read yet.
#[derive(Default)]
pub(crate) struct UnrolledDraft {
    changes: Vec<GraphChange>,
    invariants: BTreeMap<usize, Term>,
}

fn numbers(text: &str, span: Span) -> Result<Vec<LocationId>, Diagnostics> {
    let words = text.split_whitespace();
    let parsed: Result<Vec<usize>, _> = words.map(str::parse).collect();
    let wrong = |_| error(span, "expected numbers of locations").into();
    parsed
        .map(|list| list.into_iter().map(LocationId).collect())
        .map_err(wrong)
}

fn number(text: &str, span: Span) -> Result<LocationId, Diagnostics> {
    match numbers(text, span)?[..] {
        [one] => Ok(one),
        _ => Err(error(span, "expected the number of one location").into()),
    }
}

impl UnrolledDraft {
    /// `unroll HEAD`, with its body and its exits.
    pub(crate) fn unroll(&mut self, rest: &str, block: &Block<'_>) -> Result<(), Diagnostics> {
        let mut unrolling = Unrolling {
            head: number(rest, block.span)?,
            body: Vec::new(),
            exits: Vec::new(),
        };
        for &(line, span) in &block.body {
            let bound = |text: &str| -> Option<(LocationId, u32)> {
                let (exit, rounds) = text.split_once(" after ")?;
                Some((
                    LocationId(exit.trim().parse().ok()?),
                    rounds.trim().parse().ok()?,
                ))
            };
            match line.split_once(' ') {
                Some(("body", list)) => unrolling.body.extend(numbers(list, span)?),
                Some(("exit", text)) => {
                    let exit = bound(text);
                    let missing = || error(span, "expected `exit LOCATION after ROUNDS`");
                    unrolling.exits.push(exit.ok_or_else(missing)?);
                }
                _ => return Err(error(span, "expected `body ...` or `exit ...`").into()),
            }
        }
        if unrolling.rounds() > MOST_ROUNDS {
            return Err(error(block.span, "no loop is unrolled so often").into());
        }
        self.changes.push(GraphChange::Unroll(unrolling));
        Ok(())
    }

    /// `cut`, with what is kept, not reached and harmless.
    pub(crate) fn cut(&mut self, block: &Block<'_>) -> Result<(), Diagnostics> {
        let (mut kept, mut unreached, mut harmless) = (Vec::new(), Vec::new(), Vec::new());
        for &(line, span) in &block.body {
            let (word, list) = line.split_once(' ').unwrap_or((line, ""));
            match word {
                "kept" => &mut kept,
                "unreached" => &mut unreached,
                "harmless" => &mut harmless,
                _ => {
                    let expected = "expected `kept ...`, `unreached ...` or `harmless ...`";
                    return Err(error(span, expected).into());
                }
            }
            .extend(numbers(list, span)?);
        }
        self.changes.push(GraphChange::Cut {
            kept,
            unreached,
            harmless,
        });
        Ok(())
    }

    /// `at NUMBER`, with the invariant.
    pub(crate) fn at(
        &mut self,
        rest: &str,
        span: Span,
        invariant: Term,
    ) -> Result<(), Diagnostics> {
        self.invariants.insert(number(rest, span)?.0, invariant);
        Ok(())
    }

    /// The proof, about a graph and a property.
    pub(crate) fn finish(self, graph: &Model, property: &PropertyKind) -> UnrolledProof {
        let mut proof = UnrolledProof {
            changes: self.changes,
            invariants: Vec::new(),
        };
        let all = 0..proof.origins(graph, property).len();
        let invariant = |l: usize| self.invariants.get(&l).copied();
        proof.invariants = all.map(invariant).collect();
        proof
    }
}

/// Nobody unrolls further: a number that is only large must not fill the memory.
const MOST_ROUNDS: u32 = 1000;

/// Writes the changes and, with `invariant`, what holds in the end.
pub(crate) fn print(
    proof: &UnrolledProof,
    out: &mut String,
    mut invariant: impl FnMut(Term, &mut String),
) {
    let list = |list: &[LocationId]| {
        let words: Vec<String> = list.iter().map(|l| l.0.to_string()).collect();
        words.join(" ")
    };
    out.push_str("unrolled\n");
    for change in &proof.changes {
        // Writing to a String cannot fail.
        match change {
            GraphChange::Unroll(unrolling) => {
                let _ = writeln!(out, "unroll {}", unrolling.head.0);
                if !unrolling.body.is_empty() {
                    let _ = writeln!(out, "  body {}", list(&unrolling.body));
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
                let parts = [
                    ("kept", kept),
                    ("unreached", unreached),
                    ("harmless", harmless),
                ];
                for (word, part) in parts.iter().filter(|p| !p.1.is_empty()) {
                    let _ = writeln!(out, "  {word} {}", list(part));
                }
            }
        }
    }
    for (number, formula) in proof.invariants.iter().enumerate() {
        if let Some(formula) = formula {
            let _ = writeln!(out, "at {number}");
            invariant(*formula, out);
        }
    }
}
