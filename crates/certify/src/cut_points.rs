//! Invariants of cut points: every path without cycles between two of them is followed.
//!
//! The paths are encoded here anew, in a plain way: each location on the way has its own copy of
//! the variables and a Boolean that says whether the run passes it. A variable that every edge into
//! a location keeps needs no new copy there.

use crate::invariant::{Checked, Checker, Stop, is_state_formula, safe_at_locations};
use crate::{Obligation, Outcome};
use sectile_base::Budget;
use sectile_base::digraph::Digraph;
use sectile_model::{Edge, LocationId, Model, ProgramGraph, Task};
use sectile_solver::{Solver, SolverError};
use sectile_terms::{Sort, Stage, Symbol, SymbolKind, Term, Terms};
use std::collections::BTreeMap;

/// Initiation, consecution along all paths between cut points, and the property all the way.
pub fn check(
    task: &Task<'_>,
    invariants: &[Option<Term>],
    solver: &mut dyn Solver,
    budget: &Budget,
) -> Result<Outcome, SolverError> {
    let mut checker = Checker::new(task.terms, solver, budget);
    let result = prove(task, invariants, &mut checker)?;
    Ok(checker.outcome(result))
}

/// The same, by somebody who has shown other things already.
pub fn prove(task: &Task<'_>, invariants: &[Option<Term>], checker: &mut Checker<'_>) -> Checked {
    let refused = |because: &str| Ok(Err(Stop::shape(because)));
    let Model::Graph(graph) = task.model else {
        return refused("a system has no locations: it needs one invariant");
    };
    if invariants.len() != graph.locations.len() {
        return refused("there must be one entry for every location");
    }
    for &invariant in invariants.iter().flatten() {
        if let Err(why) = is_state_formula(task, invariant) {
            return refused(&why);
        }
    }
    let Some(safe) = safe_at_locations(task, graph.locations.len()) else {
        return refused("invariants do not prove this kind of property");
    };
    let Some(blocks) = Blocks::new(task.terms, graph, invariants, &safe) else {
        return refused("a cycle passes through no location with an invariant");
    };
    blocks.obligations(checker)
}

/// The locations without an invariant, in an order in which edges between them go forward.
fn order_between(graph: &ProgramGraph, invariants: &[Option<Term>]) -> Option<Vec<usize>> {
    let mut between = Digraph::new(graph.locations.len());
    for edge in &graph.edges {
        if invariants[edge.from.0].is_none() && invariants[edge.to.0].is_none() {
            between.add_edge(edge.from.0, edge.to.0);
        }
    }
    let order = between.topological_order()?;
    let inner = order.into_iter().filter(|&l| invariants[l].is_none());
    Some(inner.collect())
}

/// The paths between the cut points of a graph.
pub struct Blocks<'c> {
    terms: &'c Terms,
    graph: &'c ProgramGraph,
    invariants: &'c [Option<Term>],
    /// What must hold at every location, also between cut points.
    safe: &'c [Term],
    /// The other locations, in the order of the paths.
    order: Vec<usize>,
    /// The edges into each location.
    entering: Vec<Vec<&'c Edge>>,
    /// The positions of the variables in the graph.
    places: BTreeMap<Symbol, usize>,
}

/// A location on the way: the copies of its variables, and whether the run passes it.
struct Waypoint {
    /// For each variable of the graph.
    copies: Vec<u32>,
    /// The copy of the inputs of edges that leave it.
    inputs: u32,
    passed: Term,
}

