//! The abstraction graph of `kojak`: nodes are sets of states at a location.

use sectile_engine::{
    Arc, End, EngineError, Event, Interest, LabelledPath, NodeId, PathFormulas, Removed, Run,
    SliceReason, Sliced,
};
use sectile_solver::{Answer, Solver};
use sectile_terms::{NativePrinter, Stage, Symbol, Term, Value, evaluate};
use std::collections::BTreeMap;
use std::rc::Rc;

/// The status of a node.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fate {
    /// Part of the graph.
    Live,
    /// Split by the formula into these two.
    Split(Term, [NodeId; 2]),
    /// Removed because it is not reachable from the start.
    Unreached,
    /// Removed because it reaches no error.
    Harmless,
}

/// The additional data of a node: some states at a location.
#[derive(Clone, Debug)]
pub(crate) struct Own {
    pub location: usize,
    pub status: Fate,
}

/// The values of variables and symbolic constants before and after a step.
type Witness = Rc<[Vec<Value>; 2]>;

/// Nodes with their edges, each for a block of the block graph.
type Graph = sectile_engine::Abstraction<Own, usize, Witness>;

/// The labelled program graph.
///
/// Paper: [ErHoPoSc11, Sect. 5]. Differs: the initial states have a node of their own without
/// incoming edges, so that the entry may be a loop head.
pub(crate) struct Abstraction<'g> {
    pub formulas: &'g PathFormulas<'g>,
    pub graph: Graph,
    start: NodeId,
    is_error: Vec<bool>,
    solvers: Vec<Option<Box<dyn Solver + 'g>>>,
    primed: BTreeMap<Term, Term>,
    /// The positions of symbols in a witness.
    places: BTreeMap<Symbol, usize>,
    pub edge_checks: u64,
    /// Removed nodes and edges since the last picture, if pictures are wanted.
    pub removed: Removed<usize>,
}

