//! The text of cells with claims about CTL formulas: see `docs/format/certificate.md`.

use crate::certificate::{Block, error};
use sectile_base::{Diagnostics, Span};
use sectile_model::{
    Cell, CellClaim, Choice, CtlProof, Image, Initial, LocationId, Model, Renaming, Successors,
    Trace,
};
use sectile_terms::{NativePrinter, Symbol, Term, Terms};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Cells and claims of which not all directives were read yet.
#[derive(Default)]
pub struct CellDraft {
    cells: Vec<Cell>,
    renamings: Vec<Renaming>,
    images: Vec<Image>,
    claims: BTreeMap<usize, Vec<CellClaim>>,
    initial: Vec<usize>,
}

/// Reads the term of a value for a symbol.
pub type ReadTerm<'r> = dyn Fn(Symbol, &str, Span) -> Result<Term, Diagnostics> + 'r;

impl CellDraft {
    /// A new cell; they are numbered in their order.
    pub fn cell(
        &mut self,
        number: &str,
        span: Span,
        location: LocationId,
        formula: Term,
    ) -> Result<(), Diagnostics> {
        if number.trim().parse() != Ok(self.cells.len()) || !self.images.is_empty() {
            let message = format!(
                "expected `cell {}`: cells are counted from 0",
                self.cells.len()
            );
            return Err(error(span, message).into());
        }
        self.cells.push(Cell {
            location,
            formula,
            successors: Vec::new(),
            choices: Vec::new(),
        });
        Ok(())
    }

    /// `renaming K`, with a line `NAME -> NAME` for everything that is not kept.
    pub fn renaming(
        &mut self,
        rest: &str,
        block: &Block<'_>,
        symbol: &dyn Fn(&str) -> Option<Symbol>,
    ) -> Result<(), Diagnostics> {
        if number(rest, block.span)? != self.renamings.len() {
            return Err(error(block.span, "renamings are counted from 0").into());
        }
        let mut pairs = Vec::new();
        for &(line, span) in &block.body {
            let names = line.split_once(" -> ");
            let pair = names.and_then(|(a, b)| Some((symbol(a.trim())?, symbol(b.trim())?)));
            let expected = || error(span, "expected `NAME -> NAME` for known names");
            pairs.push(pair.ok_or_else(expected)?);
        }
        self.renamings.push(Renaming { pairs });
        Ok(())
    }

    /// `image K of CELL by RENAMING`
    pub fn image(&mut self, rest: &str, span: Span) -> Result<(), Diagnostics> {
        let expected = || error(span, "expected `image K of CELL by RENAMING`");
        let (own, rest) = rest.split_once(" of ").ok_or_else(expected)?;
        let (cell, renaming) = rest.split_once(" by ").ok_or_else(expected)?;
        if number(own, span)? != self.cells.len() + self.images.len() {
            return Err(error(span, "images are counted behind the cells").into());
        }
        self.images.push(Image {
            cell: number(cell, span)?,
            renaming: number(renaming, span)?,
        });
        Ok(())
    }

    fn last(&mut self, span: Span) -> Result<&mut Cell, Diagnostics> {
        let missing = || error(span, "a cell must come before its steps").into();
        self.cells.last_mut().ok_or_else(missing)
    }

    /// `leads COMMAND to CELL ...`
    pub fn leads(&mut self, rest: &str, span: Span) -> Result<(), Diagnostics> {
        let (command, cells) = step(rest, span)?;
        self.last(span)?
            .successors
            .push(Successors { command, cells });
        Ok(())
    }

    /// `choice COMMAND to CELL`, with a body of values.
    pub fn choice(
        &mut self,
        rest: &str,
        block: &Block<'_>,
        symbol: &dyn Fn(&str) -> Option<Symbol>,
        term: &ReadTerm<'_>,
    ) -> Result<(), Diagnostics> {
        let (command, cells) = step(rest, block.span)?;
        let [target] = cells[..] else {
            return Err(error(block.span, "a choice leads to one cell").into());
        };
        let mut values = Vec::new();
        for &(line, span) in &block.body {
            let found = line.split_once(" = ");
            let found = found
                .and_then(|(name, text)| Some((symbol(name.trim().trim_end_matches('\''))?, text)));
            let Some((symbol, text)) = found else {
                return Err(error(span, "expected `NAME = TERM` for a known name").into());
            };
            values.push((symbol, term(symbol, text, span)?));
        }
        self.last(block.span)?.choices.push(Choice {
            command,
            values,
            target,
        });
        Ok(())
    }

