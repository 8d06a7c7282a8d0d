//! Labels of cells as evidence.

use crate::cells::{CellGraph, CellSet, Edge};
use crate::label::{Label, Labels};
use crate::program::{Case, Program};
use sectile_base::Rat;
use sectile_domains::zone::{Bound, Difference, Numbers, Zone};
use sectile_model::{
    Cell, CellClaim, Choice, CtlProof, Initial, NormalCtl, NormalPart, Paths, State, Successors,
    TransitionSystem,
};
use sectile_terms::{Sort, Stage, Symbol, Term, Value};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The numbers of cells in the evidence.
type Numbering = BTreeMap<usize, usize>;

/// Makes the evidence that a formula holds in cells.
pub struct ProofMaker<'p> {
    /// The program.
    pub program: &'p Program<'p>,
    /// The system it was made from.
    pub system: &'p TransitionSystem,
    /// The cells.
    pub graph: &'p CellGraph,
    /// The formula.
    pub formula: &'p NormalCtl,
    /// What holds where.
    pub labels: &'p Labels,
}

impl ProofMaker<'_> {
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
        let choice = |edge: &Edge| {
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

    /// A cell as a formula.
    pub fn formula_of(&self, set: &CellSet) -> Term {
        let terms = self.program.terms;
        let control = self.program.control.iter().zip(set.control.iter());
        let discrete = control.map(|(&symbol, &value)| {
            let value = self.program.discrete_term(symbol, u32::from(value));
            terms.eq(terms.var(symbol), value)
        });
        let bounds = set.zone.constraints();
        let numeric = bounds.iter().map(|d| self.comparison(d));
        terms.and(discrete.chain(numeric))
    }

    /// The variable at a position of a zone, plus a number.
    fn sum(&self, position: usize, more: &Rat) -> Term {
        let terms = self.program.terms;
        let sort = self.sort();
        let mut linear =
            sectile_terms::Linear::constant_only(more / &Rat::from(&self.program.scale));
        if position > 0 {
            let symbol = self.program.numeric[position - 1];
            linear.add_term(terms.var(symbol), &Rat::ONE);
        }
        terms.sum(linear, sort)
    }

    fn sort(&self) -> Sort {
        match self.program.numbers {
            Numbers::Integers => Sort::Int,
            Numbers::Reals => Sort::Real,
        }
    }

    fn comparison(&self, d: &Difference) -> Term {
        let terms = self.program.terms;
        let left = self.sum(d.left, &Rat::ZERO);
        match &d.bound {
            Bound::AtMost(b) => terms.le(left, self.sum(d.right, &Rat::from(b))),
            Bound::Below(b) => terms.lt(left, self.sum(d.right, &Rat::from(b))),
            Bound::Infinite => terms.tt(),
        }
    }

    /// What is chosen in a step, as terms over the state before it.
    fn values(&self, case: &Case, from: &CellSet, to: &CellSet) -> Vec<(Symbol, Term)> {
        let mut found = Vec::new();
        let command = &self.system.commands[case.command];
        for (symbol, &value) in self.program.control.iter().zip(to.control.iter()) {
            if self.system.variables.contains(symbol) && command.update_of(*symbol).is_none() {
                found.push((
                    *symbol,
                    self.program.discrete_term(*symbol, u32::from(value)),
                ));
            }
        }
        let inside = case.guarded(&from.zone);
        let inside = inside.and_then(|g| to.zone.preimage(&g, &case.sources));
        let Some(inside) = inside else { return found };
        let chosen = self.chosen(case, &inside);
        for &input in &command.inputs {
            let slot = (input, Stage::Now);
            let value = match case.chosen.iter().position(|s| *s == slot) {
                Some(k) => chosen[k],
                None => self.unused_input(case, input),
            };
            found.push((input, value));
        }
        for (i, &symbol) in self.program.numeric.iter().enumerate() {
            if self.system.variables.contains(&symbol) && command.update_of(symbol).is_none() {
                let source = &case.sources[i];
                let terms = self.program.terms;
                let offset = Rat::from(&source.offset);
                let value = match source.variable.checked_sub(self.program.numeric.len() + 1) {
                    Some(k) => terms.add(chosen[k], self.sum(0, &offset)),
                    None => self.sum(source.variable, &offset),
                };
                found.push((symbol, value));
            }
        }
        found
    }

    /// A discrete input, or a number on which nothing depends.
    fn unused_input(&self, case: &Case, input: Symbol) -> Term {
        let sort = self.program.terms.symbol_sort(input);
        match sort.is_numeric() {
            true => self.sum(0, &Rat::ZERO),
            false => {
                let value = case.inputs.get(&input).copied().unwrap_or(0);
                self.program.discrete_term(input, value)
            }
        }
    }

    /// Terms for the numbers chosen: each is the largest of its lower bounds.
    ///
    /// In a closed zone every bound that the variables before it allow can be taken.
    fn chosen(&self, case: &Case, inside: &Zone) -> Vec<Term> {
        let terms = self.program.terms;
        let fixed = self.program.numeric.len();
        let mut found: Vec<Term> = Vec::new();
        for k in 0..case.chosen.len() {
            let me = fixed + 1 + k;
            let other = |j: usize, more: &Rat, found: &[Term]| match j.checked_sub(fixed + 1) {
                Some(earlier) => terms.add(found[earlier], self.sum(0, more)),
                None => self.sum(j, more),
            };
            let bounds = |upper: bool, found: &[Term]| -> (Vec<Term>, bool) {
                let (mut list, mut strict) = (Vec::new(), false);
                for j in 0..me {
                    let bound = if upper {
                        inside.bound(me, j)
                    } else {
                        inside.bound(j, me)
                    };
                    if let Some(value) = bound.value() {
                        let more = if upper {
                            Rat::from(value)
                        } else {
                            -&Rat::from(value)
                        };
                        list.push(other(j, &more, found));
                        strict |= bound.is_strict();
                    }
                }
                (list, strict)
            };
            let (low, low_strict) = bounds(false, &found);
            let (high, high_strict) = bounds(true, &found);
            let low = low.into_iter().reduce(|a, b| terms.max(a, b));
            let high = high.into_iter().reduce(|a, b| terms.min(a, b));
            let one = self.sum(0, &Rat::from(&self.program.scale));
            found.push(match (low, high) {
                (Some(l), _) if !low_strict => l,
                (_, Some(h)) if !high_strict => h,
                (Some(l), Some(h)) => terms.scale(terms.add(l, h), &Rat::from_ratio(1, 2)),
                (Some(l), None) => terms.add(l, one),
                (None, Some(h)) => terms.sub(h, one),
                (None, None) => self.sum(0, &Rat::ZERO),
            });
        }
        found
    }
}
