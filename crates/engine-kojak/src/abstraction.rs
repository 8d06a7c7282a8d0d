//! The labelled graph: nodes are sets of states at a location.

use sectile_base::digraph::Digraph;
use sectile_engine::{
    EngineError, Event, Interest, LabelledPath, PathFormulas, Run, SliceReason, Sliced,
};
use sectile_solver::{Answer, Solver};
use sectile_terms::{NativePrinter, Stage, Symbol, Term, Value, evaluate};
use std::collections::BTreeMap;

/// What has become of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// It is part of the graph.
    Live,
    /// It was split, by the formula into these two.
    Split(Term, [usize; 2]),
    /// Removed: no path from the start leads to it.
    Unreached,
    /// Removed: no path leads from it to an error.
    Harmless,
}

/// Some states at a location.
pub(crate) struct Node {
    pub location: usize,
    /// What holds in these states.
    pub label: Vec<Term>,
    pub status: Status,
    pub outgoing: Vec<usize>,
    pub incoming: Vec<usize>,
}

/// A step between nodes, along an edge of the block graph.
pub(crate) struct Edge {
    pub from: usize,
    pub to: usize,
    pub block: usize,
    pub live: bool,
    /// A step that the edge allows, where one is known.
    witness: Option<Witness>,
}

/// The values of variables and symbolic constants, before a step and after it.
type Witness = [Vec<Value>; 2];

/// The labelled program graph.
///
/// Paper: [ErHoPoSc11, Sect. 5]. Differs: the states in which the program starts have a node of
/// their own, which no edge enters, so that the entry may be a loop head.
pub(crate) struct Abstraction<'g> {
    pub formulas: &'g PathFormulas<'g>,
    pub nodes: Vec<Node>,
    pub edges: Vec<Edge>,
    start: usize,
    is_error: Vec<bool>,
    solvers: Vec<Option<Box<dyn Solver + 'g>>>,
    primed: BTreeMap<Term, Term>,
    /// Where the values of symbols are in a witness.
    places: BTreeMap<Symbol, usize>,
    pub edge_checks: u64,
    /// What was removed since the last picture, where somebody wants pictures.
    pub removed: Removed,
}

/// Nodes and edges that were removed, and why.
#[derive(Default)]
pub(crate) struct Removed {
    pub nodes: Vec<(usize, SliceReason)>,
    pub edges: Vec<(usize, SliceReason)>,
}

/// The ends of a step, as positions in a witness.
const NOW: usize = 0;
const NEXT: usize = 1;

