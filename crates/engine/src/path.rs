//! Path formulas of program graphs, and runs read off their models.

use crate::info::EngineError;
use crate::run::Run;
use crate::stop::Stop;
use sectile_model::{Model, State, Step, Trace};
use sectile_solver::{Answer, ModelView, Solver, Undecided};
use sectile_terms::{Stage, Symbol, Term, Terms, Value};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// The formulas of the edges of a graph, at every step of a path.
///
/// Paper: [ErHoPoSc11, Sect. 3]: a path formula is the conjunction of the formulas of its edges,
/// each over its own copies of the variables.
pub struct PathFormulas<'g> {
    terms: &'g Terms,
    graph: &'g Model,
    init: Term,
    steps: Vec<Term>,
    staged: RefCell<BTreeMap<(Term, u32), Term>>,
}

impl<'g> PathFormulas<'g> {
    /// Computes the formulas once.
    pub fn new(terms: &'g Terms, graph: &'g Model) -> PathFormulas<'g> {
        let steps = graph
            .edges
            .iter()
            .map(|e| graph.step_formula(terms, &e.command));
        PathFormulas {
            terms,
            graph,
            init: graph.init_formula(terms),
            steps: steps.collect(),
            staged: RefCell::default(),
        }
    }

    /// The store of the formulas.
    pub fn terms(&self) -> &'g Terms {
        self.terms
    }

    /// The graph.
    pub fn graph(&self) -> &'g Model {
        self.graph
    }

    /// The initial condition.
    pub fn init(&self) -> Term {
        self.init
    }

    /// One step along an edge, over current and next variables.
    pub fn step(&self, edge: usize) -> Term {
        self.steps[edge]
    }

    /// A formula at a step of a path: current variables at `k`, next ones at `k + 1`.
    pub fn at(&self, formula: Term, k: usize) -> Term {
        let k = step_number(k);
        let mut staged = self.staged.borrow_mut();
        let known = staged.entry((formula, k));
        *known.or_insert_with(|| self.terms.at_step(formula, k))
    }

    /// A formula about step `k` of a path as one about the current state.
    pub fn now(&self, formula: Term, k: usize) -> Term {
        self.terms.from_step(formula, step_number(k))
    }

    /// The run along the edges that a model of their path formula describes.
    pub fn trace(&self, edges: &[usize], model: &dyn ModelView) -> Trace {
        read_trace(self.terms, self.graph, edges, &|s, stage| {
            model.value(s, stage)
        })
    }
}

/// The number of a step as the type of stages.
pub fn step_number(k: usize) -> u32 {
    u32::try_from(k).unwrap_or(u32::MAX - 1)
}

/// The run along some edges that values of the variables at its steps describe. Missing values are
/// don't-cares.
pub fn read_trace(
    terms: &Terms,
    graph: &Model,
    edges: &[usize],
    value: &dyn Fn(Symbol, Stage) -> Option<Value>,
) -> Trace {
    let all = |symbols: &[Symbol], stage: Stage| -> Vec<Value> {
        let some = |s| Value::some_of(terms, terms.symbol_sort(s));
        let symbols = symbols.iter();
        symbols
            .map(|&s| value(s, stage).unwrap_or_else(|| some(s)))
            .collect()
    };
    let at = |k: usize| Stage::At(step_number(k));
    let entered = edges.iter().map(|&e| graph.edges[e].to);
    let locations = [graph.entry].into_iter().chain(entered);
    let state = |(k, location)| State {
        location,
        values: all(&graph.variables, at(k)),
    };
    let step = |(k, &e): (usize, &usize)| {
        let inputs = all(&graph.edges[e].command.inputs, at(k));
        Step::new(e, inputs)
    };
    Trace {
        rigid: all(&graph.rigid, Stage::Now),
        states: locations.enumerate().map(state).collect(),
        steps: edges.iter().enumerate().map(step).collect(),
        back_to: None,
    }
}

/// A path from the start with labels at its nodes.
pub struct LabelledPath<'g> {
    formulas: &'g PathFormulas<'g>,
    /// The edges of the graph.
    edges: Vec<usize>,
    /// The label of each node, over the variables of its step.
    labels: Vec<Term>,
    /// The label of each node joined with the step after it.
    parts: Vec<Term>,
}

