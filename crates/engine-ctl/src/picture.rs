//! The search and the fixpoints as steps for replay in the report.
//!
//! The sets of states appear layer by layer, are cut into cells in place, and then the parts of the
//! formula label them round by round: a least fixpoint grows by ranks, a greatest one loses cells.

use crate::cells::{CellGraph, CellSet};
use crate::decide::Attempt;
use crate::formulas::{control_formula, states};
use crate::label::{Labelled, Row};
use crate::reach::{Precision, Reached};
use crate::symmetry::STAY;
use sectile_domains::domain::Domain;
use sectile_domains::guarded::program::Program;
use sectile_engine::{Event, Interest, Picture, PictureEdge, PictureNode, Run};
use sectile_model::{Model, NormalCtl, NormalPart};
use sectile_terms::{NativePrinter, Term};
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of cells in a picture: larger graphs are counted.
const MOST_CELLS: usize = 1_200;

/// Maximum number of edges in a picture: larger graphs are counted.
const MOST_EDGES: usize = 12_000;

/// Maximum number of rounds that are reported for a fixpoint or a search.
const MOST_ROUNDS: u64 = 30;

/// Number of parts of the formula that are shown: the last ones.
const MOST_PARTS: usize = 8;

/// Reports the course of one search.
pub struct Story<'s, D: Domain> {
    program: &'s Program<'s, D>,
    system: &'s Model,
    reached: &'s Reached<D>,
    /// Number of state formulas that cut the cells.
    formulas: usize,
    step: u64,
    /// The drawn cells.
    cells: Vec<PictureNode>,
    edges: Vec<PictureEdge>,
}

