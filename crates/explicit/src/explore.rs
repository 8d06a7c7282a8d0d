//! The whole of it: search, safety, CTL and evidence for one module.

use crate::cells;
use crate::compiled::Compiled;
use crate::error::ExploreError;
use crate::evidence::{Path, demonstrate};
use crate::formula::Formula;
use crate::graph::Graph;
use crate::label::label;
use crate::machine::Machine;
use crate::monitor::Monitor;
use crate::options::{Extent, Options, Stop};
use crate::replay::trace;
use crate::search::{Found, search};
use crate::space::Space;
use crate::table::{StateId, id_of};
use sectile_base::{Budget, Exhausted};
use sectile_model::{Certificate, CtlProof, Module, State, Task, Trace};
use sectile_terms::{Terms, Value};

/// What a search found out about a module.
pub struct Exploration {
    /// Number of states.
    pub states: usize,
    /// Number of initial states.
    pub initial_states: usize,
    /// Number of steps: a command counts once for every different successor.
    pub transitions: u64,
    /// The largest number of steps that a state needs from the initial states.
    pub depth: usize,
    /// States without a step.
    pub deadlocks: Deadlocks,
    /// Whether everything was seen.
    pub extent: Extent,
    /// The answers, in the order of the module's properties.
    pub properties: Vec<PropertyResult>,
    space: Space,
    graph: Option<Graph>,
}

/// States without a step. States whose steps were left out by a limit are not counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deadlocks {
    /// How many there are.
    pub count: usize,
    /// A shortest run to one.
    pub shortest: Option<Trace>,
}

/// The answer to one property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PropertyResult {
    /// The property's name.
    pub name: String,
    /// The answer.
    pub answer: Answer,
    /// A run that shows it, where a run can: the shortest violation of a safety property, a path
    /// or lasso for a violated universal or a true existential CTL formula. In a lasso the last
    /// state is the one at `back_to` again.
    pub evidence: Option<Trace>,
}

/// What a search can say about a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It holds.
    Holds,
    /// It is violated.
    Violated,
    /// No violation was found within the bounds of the search.
    NotViolatedWithinBounds,
    /// It depends on what the search left out. Only for CTL.
    Undecided,
}

impl Exploration {
    /// A state, by the order in which it was found; breadth first, initial states first.
    ///
    /// # Panics
    /// If there are not that many states.
    pub fn state(&self, index: usize) -> State {
        self.space.state(id_of(index))
    }

    /// The values of the symbolic constants in a state.
    ///
    /// # Panics
    /// If there are not that many states.
    pub fn rigid(&self, index: usize) -> Vec<Value> {
        self.space.rigid(id_of(index))
    }

    /// All states in the order in which they were found.
    pub fn reachable_states(&self) -> impl Iterator<Item = State> + '_ {
        (0..self.states).map(|i| self.state(i))
    }

    /// The reachable states as an inductive invariant, one for every location of a graph.
    ///
    /// None if the search was bounded, or if there are more than `cap` states.
    pub fn invariant(&self, terms: &Terms, cap: usize) -> Option<Certificate> {
        let possible = self.extent.is_exact() && self.states <= cap;
        possible.then(|| self.space.formula(terms))
    }

    /// Evidence that the property of a task holds or is violated: cells with one state each.
    ///
    /// None if what was left out of the search matters, or if it did not keep the steps.
    pub fn cells(
        &mut self,
        task: &Task<'_>,
        holds: bool,
        budget: &Budget,
    ) -> Result<Option<CtlProof>, Exhausted> {
        match &self.graph {
            Some(graph) => {
                let (space, initial) = (&mut self.space, self.initial_states);
                cells::proof(space, graph, initial, task, holds, budget)
            }
            None => Ok(None),
        }
    }
}

