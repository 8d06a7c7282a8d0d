//! The labelled graph: nodes are sets of states at a location.

use sectile_base::digraph::Digraph;
use sectile_engine::{EngineError, Event, PathFormulas, Run, SliceReason, Sliced};
use sectile_solver::{Backend, ModelView, Solver};
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

#[derive(Clone)]
struct Witness {
    rigid: Vec<Value>,
    now: Vec<Value>,
    next: Vec<Value>,
}

/// The labelled program graph.
///
/// Paper: [ErHoPoSc11, Sect. 5]. Differs: the states in which the program starts have a node of
/// their own, which no edge enters, so that the entry may be a loop head.
pub(crate) struct Abstraction<'g> {
    pub formulas: &'g PathFormulas<'g>,
    pub nodes: Vec<Node>,
    pub edges: Vec<Edge>,
    pub start: usize,
    pub is_error: Vec<bool>,
    solvers: Vec<Option<Box<dyn Solver + 'g>>>,
    primed: BTreeMap<Term, Term>,
    places: BTreeMap<Symbol, usize>,
    rigid_places: BTreeMap<Symbol, usize>,
    pub edge_checks: u64,
}

/// One end of a step.
#[derive(Clone, Copy)]
enum End {
    Now,
    Next,
}

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
        let place = |list: &[Symbol]| list.iter().enumerate().map(|(i, s)| (*s, i)).collect();
        let mut abstraction = Abstraction {
            formulas,
            nodes: Vec::new(),
            edges: Vec::new(),
            start: count,
            is_error: (0..count).map(|l| errors.contains(&l)).collect(),
            solvers: graph.edges.iter().map(|_| None).collect(),
            primed: BTreeMap::new(),
            places: place(&graph.variables),
            rigid_places: place(&graph.rigid),
            edge_checks: 0,
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
            let from_side = self.side(e, formula, End::Now);
            let to_side = self.side(e, formula, End::Next);
            for (i, &from) in halves.iter().enumerate() {
                let from_fits = from_side == Some(i);
                if to != node {
                    let witness = self.edges[e].witness.clone().filter(|_| from_fits);
                    self.add_edge(from, to, block, witness);
                    continue;
                }
                for (j, &to) in halves.iter().enumerate() {
                    let fits = from_fits && to_side == Some(j);
                    let witness = self.edges[e].witness.clone().filter(|_| fits);
                    self.add_edge(from, to, block, witness);
                }
            }
        }
        for e in others {
            let (from, block) = (self.edges[e].from, self.edges[e].block);
            let side = self.side(e, formula, End::Next);
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
    fn side(&self, edge: usize, formula: Term, end: End) -> Option<usize> {
        let witness = self.edges[edge].witness.as_ref()?;
        let state = match end {
            End::Now => &witness.now,
            End::Next => &witness.next,
        };
        let value = |symbol: Symbol, _: Stage| match self.places.get(&symbol) {
            Some(&i) => state.get(i).cloned(),
            None => witness.rigid.get(*self.rigid_places.get(&symbol)?).cloned(),
        };
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
            match self.step_of(e, run)? {
                Found::Step(witness) => self.edges[e].witness = Some(witness),
                Found::Impossible => self.drop_edge(e, run),
                Found::Unknown => {}
            }
        }
        Ok(())
    }

    /// Removes an edge along which no step is possible.
    pub fn drop_edge(&mut self, edge: usize, run: &mut Run<'_>) {
        self.edges[edge].live = false;
        let (from, to) = (self.edges[edge].from, self.edges[edge].to);
        let block = self.edges[edge].block;
        if run.wants(sectile_engine::Interest::Steps) {
            let name = self.formulas.graph().edges[block].command.name.clone();
            let what = Sliced::Relation { from, to, name };
            let reason = SliceReason::Inconsistent;
            run.tell(Event::Sliced { what, reason });
        }
    }

    fn step_of(&mut self, edge: usize, run: &mut Run<'_>) -> Result<Found, EngineError> {
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
            empty => empty.insert(solver_of(self.formulas, block, run.backend)?),
        };
        Ok(match solver.check(&assumptions, &run.budget)? {
            sectile_solver::Answer::Unsat(_) => Found::Impossible,
            sectile_solver::Answer::Unknown(_) => Found::Unknown,
            sectile_solver::Answer::Sat(model) => {
                let all = |list: &[Symbol], stage: Stage| -> Option<Vec<Value>> {
                    list.iter()
                        .map(|&s| complete(self.formulas, model, s, stage))
                        .collect()
                };
                let rigid = all(&graph.rigid, Stage::Now);
                let now = all(&graph.variables, Stage::Now);
                let next = all(&graph.variables, Stage::Next);
                match (rigid, now, next) {
                    (Some(rigid), Some(now), Some(next)) => {
                        Found::Step(Witness { rigid, now, next })
                    }
                    _ => Found::Unknown,
                }
            }
        })
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
        for e in edges {
            self.edges[e].live = false;
        }
        if run.wants(sectile_engine::Interest::Steps) {
            let reason = match status {
                Status::Harmless => SliceReason::BackwardUnreachable,
                _ => SliceReason::ForwardUnreachable,
            };
            let what = Sliced::Node { node };
            run.tell(Event::Sliced { what, reason });
        }
    }

    /// The live edges as a graph.
    pub fn flow(&self) -> Digraph {
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

/// Whether an edge allows a step.
enum Found {
    Step(Witness),
    Impossible,
    Unknown,
}

fn complete(
    formulas: &PathFormulas<'_>,
    model: &dyn ModelView,
    symbol: Symbol,
    stage: Stage,
) -> Option<Value> {
    let sort = formulas.terms().symbol_sort(symbol);
    let known = model.value(symbol, stage);
    known.or_else(|| Some(Value::some_of(formulas.terms(), sort)))
}

fn solver_of<'g>(
    formulas: &'g PathFormulas<'g>,
    block: usize,
    backend: &dyn Backend,
) -> Result<Box<dyn Solver + 'g>, EngineError> {
    let mut solver = backend.solver(formulas.terms())?;
    solver.assert(formulas.step(block))?;
    Ok(solver)
}