impl<'g> Abstraction<'g> {
    /// One node for each location, labelled with its known facts, and one for the start.
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
            graph: Graph::default(),
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
            let nodes = &mut abstraction.graph;
            nodes.add_arc(edge.from.0, edge.to.0, Arc::open(block));
            if edge.from == graph.entry {
                nodes.add_arc(count, edge.to.0, Arc::open(block));
            }
        }
        abstraction
    }

    fn add_node(&mut self, location: usize, label: Vec<Term>) {
        let status = Fate::Live;
        self.graph.add_node(label, Own { location, status });
    }

    /// The location of a node.
    pub fn location(&self, node: NodeId) -> usize {
        self.graph.node(node).own.location
    }

    /// The live nodes that descend from a node by splits.
    pub fn descendants(&self, node: NodeId) -> Vec<NodeId> {
        let mut found = Vec::new();
        let mut pending = vec![node];
        while let Some(n) = pending.pop() {
            match self.graph.node(n).own.status {
                Fate::Live => found.push(n),
                Fate::Split(_, [a, b]) => pending.extend([b, a]),
                Fate::Unreached | Fate::Harmless => {}
            }
        }
        found
    }

    /// Whether paths start in a node.
    pub fn is_start(&self, node: NodeId) -> bool {
        node == self.start
    }

    /// Whether a node is at an error location.
    pub fn is_error(&self, node: NodeId) -> bool {
        self.is_error[self.location(node)]
    }

    /// Splits a node by a formula; the edges of both halves are checked at once.
    ///
    /// Paper: [ErHoPoSc11, Fig. 7 and Lemma 1]. A known step of the old edge shows which copies of
    /// the edge need no check.
    pub fn split(
        &mut self,
        node: NodeId,
        formula: Term,
        run: &mut Run<'_>,
    ) -> Result<[NodeId; 2], EngineError> {
        let terms = self.formulas.terms();
        let halves = [formula, terms.not(formula)].map(|side| {
            let half = self.graph.copy(node);
            let label = &mut self.graph.node_mut(half).label;
            label.extend(terms.conjuncts(side));
            half
        });
        self.graph.remove_node(node);
        self.graph.node_mut(node).own.status = Fate::Split(formula, halves);
        let places = &self.places;
        self.graph.inherit(halves, |arc, end| {
            let state = &arc.witness()?[usize::from(end == End::After)];
            let value = |symbol: Symbol, _: Stage| state.get(*places.get(&symbol)?).cloned();
            evaluate(terms, formula, &value).ok()?.as_bool()
        });
        self.check_edges(halves, run)?;
        Ok(halves)
    }

    /// Removes the edges of some nodes that allow no step.
    ///
    /// Paper: [ErHoPoSc11, Sect. 5, Slicing]. Only edges without a known step are checked.
    pub fn check_edges(
        &mut self,
        nodes: impl IntoIterator<Item = NodeId>,
        run: &mut Run<'_>,
    ) -> Result<(), EngineError> {
        for (from, to, block) in self.graph.open_at(nodes) {
            match self.find_step(from, to, block, run)? {
                Step::None => self.drop_edge((from, to, block), run),
                Step::Found(witness) => self.graph.confirm(from, to, block, witness),
            }
        }
        Ok(())
    }

    /// Checks all edges.
    pub fn check_all_edges(&mut self, run: &mut Run<'_>) -> Result<(), EngineError> {
        let all: Vec<NodeId> = self.graph.nodes().collect();
        self.check_edges(all, run)
    }

    /// Removes an edge that allows no step.
    pub fn drop_edge(&mut self, (from, to, block): Edge, run: &mut Run<'_>) {
        self.graph.remove_arc(from, to, block);
        let reason = SliceReason::Inconsistent;
        if run.wants(Interest::Pictures) {
            self.removed.arcs.push((from, to, block, reason));
        }
        if run.wants(Interest::Steps) {
            let name = self.formulas.graph().edges[block].command.name.clone();
            let what = Sliced::Relation { from, to, name };
            run.tell(Event::Sliced { what, reason });
        }
    }

    /// Searches for a step that an edge allows.
    fn find_step(
        &mut self,
        from: NodeId,
        to: NodeId,
        block: usize,
        run: &mut Run<'_>,
    ) -> Result<Step, EngineError> {
        self.edge_checks += 1;
        let terms = self.formulas.terms();
        let graph = self.formulas.graph();
        let mut assumptions = self.graph.node(from).label.clone();
        for &part in &self.graph.node(to).label {
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
        Ok(match solver.check(&assumptions, &run.budget)? {
            Answer::Unsat(_) => Step::None,
            Answer::Unknown(_) => Step::Found(None),
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
                Step::Found(Some(Rc::new([at(Stage::Now), at(Stage::Next)])))
            }
        })
    }

    /// Removes the nodes that lie on no path from the start to an error.
    ///
    /// Paper: [ErHoPoSc11, Sect. 5, Slicing] removes nodes that are unreachable from the start;
    /// nodes from which no error is reachable are part of the proof, so they are marked.
    pub fn prune(&mut self, run: &mut Run<'_>) {
        let back = self.graph.reaching(|n| self.is_error(n));
        let ahead = self.graph.reachable(|n| self.is_start(n));
        for n in self.graph.nodes().collect::<Vec<_>>() {
            match (ahead[n], back[n]) {
                (true, true) => {}
                (true, false) => self.remove(n, Fate::Harmless, run),
                (false, _) => self.remove(n, Fate::Unreached, run),
            }
        }
    }

    fn remove(&mut self, node: NodeId, status: Fate, run: &mut Run<'_>) {
        self.graph.node_mut(node).own.status = status;
        let reason = match status {
            Fate::Harmless => SliceReason::BackwardUnreachable,
            _ => SliceReason::ForwardUnreachable,
        };
        if run.wants(Interest::Pictures) {
            self.graph.note_removal(node, reason, &mut self.removed);
        }
        self.graph.remove_node(node);
        if run.wants(Interest::Steps) {
            let what = Sliced::Node { node };
            run.tell(Event::Sliced { what, reason });
        }
    }

    /// A shortest path from the start to an error.
    pub fn error_path(&self) -> Option<Path> {
        let (starts, goal) = (|n| self.is_start(n), |n| self.is_error(n));
        let nodes = self.graph.shortest_path(starts, goal)?;
        let block = |ends: &[NodeId]| Some(self.graph.arcs(ends[0], ends[1]).first()?.relation);
        let blocks = nodes.windows(2).map(block).collect::<Option<_>>()?;
        Some(Path { nodes, blocks })
    }

    /// An invariant for every location of the block graph, if no error is reachable.
    ///
    /// The nodes that were removed because they reach no error, while they were still reachable
    /// from the start, contain the initial states, are closed under steps and contain no error. The
    /// splits form a tree: its leaves determine which parts of a location belong to the invariant.
    pub fn invariants(&self, facts: &[Term]) -> Vec<Term> {
        let terms = self.formulas.terms();
        // For every node, its states in the invariant. Halves have larger numbers than their
        // origins.
        let all = self.graph.all();
        let mut inside = vec![terms.ff(); all.len()];
        for (n, node) in all.iter().enumerate().rev() {
            inside[n] = match node.own.status {
                Fate::Harmless => terms.tt(),
                Fate::Live | Fate::Unreached => terms.ff(),
                Fate::Split(_, [yes, no]) if inside[yes] == inside[no] => inside[yes],
                Fate::Split(by, [yes, no]) => terms.or2(
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

    /// A formula, printed with the names of the input.
    pub fn print(&self, formula: Term) -> String {
        NativePrinter::new(self.formulas.terms()).print(formula)
    }
}

/// A block between two nodes.
pub(crate) type Edge = (NodeId, NodeId, usize);

/// The result of checking a step between two nodes.
enum Step {
    /// There is no step.
    None,
    /// There is one; the step itself, if known.
    Found(Option<Witness>),
}

/// A path of nodes from the start to an error, with the blocks between them.
pub(crate) struct Path {
    pub nodes: Vec<NodeId>,
    pub blocks: Vec<usize>,
}

impl Path {
    /// The edge that leaves a position.
    pub fn edge(&self, position: usize) -> Edge {
        let (from, to) = (self.nodes[position], self.nodes[position + 1]);
        (from, to, self.blocks[position])
    }

    /// The path with the labels of its nodes.
    pub fn labelled<'g>(&self, abstraction: &Abstraction<'g>) -> LabelledPath<'g> {
        let formulas = abstraction.formulas;
        let terms = formulas.terms();
        let label = |k: usize| {
            let label = abstraction.graph.node(self.nodes[k]).label.iter();
            terms.and(label.map(|&t| formulas.at(t, k)))
        };
        let part = |label, step| terms.and2(label, step);
        LabelledPath::new(formulas, self.blocks.clone(), label, part)
    }
}
