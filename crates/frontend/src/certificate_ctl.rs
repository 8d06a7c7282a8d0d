//! Reads and writes certificates for CTL formulas, which consist of cells and claims: see
//! `docs/format/certificate.md`.

use crate::certificate::{Block, Read, Reader, error, list, number, numbers, print_conjuncts};
use sectile_base::{Diagnostics, Span};
use sectile_model::{
    Cell, CellClaim, Choice, CtlProof, Image, Initial, Model, Renaming, Successors, Trace,
};
use sectile_terms::{NativePrinter, Sort, Symbol, Terms};
use std::fmt::Write as _;

/// A proof without cells.
pub fn empty() -> CtlProof {
    CtlProof {
        cells: Vec::new(),
        renamings: Vec::new(),
        images: Vec::new(),
        claims: Vec::new(),
        initial: Initial::All(Vec::new()),
    }
}

impl Reader<'_> {
    /// Reads a directive about cells or claims.
    pub(crate) fn ctl_directive(
        &self,
        proof: &mut CtlProof,
        model: &Model,
        (word, rest): (&str, &str),
        block: &Block<'_>,
    ) -> Read<()> {
        let span = block.span;
        match word {
            "cell" => {
                let (number, place) = match rest.split_once(" at ") {
                    Some((number, name)) => (number, Some(name)),
                    None => (rest, None),
                };
                let wanted = proof.cells.len();
                if number.trim().parse() != Ok(wanted) || !proof.images.is_empty() {
                    let message = format!("expected `cell {wanted}`: cells are counted from 0");
                    return Err(error(span, message));
                }
                proof.cells.push(Cell {
                    location: self.place(model, place, block)?,
                    formula: self.formulas(block)?,
                    successors: Vec::new(),
                    choices: Vec::new(),
                });
            }
            "leads" => {
                let (command, cells) = step(rest, span)?;
                let successors = &mut last(proof, span)?.successors;
                successors.push(Successors { command, cells });
            }
            "choice" => {
                let choice = self.choice(rest, block)?;
                last(proof, span)?.choices.push(choice);
            }
            "renaming" => {
                if number::<usize>(rest, span)? != proof.renamings.len() {
                    return Err(error(span, "renamings are counted from 0"));
                }
                let mut pairs = Vec::new();
                for &(line, span) in &block.body {
                    let names = line.split_once(" -> ");
                    let pair = names.and_then(|(a, b)| Some((self.symbol(a)?, self.symbol(b)?)));
                    let expected = || error(span, "expected `NAME -> NAME` for known names");
                    pairs.push(pair.ok_or_else(expected)?);
                }
                proof.renamings.push(Renaming { pairs });
            }
            "image" => {
                let expected = || error(span, "expected `image K of CELL by RENAMING`");
                let (own, rest) = rest.split_once(" of ").ok_or_else(expected)?;
                let (cell, renaming) = rest.split_once(" by ").ok_or_else(expected)?;
                if number::<usize>(own, span)? != proof.cells.len() + proof.images.len() {
                    return Err(error(span, "images are numbered after the cells"));
                }
                proof.images.push(Image {
                    cell: number(cell, span)?,
                    renaming: number(renaming, span)?,
                });
            }
            "claims" => {
                let part: usize = number(rest, span)?;
                let list = block.body.iter();
                let list = list.map(|&(line, span)| self.claim(line, span));
                let list = list.collect::<Read<_>>()?;
                if proof.claims.len() <= part {
                    proof.claims.resize(part + 1, Vec::new());
                }
                proof.claims[part] = list;
            }
            _ => proof.initial = Initial::All(numbers(rest, span)?),
        }
        Ok(())
    }

    fn symbol(&self, name: &str) -> Option<Symbol> {
        self.terms.symbol(name.trim())
    }

    /// Reads `choice COMMAND to CELL`, with values in its body.
    fn choice(&self, rest: &str, block: &Block<'_>) -> Read<Choice> {
        let (command, cells) = step(rest, block.span)?;
        let [target] = cells[..] else {
            return Err(error(block.span, "a choice leads to one cell"));
        };
        let mut values = Vec::new();
        for &(line, span) in &block.body {
            let found = line.split_once(" = ");
            let found = found
                .and_then(|(name, text)| Some((self.symbol(name.trim_end_matches('\''))?, text)));
            let Some((symbol, text)) = found else {
                return Err(error(span, "expected `NAME = TERM` for a known name"));
            };
            let read = |source: &_| self.scope.term(self.terms, symbol, source);
            values.push((symbol, self.read_at(span, text, read)?));
        }
        Ok(Choice {
            command,
            values,
            target,
        })
    }

    /// Reads `CELL rank RANK choices CHOICE ... measures SUM; SUM ...`.
    fn claim(&self, line: &str, span: Span) -> Read<CellClaim> {
        let expected = || error(span, "expected `CELL rank RANK choices CHOICE ...`");
        let (cell, rest) = line.split_once(" rank ").ok_or_else(expected)?;
        let (rank, rest) = rest.split_once(" choices").ok_or_else(expected)?;
        let (choices, measures) = match rest.split_once(" measures ") {
            Some((choices, sums)) => (choices, sums.split(';').collect()),
            None => (rest, Vec::new()),
        };
        let measures = measures.into_iter().map(|text| {
            let sum = |sort| self.read_at(span, text, |s| self.scope.number(self.terms, sort, s));
            sum(Sort::Int).or_else(|_| sum(Sort::Real))
        });
        Ok(CellClaim {
            cell: number(cell, span)?,
            rank: number(rank, span)?,
            measures: measures.collect::<Read<_>>()?,
            choices: numbers(choices, span)?,
        })
    }
}