/// Searches a module.
pub fn explore(
    terms: &Terms,
    module: &Module,
    options: &Options,
    budget: &Budget,
) -> Result<Exploration, ExploreError> {
    let (compiled, mut machine) = Compiled::new(terms, &module.model, budget)?;
    let mut monitors = Vec::new();
    let mut formulas = Vec::new();
    for property in &module.properties {
        let (layout, model) = (&compiled.layout, &module.model);
        monitors.push(Monitor::new(terms, layout, model, property, &mut machine)?);
        formulas.push(Formula::new(terms, layout, model, property, &mut machine)?);
    }
    let mut options = options.clone();
    let has_ctl = formulas.iter().any(Option::is_some);
    if has_ctl {
        // A CTL formula needs the graph; whether it is violated is seen at the end only.
        options.stop = Stop::Never;
    }
    let found = search(
        &compiled,
        &mut machine,
        &monitors,
        has_ctl || options.keep_steps,
        &options,
        budget,
    )?;
    let mut answering = Answering {
        compiled: &compiled,
        machine: &mut machine,
        found: &found,
        options: &options,
    };
    let properties = answering.properties(module, &formulas);
    let shortest = found.first_deadlock.map(|s| answering.run_to(s));
    let locations = module.model.locations.len();
    Ok(Exploration {
        states: found.table.len(),
        initial_states: found.initial,
        transitions: found.transitions,
        depth: found.depth,
        deadlocks: Deadlocks {
            count: found.deadlocks,
            shortest,
        },
        extent: found.extent,
        properties,
        space: Space {
            table: found.table,
            compiled,
            machine,
            locations,
        },
        graph: found.graph,
    })
}

struct Answering<'a> {
    compiled: &'a Compiled,
    machine: &'a mut Machine,
    found: &'a Found,
    options: &'a Options,
}

impl Answering<'_> {
    fn properties(
        &mut self,
        module: &Module,
        formulas: &[Option<Formula<'_>>],
    ) -> Vec<PropertyResult> {
        let mut results = Vec::with_capacity(module.properties.len());
        for (i, property) in module.properties.iter().enumerate() {
            let (answer, evidence) = match (&formulas[i], &self.found.graph) {
                (Some(formula), Some(graph)) => self.ctl(formula, graph),
                _ => self.safety(i),
            };
            results.push(PropertyResult {
                name: property.name.clone(),
                answer,
                evidence,
            });
        }
        results
    }

    fn safety(&mut self, index: usize) -> (Answer, Option<Trace>) {
        match self.found.violations[index] {
            Some(state) => (Answer::Violated, Some(self.run_to(state))),
            None if self.found.extent.is_exact() => (Answer::Holds, None),
            None => (Answer::NotViolatedWithinBounds, None),
        }
    }

    fn ctl(&mut self, formula: &Formula<'_>, graph: &Graph) -> (Answer, Option<Trace>) {
        let table = &self.found.table;
        let labels = label(formula, graph, self.compiled, table, self.machine);
        let whole = &labels[formula.root()];
        let initial: Vec<StateId> = (0..id_of(self.found.initial)).collect();
        let mut violating = initial.clone();
        violating.retain(|&s| whole.is(s, false));
        if !violating.is_empty() {
            let path = demonstrate(formula, &labels, graph, &violating, false);
            return (Answer::Violated, path.map(|p| self.trace(&p)));
        }
        let all_hold = initial.iter().all(|&s| whole.is(s, true));
        if self.found.initial_incomplete || !all_hold {
            return (Answer::Undecided, None);
        }
        let path = demonstrate(formula, &labels, graph, &initial, true);
        (Answer::Holds, path.map(|p| self.trace(&p)))
    }

    fn run_to(&mut self, state: StateId) -> Trace {
        let path = Path::to(state, |s| self.found.parents[s as usize]);
        self.trace(&path)
    }

    fn trace(&mut self, path: &Path) -> Trace {
        let domain = self.options.domain.as_ref();
        trace(self.compiled, self.machine, &self.found.table, domain, path)
    }
}
