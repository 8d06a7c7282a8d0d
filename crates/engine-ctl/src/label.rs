//! Labelling: the parts of a formula that certainly hold in each cell.

use crate::cells::{CellGraph, CellPart, Edge};
use crate::progress::Unranked;
use crate::rank::Function;
use crate::symmetry::STAY;
use sectile_base::{Budget, Exhausted};
use sectile_domains::domain::{Domain, covers};
use sectile_domains::guarded::program::Program;
use sectile_model::{NormalCtl, NormalPart, Paths};
use std::collections::BTreeMap;
use std::rc::Rc;

/// The reason why a part of a formula holds in a cell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Label {
    /// A number that is at least the ranks of the successors.
    pub rank: u64,
    /// Measures that decrease with steps to cells of the same rank.
    pub measures: Vec<Function>,
    /// For claims about some path: the edges of the cell that justify them.
    pub edges: Vec<usize>,
}

impl Label {
    /// A label with these edges and without a ranking.
    fn by(edges: Vec<usize>) -> Label {
        Label {
            edges,
            ..Label::default()
        }
    }
}

/// For every part of the formula and every cell, the reason why it certainly holds there.
pub type Labels = Vec<Vec<Option<Label>>>;

/// The labels, with obstacles to further ones.
pub struct Labelled {
    /// The labels.
    pub labels: Labels,
    /// Strongly connected parts without a ranking.
    pub unranked: Vec<Unranked>,
    /// The parts removed from cells, by round, in greatest fixpoints.
    pub left: Vec<Left>,
}

/// A part, a cell and a round.
pub type Left = (usize, usize, u64);

/// Labels the cells with the parts of the formula, which is identified by its number.
///
/// A labelled part holds in every state of the cell. Otherwise it may hold or not: steps from only
/// some states of a cell count for all paths, but not for some path. If a step ends in a cell after
/// a turn, the turned part must hold there; so parts that turns map to each other are labelled
/// together.
pub fn label<D: Domain>(
    program: &Program<'_, D>,
    graph: &CellGraph<'_, D>,
    formula: &NormalCtl,
    number: usize,
    ranking: bool,
    budget: &Budget,
) -> Result<Labelled, Exhausted> {
    let edges = graph.edges.iter().flatten();
    let last = edges.map(|e| e.turn).max().unwrap_or(STAY);
    let maps = (0..=last).map(|t| graph.symmetry.parts(number, formula, t));
    let maps: Vec<Rc<[usize]>> = maps.collect();
    let mut labels: Labels = vec![Vec::new(); formula.parts.len()];
    let (mut unranked, mut left) = (Vec::new(), Vec::new());
    for parts in together(formula, &maps) {
        let mut labelling = Labelling {
            program,
            graph,
            labels: &labels,
            maps: &maps,
            unranked: Vec::new(),
            left: Vec::new(),
            ranking,
            budget,
        };
        let rows = labelling.parts(formula, &parts)?;
        unranked.append(&mut labelling.unranked);
        left.append(&mut labelling.left);
        for (part, row) in parts.into_iter().zip(rows) {
            labels[part] = row;
        }
    }
    Ok(Labelled {
        labels,
        unranked,
        left,
    })
}

/// The parts of a formula, arguments first; parts that turns map to each other are grouped.
fn together(formula: &NormalCtl, maps: &[Rc<[usize]>]) -> Vec<Vec<usize>> {
    // The first part of a group represents it.
    let mut first: Vec<usize> = (0..formula.parts.len()).collect();
    for (k, part) in formula.parts.iter().enumerate() {
        if matches!(part, NormalPart::Until(..) | NormalPart::Weak(..)) {
            for image in maps.iter().map(|map| map[k]) {
                let (a, b) = (first[k].min(first[image]), first[k].max(first[image]));
                let joined = first.iter_mut().filter(|f| **f == b);
                joined.for_each(|f| *f = a);
            }
        }
    }
    let heights = heights(formula);
    let mut found: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
    for (k, &first) in first.iter().enumerate() {
        // Parts that are mapped to each other have the same height.
        found.entry((heights[first], first)).or_default().push(k);
    }
    found.into_values().collect()
}

/// Heights: greater than those of the arguments.
fn heights(formula: &NormalCtl) -> Vec<usize> {
    let mut heights: Vec<usize> = Vec::with_capacity(formula.parts.len());
    for part in &formula.parts {
        heights.push(match *part {
            NormalPart::State(_) => 0,
            NormalPart::Next(_, f) => 1 + heights[f],
            NormalPart::And(a, b)
            | NormalPart::Or(a, b)
            | NormalPart::Until(_, a, b)
            | NormalPart::Weak(_, a, b) => 1 + heights[a].max(heights[b]),
        });
    }
    heights
}

