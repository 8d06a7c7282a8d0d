//! Evidence from labels of cells.

use crate::cells::{CellGraph, Edge};
use crate::label::{Label, Labels};
use crate::symmetry::STAY;
use sectile_domains::domain::Domain;
use sectile_domains::guarded::program::Program;
use sectile_model::{
    Cell, CellClaim, Choice, CtlProof, Image, Initial, LocationId, Model, NormalCtl, NormalPart,
    Paths, Renaming, State, Successors,
};
use sectile_terms::Value;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// A cell, and a turn that takes the states in question into it.
pub type Target = (usize, usize);

/// The numbers of cells in the evidence, and of their images under turns.
#[derive(Default)]
struct Numbering {
    numbers: BTreeMap<Target, usize>,
    images: Vec<Image>,
    /// The positions of turns among the renamings.
    turns: BTreeMap<usize, usize>,
}

impl Numbering {
    /// Numbers these cells, followed by the targets of steps with a turn.
    fn new(cells: &BTreeSet<usize>, turned: &BTreeSet<Target>) -> Numbering {
        let mut found = Numbering::default();
        for (i, &cell) in cells.iter().enumerate() {
            found.numbers.insert((cell, STAY), i);
        }
        for &(cell, turn) in turned {
            let next = found.turns.len();
            let renaming = *found.turns.entry(turn).or_insert(next);
            let number = cells.len() + found.images.len();
            found.numbers.insert((cell, turn), number);
            let cell = found.numbers[&(cell, STAY)];
            found.images.push(Image { cell, renaming });
        }
        found
    }

    fn of_cell(&self, cell: usize) -> usize {
        self.numbers[&(cell, STAY)]
    }
}

/// The evidence that a formula holds in cells: claims, or a run.
pub struct Evidence<'p, D: Domain> {
    /// The program.
    pub program: &'p Program<'p, D>,
    /// The system of the program.
    pub system: &'p Model,
    /// The cells.
    pub graph: &'p CellGraph<'p, D>,
    /// The formula.
    pub formula: &'p NormalCtl,
    /// The number of the formula.
    pub number: usize,
    /// The labels.
    pub labels: &'p Labels,
}