/// A part of a path, by the positions of its first and last node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Infix {
    /// The first node.
    pub first: usize,
    /// The last node.
    pub last: usize,
}

/// The part of an infeasible path that is refuted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refuted {
    /// A shortest infeasible part.
    Infix,
    /// The whole path.
    Path,
}

crate::choices!(Refuted {
    Infix = "shortest",
    Path = "path",
});

/// The result of examining a path.
pub enum Examined {
    /// The path has a run.
    Feasible(Trace),
    /// This part of it has none.
    Infeasible(Infix),
}

impl<'g> LabelledPath<'g> {
    /// The path along some edges. `label` gives the label of the node at a position, over the
    /// variables of that step; `part` joins a label and the step after it.
    pub fn new(
        formulas: &'g PathFormulas<'g>,
        edges: Vec<usize>,
        label: impl Fn(usize) -> Term,
        part: impl Fn(Term, Term) -> Term,
    ) -> LabelledPath<'g> {
        let (mut labels, mut parts) = (Vec::new(), Vec::new());
        for k in 0..=edges.len() {
            let here = label(k);
            labels.push(here);
            parts.push(match edges.get(k) {
                None => here,
                Some(&e) => part(here, formulas.at(formulas.step(e), k)),
            });
        }
        LabelledPath {
            formulas,
            edges,
            labels,
            parts,
        }
    }

    /// Decides whether the path has a run, and otherwise which part of it has none.
    ///
    /// Paper: [ErHoPoSc11, Def. 1], with labels.
    pub fn examine(&self, refuted: Refuted, run: &Run<'_>) -> Result<Examined, Stop> {
        let mut solver = run.backend.solver(self.formulas.terms())?;
        let core = match solver.check(&self.parts, &run.budget)? {
            Answer::Sat(model) => {
                let trace = self.formulas.trace(&self.edges, model);
                return Ok(Examined::Feasible(trace));
            }
            Answer::Unknown(why) => return Err(why.into()),
            Answer::Unsat(refutation) => refutation.core(),
        };
        let end = self.edges.len();
        if refuted == Refuted::Path || end == 0 {
            return Ok(Examined::Infeasible(Infix {
                first: 0,
                last: end,
            }));
        }
        // The label at the end may be part of the contradiction, too.
        let needed = |k: &usize| core.contains(&self.parts[*k]);
        let first = (0..=end).find(needed).unwrap_or(0);
        let last = (0..=end).rev().find(needed).unwrap_or(end);
        let spanned = Infix {
            first: first.min(end - 1),
            last: (last + 1).min(end),
        };
        let infix = self.shortest(spanned, solver.as_mut(), run)?;
        Ok(Examined::Infeasible(infix))
    }

    /// A shortest infeasible part of the path; among several, the one nearest to the end.
    ///
    /// Differs from [ErHoPoSc11]: there the whole path is refuted. Parts that do not contribute to
    /// the contradiction give irrelevant predicates.
    fn shortest(
        &self,
        known: Infix,
        solver: &mut dyn Solver,
        run: &Run<'_>,
    ) -> Result<Infix, EngineError> {
        for edges in 1..known.last - known.first {
            for first in (0..=self.edges.len() - edges).rev() {
                let last = first + edges;
                let mut assumptions = self.parts[first..last].to_vec();
                assumptions.push(self.labels[last]);
                match solver.check(&assumptions, &run.budget)? {
                    Answer::Unsat(_) => return Ok(Infix { first, last }),
                    Answer::Unknown(Undecided::Exhausted(_)) => return Ok(known),
                    Answer::Sat(_) | Answer::Unknown(_) => {}
                }
            }
        }
        Ok(known)
    }

    /// The formulas of an infix, one for each of its edges; the last one includes the last label.
    pub fn blocks(&self, infix: Infix) -> Vec<Term> {
        let mut blocks = self.parts[infix.first..infix.last].to_vec();
        if let Some(last) = blocks.last_mut() {
            *last = self.formulas.terms().and2(*last, self.labels[infix.last]);
        }
        blocks
    }
}
