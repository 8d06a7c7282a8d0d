//! Complete exploration: search, safety, CTL and evidence for one module.

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
use crate::orbits::Orbits;
use crate::replay::trace;
use crate::search::{Found, search, search_behind};
use crate::space::Space;
use crate::table::{StateId, id_of};
use sectile_base::{Budget, Exhausted};
use sectile_model::{Certificate, CtlProof, Module, State, Task, Trace};
use sectile_terms::{Terms, Value};

/// The result of exploring a module.
pub struct Exploration {
    /// Number of states.
    pub states: usize,
    /// Number of initial states.
    pub initial_states: usize,
    /// Number of steps: a command counts once for every distinct successor.
    pub transitions: u64,
    /// The maximum distance of a state from the initial states.
    pub depth: usize,
    /// States without a step.
    pub deadlocks: Deadlocks,
    /// Whether the search was complete.
    pub extent: Extent,
    /// The answers, in the order of the module's properties.
    pub properties: Vec<PropertyResult>,
    space: Space,
    graph: Option<Graph>,
}

/// States without a step. States whose steps were omitted because of a limit are not counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deadlocks {
    /// The number of such states.
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
    /// A run that shows the answer, if a run can: a shortest violation of a safety property, a path
    /// or lasso for a violated universal or a true existential CTL formula. In a lasso, the last
    /// state repeats the one at `back_to`.
    pub evidence: Option<Trace>,
}

/// The answer to a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The property holds.
    Holds,
    /// The property is violated.
    Violated,
    /// No violation was found within the bounds of the search.
    NotViolatedWithinBounds,
    /// The answer depends on what the search left out. Only for CTL.
    Undecided,
}

impl Exploration {
    /// A state, by the order in which it was found; breadth first, initial states first.
    ///
    /// # Panics
    /// If there is no such state.
    pub fn state(&self, index: usize) -> State {
        self.space.state(id_of(index))
    }

    /// The values of the symbolic constants in a state.
    ///
    /// # Panics
    /// If there is no such state.
    pub fn rigid(&self, index: usize) -> Vec<Value> {
        self.space.rigid(id_of(index))
    }

    /// All states in the order in which they were found.
    pub fn reachable_states(&self) -> impl Iterator<Item = State> + '_ {
        (0..self.states).map(|i| self.state(i))
    }

    /// The reachable states as an inductive invariant, one formula for every location of a graph.
    ///
    /// `None` if the search was bounded, or if there are more than `cap` states.
    pub fn invariant(&self, terms: &Terms, cap: usize) -> Option<Certificate> {
        let possible = self.extent.is_exact() && self.states <= cap;
        possible.then(|| self.space.formula(terms))
    }

    /// A certificate that the property of a task holds or is violated: cells with one state each.
    ///
    /// `None` if omitted parts of the search matter, or if the steps were not kept.
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

/// Explores a module.
pub fn explore(
    terms: &Terms,
    module: &Module,
    options: &Options,
    budget: &Budget,
) -> Result<Exploration, ExploreError> {
    let (compiled, mut machine) = Compiled::new(terms, &module.model, budget)?;
    let questions = Questions::new(terms, module, &compiled, &mut machine)?;
    let options = questions.options(options);
    let found = questions.search(&compiled, &mut machine, None, &options, budget)?;
    let mut answering = Answering {
        compiled: &compiled,
        machine: &mut machine,
        found: &found,
        options: &options,
    };
    let mut properties = Vec::with_capacity(module.properties.len());
    for (i, property) in module.properties.iter().enumerate() {
        let (answer, path) = answering.answer(&questions, i);
        properties.push(PropertyResult {
            name: property.name.clone(),
            answer,
            evidence: path.map(|p| answering.trace(&p)),
        });
    }
    let shortest = found.first_deadlock.map(|s| answering.path_to(s));
    let shortest = shortest.map(|p| answering.trace(&p));
    Ok(explored(
        module, compiled, machine, found, properties, shortest,
    ))
}

/// Explores a module with one property modulo symmetry of its processes; `None` if there is none.
///
/// The result is useful only if the property is violated with evidence: it then contains the states of the run, and
/// the states after its end, at most [`MOST_BEHIND`].
pub(crate) fn explore_orbits(
    terms: &Terms,
    module: &Module,
    options: &Options,
    budget: &Budget,
) -> Result<Option<Exploration>, ExploreError> {
    let (compiled, mut machine) = Compiled::new(terms, &module.model, budget)?;
    let [property] = &module.properties[..] else {
        return Ok(None);
    };
    let orbits = Orbits::of(terms, &module.model, property, &compiled, &machine);
    let Some(orbits) = orbits else {
        return Ok(None);
    };
    let questions = Questions::new(terms, module, &compiled, &mut machine)?;
    let options = questions.options(options);
    let mut found = questions.search(&compiled, &mut machine, Some(&orbits), &options, budget)?;
    let mut answering = Answering {
        compiled: &compiled,
        machine: &mut machine,
        found: &found,
        options: &options,
    };
    let (answer, path) = answering.answer(&questions, 0);
    let path = path.filter(|_| answer == Answer::Violated);
    let run = path.and_then(|p| orbits.run(&compiled, &mut machine, &found.table, &p));
    let mut evidence = None;
    if let Some(run) = run {
        let behind = match questions.has_ctl {
            true => MOST_BEHIND,
            false => 0,
        };
        let options = Options {
            max_states: Some(run.rows.len() + behind),
            keep_steps: true,
            ..Options::default()
        };
        if let Some(behind) = search_behind(&compiled, &mut machine, &run, &options, budget)? {
            let path = Path {
                states: (0..).take(run.rows.len()).collect(),
                commands: run.commands,
                back_to: None,
            };
            let table = &behind.table;
            evidence = Some(trace(&compiled, &mut machine, table, None, &path));
            found = behind;
        }
    }
    let properties = vec![PropertyResult {
        name: property.name.clone(),
        answer,
        evidence,
    }];
    Ok(Some(explored(
        module, compiled, machine, found, properties, None,
    )))
}

