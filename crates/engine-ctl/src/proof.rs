//! Labels of cells as evidence.

use crate::cells::{CellGraph, Edge};
use crate::label::{Label, Labels};
use sectile_domains::domain::Domain;
use sectile_guarded::program::Program;
use sectile_model::{
    Cell, CellClaim, Choice, CtlProof, Initial, NormalCtl, NormalPart, Paths, State, Successors,
    TransitionSystem,
};
use sectile_terms::Value;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The numbers of cells in the evidence.
type Numbering = BTreeMap<usize, usize>;

/// Makes the evidence that a formula holds in cells.
pub struct ProofMaker<'p, D: Domain> {
    /// The program.
    pub program: &'p Program<'p, D>,
    /// The system it was made from.
    pub system: &'p TransitionSystem,
    /// The cells.
    pub graph: &'p CellGraph<D>,
    /// The formula.
    pub formula: &'p NormalCtl,
    /// What holds where.
    pub labels: &'p Labels,
}

impl<D: Domain> ProofMaker<'_, D> {
    /// The claims that the formula needs in these cells, and what they need in turn.
    pub fn proof(&self, roots: &[usize], start: Option<(Vec<Value>, State)>) -> CtlProof {
        let needed = self.needed(roots);
        let mut used: BTreeSet<usize> = roots.iter().copied().collect();
        for &(part, cell) in &needed {
            used.insert(cell);
            if self.label(part, cell).is_some_and(|l| !l.edges.is_empty()) || self.universal(part) {
                used.extend(self.graph.edges[cell].iter().map(|e| e.target));
            }
        }
        let number: Numbering = used.iter().enumerate().map(|(i, &c)| (c, i)).collect();
        let named = self.named_edges(&needed);
        let cells = used.iter().map(|&c| match named.get(&c) {
            Some(edges) => self.cell(c, edges, &number),
            None => self.plain_cell(c),
        });
        let mut proof = CtlProof {
            cells: cells.collect(),
            claims: vec![Vec::new(); self.formula.parts.len()],
            initial: match start {
                None => Initial::All(roots.iter().map(|c| number[c]).collect()),
                Some((rigid, state)) => Initial::One(rigid, state, number[&roots[0]]),
            },
        };
        for (part, cell) in needed {
            if let Some(label) = self.label(part, cell) {
                let place = |edge: &usize| named[&cell].iter().position(|e| e == edge);
                proof.claims[part].push(CellClaim {
                    cell: number[&cell],
                    rank: label.rank,
                    choices: label.edges.iter().filter_map(place).collect(),
                });
            }
        }
        proof
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

    /// The claims on which those of the whole formula in some cells depend.
    fn needed(&self, roots: &[usize]) -> BTreeSet<(usize, usize)> {
        let root = self.formula.root();
        let mut found: BTreeSet<(usize, usize)> = roots.iter().map(|&c| (root, c)).collect();
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
        let all = |f: usize| edges.iter().map(move |e| (f, e.target));
        let chosen = |f: usize| {
            let label = self.label(part, cell);
            let list = label.map_or(&[][..], |l| &l.edges);
            list.iter().map(move |&k| (f, edges[k].target))
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

    /// For every cell with a claim, the edges that its claims name.
    fn named_edges(&self, needed: &BTreeSet<(usize, usize)>) -> BTreeMap<usize, BTreeSet<usize>> {
        let mut named: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for &(part, cell) in needed {
            let edges = named.entry(cell).or_default();
            edges.extend(self.label(part, cell).iter().flat_map(|l| &l.edges));
        }
        named
    }

    /// A cell from which no steps matter.
    fn plain_cell(&self, index: usize) -> Cell {
        Cell {
            formula: self.formula_of(&self.graph.cells[index]),
            successors: Vec::new(),
            choices: Vec::new(),
        }
    }

    fn cell(&self, index: usize, named: &BTreeSet<usize>, number: &Numbering) -> Cell {
        let set = &self.graph.cells[index];
        let edges = &self.graph.edges[index];
        let mut successors: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for edge in edges {
            // A target that no claim needs has no number; then no claim is about all steps.
            let Some(&target) = number.get(&edge.target) else {
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
                values: self.values(case, set, &self.graph.cells[edge.target]),
                target: number[&edge.target],
            }
        };
        let successors = successors.into_iter();
        Cell {
            formula: self.formula_of(set),
            successors: successors
                .map(|(command, cells)| Successors { command, cells })
                .collect(),
            choices: named.iter().map(|&k| choice(&edges[k])).collect(),
        }
    }
}
