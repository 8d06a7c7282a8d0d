//! Which parts of a formula surely hold in which cells.

use crate::cells::{CellGraph, Part};
use sectile_base::{Budget, Exhausted};
use sectile_domains::domain::{Domain, covers};
use sectile_model::{NormalCtl, NormalPart, Paths};

/// Why a part of a formula holds in a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// More than the ranks of what comes next.
    pub rank: u64,
    /// The edges of the cell by which it holds, for what is said of some path.
    pub edges: Vec<usize>,
}

/// For every part of the formula and every cell, why it holds there, if it surely does.
pub type Labels = Vec<Vec<Option<Label>>>;

/// Labels the cells with the parts of the formula.
///
/// What is labelled holds in every state of the cell. What is not may hold or not: steps that lead
/// somewhere from some states of a cell only count for all paths, but not for some path.
pub fn label<D: Domain>(
    graph: &CellGraph<D>,
    formula: &NormalCtl,
    budget: &Budget,
) -> Result<Labels, Exhausted> {
    let mut labels: Labels = Vec::new();
    for part in &formula.parts {
        let found = Labelling {
            graph,
            labels: &labels,
            budget,
        }
        .part(part)?;
        labels.push(found);
    }
    Ok(labels)
}

type Row = Vec<Option<Label>>;

struct Labelling<'l, D: Domain> {
    graph: &'l CellGraph<D>,
    labels: &'l Labels,
    budget: &'l Budget,
}

fn plain() -> Option<Label> {
    Some(Label {
        rank: 0,
        edges: Vec::new(),
    })
}

impl<D: Domain> Labelling<'_, D> {
    fn part(&self, part: &NormalPart) -> Result<Row, Exhausted> {
        let cells = 0..self.graph.cells.len();
        let has = |f: usize, c: usize| self.labels[f][c].is_some();
        Ok(match *part {
            NormalPart::State(p) => cells
                .map(|c| self.graph.holds(c, p).then(plain).flatten())
                .collect(),
            NormalPart::And(a, b) => cells
                .map(|c| (has(a, c) && has(b, c)).then(plain).flatten())
                .collect(),
            NormalPart::Or(a, b) => cells
                .map(|c| (has(a, c) || has(b, c)).then(plain).flatten())
                .collect(),
            NormalPart::Next(Paths::All, f) => cells
                .map(|c| self.all_next(c, |t| has(f, t)).then(plain).flatten())
                .collect(),
            NormalPart::Next(Paths::Some, f) => cells
                .map(|c| {
                    let edges = self.some_next(c, |t| has(f, t))?;
                    Some(Label { rank: 0, edges })
                })
                .collect(),
            NormalPart::Until(paths, f, g) => self.until(paths, f, g)?,
            NormalPart::Weak(paths, f, g) => self.weak(paths, f, g)?,
        })
    }

    /// Whether all steps lead to cells that fit.
    fn all_next(&self, cell: usize, fits: impl Fn(usize) -> bool) -> bool {
        !self.graph.cells[cell].open && self.graph.edges[cell].iter().all(|e| fits(e.target))
    }

    /// Edges to cells that fit, one of which is possible in every state of the cell.
    fn some_next(&self, cell: usize, fits: impl Fn(usize) -> bool) -> Option<Vec<usize>> {
        let edges = self.graph.edges[cell].iter().enumerate();
        let fitting = edges.filter(|(_, e)| fits(e.target));
        let mut parts: Vec<(usize, &D)> = Vec::new();
        for (i, edge) in fitting {
            match &edge.part {
                Part::All => return Some(vec![i]),
                Part::Some(part) => parts.push((i, part)),
                Part::Unknown => {}
            }
        }
        let sets = parts.iter().map(|(_, s)| *s);
        let enough = !parts.is_empty() && covers(sets, &*self.graph.cells[cell].set);
        enough.then(|| parts.iter().map(|(i, _)| *i).collect())
    }

    /// Layers, from where the second holds outwards.
    fn until(&self, paths: Paths, f: usize, g: usize) -> Result<Row, Exhausted> {
        let cells = self.graph.cells.len();
        let mut row: Row = (0..cells)
            .map(|c| self.labels[g][c].as_ref().and_then(|_| plain()))
            .collect();
        let before = self.predecessors();
        let mut layer: Vec<usize> = (0..cells).filter(|&c| row[c].is_some()).collect();
        let mut rank = 0;
        while !layer.is_empty() {
            rank += 1;
            let mut candidates: Vec<usize> = layer
                .iter()
                .flat_map(|&c| before[c].iter().copied())
                .collect();
            candidates.sort_unstable();
            candidates.dedup();
            let mut next = Vec::new();
            for c in candidates {
                self.budget.poll()?;
                if row[c].is_some() || self.labels[f][c].is_none() {
                    continue;
                }
                let inside = |t: usize| row[t].is_some();
                let edges = match paths {
                    Paths::Some => self.some_next(c, inside),
                    Paths::All if self.graph.cells[c].stuck || !self.all_next(c, inside) => None,
                    Paths::All => self.some_next(c, |_| true),
                };
                next.extend(edges.map(|edges| (c, edges)));
            }
            layer = next.iter().map(|(c, _)| *c).collect();
            for (c, edges) in next {
                row[c] = Some(Label { rank, edges });
            }
        }
        Ok(row)
    }

    /// The largest set of cells that can be stayed in until the second holds.
    fn weak(&self, paths: Paths, f: usize, g: usize) -> Result<Row, Exhausted> {
        let cells = self.graph.cells.len();
        let has = |f: usize, c: usize| self.labels[f][c].is_some();
        let mut inside: Vec<bool> = (0..cells).map(|c| has(f, c) || has(g, c)).collect();
        let before = self.predecessors();
        let mut work: Vec<usize> = (0..cells).filter(|&c| inside[c]).collect();
        let stays = |c: usize, inside: &[bool]| match paths {
            _ if has(g, c) => Some(Vec::new()),
            Paths::All => self.all_next(c, |t| inside[t]).then(Vec::new),
            Paths::Some if self.graph.cells[c].stuck => Some(Vec::new()),
            Paths::Some => self.some_next(c, |t| inside[t]),
        };
        while let Some(c) = work.pop() {
            self.budget.poll()?;
            if inside[c] && stays(c, &inside).is_none() {
                inside[c] = false;
                work.extend(before[c].iter().filter(|&&b| inside[b]));
            }
        }
        let row = (0..cells).map(|c| {
            let edges = inside[c].then(|| stays(c, &inside)).flatten()?;
            Some(Label { rank: 0, edges })
        });
        Ok(row.collect())
    }

    fn predecessors(&self) -> Vec<Vec<usize>> {
        let mut before = vec![Vec::new(); self.graph.cells.len()];
        for (c, edges) in self.graph.edges.iter().enumerate() {
            for edge in edges {
                if before[edge.target].last() != Some(&c) {
                    before[edge.target].push(c);
                }
            }
        }
        before
    }
}