/// The label of one part of the formula in each cell.
pub type Row = Vec<Option<Label>>;

/// The state of labelling.
pub struct Labelling<'l, D: Domain> {
    /// The program.
    pub program: &'l Program<'l, D>,
    /// Its cells.
    pub graph: &'l CellGraph<'l, D>,
    /// The labels of the arguments.
    pub labels: &'l Labels,
    maps: &'l [Rc<[usize]>],
    /// Strongly connected parts without a ranking.
    pub unranked: Vec<Unranked>,
    left: Vec<Left>,
    /// Whether rankings are computed.
    ranking: bool,
    /// Polled from time to time.
    pub budget: &'l Budget,
}

/// A step into a cell: its source, and the turn after it.
pub type Before = (usize, usize);

impl<D: Domain> Labelling<'_, D> {
    fn parts(&mut self, formula: &NormalCtl, parts: &[usize]) -> Result<Vec<Row>, Exhausted> {
        let part = &formula.parts[parts[0]];
        match part {
            NormalPart::Until(paths, ..) => return self.until(*paths, formula, parts),
            NormalPart::Weak(paths, ..) => return self.weak(*paths, formula, parts),
            _ => {}
        }
        let has = |f: usize, c: usize| self.labels[f][c].is_some();
        let label = |c: usize| match *part {
            NormalPart::State(p) => self.graph.holds(c, p).then(Label::default),
            NormalPart::And(a, b) => (has(a, c) && has(b, c)).then(Label::default),
            NormalPart::Or(a, b) => (has(a, c) || has(b, c)).then(Label::default),
            NormalPart::Next(paths, f) => {
                let fits = |e: &Edge<D>| has(self.maps[e.turn][f], e.target);
                let edges = match paths {
                    Paths::All => self.all_next(c, fits).then(Vec::new),
                    Paths::Some => self.some_next(c, fits),
                };
                edges.map(Label::by)
            }
            NormalPart::Until(..) | NormalPart::Weak(..) => None,
        };
        Ok(vec![(0..self.graph.cells.len()).map(label).collect()])
    }

    /// Whether all steps from a cell fit.
    pub fn all_next(&self, cell: usize, fits: impl Fn(&Edge<D>) -> bool) -> bool {
        !self.graph.cells[cell].open && self.graph.edges[cell].iter().all(fits)
    }

    /// Edges that fit such that in every state of the cell one of them is possible.
    pub fn some_next(&self, cell: usize, fits: impl Fn(&Edge<D>) -> bool) -> Option<Vec<usize>> {
        let edges = self.graph.edges[cell].iter().enumerate();
        let fitting = edges.filter(|(_, e)| fits(e));
        let mut parts: Vec<(usize, &D)> = Vec::new();
        for (i, edge) in fitting {
            match &edge.part {
                CellPart::All => return Some(vec![i]),
                CellPart::Some(part) => parts.push((i, part)),
                CellPart::Unknown => {}
            }
        }
        let sets = parts.iter().map(|(_, s)| *s);
        let enough = !parts.is_empty() && covers(sets, &*self.graph.cells[cell].set);
        enough.then(|| parts.iter().map(|(i, _)| *i).collect())
    }

    /// For every part and turn, the position of the image among the parts.
    fn moves(&self, parts: &[usize]) -> Vec<Vec<usize>> {
        // Turns permute parts that are labelled together.
        let place = |part: usize| parts.iter().position(|q| *q == part).unwrap_or(0);
        let row = |&part: &usize| self.maps.iter().map(|map| place(map[part])).collect();
        parts.iter().map(row).collect()
    }

    /// Layers, outwards from where the second holds; then cells from which rankings lead there.
    fn until(
        &mut self,
        paths: Paths,
        formula: &NormalCtl,
        parts: &[usize],
    ) -> Result<Vec<Row>, Exhausted> {
        let cells = self.graph.cells.len();
        let arguments: Vec<(usize, usize)> = arguments(formula, parts);
        let start = |(_, g): &(usize, usize)| -> Row {
            let row = self.labels[*g].iter();
            row.map(|l| l.as_ref().map(|_| Label::default())).collect()
        };
        let mut rows: Vec<Row> = arguments.iter().map(start).collect();
        let moves = self.moves(parts);
        let before = self.predecessors();
        let every = (0..parts.len()).flat_map(|p| (0..cells).map(move |c| (p, c)));
        let mut layer: Vec<(usize, usize)> = every.filter(|&(p, c)| rows[p][c].is_some()).collect();
        let mut rank = 0;
        while !layer.is_empty() {
            rank += 1;
            let mut next = Vec::new();
            for (p, c) in earlier(&layer, &before, &moves) {
                self.budget.poll()?;
                if rows[p][c].is_some() || self.labels[arguments[p].0][c].is_none() {
                    continue;
                }
                let inside = |e: &Edge<D>| rows[moves[p][e.turn]][e.target].is_some();
                let edges = match paths {
                    Paths::Some => self.some_next(c, inside),
                    Paths::All if self.graph.cells[c].stuck || !self.all_next(c, inside) => None,
                    Paths::All => self.some_next(c, |_| true),
                };
                next.extend(edges.map(|edges| (p, c, edges)));
            }
            layer = next.iter().map(|(p, c, _)| (*p, *c)).collect();
            for (p, c, edges) in next {
                rows[p][c] = Some(Label {
                    rank,
                    ..Label::by(edges)
                });
            }
        }
        if paths == Paths::All && self.ranking {
            self.ranked(&mut rows, &arguments, &moves, rank)?;
        }
        Ok(rows)
    }

    /// The largest set of cells in which a path can stay until the second holds.
    fn weak(
        &mut self,
        paths: Paths,
        formula: &NormalCtl,
        parts: &[usize],
    ) -> Result<Vec<Row>, Exhausted> {
        let cells = self.graph.cells.len();
        let has = |f: usize, c: usize| self.labels[f][c].is_some();
        let arguments = arguments(formula, parts);
        let start = |&(f, g): &(usize, usize)| (0..cells).map(|c| has(f, c) || has(g, c)).collect();
        let mut inside: Vec<Vec<bool>> = arguments.iter().map(start).collect();
        let moves = self.moves(parts);
        let before = self.predecessors();
        let every = (0..parts.len()).flat_map(|p| (0..cells).map(move |c| (p, c)));
        let mut work: Vec<(usize, usize)> = every.filter(|&(p, c)| inside[p][c]).collect();
        let mut left = Vec::new();
        let mut round = 0;
        let stays = |p: usize, c: usize, inside: &[Vec<bool>]| {
            let fits = |e: &Edge<D>| inside[moves[p][e.turn]][e.target];
            match paths {
                _ if has(arguments[p].1, c) => Some(Vec::new()),
                Paths::All => self.all_next(c, fits).then(Vec::new),
                Paths::Some if self.graph.cells[c].stuck => Some(Vec::new()),
                Paths::Some => self.some_next(c, fits),
            }
        };
        while !work.is_empty() {
            round += 1;
            let mut gone = Vec::new();
            for (p, c) in work {
                self.budget.poll()?;
                if inside[p][c] && stays(p, c, &inside).is_none() {
                    gone.push((p, c));
                }
            }
            for &(p, c) in &gone {
                inside[p][c] = false;
                left.push((parts[p], c, round));
            }
            work = earlier(&gone, &before, &moves);
            work.retain(|&(q, b)| inside[q][b]);
        }
        let row = |p: usize| -> Row {
            let label = |c: usize| {
                let edges = inside[p][c].then(|| stays(p, c, &inside)).flatten()?;
                Some(Label::by(edges))
            };
            (0..cells).map(label).collect()
        };
        let rows = (0..parts.len()).map(row).collect();
        self.left.append(&mut left);
        Ok(rows)
    }

    /// For every cell, the sources of steps to it.
    pub fn predecessors(&self) -> Vec<Vec<Before>> {
        let mut before = vec![Vec::new(); self.graph.cells.len()];
        for (c, edges) in self.graph.edges.iter().enumerate() {
            for edge in edges {
                let entry = (c, edge.turn);
                if before[edge.target].last() != Some(&entry) {
                    before[edge.target].push(entry);
                }
            }
        }
        before
    }
}

/// The arguments of binary parts.
fn arguments(formula: &NormalCtl, parts: &[usize]) -> Vec<(usize, usize)> {
    let both = |&part: &usize| match formula.parts[part] {
        NormalPart::Until(_, f, g) | NormalPart::Weak(_, f, g) => Some((f, g)),
        _ => None,
    };
    parts.iter().filter_map(both).collect()
}

/// The parts and cells from which a step leads to one of the given parts in its cell.
pub fn earlier(
    reached: &[(usize, usize)],
    before: &[Vec<Before>],
    moves: &[Vec<usize>],
) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for &(q, c) in reached {
        for &(b, turn) in &before[c] {
            let parts = (0..moves.len()).filter(|&p| moves[p][turn] == q);
            found.extend(parts.map(|p| (p, b)));
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}