impl<'s, D: Domain> Story<'s, D> {
    /// A report on a search that has just ended.
    pub fn new(
        program: &'s Program<'s, D>,
        system: &'s Model,
        reached: &'s Reached<D>,
        formulas: usize,
    ) -> Story<'s, D> {
        Story {
            program,
            system,
            reached,
            formulas,
            step: 0,
            cells: Vec::new(),
            edges: Vec::new(),
        }
    }

    /// Reports the sets of states, layer by layer.
    pub fn search(&mut self, attempt: &Attempt, run: &mut Run<'_>) {
        let nodes = &self.reached.nodes;
        let kept: Vec<usize> = (0..nodes.len()).filter(|&n| nodes[n].kept).collect();
        if kept.len() > MOST_CELLS || !run.wants(Interest::Pictures) {
            self.tell_size(kept.len(), kept.len(), run);
            return;
        }
        let depths = self.depths();
        let deepest = kept.iter().map(|&n| depths[n]).max().unwrap_or(0);
        let drawn = kept.iter().map(|&n| self.set(n));
        let drawn: Vec<PictureNode> = drawn.collect();
        let how = match attempt.precision {
            Precision::Widened(_) => "with widening",
            _ if attempt.adrift => "from anywhere, for numbers that grow",
            _ => "exactly",
        };
        for depth in strides(deepest) {
            let is_shown = |n: usize| nodes[n].kept && depths[n] <= depth;
            let shown = drawn.iter().filter(|p| is_shown(p.id));
            let shown: Vec<PictureNode> = shown.cloned().collect();
            let edges = shown.iter().filter_map(|p| {
                let (from, case) = nodes[p.id].parent?;
                is_shown(from).then(|| self.edge(from, p.id, case, nodes[p.id].turn))
            });
            let edges = edges.collect();
            let count = shown.len();
            let title = format!("Search {how}, depth {depth}: sets of states: {count}");
            self.tell(title, shown, edges, run);
        }
    }

    /// The number of steps to each set.
    fn depths(&self) -> Vec<u64> {
        let mut depths: Vec<u64> = Vec::with_capacity(self.reached.nodes.len());
        for node in &self.reached.nodes {
            // Its predecessor was found before it.
            depths.push(node.parent.map_or(0, |(p, _)| depths[p] + 1));
        }
        depths
    }

    fn set(&self, index: usize) -> PictureNode {
        let node = &self.reached.nodes[index];
        PictureNode {
            id: index,
            label: self.label(&node.control, &node.set, index),
            initial: node.parent.is_none(),
            error: self.reached.bad == Some(index),
            labelled: false,
            removed: None,
        }
    }

    fn edge(&self, from: usize, to: usize, case: usize, turn: usize) -> PictureEdge {
        let command = self.program.cases[case].command;
        let name = &self.system.edges[command].command.name;
        PictureEdge {
            from,
            to,
            relation: match turn {
                STAY => name.clone(),
                _ => format!("{name}, processes exchanged"),
            },
            removed: None,
        }
    }

    /// The conditions of a set. The most informative ones come last: those that its predecessor
    /// does not have, numbers first, then discrete variables.
    fn label(&self, control: &[u8], set: &D, node: usize) -> Vec<String> {
        let printer = NativePrinter::new(self.program.terms);
        let before = match self.reached.nodes[node].parent {
            Some((parent, _)) => {
                let parent = &self.reached.nodes[parent];
                self.conditions(&parent.control, &parent.set)
            }
            None => Vec::new(),
        };
        let before: BTreeSet<Term> = before.into_iter().collect();
        let (old, new): (Vec<Term>, Vec<Term>) = self
            .conditions(control, set)
            .into_iter()
            .partition(|t| before.contains(t));
        let ordered = old.into_iter().chain(new.into_iter().rev());
        ordered.map(|t| printer.print(t)).collect()
    }

    fn conditions(&self, control: &[u8], set: &D) -> Vec<Term> {
        let control = control_formula(self.program, control);
        let formula = states(self.program, control, set);
        self.program.terms.conjuncts(formula)
    }

    /// Reports cuts of cells: the splits, and the new cells.
    pub fn cut(
        &mut self,
        graph: &CellGraph<'_, D>,
        init: Term,
        why: &'static str,
        run: &mut Run<'_>,
    ) {
        let count = graph.cells.len();
        let edges: usize = graph.edges.iter().map(Vec::len).sum();
        self.cells.clear();
        self.edges.clear();
        if count > MOST_CELLS || edges > MOST_EDGES || !run.wants(Interest::Pictures) {
            self.tell_size(count, edges, run);
            return;
        }
        for &(whole, piece) in &graph.splits {
            let cell = &graph.cells[piece];
            run.tell(Event::Split {
                node: whole,
                halves: [cell.id, whole],
                predicate: self.own_conditions(cell),
            });
        }
        let numbered = graph.cells.iter().enumerate();
        let cells = numbered.map(|(c, cell)| PictureNode {
            id: cell.id,
            label: self.label(&cell.control, &cell.set, cell.node),
            initial: graph.holds(c, init),
            error: false,
            labelled: false,
            removed: None,
        });
        let cells = cells.collect();
        let leaving = graph.cells.iter().zip(&graph.edges);
        let edges = leaving.flat_map(|(cell, edges)| {
            let to = move |target: usize| (cell.id, graph.cells[target].id);
            edges.iter().map(move |e| (to(e.target), e.case, e.turn))
        });
        let edges = edges.map(|((from, to), case, turn)| self.edge(from, to, case, turn));
        let edges = edges.collect();
        (self.cells, self.edges) = (cells, edges);
        let title = format!("{why}: cells: {count}");
        self.tell(title, self.cells.clone(), self.edges.clone(), run);
    }

    /// The conditions of a cell beyond those of the set that contains it.
    fn own_conditions(&self, cell: &CellSet<D>) -> String {
        let node = &self.reached.nodes[cell.node];
        let whole = self.conditions(&node.control, &node.set);
        let whole: BTreeSet<Term> = whole.into_iter().collect();
        let terms = self.program.terms;
        let own = self.conditions(&cell.control, &cell.set);
        let own = own.into_iter().filter(|t| !whole.contains(t));
        NativePrinter::new(terms).print(terms.and(own))
    }

    /// Reports that neither the property nor its negation is known in every initial cell.
    pub fn open(&mut self, holds: &Row, fails: &Row, run: &mut Run<'_>) {
        if self.cells.is_empty() {
            return;
        }
        let mut nodes = self.cells.clone();
        for ((node, holds), fails) in nodes.iter_mut().zip(holds).zip(fails) {
            node.labelled = holds.is_some();
            node.error = fails.is_some();
        }
        let title = format!(
            "Open: of {} cells the property surely holds in {} and surely fails in {}",
            nodes.len(),
            known(holds),
            known(fails)
        );
        self.tell(title, nodes, self.edges.clone(), run);
    }

    /// Reports the fixpoints of the formula that decides the property, round by round.
    pub fn fixpoints(&mut self, formula: &NormalCtl, labelled: &Labelled, run: &mut Run<'_>) {
        if self.cells.is_empty() {
            return;
        }
        let words = formula.words(self.program.terms);
        let is_temporal = |p: &usize| {
            matches!(
                formula.parts[*p],
                NormalPart::Until(..) | NormalPart::Weak(..)
            )
        };
        let parts: Vec<usize> = (0..formula.parts.len()).filter(is_temporal).collect();
        for &part in &parts[parts.len().saturating_sub(MOST_PARTS)..] {
            let row = &labelled.labels[part];
            match formula.parts[part] {
                NormalPart::Until(..) => self.growing(&words[part], row, run),
                _ => {
                    let left = labelled.left.iter().filter(|l| l.0 == part);
                    let left = left.map(|&(_, cell, round)| (cell, round)).collect();
                    self.shrinking(&words[part], row, &left, run);
                }
            }
        }
        let root = &labelled.labels[formula.root()];
        if !parts.contains(&formula.root()) {
            let text = format!("{}: cells: {}", words[formula.root()], known(root));
            self.tell_labels(text, |c| root[c].is_some().then(String::new), run);
        }
    }

    /// A least fixpoint, outwards from its base cells.
    fn growing(&mut self, words: &str, row: &Row, run: &mut Run<'_>) {
        let last = row.iter().flatten().map(|l| l.rank).max().unwrap_or(0);
        for rank in strides(last) {
            let rank_of = |c: usize| row[c].as_ref().map(|l| l.rank).filter(|r| *r <= rank);
            let count = (0..row.len()).filter(|&c| rank_of(c).is_some()).count();
            let text = format!("{words}: rank {rank} at most, cells: {count}");
            self.tell_labels(text, |c| rank_of(c).map(|r| format!("rank {r}")), run);
        }
    }

    /// A greatest fixpoint: cells with a way out are removed.
    fn shrinking(
        &mut self,
        words: &str,
        row: &Row,
        left: &BTreeMap<usize, u64>,
        run: &mut Run<'_>,
    ) {
        let last = left.values().copied().max().unwrap_or(0);
        for round in strides(last) {
            let stays = |c: usize| row[c].is_some() || left.get(&c).is_some_and(|r| *r > round);
            let count = (0..row.len()).filter(|&c| stays(c)).count();
            let text = format!("{words}: after round {round}, cells left: {count}");
            self.tell_labels(text, |c| stays(c).then(String::new), run);
        }
    }

    /// The cells, with the labelled ones marked.
    fn tell_labels(
        &mut self,
        title: String,
        word: impl Fn(usize) -> Option<String>,
        run: &mut Run<'_>,
    ) {
        let mut nodes = self.cells.clone();
        for (c, node) in nodes.iter_mut().enumerate() {
            if let Some(word) = word(c) {
                node.labelled = true;
                node.label.extend(Some(word).filter(|w| !w.is_empty()));
            }
        }
        self.tell(title, nodes, self.edges.clone(), run);
    }

    fn tell(
        &mut self,
        title: String,
        nodes: Vec<PictureNode>,
        edges: Vec<PictureEdge>,
        run: &mut Run<'_>,
    ) {
        self.tell_size(nodes.len(), edges.len(), run);
        run.tell(Event::Picture(Box::new(Picture {
            step: self.step,
            title,
            nodes,
            edges,
        })));
    }

    fn tell_size(&mut self, nodes: usize, edges: usize, run: &mut Run<'_>) {
        self.step += 1;
        run.tell(Event::Abstraction {
            step: self.step,
            nodes,
            edges,
            predicates: self.formulas,
        });
    }
}

/// The number of labelled cells.
fn known(row: &Row) -> usize {
    row.iter().flatten().count()
}

/// All rounds from 0 to the last one, or a selection if there are too many.
fn strides(last: u64) -> Vec<u64> {
    let stride = last / MOST_ROUNDS + 1;
    let mut rounds: Vec<u64> = (0..last).step_by(stride as usize).collect();
    rounds.push(last);
    rounds
}
