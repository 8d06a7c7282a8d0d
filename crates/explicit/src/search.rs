//! Breadth-first search.

use crate::bits::{Bits, ids};
use crate::compiled::{Compiled, MoveId, Omission};
use crate::error::{ExploreError, Interrupt};
use crate::graph::Graph;
use crate::machine::Machine;
use crate::monitor::Monitor;
use crate::options::{Extent, Limit, Options, Stop};
use crate::orbits::{ConcreteRun, Orbits};
use crate::table::{StateId, StateTable, id_of};
use crate::values::Choosing;
use sectile_base::{Budget, Exhausted};
use std::ops::ControlFlow;

/// How a state was first reached: from which state, by which move. `None` for initial states.
pub(crate) type Parent = Option<(StateId, u32)>;

/// The result of a search.
pub(crate) struct Found {
    /// The states, in the order in which they were reached.
    pub table: StateTable,
    /// How each state was first reached.
    pub parents: Vec<Parent>,
    /// The steps, if they were kept.
    pub graph: Option<Graph>,
    /// Number of initial states; they are the first ones.
    pub initial: usize,
    /// Whether initial states may have been omitted.
    pub initial_incomplete: bool,
    /// Number of steps: a command counts once for every distinct successor, regardless of inputs.
    pub transitions: u64,
    /// The maximum distance of a state from the initial states.
    pub depth: usize,
    /// Number of states without a step, among those whose steps are all known.
    pub deadlocks: usize,
    /// The first such state.
    pub first_deadlock: Option<StateId>,
    /// For every monitor, the first state that violates its property.
    pub violations: Vec<Option<StateId>>,
    /// The extent of the search.
    pub extent: Extent,
}

/// Runs a search; with `orbits`, only over representatives.
pub(crate) fn search(
    compiled: &Compiled,
    machine: &mut Machine,
    monitors: &[Option<Monitor>],
    orbits: Option<&Orbits>,
    options: &Options,
    budget: &Budget,
) -> Result<Found, ExploreError> {
    let mut search = BreadthFirst::new(compiled, machine, monitors, options, budget);
    search.orbits = orbits;
    let ran = search.initial_states().and_then(|()| search.run(0));
    search.ended(ran)
}

/// Searches from the end of a run, whose states come first; for the states before the end, only the steps of
/// the run are known. `None` if the run visits a state twice.
pub(crate) fn search_behind(
    compiled: &Compiled,
    machine: &mut Machine,
    run: &ConcreteRun,
    options: &Options,
    budget: &Budget,
) -> Result<Option<Found>, ExploreError> {
    let mut search = BreadthFirst::new(compiled, machine, &[], options, budget);
    for (i, row) in run.rows.iter().enumerate() {
        let (id, new) = search.found.table.insert(row);
        if !new {
            return Ok(None);
        }
        let before = i.checked_sub(1);
        let parent = before.map(|before| (id_of(before), run.commands[before]));
        search.found.parents.push(parent);
        if let (Some(&command), Some(graph)) = (run.commands.get(i), &mut search.found.graph) {
            graph.extend(&[id + 1], command);
            graph.close(id);
            search.incomplete.grow(i + 1);
            search.incomplete.insert(id);
        }
    }
    search.found.initial = 1;
    search.found.initial_incomplete = true;
    let ran = search.run(run.commands.len());
    search.ended(ran).map(Some)
}

/// The limits that were reached.
#[derive(Default)]
struct Met {
    domain: bool,
    depth: bool,
    states: bool,
    budget: Option<Exhausted>,
    all_violated: bool,
    deadlock: bool,
}

struct BreadthFirst<'a> {
    compiled: &'a Compiled,
    machine: &'a mut Machine,
    monitors: &'a [Option<Monitor>],
    /// If given, only representatives are visited.
    orbits: Option<&'a Orbits>,
    options: &'a Options,
    budget: &'a Budget,
    found: Found,
    /// States with omitted successors.
    incomplete: Bits,
    met: Met,
    /// The number of states that were tested.
    visited: usize,
    row: Vec<u64>,
    image: Vec<u64>,
    targets: Vec<StateId>,
}

