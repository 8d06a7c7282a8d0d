//! Paths through a program graph as formulas, and runs read off their models.

use crate::info::EngineError;
use sectile_model::{LocationId, Model, State, Step, Trace};
use sectile_solver::ModelView;
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
    /// Prepares the formulas once.
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

    /// What holds at the start.
    pub fn init(&self) -> Term {
        self.init
    }

    /// One step along an edge, over current and next variables.
    pub fn step(&self, edge: usize) -> Term {
        self.steps[edge]
    }

    /// A formula at a step of a path: current variables at `k`, next ones at `k + 1`.
    pub fn at(&self, formula: Term, k: usize) -> Term {
        let k = u32::try_from(k).unwrap_or(u32::MAX - 1);
        let mut staged = self.staged.borrow_mut();
        *staged
            .entry((formula, k))
            .or_insert_with(|| self.terms.at_step(formula, k))
    }

    /// A formula about step `k` of a path as one about the current state.
    pub fn now(&self, formula: Term, k: usize) -> Term {
        let k = u32::try_from(k).unwrap_or(u32::MAX - 1);
        self.terms.from_step(formula, k)
    }

    /// The run along the edges that a model of their path formula describes.
    pub fn trace(&self, edges: &[usize], model: &dyn ModelView) -> Result<Trace, EngineError> {
        let value = |symbol: Symbol, stage: Stage| {
            let sort = self.terms.symbol_sort(symbol);
            let value = model.value(symbol, stage);
            let value = value.or_else(|| Some(Value::some_of(self.terms, sort)));
            value.ok_or_else(|| EngineError::Bug("the model gives a variable no value".into()))
        };
        let all = |symbols: &[Symbol], stage: Stage| -> Result<Vec<Value>, EngineError> {
            symbols.iter().map(|&s| value(s, stage)).collect()
        };
        let at = |k: usize| Stage::At(u32::try_from(k).unwrap_or(u32::MAX - 1));
        let mut trace = Trace {
            rigid: all(&self.graph.rigid, Stage::Now)?,
            states: Vec::new(),
            steps: Vec::new(),
            back_to: None,
        };
        let mut push = |location: LocationId, k: usize| -> Result<(), EngineError> {
            trace.states.push(State {
                location,
                values: all(&self.graph.variables, at(k))?,
            });
            Ok(())
        };
        push(self.graph.entry, 0)?;
        for (k, &index) in edges.iter().enumerate() {
            push(self.graph.edges[index].to, k + 1)?;
        }
        for (k, &index) in edges.iter().enumerate() {
            let inputs = all(&self.graph.edges[index].command.inputs, at(k))?;
            trace.steps.push(Step::new(index, inputs));
        }
        Ok(trace)
    }
}
