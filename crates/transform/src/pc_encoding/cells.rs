//! Back-translation of cells: every cell of the system gets a location.

use super::DropCounter;
use crate::pass::Lost;
use sectile_model::{Cell, CellClaim, Choice, CtlProof, Initial, LocationId, State, Successors};
use sectile_terms::{Node, Sort, Substitution, Symbol, Term, Terms};
use std::collections::BTreeMap;

/// The cells of the graph for a cell of the system, by location.
type Placed = BTreeMap<LocationId, Piece>;

/// A cell of the graph.
struct Piece {
    number: usize,
    formula: Term,
    /// The remaining choices of the old cell, by their old numbers.
    choices: Vec<usize>,
}

impl DropCounter {
    /// The evidence, with a cell of the graph for every location of a cell.
    pub(super) fn cells(&self, terms: &Terms, proof: &CtlProof) -> Result<CtlProof, Lost> {
        if !proof.images.is_empty() {
            return Err(Lost("cells are given by renamings of the system".into()));
        }
        let pieces = self.pieces(terms, proof)?;
        let mut cells = Vec::new();
        for (cell, here) in proof.cells.iter().zip(&pieces) {
            for (&location, piece) in here {
                cells.push(self.cell(terms, cell, location, piece, &pieces)?);
            }
        }
        let claims: Result<_, Lost> = proof.claims.iter().map(|l| claims_of(l, &pieces)).collect();
        Ok(CtlProof {
            cells,
            renamings: Vec::new(),
            images: Vec::new(),
            claims: claims?,
            initial: self.initial(&proof.initial, &pieces)?,
        })
    }

    /// Splits the cells by location, and assigns the choices to the pieces.
    fn pieces(&self, terms: &Terms, proof: &CtlProof) -> Result<Vec<Placed>, Lost> {
        let mut pieces: Vec<Placed> = Vec::with_capacity(proof.cells.len());
        let mut number = 0;
        for cell in &proof.cells {
            let mut here = Placed::new();
            for location in self.locations_of(terms, cell.formula) {
                let formula = self.invariant_at(terms, cell.formula, location);
                if formula != terms.ff() {
                    let choices = Vec::new();
                    let piece = Piece {
                        number,
                        formula,
                        choices,
                    };
                    here.insert(location, piece);
                    number += 1;
                }
            }
            pieces.push(here);
        }
        for (index, cell) in proof.cells.iter().enumerate() {
            for (k, choice) in cell.choices.iter().enumerate() {
                let (from, to) = self.edge(choice.command)?;
                if target(&pieces, choice.target, to)?.is_some()
                    && let Some(piece) = pieces[index].get_mut(&from)
                {
                    piece.choices.push(k);
                }
            }
        }
        Ok(pieces)
    }

    /// The possible locations of the cell's states: one, if a conjunct determines it.
    fn locations_of(&self, terms: &Terms, formula: Term) -> Vec<LocationId> {
        let counter = terms.var(self.counter.symbol);
        for part in terms.conjuncts(formula) {
            let Node::Eq(a, b) = *terms.node(part) else {
                continue;
            };
            let value = if a == counter { b } else { a };
            if let Node::Variant(id, index) = *terms.node(value)
                && (a == counter || b == counter)
                && Sort::Enum(id) == self.counter.sort
            {
                return vec![LocationId(index as usize)];
            }
        }
        (0..self.locations).map(LocationId).collect()
    }

    fn edge(&self, command: usize) -> Result<(LocationId, LocationId), Lost> {
        let edge = self.edges.get(command).copied();
        edge.ok_or_else(|| Lost(format!("there is no edge {command}")))
    }

    fn cell(
        &self,
        terms: &Terms,
        cell: &Cell,
        location: LocationId,
        piece: &Piece,
        pieces: &[Placed],
    ) -> Result<Cell, Lost> {
        let mut successors = Vec::new();
        for next in &cell.successors {
            let (from, to) = self.edge(next.command)?;
            if from != location {
                continue;
            }
            let mut reached = Vec::new();
            for &t in &next.cells {
                reached.extend(target(pieces, t, to)?);
            }
            if !reached.is_empty() {
                successors.push(Successors {
                    command: next.command,
                    cells: reached,
                });
            }
        }
        let mut choices = Vec::new();
        for &k in &piece.choices {
            let choice = &cell.choices[k];
            let (_, to) = self.edge(choice.command)?;
            let Some(target) = target(pieces, choice.target, to)? else {
                continue;
            };
            choices.push(Choice {
                command: choice.command,
                values: self.values(terms, choice, location),
                target,
            });
        }
        Ok(Cell {
            location,
            formula: piece.formula,
            successors,
            choices,
        })
    }

    /// The chosen values, without that of the counter, which the edge determines.
    fn values(&self, terms: &Terms, choice: &Choice, location: LocationId) -> Vec<(Symbol, Term)> {
        let here = self.counter.value(terms, location);
        let map = Substitution::from_iter([(terms.var(self.counter.symbol), here)]);
        let kept = choice.values.iter();
        kept.filter(|(symbol, _)| *symbol != self.counter.symbol)
            .map(|(symbol, value)| (*symbol, terms.substitute(*value, &map)))
            .collect()
    }

    fn initial(&self, initial: &Initial, pieces: &[Placed]) -> Result<Initial, Lost> {
        Ok(match initial {
            Initial::All(list) => {
                let mut cells = Vec::new();
                for &c in list {
                    cells.extend(target(pieces, c, self.entry)?);
                }
                Initial::All(cells)
            }
            Initial::One(rigid, state, cell) => {
                let state: State = self.state(state)?;
                let cell = target(pieces, *cell, state.location)?
                    .ok_or_else(|| Lost("the initial state is not in its cell".into()))?;
                Initial::One(rigid.clone(), state, cell)
            }
        })
    }
}

/// The piece of a cell at a location.
fn target(pieces: &[Placed], cell: usize, at: LocationId) -> Result<Option<usize>, Lost> {
    let of_cell = pieces.get(cell);
    let of_cell = of_cell.ok_or_else(|| Lost(format!("there is no cell {cell}")))?;
    Ok(of_cell.get(&at).map(|piece| piece.number))
}

/// Copies claims about a cell to all its pieces.
fn claims_of(list: &[CellClaim], pieces: &[Placed]) -> Result<Vec<CellClaim>, Lost> {
    let mut claims = Vec::new();
    for claim in list {
        // Measures are sums of numbers, and the counter is not a number.
        let here = pieces.get(claim.cell);
        let here = here.ok_or_else(|| Lost(format!("there is no cell {}", claim.cell)))?;
        for piece in here.values() {
            let place = |k: &usize| piece.choices.iter().position(|c| c == k);
            claims.push(CellClaim {
                cell: piece.number,
                rank: claim.rank,
                measures: claim.measures.clone(),
                choices: claim.choices.iter().filter_map(place).collect(),
            });
        }
    }
    Ok(claims)
}