    /// `claims PART`, with one line for each cell.
    pub fn claims(&mut self, rest: &str, block: &Block<'_>) -> Result<(), Diagnostics> {
        let part = number(rest, block.span)?;
        let mut list = Vec::new();
        for &(line, span) in &block.body {
            let expected = || error(span, "expected `CELL rank RANK choices CHOICE ...`");
            let (cell, rest) = line.split_once(" rank ").ok_or_else(expected)?;
            let (rank, choices) = rest.split_once(" choices").ok_or_else(expected)?;
            list.push(CellClaim {
                cell: number(cell, span)?,
                rank: rank.trim().parse().map_err(|_| expected())?,
                choices: list_of(choices, span)?,
            });
        }
        self.claims.insert(part, list);
        Ok(())
    }

    /// `initial CELL ...`
    pub fn initial(&mut self, rest: &str, span: Span) -> Result<(), Diagnostics> {
        self.initial = list_of(rest, span)?;
        Ok(())
    }

    /// The evidence, with the initial state of a violation.
    pub fn finish(self, start: Option<Trace>) -> Option<CtlProof> {
        let parts = self.claims.keys().next_back().map_or(0, |last| last + 1);
        let mut claims = self.claims;
        let initial = match start {
            None => Initial::All(self.initial),
            Some(mut trace) => {
                let state = trace.states.pop()?;
                Initial::One(trace.rigid, state, *self.initial.first()?)
            }
        };
        Some(CtlProof {
            cells: self.cells,
            renamings: self.renamings,
            images: self.images,
            claims: (0..parts)
                .map(|k| claims.remove(&k).unwrap_or_default())
                .collect(),
            initial,
        })
    }
}

fn number(text: &str, span: Span) -> Result<usize, Diagnostics> {
    let wrong = |_| error(span, format!("`{}` is not a number", text.trim())).into();
    text.trim().parse().map_err(wrong)
}

fn list_of(text: &str, span: Span) -> Result<Vec<usize>, Diagnostics> {
    text.split_whitespace().map(|t| number(t, span)).collect()
}

/// `COMMAND to CELL ...`
fn step(rest: &str, span: Span) -> Result<(usize, Vec<usize>), Diagnostics> {
    let expected = || error(span, "expected `COMMAND to CELL ...`");
    let (command, cells) = rest.split_once(" to ").ok_or_else(expected)?;
    Ok((number(command, span)?, list_of(cells, span)?))
}

/// A list of numbers with blanks between them.
fn numbers(list: &[usize]) -> String {
    let texts: Vec<String> = list.iter().map(ToString::to_string).collect();
    texts.join(" ")
}

/// Prints cells, steps and claims; the initial state of a violation is printed by the caller.
pub fn print(terms: &Terms, model: &Model, proof: &CtlProof, out: &mut String) {
    let printer = NativePrinter::new(terms);
    for (k, cell) in proof.cells.iter().enumerate() {
        // Writing to a String cannot fail.
        let _ = match model.is_system() {
            false => writeln!(out, "cell {k} at {}", model.location_name(cell.location)),
            true => writeln!(out, "cell {k}"),
        };
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
            let command = model.command(choice.command);
            for (symbol, value) in &choice.values {
                let is_input = command.is_some_and(|c| c.inputs.contains(symbol));
                let mark = if is_input { "" } else { "'" };
                let _ = writeln!(
                    out,
                    "  {}{mark} = {}",
                    terms.name(*symbol),
                    printer.print(*value)
                );
            }
        }
    }
    print_images(terms, proof, out);
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

fn print_images(terms: &Terms, proof: &CtlProof, out: &mut String) {
    for (k, renaming) in proof.renamings.iter().enumerate() {
        let _ = writeln!(out, "renaming {k}");
        for (from, to) in &renaming.pairs {
            let _ = writeln!(out, "  {} -> {}", terms.name(*from), terms.name(*to));
        }
    }
    for (k, image) in proof.images.iter().enumerate() {
        let own = proof.cells.len() + k;
        let (cell, renaming) = (image.cell, image.renaming);
        let _ = writeln!(out, "image {own} of {cell} by {renaming}");
    }
}