impl<'c> Blocks<'c> {
    /// `None` if some cycle passes through no location with an invariant.
    pub fn new(
        terms: &'c Terms,
        graph: &'c ProgramGraph,
        invariants: &'c [Option<Term>],
        safe: &'c [Term],
    ) -> Option<Blocks<'c>> {
        let mut entering = vec![Vec::new(); graph.locations.len()];
        for edge in &graph.edges {
            entering[edge.to.0].push(edge);
        }
        Some(Blocks {
            terms,
            graph,
            invariants,
            safe,
            order: order_between(graph, invariants)?,
            entering,
            places: { graph.variables.iter().copied().zip(0..) }.collect(),
        })
    }

    fn obligations(&self, checker: &mut Checker<'_>) -> Checked {
        let entry = self.graph.entry.0;
        let init = self.graph.init_formula(self.terms);
        match self.invariants[entry] {
            Some(invariant) => {
                let stop = checker.implies(Obligation::Initiation, &[init], invariant)?;
                if stop.is_err() {
                    return Ok(stop);
                }
            }
            None => {
                let stop = self.from(entry, init, checker)?;
                if stop.is_err() {
                    return Ok(stop);
                }
            }
        }
        for location in 0..self.graph.locations.len() {
            let Some(invariant) = self.invariants[location] else {
                continue;
            };
            let stop = self.from(location, invariant, checker)?;
            if stop.is_err() {
                return Ok(stop);
            }
        }
        Ok(Ok(()))
    }

    /// Follows the paths that start at a location in a state of `start`.
    pub fn from(&self, location: usize, start: Term, checker: &mut Checker<'_>) -> Checked {
        let terms = self.terms;
        let restrict = self.graph.restrict_formula(terms);
        let first = Waypoint {
            copies: vec![0; self.graph.variables.len()],
            inputs: 0,
            passed: terms.tt(),
        };
        let mut premises = vec![self.at(terms.and2(start, restrict), &first.copies)];
        let mut stops = BTreeMap::from([(location, first)]);
        // The start itself lies on no cycle without invariants, so it is not met again.
        for &inner in self.order.iter().filter(|&&l| l != location) {
            self.pass(inner, &mut stops, &mut premises);
        }
        for (&passed, stop) in &stops {
            let safe = self.at(self.safe[passed], &stop.copies);
            let name = self.graph.locations[passed].name.clone();
            let here = [premises.as_slice(), &[stop.passed]].concat();
            let result = checker.implies(Obligation::Property(Some(name)), &here, safe)?;
            if result.is_err() {
                return Ok(result);
            }
        }
        for (target, invariant) in self.invariants.iter().enumerate() {
            if let Some(invariant) = invariant {
                let paths = (location, target);
                let result = self.arrive(&stops, &premises, paths, *invariant, checker)?;
                if result.is_err() {
                    return Ok(result);
                }
            }
        }
        Ok(Ok(()))
    }

    /// A run passes a location only by an edge from an earlier stop.
    fn pass(
        &self,
        location: usize,
        stops: &mut BTreeMap<usize, Waypoint>,
        premises: &mut Vec<Term>,
    ) {
        let terms = self.terms;
        let inputs = u32::try_from(stops.len()).unwrap_or(u32::MAX);
        let copies = self.copies(stops, location, inputs);
        let ways = self.ways(stops, location, &copies);
        if ways.is_empty() {
            return;
        }
        let name = terms.fresh("certify.passed", Sort::Bool, SymbolKind::Rigid);
        let passed = terms.var(name);
        premises.push(terms.implies(passed, terms.or(ways)));
        let stop = Waypoint {
            copies,
            inputs,
            passed,
        };
        stops.insert(location, stop);
    }

    /// The copies of the variables at a location: new ones, but for those that all edges keep.
    fn copies(&self, stops: &BTreeMap<usize, Waypoint>, location: usize, new: u32) -> Vec<u32> {
        let variables = self.graph.variables.iter().enumerate();
        let copy = |(i, &v): (usize, &Symbol)| {
            let entering = self.entering[location].iter();
            let ways = entering.filter_map(|edge| Some((edge, stops.get(&edge.from.0)?)));
            let mut known = ways.map(|(edge, stop)| {
                let is_kept = edge.command.update_of(v) == Some(self.terms.var(v));
                is_kept.then_some(stop.copies[i])
            });
            let first = known.next().flatten();
            first
                .filter(|f| known.all(|k| k == Some(*f)))
                .unwrap_or(new)
        };
        variables.map(copy).collect()
    }

    /// A formula about states, at some copies of the variables.
    fn at(&self, formula: Term, copies: &[u32]) -> Term {
        self.terms.restage(formula, |symbol, stage| {
            match (stage, self.places.get(&symbol)) {
                (Stage::Now, Some(&i)) => Stage::At(copies[i]),
                (other, _) => other,
            }
        })
    }

    /// The steps from stops to a location, whose variables have the given copies.
    fn ways(&self, stops: &BTreeMap<usize, Waypoint>, location: usize, to: &[u32]) -> Vec<Term> {
        let ways = self.entering[location].iter().filter_map(|edge| {
            let stop = stops.get(&edge.from.0)?;
            let step = self.step(edge, stop, to);
            Some(self.terms.and2(stop.passed, step))
        });
        ways.collect()
    }

    /// All ways from the start to a location with an invariant lead into the invariant.
    fn arrive(
        &self,
        stops: &BTreeMap<usize, Waypoint>,
        premises: &[Term],
        (start, target): (usize, usize),
        invariant: Term,
        checker: &mut Checker<'_>,
    ) -> Checked {
        let terms = self.terms;
        let new = u32::try_from(stops.len()).unwrap_or(u32::MAX);
        let copies = self.copies(stops, target, new);
        let ways = self.ways(stops, target, &copies);
        if ways.is_empty() {
            return Ok(Ok(()));
        }
        let name = |l: usize| self.graph.location_name(LocationId(l));
        let paths = format!("{} -> {}", name(start), name(target));
        let here = [premises, &[terms.or(ways)]].concat();
        let after = self.at(invariant, &copies);
        checker.implies(Obligation::Consecution(paths), &here, after)
    }

    /// The step along an edge from a stop to other copies of the variables.
    fn step(&self, edge: &Edge, from: &Waypoint, to: &[u32]) -> Term {
        let step = self.graph.step_formula(self.terms, edge);
        self.terms.restage(step, |symbol, stage| {
            match (stage, self.places.get(&symbol)) {
                (Stage::Now, Some(&i)) => Stage::At(from.copies[i]),
                (Stage::Now, None) => Stage::At(from.inputs),
                (Stage::Next, Some(&i)) => Stage::At(to[i]),
                (other, _) => other,
            }
        })
    }
}