impl<'g> Abstraction<'g> {
    /// One node for each location, labelled with what is known there, and one for the start.
    pub fn new(
        formulas: &'g PathFormulas<'g>,
        errors: &[usize],
        facts: &[Term],
    ) -> Abstraction<'g> {
        let graph = formulas.graph();
        let terms = formulas.terms();
        let count = graph.locations.len();
        let symbols = graph.variables.iter().chain(&graph.rigid);
        let mut abstraction = Abstraction {
            formulas,
            nodes: Vec::new(),
            edges: Vec::new(),
            start: count,
            is_error: (0..count).map(|l| errors.contains(&l)).collect(),
            solvers: graph.edges.iter().map(|_| None).collect(),
            primed: BTreeMap::new(),
            places: symbols.enumerate().map(|(i, s)| (*s, i)).collect(),
            edge_checks: 0,
            removed: Removed::default(),
        };
        for (location, &fact) in facts.iter().enumerate() {
            abstraction.add_node(location, terms.conjuncts(fact));
        }
        let start = terms.conjuncts(formulas.init());
        abstraction.add_node(graph.entry.0, start);
        for (block, edge) in graph.edges.iter().enumerate() {
            abstraction.add_edge(edge.from.0, edge.to.0, block, None);
            if edge.from == graph.entry {
                abstraction.add_edge(count, edge.to.0, block, None);
            }
        }
        abstraction
    }

    fn add_node(&mut self, location: usize, label: Vec<Term>) -> usize {
        self.nodes.push(Node {
            location,
            label,
            status: Status::Live,
            outgoing: Vec::new(),
            incoming: Vec::new(),
        });
        self.nodes.len() - 1
    }

    fn add_edge(&mut self, from: usize, to: usize, block: usize, witness: Option<Witness>) {
        let index = self.edges.len();
        self.nodes[from].outgoing.push(index);
        self.nodes[to].incoming.push(index);
        self.edges.push(Edge {
            from,
            to,
            block,
            live: true,
            witness,
        });
    }

    pub fn is_live(&self, node: usize) -> bool {
        self.nodes[node].status == Status::Live
    }

    /// The live nodes that a node has become by splits.
    pub fn descendants(&self, node: usize) -> Vec<usize> {
        let mut found = Vec::new();
        let mut pending = vec![node];
        while let Some(n) = pending.pop() {
            match self.nodes[n].status {
                Status::Live => found.push(n),
                Status::Split(_, [a, b]) => pending.extend([b, a]),
                Status::Unreached | Status::Harmless => {}
            }
        }
        found
    }

    /// The live edges that leave a node.
    pub fn edges_from(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        let edges = self.nodes[node].outgoing.iter().copied();
        edges.filter(|&e| self.edges[e].live)
    }

    /// Whether paths start in a node.
    pub fn is_start(&self, node: usize) -> bool {
        node == self.start
    }

    /// Whether an error is at a node.
    pub fn is_error(&self, node: usize) -> bool {
        self.is_error[self.nodes[node].location]
    }

    fn edges_to(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        let edges = self.nodes[node].incoming.iter().copied();
        edges.filter(|&e| self.edges[e].live)
    }

    /// Splits a node by a formula; the edges of both halves are checked at once.
    ///
    /// Paper: [ErHoPoSc11, Fig. 7 and Lemma 1]. A step that the old edge is known to allow shows
    /// which copies of the edge need no check.
    pub fn split(
        &mut self,
        node: usize,
        formula: Term,
        run: &mut Run<'_>,
    ) -> Result<[usize; 2], EngineError> {
        let terms = self.formulas.terms();
        let location = self.nodes[node].location;
        let half = |side: Term| {
            let mut label = self.nodes[node].label.clone();
            label.extend(terms.conjuncts(side));
            label
        };
        let (yes, no) = (half(formula), half(terms.not(formula)));
        let halves = [self.add_node(location, yes), self.add_node(location, no)];
        let leaving: Vec<usize> = self.edges_from(node).collect();
        let entering: Vec<usize> = self.edges_to(node).collect();
        let others = entering.iter().copied();
        let others: Vec<usize> = others.filter(|&e| self.edges[e].from != node).collect();
        let first_new = self.edges.len();
        for &e in &leaving {
            let (to, block) = (self.edges[e].to, self.edges[e].block);
            let from_side = self.side(e, formula, NOW);
            let to_side = self.side(e, formula, NEXT);
            let targets = if to == node { &halves[..] } else { &[to] };
            for (i, &from) in halves.iter().enumerate() {
                for (j, &target) in targets.iter().enumerate() {
                    let fits = from_side == Some(i) && (to != node || to_side == Some(j));
                    let witness = self.edges[e].witness.clone().filter(|_| fits);
                    self.add_edge(from, target, block, witness);
                }
            }
        }
        for e in others {
            let (from, block) = (self.edges[e].from, self.edges[e].block);
            let side = self.side(e, formula, NEXT);
            for (i, &to) in halves.iter().enumerate() {
                let witness = self.edges[e].witness.clone().filter(|_| side == Some(i));
                self.add_edge(from, to, block, witness);
            }
        }
        for e in leaving.into_iter().chain(entering) {
            self.edges[e].live = false;
        }
        self.nodes[node].status = Status::Split(formula, halves);
        self.check_edges(first_new, run)?;
        Ok(halves)
    }

    /// On which side of a formula the known step of an edge begins or ends: 0 where it is true.
    fn side(&self, edge: usize, formula: Term, end: usize) -> Option<usize> {
        let state = &self.edges[edge].witness.as_ref()?[end];
        let value = |symbol: Symbol, _: Stage| state.get(*self.places.get(&symbol)?).cloned();
        match evaluate(self.formulas.terms(), formula, &value) {
            Ok(Value::Bool(true)) => Some(0),
            Ok(Value::Bool(false)) => Some(1),
            _ => None,
        }
    }

    /// Removes the edges, from number `first` on, along which no step is possible.
    ///
    /// Paper: [ErHoPoSc11, Sect. 5, Slicing]. Only edges without a known step are looked at.
    pub fn check_edges(&mut self, first: usize, run: &mut Run<'_>) -> Result<(), EngineError> {
        for e in first..self.edges.len() {
            if !self.edges[e].live || self.edges[e].witness.is_some() {
                continue;
            }
            if !self.find_step(e, run)? {
                self.drop_edge(e, run);
            }
        }
        Ok(())
    }

    /// Removes an edge along which no step is possible.
    pub fn drop_edge(&mut self, edge: usize, run: &mut Run<'_>) {
        self.edges[edge].live = false;
        let (from, to) = (self.edges[edge].from, self.edges[edge].to);
        let block = self.edges[edge].block;
        let reason = SliceReason::Inconsistent;
        if run.wants(Interest::Pictures) {
            self.removed.edges.push((edge, reason));
        }
        if run.wants(Interest::Steps) {
            let name = self.formulas.graph().edges[block].command.name.clone();
            let what = Sliced::Relation { from, to, name };
            run.tell(Event::Sliced { what, reason });
        }
    }

    /// Looks for a step that an edge allows; false if there is none.
    fn find_step(&mut self, edge: usize, run: &mut Run<'_>) -> Result<bool, EngineError> {
        self.edge_checks += 1;
        let terms = self.formulas.terms();
        let graph = self.formulas.graph();
        let Edge {
            from, to, block, ..
        } = self.edges[edge];
        let mut assumptions = self.nodes[from].label.clone();
        for &part in &self.nodes[to].label {
            let primed = self.primed.entry(part);
            assumptions.push(*primed.or_insert_with(|| terms.prime(part)));
        }
        let solver = match &mut self.solvers[block] {
            Some(solver) => solver,
            empty => {
                let mut solver = run.backend.solver(terms)?;
                solver.assert(self.formulas.step(block))?;
                empty.insert(solver)
            }
        };
        match solver.check(&assumptions, &run.budget)? {
            Answer::Unsat(_) => return Ok(false),
            Answer::Unknown(_) => {}
            Answer::Sat(model) => {
                let value = |&s: &Symbol, stage: Stage| {
                    let value = model.value(s, stage);
                    value.unwrap_or_else(|| Value::some_of(terms, terms.symbol_sort(s)))
                };
                let at = |stage: Stage| {
                    let variables = graph.variables.iter().map(|s| value(s, stage));
                    let rigid = graph.rigid.iter().map(|s| value(s, Stage::Now));
                    variables.chain(rigid).collect()
                };
                self.edges[edge].witness = Some([at(Stage::Now), at(Stage::Next)]);
            }
        }
        Ok(true)
    }

    /// Removes the nodes that lie on no path from the start to an error.
    ///
    /// Paper: [ErHoPoSc11, Sect. 5, Slicing] removes those that the start does not reach; those
    /// from which no error is reached prove something, so they are marked.
    pub fn prune(&mut self, run: &mut Run<'_>) {
        let live = |&n: &usize| self.is_live(n);
        let is_error = |&n: &usize| self.is_error[self.nodes[n].location];
        let errors = (0..self.nodes.len()).filter(live).filter(is_error);
        let back = self.flow().reversed().reachable_from(errors);
        let ahead = self.flow().reachable_from(Some(self.start).filter(live));
        for n in 0..self.nodes.len() {
            let status = match (ahead[n], back[n]) {
                _ if !self.is_live(n) => continue,
                (true, true) => continue,
                (true, false) => Status::Harmless,
                (false, _) => Status::Unreached,
            };
            self.remove(n, status, run);
        }
    }

    fn remove(&mut self, node: usize, status: Status, run: &mut Run<'_>) {
        self.nodes[node].status = status;
        let edges = [&self.nodes[node].outgoing, &self.nodes[node].incoming];
        let edges: Vec<usize> = edges.into_iter().flatten().copied().collect();
        let reason = match status {
            Status::Harmless => SliceReason::BackwardUnreachable,
            _ => SliceReason::ForwardUnreachable,
        };
        let drawn = run.wants(Interest::Pictures);
        if drawn {
            self.removed.nodes.push((node, reason));
        }
        for e in edges {
            if drawn && self.edges[e].live {
                self.removed.edges.push((e, reason));
            }
            self.edges[e].live = false;
        }
        if run.wants(Interest::Steps) {
            let what = Sliced::Node { node };
            run.tell(Event::Sliced { what, reason });
        }
    }

    /// A shortest path from the start to an error.
    pub fn error_path(&self) -> Option<Path> {
        let start = Some(self.start).filter(|&n| self.is_live(n));
        let is_error = |n: usize| self.is_error[self.nodes[n].location];
        let nodes = self.flow().shortest_path(start, is_error)?;
        let between = |ends: &[usize]| {
            let mut leaving = self.edges_from(ends[0]);
            leaving.find(|&e| self.edges[e].to == ends[1])
        };
        let edges = nodes.windows(2).map(between).collect::<Option<_>>()?;
        Some(Path { nodes, edges })
    }

    /// An invariant for every location of the block graph, if no error can be reached.
    ///
    /// The nodes that were removed because no error can be reached from them, while the start
    /// still reached them, contain the states in which the program starts, are closed under its
    /// steps and contain no error. The splits are a tree: its leaves say which parts of a location
    /// are in.
    pub fn invariants(&self, facts: &[Term]) -> Vec<Term> {
        let terms = self.formulas.terms();
        // For every node, which of its states are in. Halves have larger numbers than what they
        // are halves of.
        let mut inside = vec![terms.ff(); self.nodes.len()];
        for (n, node) in self.nodes.iter().enumerate().rev() {
            inside[n] = match node.status {
                Status::Harmless => terms.tt(),
                Status::Live | Status::Unreached => terms.ff(),
                Status::Split(_, [yes, no]) if inside[yes] == inside[no] => inside[yes],
                Status::Split(by, [yes, no]) => terms.or2(
                    terms.and2(by, inside[yes]),
                    terms.and2(terms.not(by), inside[no]),
                ),
            };
        }
        let known = facts.iter().zip(&inside);
        let mut list: Vec<Term> = known.map(|(&f, &i)| terms.and2(f, i)).collect();
        let entry = self.formulas.graph().entry.0;
        let start = terms.and2(self.formulas.init(), inside[self.start]);
        list[entry] = terms.or2(list[entry], start);
        list
    }

    /// The live edges as a graph.
    fn flow(&self) -> Digraph {
        Digraph::from_successors(self.nodes.len(), |n| {
            self.edges_from(n).map(|e| self.edges[e].to)
        })
    }

    /// Live nodes and live edges.
    pub fn size(&self) -> (usize, usize) {
        let nodes = (0..self.nodes.len()).filter(|&n| self.is_live(n)).count();
        (nodes, self.edges.iter().filter(|e| e.live).count())
    }

    /// A formula in the words of the input.
    pub fn print(&self, formula: Term) -> String {
        NativePrinter::new(self.formulas.terms()).print(formula)
    }
}

/// A path of nodes from the start to an error, with the edges between them.
pub(crate) struct Path {
    pub nodes: Vec<usize>,
    pub edges: Vec<usize>,
}

impl Path {
    /// The path with the labels of its nodes.
    pub fn labelled<'g>(&self, abstraction: &Abstraction<'g>) -> LabelledPath<'g> {
        let formulas = abstraction.formulas;
        let terms = formulas.terms();
        let blocks = self.edges.iter().map(|&e| abstraction.edges[e].block);
        let label = |k: usize| {
            let label = abstraction.nodes[self.nodes[k]].label.iter();
            terms.and(label.map(|&t| formulas.at(t, k)))
        };
        let part = |label, step| terms.and2(label, step);
        LabelledPath::new(formulas, blocks.collect(), label, part)
    }
}