impl<D: Domain> Evidence<'_, D> {
    /// The claims that the formula needs in these cells, closed under their own needs.
    pub fn proof(&self, roots: &[Target], start: Option<(Vec<Value>, State)>) -> CtlProof {
        let needed = self.needed(roots);
        let mut targets: BTreeSet<Target> = roots.iter().copied().collect();
        for &(part, cell) in &needed {
            targets.insert((cell, STAY));
            if self.label(part, cell).is_some_and(|l| !l.edges.is_empty()) || self.universal(part) {
                let edges = self.graph.edges[cell].iter();
                targets.extend(edges.map(|e| (e.target, e.turn)));
            }
        }
        let used: BTreeSet<usize> = targets.iter().map(|(cell, _)| *cell).collect();
        targets.retain(|(_, turn)| *turn != STAY);
        let number = Numbering::new(&used, &targets);
        let named = self.named_edges(&needed);
        let cells = used.iter().map(|&c| self.cell(c, named.get(&c), &number));
        let mut proof = CtlProof {
            cells: cells.collect(),
            renamings: self.renamings(&number),
            images: number.images.clone(),
            claims: vec![Vec::new(); self.formula.parts.len()],
            initial: match start {
                None => Initial::All(roots.iter().map(|t| number.numbers[t]).collect()),
                Some((rigid, state)) => Initial::One(rigid, state, number.numbers[&roots[0]]),
            },
        };
        for (part, cell) in needed {
            if let Some(label) = self.label(part, cell) {
                let place = |edge: &usize| named[&cell].iter().position(|e| e == edge);
                proof.claims[part].push(CellClaim {
                    cell: number.of_cell(cell),
                    rank: label.rank,
                    measures: label.measures.iter().map(|f| self.measure(f)).collect(),
                    choices: label.edges.iter().filter_map(place).collect(),
                });
            }
        }
        proof
    }

    /// The inverse turns: a turned state is in a cell if the state is in the image of the cell.
    fn renamings(&self, number: &Numbering) -> Vec<Renaming> {
        let mut turns: Vec<(usize, usize)> = number.turns.iter().map(|(t, k)| (*k, *t)).collect();
        turns.sort_unstable();
        let symmetry = self.graph.symmetry;
        let renaming = |&(_, turn): &(usize, usize)| {
            let turn = symmetry.turn(turn);
            let mut pairs: Vec<_> = turn.symbols.iter().map(|(from, to)| (*to, *from)).collect();
            pairs.sort_unstable();
            Renaming { pairs }
        };
        turns.iter().map(renaming).collect()
    }

    fn label(&self, part: usize, cell: usize) -> Option<&Label> {
        self.labels[part][cell].as_ref()
    }

    fn universal(&self, part: usize) -> bool {
        matches!(
            self.formula.parts[part],
            NormalPart::Next(Paths::All, _)
                | NormalPart::Until(Paths::All, ..)
                | NormalPart::Weak(Paths::All, ..)
        )
    }

    /// The image of a part under a turn.
    pub fn turned(&self, part: usize, turn: usize) -> usize {
        let map = self.graph.symmetry.parts(self.number, self.formula, turn);
        map[part]
    }

    /// The claims that support the whole formula in some cells.
    fn needed(&self, roots: &[Target]) -> BTreeSet<(usize, usize)> {
        let root = self.formula.root();
        let starts = roots.iter().map(|&(c, turn)| (self.turned(root, turn), c));
        let mut found: BTreeSet<(usize, usize)> = starts.collect();
        let mut work: VecDeque<(usize, usize)> = found.iter().copied().collect();
        while let Some((part, cell)) = work.pop_front() {
            for next in self.reasons(part, cell) {
                if found.insert(next) {
                    work.push_back(next);
                }
            }
        }
        found
    }

    fn reasons(&self, part: usize, cell: usize) -> Vec<(usize, usize)> {
        let has = |f: usize| self.label(f, cell).is_some();
        let edges = &self.graph.edges[cell];
        let behind = |f: usize, e: &Edge<D>| (self.turned(f, e.turn), e.target);
        let all = |f: usize| edges.iter().map(move |e| behind(f, e));
        let chosen = |f: usize| {
            let label = self.label(part, cell);
            let list = label.map_or(&[][..], |l| &l.edges);
            list.iter().map(move |&k| behind(f, &edges[k]))
        };
        match self.formula.parts[part] {
            NormalPart::State(_) => Vec::new(),
            NormalPart::And(a, b) => vec![(a, cell), (b, cell)],
            NormalPart::Or(a, b) => vec![(if has(a) { a } else { b }, cell)],
            NormalPart::Next(Paths::All, f) => all(f).collect(),
            NormalPart::Next(Paths::Some, f) => chosen(f).collect(),
            NormalPart::Until(_, _, g) | NormalPart::Weak(_, _, g) if has(g) => vec![(g, cell)],
            NormalPart::Until(Paths::All, f, _) | NormalPart::Weak(Paths::All, f, _) => {
                all(part).chain([(f, cell)]).collect()
            }
            NormalPart::Until(Paths::Some, f, _) | NormalPart::Weak(Paths::Some, f, _) => {
                chosen(part).chain([(f, cell)]).collect()
            }
        }
    }

    /// For every cell with a claim, the edges in its claims.
    fn named_edges(&self, needed: &BTreeSet<(usize, usize)>) -> BTreeMap<usize, BTreeSet<usize>> {
        let mut named: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for &(part, cell) in needed {
            let edges = named.entry(cell).or_default();
            edges.extend(self.label(part, cell).iter().flat_map(|l| &l.edges));
        }
        named
    }

    /// A cell with the edges in its claims; without a claim, no steps are needed.
    fn cell(&self, index: usize, named: Option<&BTreeSet<usize>>, number: &Numbering) -> Cell {
        let set = &self.graph.cells[index];
        let edges = &self.graph.edges[index];
        let mut successors: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for edge in edges.iter().filter(|_| named.is_some()) {
            // A target without a number is in no claim; then no claim is about all steps.
            let Some(&target) = number.numbers.get(&(edge.target, edge.turn)) else {
                continue;
            };
            let command = self.program.cases[edge.case].command;
            let list = successors.entry(command).or_default();
            if !list.contains(&target) {
                list.push(target);
            }
        }
        let choice = |edge: &Edge<D>| {
            let case = &self.program.cases[edge.case];
            Choice {
                command: case.command,
                values: self.values(edge, set),
                target: number.numbers[&(edge.target, edge.turn)],
            }
        };
        let successors = successors.into_iter();
        let named = named.into_iter().flatten();
        Cell {
            location: LocationId(0),
            formula: self.formula_of(set),
            successors: successors
                .map(|(command, cells)| Successors { command, cells })
                .collect(),
            choices: named.map(|&k| choice(&edges[k])).collect(),
        }
    }
}