/// The maximum number of states that are explored after a run to a state from which something can no
/// longer happen.
const MOST_BEHIND: usize = 10_000;

fn explored(
    module: &Module,
    compiled: Compiled,
    machine: Machine,
    found: Found,
    properties: Vec<PropertyResult>,
    shortest: Option<Trace>,
) -> Exploration {
    Exploration {
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
            locations: module.model.locations.len(),
        },
        graph: found.graph,
    }
}

/// The questions about the states: for every property a test of single states, or a formula.
struct Questions<'m> {
    monitors: Vec<Option<Monitor>>,
    formulas: Vec<Option<Formula<'m>>>,
    has_ctl: bool,
}

impl<'m> Questions<'m> {
    fn new(
        terms: &Terms,
        module: &'m Module,
        compiled: &Compiled,
        machine: &mut Machine,
    ) -> Result<Questions<'m>, ExploreError> {
        let (layout, model) = (&compiled.layout, &module.model);
        let (mut monitors, mut formulas) = (Vec::new(), Vec::new());
        for property in &module.properties {
            monitors.push(Monitor::new(terms, layout, model, property, machine)?);
            formulas.push(Formula::new(terms, layout, model, property, machine)?);
        }
        Ok(Questions {
            has_ctl: formulas.iter().any(Option::is_some),
            monitors,
            formulas,
        })
    }

    /// Adjusts the options for CTL formulas: they need the graph, and are decided only at the end.
    fn options(&self, options: &Options) -> Options {
        let mut options = options.clone();
        if self.has_ctl {
            options.keep_steps = true;
            if options.stop == Stop::AllViolated {
                options.stop = Stop::Never;
            }
        }
        options
    }

    fn search(
        &self,
        compiled: &Compiled,
        machine: &mut Machine,
        orbits: Option<&Orbits>,
        options: &Options,
        budget: &Budget,
    ) -> Result<Found, ExploreError> {
        search(compiled, machine, &self.monitors, orbits, options, budget)
    }
}

struct Answering<'a> {
    compiled: &'a Compiled,
    machine: &'a mut Machine,
    found: &'a Found,
    options: &'a Options,
}

impl Answering<'_> {
    /// The answer to a property, and the path that shows it.
    fn answer(&mut self, questions: &Questions<'_>, index: usize) -> (Answer, Option<Path>) {
        match (&questions.formulas[index], &self.found.graph) {
            (Some(formula), Some(graph)) => self.ctl(formula, graph),
            _ => self.safety(index),
        }
    }

    fn safety(&self, index: usize) -> (Answer, Option<Path>) {
        match self.found.violations[index] {
            Some(state) => (Answer::Violated, Some(self.path_to(state))),
            None if self.found.extent.is_exact() => (Answer::Holds, None),
            None => (Answer::NotViolatedWithinBounds, None),
        }
    }

    fn ctl(&mut self, formula: &Formula<'_>, graph: &Graph) -> (Answer, Option<Path>) {
        let table = &self.found.table;
        let labels = label(formula, graph, self.compiled, table, self.machine);
        let whole = &labels[formula.root()];
        let initial: Vec<StateId> = (0..id_of(self.found.initial)).collect();
        let mut violating = initial.clone();
        violating.retain(|&s| whole.is(s, false));
        if !violating.is_empty() {
            let path = demonstrate(formula, &labels, graph, &violating, false);
            return (Answer::Violated, path);
        }
        let all_hold = initial.iter().all(|&s| whole.is(s, true));
        if self.found.initial_incomplete || !all_hold {
            return (Answer::Undecided, None);
        }
        let path = demonstrate(formula, &labels, graph, &initial, true);
        (Answer::Holds, path)
    }

    fn path_to(&self, state: StateId) -> Path {
        Path::to(state, |s| self.found.parents[s as usize])
    }

    fn trace(&mut self, path: &Path) -> Trace {
        let domain = self.options.domain.as_ref();
        trace(self.compiled, self.machine, &self.found.table, domain, path)
    }
}