/// Adds the initial state of a violation to the proof, if there is one.
pub fn finish(mut proof: CtlProof, start: Option<Trace>) -> Option<CtlProof> {
    if let (Some(mut trace), Initial::All(cells)) = (start, &proof.initial) {
        let state = trace.states.pop()?;
        proof.initial = Initial::One(trace.rigid, state, *cells.first()?);
    }
    Some(proof)
}

fn last(proof: &mut CtlProof, span: Span) -> Result<&mut Cell, Diagnostics> {
    let missing = || error(span, "a cell must come before its steps");
    proof.cells.last_mut().ok_or_else(missing)
}

/// Reads `COMMAND to CELL ...`.
fn step(rest: &str, span: Span) -> Read<(usize, Vec<usize>)> {
    let expected = || error(span, "expected `COMMAND to CELL ...`");
    let (command, cells) = rest.split_once(" to ").ok_or_else(expected)?;
    Ok((number(command, span)?, numbers(cells, span)?))
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
        print_conjuncts(terms, cell.formula, out);
        for next in &cell.successors {
            let _ = writeln!(out, "leads {} to {}", next.command, list(&next.cells));
        }
        for choice in &cell.choices {
            let _ = writeln!(out, "choice {} to {}", choice.command, choice.target);
            let command = model.command(choice.command);
            for (symbol, value) in &choice.values {
                let is_input = command.is_some_and(|c| c.inputs.contains(symbol));
                let mark = if is_input { "" } else { "'" };
                let (name, value) = (terms.name(*symbol), printer.print(*value));
                let _ = writeln!(out, "  {name}{mark} = {value}");
            }
        }
    }
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
    for (part, claims) in proof.claims.iter().enumerate() {
        let _ = writeln!(out, "claims {part}");
        for claim in claims {
            let choices = list(&claim.choices);
            let mut line = format!("  {} rank {} choices {choices}", claim.cell, claim.rank);
            if !claim.measures.is_empty() {
                let sums = claim.measures.iter().map(|&m| printer.print(m));
                let sums: Vec<String> = sums.collect();
                line = format!("{} measures {}", line.trim_end(), sums.join("; "));
            }
            let _ = writeln!(out, "{}", line.trim_end());
        }
    }
    let _ = match &proof.initial {
        Initial::All(cells) => writeln!(out, "initial {}", list(cells)),
        Initial::One(_, _, cell) => writeln!(out, "initial {cell}"),
    };
}