/// The representative of a row.
fn represented<'r>(
    orbits: Option<&Orbits>,
    compiled: &Compiled,
    row: &'r [u64],
    image: &'r mut [u64],
) -> &'r [u64] {
    let Some(orbits) = orbits else {
        return row;
    };
    image.copy_from_slice(row);
    orbits.represent(compiled, image, |_| ());
    image
}

impl<'a> BreadthFirst<'a> {
    fn new(
        compiled: &'a Compiled,
        machine: &'a mut Machine,
        monitors: &'a [Option<Monitor>],
        options: &'a Options,
        budget: &'a Budget,
    ) -> BreadthFirst<'a> {
        BreadthFirst {
            compiled,
            machine,
            monitors,
            orbits: None,
            options,
            budget,
            found: Found {
                table: StateTable::new(compiled.codec.width),
                parents: Vec::new(),
                graph: options.keep_steps.then(Graph::default),
                initial: 0,
                initial_incomplete: false,
                transitions: 0,
                depth: 0,
                deadlocks: 0,
                first_deadlock: None,
                violations: vec![None; monitors.len()],
                extent: Extent::Exact,
            },
            incomplete: Bits::default(),
            met: Met::default(),
            visited: 0,
            row: vec![0; compiled.codec.width],
            image: vec![0; compiled.codec.width],
            targets: Vec::new(),
        }
    }

    /// The result of a search that ended in this way.
    fn ended(mut self, ran: Result<(), Interrupt>) -> Result<Found, ExploreError> {
        match ran {
            Err(Interrupt::Error(error)) => return Err(error),
            Err(Interrupt::Exhausted(reason)) => self.met.budget = Some(reason),
            Ok(()) => {}
        }
        Ok(self.finish())
    }

    /// Expands the states from a position on, including those found meanwhile.
    fn run(&mut self, mut next: usize) -> Result<(), Interrupt> {
        let mut level_end = self.found.table.len();
        while next < self.found.table.len() {
            if next == level_end {
                self.found.depth += 1;
                level_end = self.found.table.len();
            }
            self.budget.poll()?;
            let id = id_of(next);
            let location = self.visit(id);
            self.visited = next + 1;
            if self.options.stop == Stop::AllViolated && self.all_violated() {
                self.met.all_violated = true;
                return Ok(());
            }
            self.expand(id, location)?;
            next += 1;
            if self.options.stop == Stop::Deadlock && self.found.deadlocks > 0 {
                self.met.deadlock = next < self.found.table.len();
                return Ok(());
            }
        }
        Ok(())
    }

    fn initial_states(&mut self) -> Result<(), Interrupt> {
        let mut choosing = Choosing::All(self.options.domain.as_ref());
        let limit = self.options.max_states.unwrap_or(usize::MAX);
        let (table, mut full) = (&mut self.found.table, false);
        let (orbits, compiled, image) = (self.orbits, self.compiled, &mut self.image);
        let outcome =
            self.compiled
                .initial_states(self.machine, &mut choosing, self.budget, |row, _| {
                    let row = represented(orbits, compiled, row, image);
                    full = table.len() >= limit && table.find(row).is_none();
                    if full {
                        return ControlFlow::Break(());
                    }
                    table.insert(row);
                    ControlFlow::Continue(())
                });
        self.found.initial = self.found.table.len();
        self.found.parents.resize(self.found.initial, None);
        self.met.states |= full;
        // Until the enumeration has ended normally, there may be further initial states.
        self.found.initial_incomplete = true;
        let omission = outcome?;
        self.met.domain |= omission.cut || omission.clipped;
        self.found.initial_incomplete = full || omission.cut || omission.clipped;
        Ok(())
    }

    /// Loads a state and tests the properties.
    fn visit(&mut self, id: StateId) -> usize {
        let location = self.compiled.load(self.machine, self.found.table.row(id));
        for (monitor, violation) in self.monitors.iter().zip(&mut self.found.violations) {
            if let (Some(monitor), None) = (monitor, &violation)
                && monitor.is_violated(self.machine, location)
            {
                *violation = Some(id);
            }
        }
        location
    }

    fn all_violated(&self) -> bool {
        !self.monitors.is_empty() && self.found.violations.iter().all(Option::is_some)
    }

    /// Finds the successors of the loaded state.
    fn expand(&mut self, id: StateId, location: usize) -> Result<(), Interrupt> {
        let before = self.found.transitions;
        let mut complete = true;
        for &m in self.compiled.moves_from(location) {
            complete &= self.follow(id, m)?;
        }
        if let Some(graph) = &mut self.found.graph {
            graph.close(id);
        }
        if !complete {
            self.incomplete.grow(id as usize + 1);
            self.incomplete.insert(id);
        } else if self.found.transitions == before {
            self.found.deadlocks += 1;
            self.found.first_deadlock.get_or_insert(id);
        }
        Ok(())
    }

    /// Finds the successors by one move; returns whether these are all.
    fn follow(&mut self, id: StateId, m: MoveId) -> Result<bool, Interrupt> {
        let at_bound = self
            .options
            .max_depth
            .is_some_and(|d| self.found.depth >= d);
        let limit = self.options.max_states.unwrap_or(usize::MAX);
        let mut choosing = Choosing::All(self.options.domain.as_ref());
        let Found { table, parents, .. } = &mut self.found;
        let (targets, met) = (&mut self.targets, &mut self.met);
        targets.clear();
        let (orbits, compiled, image) = (self.orbits, self.compiled, &mut self.image);
        let mut blocked = false;
        let command = u32::try_from(m).expect("there are fewer than 2^32 commands");
        let Omission { cut, clipped } = self.compiled.successors(
            m,
            self.machine,
            &mut choosing,
            self.budget,
            &mut self.row,
            |row, _| {
                let row = represented(orbits, compiled, row, image);
                let full = table.len() >= limit;
                if at_bound || full {
                    match table.find(row) {
                        Some(target) => targets.push(target),
                        None => {
                            blocked = true;
                            met.depth |= at_bound;
                            met.states |= full && !at_bound;
                        }
                    }
                } else {
                    let (target, new) = table.insert(row);
                    if new {
                        parents.push(Some((id, command)));
                    }
                    targets.push(target);
                }
                ControlFlow::Continue(())
            },
        )?;
        self.met.domain |= cut || clipped;
        if self.targets.len() > 1 {
            self.targets.sort_unstable();
            self.targets.dedup();
        }
        self.found.transitions += self.targets.len() as u64;
        if let Some(graph) = &mut self.found.graph {
            graph.extend(&self.targets, command);
        }
        Ok(!blocked && !cut && !clipped)
    }

    /// Tests the states that were found but not expanded, and completes the result.
    fn finish(mut self) -> Found {
        let len = self.found.table.len();
        for id in ids(len).skip(self.visited) {
            self.visit(id);
        }
        self.found.depth = self.depth_of_last();
        self.incomplete.grow(len);
        if let Some(graph) = &mut self.found.graph {
            graph.finish(len, self.incomplete);
        }
        let by = self.met.limits(self.options);
        if !by.is_empty() {
            self.found.extent = Extent::Bounded { by };
        }
        self.found
    }

    /// The depth of the last state, which is maximal because the search is breadth first.
    fn depth_of_last(&self) -> usize {
        let mut depth = 0;
        let mut state = self.found.parents.len().checked_sub(1);
        while let Some((parent, _)) = state.and_then(|s| self.found.parents[s]) {
            depth += 1;
            state = Some(parent as usize);
        }
        depth
    }
}

impl Met {
    fn limits(&self, options: &Options) -> Vec<Limit> {
        let domain = options.domain.clone().filter(|_| self.domain);
        let depth = options.max_depth.filter(|_| self.depth);
        let states = options.max_states.filter(|_| self.states);
        let mut by = Vec::new();
        by.extend(domain.map(Limit::Domain));
        by.extend(depth.map(Limit::Depth));
        by.extend(states.map(Limit::States));
        by.extend(self.budget.map(Limit::Budget));
        by.extend(self.all_violated.then_some(Limit::AllViolated));
        by.extend(self.deadlock.then_some(Limit::Deadlock));
        by
    }
}
